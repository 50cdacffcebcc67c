"""Consistency checks of positions, one module for each game.

Each recomputes all derived values without using the rules.
"""
