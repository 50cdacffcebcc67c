"""Tests with corrupted input for the code that reads untrusted files and messages."""
