"""Who has what, as tables of plain values: the same rows and columns at every step of a game."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from rails_cli.games.paints import seat_paint

Cell = int | str | None
"""None: not to be seen, or there is none."""
Kind = Literal["money", "count", "text", "gauge"]
"""A gauge is written as `3/5`: how far something has come, and how far it goes."""


class Column(NamedTuple):
    name: str
    kind: Kind
    paint: str = ""
    letter: str = ""


class Row(NamedTuple):
    name: str
    paint: str = ""
    letter: str = ""


class Sheet(NamedTuple):
    """Values by row and column."""

    title: str
    corner: str
    columns: list[Column]
    rows: list[Row]
    cells: Sequence[Sequence[Cell]]


class Chart(NamedTuple):
    """A column of a sheet, followed through the game: a line for each row."""

    title: str
    sheet: int
    column: int


def gauge(now: int, most: int) -> str:
    return f"{min(max(now, 0), most)}/{most}"


def seat_rows(names: Sequence[str]) -> list[Row]:
    return [Row(name, seat_paint(seat), str(seat + 1)) for seat, name in enumerate(names)]
