"""Tests of the rated pool: pairing, ratings, seasons."""
