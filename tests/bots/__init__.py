"""Tests of the example bots."""
