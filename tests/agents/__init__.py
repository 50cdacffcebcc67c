"""Tests of games of language models."""
