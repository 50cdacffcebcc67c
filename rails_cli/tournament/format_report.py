"""What a format says of its own results, in words, figures and brackets; how that is shown is the report's affair."""

import msgspec

Cell = str | int | tuple[str, float] | None
"""A pair is a number in words with its value, which the column is sorted by; None where there is nothing."""


class Words(msgspec.Struct, frozen=True):
    """A paragraph."""

    text: str
    is_aside: bool = False


class Figures(msgspec.Struct, frozen=True):
    """A table whose first column names the rows."""

    caption: str
    heads: list[str]
    rows: list[list[Cell]]


class BracketPlace(msgspec.Struct, frozen=True):
    """One of those at a table of a bracket."""

    name: str
    words: str
    mark: str
    """What it has reached; empty if nothing."""


class BracketTable(msgspec.Struct, frozen=True):
    """Those at a table, best first."""

    places: list[BracketPlace]
    is_decided: bool


class BracketRound(msgspec.Struct, frozen=True):
    """The tables of a round, and who goes on without a game."""

    title: str
    tables: list[BracketTable]
    byes: list[str]


class Bracket(msgspec.Struct, frozen=True):
    """Rounds side by side."""

    rounds: list[BracketRound]


class FormatReport(msgspec.Struct, frozen=True):
    """The section of a format."""

    title: str
    parts: list[Words | Figures | Bracket]
