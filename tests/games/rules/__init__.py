"""Tests of the rules of each game: one or more for each numbered rule and worked example of its rule sheet."""
