"""Matches without input and output: the rules of a session, clocks, log lines, and the interface of players."""
