"""Tests of general parts: work on several processor cores."""
