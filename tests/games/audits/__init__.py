"""Consistency checks of positions, one module for each game, which recompute everything independently."""
