"""Tests of the display code that games share."""
