"""Tests of the search of the built-in players."""
