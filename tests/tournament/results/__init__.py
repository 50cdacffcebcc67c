"""Tests of stored results and of audits."""
