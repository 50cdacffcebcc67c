"""Tests of examining a bot."""
