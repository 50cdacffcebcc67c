"""Tests of tournaments: plans, schedules, runs, ratings, results and reports."""
