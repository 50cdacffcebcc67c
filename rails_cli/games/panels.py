"""Panels that a face of any game may have beside its map: short lines, wide or narrow."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from rails_cli.games.canvas import HEADING, Line, seat_style

WIDE = 34
"""From this width on a panel has one line for each company or player."""
NAME_WIDTH = 10
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


class PlayerColumns(NamedTuple):
    """The headings of notes and holdings, and how much room cash and notes have."""

    note: str
    held: str
    cash_width: int
    note_width: int


def player_lines(
    names: Sequence[str],
    rows: Sequence[PlayerRow],
    columns: PlayerColumns,
    width: int,
    *,
    asked: int | None,
    seer: int | None,
    notes_matter: bool = False,
) -> list[Line]:
    """A line for each player; `>` stands before the one who is asked.

    Where there is little room there are two lines, with notes only if they matter.
    """
    is_wide = width >= WIDE
    room = NAME_WIDTH if is_wide else width - 11
    lines: list[Line] = []
    for seat, (name, row) in enumerate(zip(names, rows, strict=True)):
        cash = "hidden" if row.cash is None else f"${row.cash:,}"
        line = [
            (">" if seat == asked else " ", "bold"),
            (f"{seat + 1} ", seat_style(seat)),
            (f"{name[:room]:<{room}}", "bold" if seat in (asked, seer) else ""),
            (f"{cash:>{columns.cash_width if is_wide else 8}}", ""),
        ]
        note = (f"{row.note[0]:>{columns.note_width}}", row.note[1])
        if is_wide:
            lines.append([*line, note, (" ", ""), *row.held])
        else:
            lines += [line, [("  ", ""), *([note] if notes_matter else []), (" ", ""), *row.held]]
    if not is_wide:
        return [[("players", HEADING)], *lines]
    heads = f"{'cash':>{columns.cash_width}}{columns.note:>{columns.note_width}} {columns.held}"
    return [[(f"   {'player':<{room}}{heads}", HEADING)], *lines]
