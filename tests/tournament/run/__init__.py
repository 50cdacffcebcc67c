"""Tests of running tournaments."""
