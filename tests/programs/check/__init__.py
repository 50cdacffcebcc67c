"""Tests of checking a bot."""
