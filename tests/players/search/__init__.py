"""Tests of looking ahead."""
