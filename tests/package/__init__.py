"""Tests of the whole package: names of games, wording, compiled form, and the layout of the tests."""
