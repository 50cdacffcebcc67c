"""Matches without I/O: the open question of a match, its clocks, its log lines, and the replay of logs."""
