"""The parts of the section about a tournament format in a report: paragraphs, tables and brackets."""

import msgspec

Cell = str | int | tuple[str, float] | None
"""Content of a table cell. A pair has a number as text, and a value by which rows are sorted. None is an empty cell."""


class Words(msgspec.Struct, frozen=True):
    """A paragraph of text. If `is_aside`, it is shown in a less prominent style."""

    text: str
    is_aside: bool = False


class Figures(msgspec.Struct, frozen=True):
    """A table of figures. The first column has the headings of the rows."""

    caption: str
    heads: list[str]
    rows: list[list[Cell]]


class BracketPlace(msgspec.Struct, frozen=True):
    """An entrant at a table of a knockout, as shown in the bracket (the diagram of all rounds)."""

    name: str
    words: str
    """Points of the entrant at the table, as text."""
    mark: str
    """Text about the success of the entrant at the table, such as "wins" or "advances".

    Empty for an eliminated entrant.
    """


class BracketTable(msgspec.Struct, frozen=True):
    """A table of a knockout, as shown in the bracket (the diagram of all rounds).

    `places` has the entrants at the table, best first.
    """

    places: list[BracketPlace]
    is_decided: bool


class BracketRound(msgspec.Struct, frozen=True):
    """A round of a knockout, as shown in a bracket. `byes` are the entrants that advance without a game."""

    title: str
    tables: list[BracketTable]
    byes: list[str]


class Bracket(msgspec.Struct, frozen=True):
    """The rounds of a knockout, shown side by side."""

    rounds: list[BracketRound]


class FormatReport(msgspec.Struct, frozen=True):
    """The section of a report about the results of the tournament format."""

    title: str
    parts: list[Words | Figures | Bracket]
