"""Tests of the example bots and of the Python kit for bots."""
