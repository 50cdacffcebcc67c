"""Texts that specify the player of a seat, in logs, options and plans."""

BUILTIN = "builtin:"
"""Prefix of the text that specifies a built-in player. The name of the player follows."""
PERSON = "person"
"""Text that specifies a person at this terminal."""
