"""Tests of what the faces of games share."""
