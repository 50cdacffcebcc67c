"""Tests of what is said over the wire, and of its manual."""
