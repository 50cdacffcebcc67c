"""Tests of ratings, standings and suspensions."""
