"""Tests of tournaments: schedules, ratings, running them."""
