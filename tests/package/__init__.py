"""Tests of the package as a whole: its layers, its compiled form, its tests."""
