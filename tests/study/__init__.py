"""Tests of studies of games."""
