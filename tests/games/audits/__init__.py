"""Independent recomputations of a position, one module a game."""
