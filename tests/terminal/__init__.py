"""Tests of playing at a terminal."""
