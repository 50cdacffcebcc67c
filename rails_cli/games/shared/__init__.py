"""Functions on plain values that at least two games use. They do not depend on any game."""
