"""Texts that specify the player of a seat, in logs, options and plans."""

BUILTIN = "builtin:"
"""Beginning of the text of a built-in player, before its name."""
PERSON = "person"
"""Text of a person at this terminal."""
