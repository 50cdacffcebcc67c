"""Matches without input and output: the course of one match, clocks, log lines, and the interfaces of players."""
