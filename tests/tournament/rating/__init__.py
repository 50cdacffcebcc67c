"""Tests of ratings and standings."""
