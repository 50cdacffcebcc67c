"""Sheets: tables of all possessions in a position. Rows and columns stay the same during a game."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from rails_cli.games.faces.paints import seat_paint

Cell = int | str | None
"""A value in a sheet, or None if the value is hidden or does not exist."""
Kind = Literal["money", "count", "text", "gauge"]
"""How the values of a column are shown. A `gauge` is text such as `3/5`: the current value and its maximum."""


class Column(NamedTuple):
    name: str
    kind: Kind
    paint: str = ""
    symbol: str = ""


class Row(NamedTuple):
    name: str
    paint: str = ""
    symbol: str = ""


class Sheet(NamedTuple):
    """A table of values by row and column. `corner` is the heading of the column with the row names.

    `cells` has the values row by row.
    """

    title: str
    corner: str
    columns: list[Column]
    rows: list[Row]
    cells: Sequence[Sequence[Cell]]


class Chart(NamedTuple):
    """A chart of one column of a sheet. It has a curve for each row, over the steps of a game.

    `sheet` is the index of the sheet in the list of all sheets, and `column` the index of the column.
    """

    title: str
    sheet: int
    column: int


def gauge(now: int, most: int) -> str:
    return f"{min(max(now, 0), most)}/{most}"


def seat_rows(names: Sequence[str]) -> list[Row]:
    return [Row(name, seat_paint(seat), str(seat + 1)) for seat, name in enumerate(names)]
