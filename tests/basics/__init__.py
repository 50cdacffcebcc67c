"""Tests of worker processes on several processor cores, and of optional packages."""
