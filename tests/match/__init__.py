"""Tests of a match between players, good and bad."""
