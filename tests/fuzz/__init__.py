"""Tests of the readers of untrusted files and messages with corrupted input."""
