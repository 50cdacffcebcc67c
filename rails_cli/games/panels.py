"""Panels that a face of any game may have beside its map: short lines, wide or narrow."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from rails_cli.games.canvas import HEADING, Line, plain, seat_style
from rails_cli.games.phrases import dollars

WIDE = 34
"""What a panel needs, with a line for each company or player."""
SHORTEST_NAME = 8
ENDED: Line = [("The game has ended.", "bold")]


def asked_to(player: str, what: str) -> Line:
    return [(player, "bold"), (f" is to {what}.", "")]


def cash_of(view: Any) -> list[int | None]:
    """What each seat has, where that is the score."""
    return [player.cash for player in view.players]


class PlayerRow(NamedTuple):
    """What a player has: cash, or None if it is hidden; a note with its style; and what the player holds."""

    cash: int | None
    note: tuple[str, str]
    held: Line
    end: int | None = None
    """The cash that the player would have at the end as things stand, if that can be told."""


class PlayerColumns(NamedTuple):
    """The headings of notes and holdings, and how money is written."""

    note: str
    held: str
    money: Callable[[int], str] = dollars


def player_lines(
    names: Sequence[str],
    rows: Sequence[PlayerRow],
    columns: PlayerColumns,
    width: int,
    *,
    asked: int | None,
    seer: int | None,
) -> list[Line]:
    """A line for each player; `>` stands before the one who is asked.

    Where there is little room, what is held is closed up, and then names are cut.
    """
    cash = _column("cash", ["hidden" if row.cash is None else columns.money(row.cash) for row in rows])
    notes = _column(columns.note, [row.note[0] for row in rows])
    ends = _column("end", ["-" if row.end is None else columns.money(row.end) for row in rows])
    if all(row.end is None for row in rows):
        ends = [""] * len(ends)
    free = width - len(f">{len(rows)}  {cash[0]}{notes[0]}{ends[0]}")
    longest = max(map(len, ("player", *names)))
    held = [row.held for row in rows]
    if longest + _longest(held) > free:
        held = [[(text.strip(), style) for text, style in line] for line in held]
    room = min(longest, max(free - _longest(held), SHORTEST_NAME))
    lines: list[Line] = [[(f"   {'player':<{room}}{cash[0]}{notes[0]}{ends[0]} {columns.held}", HEADING)]]
    for seat, (name, row) in enumerate(zip(names, rows, strict=True)):
        lines.append(
            [
                (">" if seat == asked else " ", "bold"),
                (f"{seat + 1} ", seat_style(seat)),
                (f"{name[:room]:<{room}}", "bold" if seat in (asked, seer) else ""),
                (cash[seat + 1], ""),
                (notes[seat + 1], row.note[1]),
                (f"{ends[seat + 1]} ", ""),
                *held[seat],
            ]
        )
    return lines


def _column(heading: str, cells: Sequence[str]) -> list[str]:
    """The heading and the cells, all as wide as the widest and apart from what stands before them."""
    wide = max(map(len, (heading, *cells))) + 1
    return [f"{cell:>{wide}}" for cell in (heading, *cells)]


def _longest(lines: Sequence[Line]) -> int:
    return max(len(plain(line).rstrip()) for line in lines)
