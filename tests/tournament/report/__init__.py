"""Tests of the HTML report of a tournament."""
