"""Functions on plain values that at least two games share. They do not depend on any game."""
