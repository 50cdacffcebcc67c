"""Tests of stored results and audits."""
