"""The results of a format as paragraphs, tables and brackets. The report decides how to display them."""

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
    """An entrant at a table of a bracket."""

    name: str
    words: str
    mark: str
    """What the entrant has reached, such as "wins" or "advances". Empty if nothing."""


class BracketTable(msgspec.Struct, frozen=True):
    """A table of a bracket. `places` lists its entrants, best first."""

    places: list[BracketPlace]
    is_decided: bool


class BracketRound(msgspec.Struct, frozen=True):
    """The tables of a round, and the entrants that advance without a game."""

    title: str
    tables: list[BracketTable]
    byes: list[str]


class Bracket(msgspec.Struct, frozen=True):
    """A bracket: rounds shown side by side."""

    rounds: list[BracketRound]


class FormatReport(msgspec.Struct, frozen=True):
    """The section of a report that describes the results of a format."""

    title: str
    parts: list[Words | Figures | Bracket]
