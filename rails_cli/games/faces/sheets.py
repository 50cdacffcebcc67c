"""Sheets: tables of all possessions in a position. Rows and columns stay the same during a game."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from rails_cli.games.faces.paints import seat_paint
from rails_cli.games.faces.phrases import with_capital

Cell = int | str | None
"""A value in a sheet, or None if the value is hidden or does not exist."""
Kind = Literal["money", "count", "text", "gauge", "owners"]
"""How the values of a column are shown.

A `gauge` is text such as `3/5`: the current value and its maximum. `owners` is text with a character for each share:
the index of the seat that holds it, or `-` if nobody holds it. Other text is shown as it is.
"""


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


def seat_marks(names: Sequence[str]) -> list[str]:
    """Return a short text for each seat: the initial of the player, the first two letters, or the number of the seat.

    The number is used if another player has a name with the same two letters.
    """
    starts = [[name[:length].casefold() for name in names] for length in (1, 2)]
    marks = []
    for seat, name in enumerate(names):
        lengths = [length for length, found in enumerate(starts, 1) if found.count(found[seat]) == 1]
        marks.append(with_capital(name[: lengths[0]]) if name and lengths else str(seat + 1))
    return marks


def seat_rows(names: Sequence[str]) -> list[Row]:
    return [
        Row(name, seat_paint(seat), mark)
        for seat, (name, mark) in enumerate(zip(names, seat_marks(names), strict=True))
    ]
