"""Tests of games that language models play."""
