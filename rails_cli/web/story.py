"""A logged game as compact data for a web page. Each step contains only what has changed since the previous step.

All data come from the views and events of one viewer, so information hidden from this viewer is not included.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import msgspec

from rails_cli.games.faces.auctions import Auction
from rails_cli.games.faces.canvas import plain
from rails_cli.games.faces.phrases import with_capital
from rails_cli.games.faces.sheets import Cell, Chart, Column, Row, seat_rows
from rails_cli.games.faces.svg import SvgMark
from rails_cli.games.game import ALL_SEATS
from rails_cli.games.shared.text import printable
from rails_cli.study.analysis.analysis import Analysis
from rails_cli.study.analysis.judging import FEWEST
from rails_cli.study.playback.narrate import ending, event_lines, headline, players_and_options, seed_of
from rails_cli.study.playback.recorded import Moment, Recorded

LONGEST_WORDS = 600
"""Maximum number of characters of a text."""


class ClosingTold(msgspec.Struct, gc=False):
    """Payments to all seats that follow an action, such as the dividends at the end of a year.

    The page shows them as a separate step. `paid` has the dollars that each seat receives.
    """

    title: str
    words: list[str]
    paid: list[int]


class StepTold(msgspec.Struct, gc=False, omit_defaults=True):
    """A step of a logged game: its title, sentences (`words`) about its events, and lines (`asked`) about the position.

    `asked` says who is to move after the step and which question is open.
    """

    title: str
    words: list[str]
    asked: list[str]
    cells: list[int | str | None]
    """Table cells that changed in this step, as a flat list of cell numbers, each followed by its new value."""
    is_landmark: bool = False
    """Whether the step has an event to which the page can jump, such as the payment of a dividend."""
    turn: str = ""
    """Heading of the turn that begins with this step. Empty if none begins."""
    closing: ClosingTold | None = None
    """Payments that follow the action. The values in `cells` include them. None if there are no payments."""


class SheetTold(msgspec.Struct, gc=False):
    """The layout of a table on the page. The values of its cells are in the steps.

    Cells of all tables are numbered consecutively. `corner` is the heading of the column with the names of the rows.
    """

    title: str
    corner: str
    columns: list[Column]
    rows: list[Row]


class Perspective(msgspec.Struct, gc=False):
    """The steps of a game as one seat saw them. If `seat` is None, the steps contain what all seats together saw.

    `ending` has lines of text about the end and the result of the game.
    """

    name: str
    seat: int | None
    steps: list[StepTold]
    ending: list[str]


class MarkStep(msgspec.Struct, gc=False, array_like=True):
    """Numbers of the marks (SVG elements) that a step adds to the board (`put`) and removes from it (`taken`)."""

    put: list[int]
    taken: list[int]


class DecisionTold(msgspec.Struct, gc=False):
    """A text about the value of a move, and about a better move if there is one.

    `step` is the number of the first step of the move, and `last` that of its last step.
    """

    step: int
    last: int
    words: str


class MomentTold(msgspec.Struct, gc=False):
    """A step that changed the chances of winning: its number, the seat that moved, and a text about the change."""

    step: int
    seat: int
    words: str


class AnalysisTold(msgspec.Struct, gc=False):
    """An analysis of a game: chances of winning, decisive steps, and texts about all decisions.

    `title` is the title of a chart of `chances`. `chances` has one list per seat, with the chance of winning in per
    cent after each step. `costliest` has one list per seat, with the decisions that most reduced the seat's own chance
    of winning, the worst first.
    """

    title: str
    chances: list[list[int]]
    moments: list[MomentTold]
    costliest: list[list[MomentTold]]
    decisions: list[DecisionTold]


class ResultTold(msgspec.Struct, gc=False):
    scores: list[int]
    ranks: list[int]


class BranchTold(msgspec.Struct, gc=False):
    """A branch: a game that continues another game after step number `step` in another way.

    Steps and marks (SVG elements) that the branch shares with the other game are left out.
    """

    number: int
    name: str
    players: str
    step: int
    perspectives: list[Perspective]
    auctions: list[Auction]
    marks: list[SvgMark]
    board: list[MarkStep]
    analysis: AnalysisTold | None
    result: ResultTold | None


class PlayFrom(msgspec.Struct, gc=False):
    """How to continue a logged game at any action. `words` is the beginning of a URL if `is_address`, or of a command.

    The page appends the number of an action to `words`. In a URL, this is the first new action. In a command, it is the
    last action of the logged game that is kept.
    """

    words: str
    is_address: bool


class Story(msgspec.Struct, gc=False):
    """All data of the web page about a logged game, except the drawing of the board."""

    heading: str
    game: str
    unit: str
    """Unit of scores: `$`, or a word such as `points`."""
    seed: str | None
    """Random seed of the game. None if it is not known, or if the page shows what one seat saw."""
    players: list[Row]
    perspectives: list[Perspective]
    tables: list[SheetTold]
    charts: Sequence[Chart]
    auctions: list[Auction]
    marks: list[SvgMark]
    board: list[MarkStep]
    analysis: AnalysisTold | None
    result: ResultTold | None
    branches: list[BranchTold]
    play_from: PlayFrom | None


class BranchShown(NamedTuple):
    """A branch of a game to include in a page. `number` counts the branches of the game from 1."""

    number: int
    name: str
    players: str
    recorded: Recorded
    analysis: Analysis | None


def story(
    recorded: Recorded,
    observer: int,
    analysis: Analysis | None = None,
    branches: Sequence[BranchShown] = (),
    play_from: PlayFrom | None = None,
) -> Story:
    """Return the data of the page about a logged game, with only what the seat `observer` could see.

    If `observer` is ALL_SEATS and the seats saw different things, also include the steps as each single seat saw them.
    """
    face = recorded.face
    perspectives = perspectives_of(recorded, observer)
    number_of: dict[SvgMark, int] = {}
    marks, steps = board_steps(recorded, observer, number_of)
    first = face.sheets(recorded.wire_board, recorded.view(recorded.moments[0], observer), recorded.names, {})
    return Story(
        heading=players_and_options(recorded),
        game=recorded.game.title,
        unit=face.unit,
        seed=None if (seed := seed_of(recorded, observer)) is None else str(seed),
        players=seat_rows(recorded.names),
        perspectives=perspectives,
        tables=[SheetTold(sheet.title, sheet.corner, sheet.columns, sheet.rows) for sheet in first],
        charts=face.charts,
        auctions=face.auctions((moment.number, recorded.events(moment, observer)) for moment in recorded.moments),
        marks=marks,
        board=steps,
        analysis=None if analysis is None else analysis_told(analysis),
        result=result_told(recorded),
        branches=[branch_told(branch, observer, number_of) for branch in branches],
        play_from=play_from,
    )


def perspectives_of(recorded: Recorded, observer: int) -> list[Perspective]:
    seats = range(len(recorded.names))
    found = [perspective(recorded, observer)]
    if observer == ALL_SEATS and any(
        has_secrets(recorded, moment, seat) for moment in recorded.moments[:1] for seat in seats
    ):
        found += [perspective(recorded, seat) for seat in seats]
    return found


def branch_told(branch: BranchShown, observer: int, number_of: dict[SvgMark, int]) -> BranchTold:
    """Return the data of a branch without the steps and marks that it shares with its game.

    Marks are the variable SVG elements of the board. `number_of` is a dictionary from each mark of the game to its
    number.
    """
    recorded = branch.recorded
    assert recorded.header.branch is not None
    first = recorded.header.branch.number
    perspectives = perspectives_of(recorded, observer)
    for seen in perspectives:
        seen.steps = seen.steps[first:]
    marks, steps = board_steps(recorded, observer, dict(number_of))
    return BranchTold(
        number=branch.number,
        name=branch.name,
        players=branch.players,
        step=first - 1,
        perspectives=perspectives,
        auctions=recorded.face.auctions(
            (moment.number, recorded.events(moment, observer)) for moment in recorded.moments
        ),
        marks=marks[len(number_of) :],
        board=steps[first:],
        analysis=None if branch.analysis is None else analysis_told(branch.analysis),
        result=result_told(recorded),
    )


def result_told(recorded: Recorded) -> ResultTold | None:
    result, ranks = recorded.result, recorded.ranks()
    return None if result is None or ranks is None else ResultTold(result.scores, ranks)


def analysis_told(analysis: Analysis) -> AnalysisTold:
    chances = [[round(100 * chances[seat]) for chances in analysis.curve] for seat in range(len(analysis.players))]
    moments = [MomentTold(moment.first, moment.seat, moment.words) for moment in analysis.moments]
    costliest = [
        [MomentTold(move.first, seat, move.words) for move in player.costliest]
        for seat, player in enumerate(analysis.players)
    ]
    decisions = []
    for one in analysis.decisions:
        more = "" if one.judgement.chance_lost >= FEWEST else "; nothing better was found"
        decisions.append(DecisionTold(one.judgement.first, one.judgement.last, one.words + more))
    return AnalysisTold(analysis.curve_title, chances, moments, costliest, decisions)


def has_secrets(recorded: Recorded, moment: Moment, seat: int) -> bool:
    """Return whether a seat sees less than all seats together at a moment of a game."""
    all_see, sees = (msgspec.to_builtins(recorded.view(moment, observer)) for observer in (ALL_SEATS, seat))
    return bool({**all_see, "seat": None} != {**sees, "seat": None})


def perspective(recorded: Recorded, observer: int) -> Perspective:
    steps = []
    before: list[Cell] = []
    for moment, cells in zip(recorded.moments, cells_by_step(recorded, observer), strict=True):
        words = [shortened(words) for words in event_lines(recorded, moment, observer)]
        closing = closing_told(recorded, moment, observer)
        steps.append(
            StepTold(
                title=headline(recorded, moment, observer),
                words=words if closing is None else words[: -len(closing.words)],
                asked=[plain(line) for line in recorded.face.asked(recorded.view(moment, observer), recorded.names)],
                cells=changes(before, cells),
                is_landmark=recorded.is_landmark(moment),
                turn=turn_begun(recorded, moment, observer),
                closing=closing,
            )
        )
        before = cells
    name = "all seats together" if observer == ALL_SEATS else f"seat {observer + 1}, {recorded.names[observer]}"
    return Perspective(name, None if observer == ALL_SEATS else observer, steps, ending(recorded, observer))


def turn_begun(recorded: Recorded, moment: Moment, observer: int) -> str:
    """Return a heading with the player, and the year or round if the game has them. Empty unless a turn begins."""
    if moment.by is None:
        return ""
    view = recorded.view(recorded.moments[moment.number - 1], observer)
    if view.question is None or view.question.asks not in recorded.face.new_turn:
        return ""
    return with_date(recorded, view, recorded.names[moment.by])


def with_date(recorded: Recorded, view: Any, words: str) -> str:
    """Return `words`, preceded by the year or round of `view` if the game has them."""
    calendar = recorded.face.calendar(recorded.wire_board, view)
    return words if calendar is None else f"{calendar.names[calendar.now]}: {words}"


def closing_told(recorded: Recorded, moment: Moment, observer: int) -> ClosingTold | None:
    """Return the payments to seats that follow the action of `moment`, or None if there are none.

    They begin with the first event of a payment that no single seat causes, such as the dividends at the end of a year.
    """
    face, events = recorded.face, recorded.events(moment, observer)
    is_first = (type(event) in face.landmarks and not hasattr(event, "seat") for event in events)
    first = next((number for number, found in enumerate(is_first) if found), len(events))
    flows = [flow for event in events[first:] for flow in face.flows(event)]
    if not flows:
        return None
    sentences = [printable(face.tell(recorded.wire_board, event, recorded.names)) for event in events[first:]]
    paid = [sum(flow.amount for flow in flows if flow.seat == seat) for seat in range(len(recorded.names))]
    view = recorded.view(recorded.moments[moment.number - 1], observer)
    title = with_capital(with_date(recorded, view, flows[0].kind))
    return ClosingTold(title, [shortened(words) for words in sentences if words], paid)


def shortened(words: str) -> str:
    return words if len(words) <= LONGEST_WORDS else words[:LONGEST_WORDS] + "…"


def cells_by_step(recorded: Recorded, observer: int) -> Iterator[list[Cell]]:
    """Yield the values of all table cells after each step, one list per step, as the seat `observer` sees them."""
    face = recorded.face
    prices: dict[str, int] = {}
    for moment in recorded.moments:
        prices |= face.last_prices(moment.events)
        sheets = face.sheets(recorded.wire_board, recorded.view(moment, observer), recorded.names, prices)
        yield [cell for sheet in sheets for row in sheet.cells for cell in row]


def changes(before: Sequence[Cell], now: Sequence[Cell]) -> list[Cell]:
    """Return the cells that differ between `before` and `now`, as a flat list.

    In the list, each cell number is followed by the new value of the cell. If `before` is empty, return all cells.
    """
    if not before:
        return [part for number, cell in enumerate(now) for part in (number, cell)]
    assert len(before) == len(now), "a sheet changed its shape"
    return [
        part for number, (old, new) in enumerate(zip(before, now, strict=True)) if old != new for part in (number, new)
    ]


def board_steps(
    recorded: Recorded, observer: int, number_of: dict[SvgMark, int]
) -> tuple[list[SvgMark], list[MarkStep]]:
    """Return all marks (variable SVG elements of the board), and for each step the marks that are added and removed.

    `number_of` is a dictionary from each known mark to its number. New marks are added to the dictionary.
    """
    drawn = recorded.face.board_map(recorded.wire_board)
    steps = []
    before: set[int] = set()
    for moment in recorded.moments:
        found = drawn.marks(recorded.view(moment, observer), recorded.face.touched(recorded.events(moment, observer)))
        now = {number_of.setdefault(mark, len(number_of)) for mark in found}
        steps.append(MarkStep(sorted(now - before), sorted(before - now)))
        before = now
    return list(number_of), steps
