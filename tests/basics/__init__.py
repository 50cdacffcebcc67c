"""Tests of the basic parts."""
