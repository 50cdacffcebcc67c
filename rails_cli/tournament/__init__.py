"""Tournaments: who plays whom (schedule), what it shows (ratings, standings), and the running of it."""
