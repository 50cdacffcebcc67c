"""A logged game as compact data for a page: every step tells only what it changed.

What a seat may not see is not there at all: all of it is made from the views and events of the one who looks.
"""

from collections.abc import Iterator, Sequence

import msgspec

from rails_cli.games.canvas import plain
from rails_cli.games.game import ALL_SEATS
from rails_cli.playback.narrate import ending, happened, heading, headline
from rails_cli.playback.recorded import Moment, Recorded
from rails_cli.web.auctions import Auction, auctions, tag
from rails_cli.web.drawing import Map, Mark
from rails_cli.web.maps import board_map
from rails_cli.web.paints import seat_paint
from rails_cli.web.tables import Cell, Chart, Column, Row, Table, charts, tables

LONGEST_WORDS = 600


class StepTold(msgspec.Struct, gc=False, omit_defaults=True):
    """A step: number, player and action, what happened, the cells it changed, and the marks it put and took."""

    title: str
    words: list[str]
    asked: list[str]
    cells: list[int | str | None]
    """The number of a cell, its value, and so on."""
    is_landmark: bool = False


class TableTold(msgspec.Struct, gc=False):
    """A table without its values, which the steps tell; its cells count on from those of the table before."""

    title: str
    corner: str
    columns: list[Column]
    rows: list[Row]


class Perspective(msgspec.Struct, gc=False):
    """The game as one seat, or all together, saw it."""

    name: str
    seat: int | None
    steps: list[StepTold]
    ending: list[str]


class MarkStep(msgspec.Struct, gc=False, array_like=True):
    """The marks put on the board and those taken off, by their number."""

    put: list[int]
    taken: list[int]


class Story(msgspec.Struct, gc=False):
    """All that a page needs, except the board itself."""

    heading: str
    game: str
    players: list[Row]
    perspectives: list[Perspective]
    tables: list[TableTold]
    charts: list[Chart]
    auctions: list[Auction]
    marks: list[Mark]
    board: list[MarkStep]


def story(recorded: Recorded, seer: int) -> Story:
    """The game as `seer` saw it; as all seats together saw it, also each seat's own view where these differ."""
    board = recorded.wire_board
    perspectives = [perspective(recorded, seer)]
    if seer == ALL_SEATS and any(
        has_secrets(recorded, moment, seat) for moment in recorded.moments[:1] for seat in range(len(recorded.names))
    ):
        perspectives += [perspective(recorded, seat) for seat in range(len(recorded.names))]
    marks, steps = board_steps(recorded, board_map(board), seer)
    first = tables(board, recorded.view(recorded.moments[0], seer), recorded.names, {})
    return Story(
        heading=heading(recorded, seer).removeprefix(f"{recorded.game.title}: "),
        game=recorded.game.title,
        players=[Row(name, seat_paint(seat), str(seat)) for seat, name in enumerate(recorded.names)],
        perspectives=perspectives,
        tables=[TableTold(table.title, table.corner, table.columns, table.rows) for table in first],
        charts=charts(board),
        auctions=auctions((moment.number, recorded.events(moment, seer)) for moment in recorded.moments),
        marks=marks,
        board=steps,
    )


def has_secrets(recorded: Recorded, moment: Moment, seat: int) -> bool:
    """Whether a seat sees less than all together."""
    all_see, sees = (msgspec.to_builtins(recorded.view(moment, seer)) for seer in (ALL_SEATS, seat))
    return bool({**all_see, "seat": None} != {**sees, "seat": None})


def perspective(recorded: Recorded, seer: int) -> Perspective:
    steps = []
    before: list[Cell] = []
    for moment, cells in zip(recorded.moments, cells_by_step(recorded, seer), strict=True):
        steps.append(
            StepTold(
                title=headline(recorded, moment),
                words=[shortened(words) for words in happened(recorded, moment, seer)],
                asked=[plain(line) for line in recorded.face.asked(recorded.view(moment, seer), recorded.names)],
                cells=changes(before, cells),
                is_landmark=recorded.is_landmark(moment),
            )
        )
        before = cells
    name = "all seats together" if seer == ALL_SEATS else f"seat {seer}, {recorded.names[seer]}"
    return Perspective(name, None if seer == ALL_SEATS else seer, steps, ending(recorded, seer))


def shortened(words: str) -> str:
    return words if len(words) <= LONGEST_WORDS else words[:LONGEST_WORDS] + "…"


def cells_by_step(recorded: Recorded, seer: int) -> Iterator[list[Cell]]:
    """The values of all tables after each step."""
    prices: dict[str, int] = {}
    for moment in recorded.moments:
        for event in moment.events:
            if tag(event) == "share_sold":
                prices[event.company] = event.price
        view = recorded.view(moment, seer)
        yield flat(tables(recorded.wire_board, view, recorded.names, prices))


def flat(shown: Sequence[Table]) -> list[Cell]:
    return [cell for table in shown for row in table.cells for cell in row]


def changes(before: Sequence[Cell], now: Sequence[Cell]) -> list[Cell]:
    """The cells that differ: number, value, number, value ..."""
    if not before:
        return [part for number, cell in enumerate(now) for part in (number, cell)]
    assert len(before) == len(now), "a table changed its shape"
    return [
        part for number, (old, new) in enumerate(zip(before, now, strict=True)) if old != new for part in (number, new)
    ]


def board_steps(recorded: Recorded, drawn: Map, seer: int) -> tuple[list[Mark], list[MarkStep]]:
    """Every mark that is ever on the board, and for each step the numbers of those that come and go."""
    number_of: dict[Mark, int] = {}
    steps = []
    before: set[int] = set()
    for moment in recorded.moments:
        found = drawn.marks(recorded.view(moment, seer), recorded.face.touched(recorded.events(moment, seer)))
        now = {number_of.setdefault(mark, len(number_of)) for mark in found}
        steps.append(MarkStep(sorted(now - before), sorted(before - now)))
        before = now
    return list(number_of), steps
