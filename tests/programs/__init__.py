"""Tests of programs that play."""
