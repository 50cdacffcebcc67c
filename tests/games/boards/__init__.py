"""Tests of board files: the standard boards, changed boards, and mistakes."""
