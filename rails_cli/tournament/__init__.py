"""Tournaments: schedules, ratings and standings, and the code that plays the games."""
