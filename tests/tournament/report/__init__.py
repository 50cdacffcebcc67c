"""Tests of a tournament's report."""
