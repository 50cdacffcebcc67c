"""The contract of all faces: a Face is a record of functions that show one game to people.

The functions of a face know their own game's events, entries and views; nobody else does.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Face:
    """One game as people see it."""

    about: str
    """In a line: what it is about, and how long it takes."""
    difficulty: int
    """From 1, for a first game, to 5."""

    # Words: what happened, and the position as text

    # Decisions: what is asked, the choices, what each would do, and why others are not allowed

    # Pages: the board as a picture, tables, charts

    # Results: where the money came from
