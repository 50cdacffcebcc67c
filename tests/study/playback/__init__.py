"""Tests of looking at a recorded game again."""
