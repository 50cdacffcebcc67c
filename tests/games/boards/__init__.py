"""Tests of board files: the standard boards, boards with unusual values, and files with mistakes."""
