"""Tests of matches: the rules of a session, clocks, faults of bots, hosting and resuming."""
