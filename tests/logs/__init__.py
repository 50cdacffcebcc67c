"""Tests of logs: seals, signatures."""
