"""Tests of tournament plans."""
