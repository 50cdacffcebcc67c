"""Tests of board files: the standard boards, boards with other values, and files with mistakes."""
