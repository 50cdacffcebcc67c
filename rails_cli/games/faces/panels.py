"""Terminal tables of players that are shown beside the map, shared by the faces of all games."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from rails_cli.games.faces.canvas import HEADING, Line, plain, seat_style
from rails_cli.games.faces.phrases import dollars
from rails_cli.games.shared.text import columns_of

WIDE = 34
"""Minimum width in characters of a table with one line for each company or player."""
SHORTEST_NAME = 8
ENDED: Line = [("The game has ended.", "bold")]


def asked_to(player: str, what: str) -> Line:
    return [(player, "bold"), (f" is to {what}.", "")]


def asked_seat(view: Any, names: Sequence[str]) -> list[Line]:
    """Return a line with the name of the player to move and the kind of question, which is its field `asks`.

    After the end of the game, the line says that the game has ended.
    """
    question = view.question
    return [ENDED] if question is None else [asked_to(names[question.seat], question.asks.replace("_", " "))]


def scores_in(view: Any) -> list[int | None]:
    """Return the score of each seat in a view, or None for a seat whose score is hidden."""
    scores: list[int | None] | None = getattr(view, "scores", None)
    if scores is not None:
        return list(scores)
    try:
        return [player.cash for player in view.players]
    except AttributeError:
        raise TypeError("the view has neither `scores` nor `players` with `cash`; define `Face.scores`") from None


class PlayerRow(NamedTuple):
    """The values of one player in a table: cash (None if hidden), a note as a pair (text, style), and holdings."""

    cash: int | None
    note: tuple[str, str]
    held: Line
    end: int | None = None
    """The player's projected cash at the end of the game, or None if unknown."""


class PlayerColumns(NamedTuple):
    """The headings of the columns for notes and holdings, and the function that formats money."""

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
    """Return the lines of a table: a heading, and a line for each player.

    - `asked` is the seat to move. Its line is marked with `>`, and its name is highlighted.
    - `seer` is the seat that looks at the table, or None for a spectator. Its name is bold.

    If `width` is too small, spaces in the holdings are removed first. Then names are shortened, and last the column of
    projected cash is left out.
    """
    cash = _column("cash", ["hidden" if row.cash is None else columns.money(row.cash) for row in rows])
    notes = _column(columns.note, [row.note[0] for row in rows])
    ends = _column("end", ["-" if row.end is None else columns.money(row.end) for row in rows])
    taken = len(f">{len(rows)}  {cash[0]}{notes[0]}")
    held = [row.held for row in rows]
    packed = [[(text.strip(), style) for text, style in line] for line in held]
    longest = max(map(columns_of, ("player", *names)))
    if all(row.end is None for row in rows) or taken + len(ends[0]) + SHORTEST_NAME + _longest(packed) > width:
        ends = [""] * len(ends)
    free = width - taken - len(ends[0])
    if longest + _longest(held) > free:
        held = packed
    room = min(longest, max(free - _longest(held), SHORTEST_NAME))
    lines: list[Line] = [[(f"   {'player':<{room}}{cash[0]}{notes[0]}{ends[0]} {columns.held}", HEADING)]]
    for seat, (name, row) in enumerate(zip(names, rows, strict=True)):
        shown = shortened(name, room)
        lines.append(
            [
                (">" if seat == asked else " ", "bold"),
                (f"{seat + 1} ", seat_style(seat)),
                (shown, "bold reverse" if seat == asked else "bold" if seat == seer else ""),
                (" " * (room - columns_of(shown)), ""),
                (cash[seat + 1], ""),
                (notes[seat + 1], row.note[1]),
                (f"{ends[seat + 1]} ", ""),
                *held[seat],
            ]
        )
    return lines


def shortened(name: str, room: int) -> str:
    """Return `name` with at most `room` characters. The sign `…` replaces the letters that are left out."""
    if columns_of(name) <= room:
        return name
    kept = name[: room - 1]
    while columns_of(kept) >= room:
        kept = kept[:-1]
    return f"{kept}…"


def _column(heading: str, cells: Sequence[str]) -> list[str]:
    """Return the heading and the cells of a column.

    The texts are padded on the left to the same width, which is one more than the length of the longest.
    """
    wide = max(map(len, (heading, *cells))) + 1
    return [f"{cell:>{wide}}" for cell in (heading, *cells)]


def _longest(lines: Sequence[Line]) -> int:
    return max(len(plain(line).rstrip()) for line in lines)
