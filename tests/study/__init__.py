"""Tests of analysing and replaying recorded games."""
