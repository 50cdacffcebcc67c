"""The parts of a format's section in a report: paragraphs, tables and brackets."""

import msgspec

Cell = str | int | tuple[str, float] | None
"""A cell of a table. A pair is a number as text with the value used for sorting. None is an empty cell."""


class Words(msgspec.Struct, frozen=True):
    """A paragraph of text."""

    text: str
    is_aside: bool = False


class Figures(msgspec.Struct, frozen=True):
    """A table whose first column names the rows."""

    caption: str
    heads: list[str]
    rows: list[list[Cell]]


class BracketPlace(msgspec.Struct, frozen=True):
    """An entrant at a table of a bracket of a knockout."""

    name: str
    words: str
    mark: str
    """What the entrant has reached at the table, such as "wins" or "advances". Empty if it is eliminated."""


class BracketTable(msgspec.Struct, frozen=True):
    """A table of a bracket of a knockout. `places` lists the entrants at the table, best first."""

    places: list[BracketPlace]
    is_decided: bool


class BracketRound(msgspec.Struct, frozen=True):
    """A round of a knockout. `byes` are the entrants that advance without a game."""

    title: str
    tables: list[BracketTable]
    byes: list[str]


class Bracket(msgspec.Struct, frozen=True):
    """The rounds of a knockout, shown side by side."""

    rounds: list[BracketRound]


class FormatReport(msgspec.Struct, frozen=True):
    """The section of a report that describes the results of a format."""

    title: str
    parts: list[Words | Figures | Bracket]
