"""A running game as data for a web page: drawings and texts of everything that one viewer may see.

Positions that a player tries out before answering are shown in the same form.
"""

from collections import deque
from collections.abc import Mapping, Sequence, Set
from itertools import pairwise
from typing import Any, NamedTuple

from rails_cli.games import load_face
from rails_cli.games.decision import Decision, LocalLookahead, decision_at
from rails_cli.games.faces.canvas import plain
from rails_cli.games.faces.choices import (
    abbreviated,
)
from rails_cli.games.faces.interface import Face, money_by_source
from rails_cli.games.faces.sheets import seat_rows
from rails_cli.games.faces.svg import FlexibleMap, Map, SvgMark, board_svg
from rails_cli.games.game import PUBLIC, Game, without_info_fields
from rails_cli.games.shared.text import printable
from rails_cli.match.action_history import ActionHistory
from rails_cli.match.match import Match
from rails_cli.protocol.live_view import (
    AuctionShown,
    BoardShown,
    EventKind,
    EventShown,
    MarkShown,
    PlayerShown,
    QuestionShown,
    Shown,
    SinceShown,
    StepShown,
    SupposedShown,
    TableShown,
)
from rails_cli.web.questions import PlannedPath, path_of, question_shown
from rails_cli.web.story import shortened

MOST_EVENTS = 90
"""Maximum number of events since the last message to a viewer that are shown one by one.

If there are more events, only the resulting position is shown.

The limit counts events, because a limit of actions would reveal forced passes, which are hidden. The data of one action
take 1 ms to compute.
"""
MOST_EVENTS_WATCHED = 16
"""Value of MOST_EVENTS for spectators. Fast bots cause more events between two messages than a person can follow."""


class DrawnBoard(NamedTuple):
    """A board of a game. `board` is its form for the rules, and `wire` the form that is sent to clients.

    `map` draws positions on the board, and `shown` has the drawing of the empty board as SVG.
    """

    board: Any
    wire: dict[str, Any]
    map: Map
    shown: BoardShown


_DRAWN: dict[tuple[int, float | None], DrawnBoard] = {}
BOARDS_KEPT = 64
"""Maximum number of drawings in the cache. A drawing takes 40 ms to make.

A flexible board, which adapts to the space on the page, has one drawing for each ratio of width to height.
"""
NARROWEST, FLATTEST = 0.5, 3.0
"""Smallest and largest ratio of width to height for which boards are drawn."""


def drawn_board(game: Game[Any, Any], board: Any, ratio: float | None = None) -> DrawnBoard:
    """Return a board with its drawing. The result is cached and shared by all tables with this board.

    `ratio` is the width of the space for the drawing divided by its height, or None for the default. Only drawings of
    flexible boards, which adapt to the space, depend on `ratio`.
    """
    key = (id(board), ratio)
    found = _DRAWN.get(key)
    if found is None or found.board is not board:
        wire = game.wire_board(board)
        drawn = load_face(game.name).board_map(wire)
        is_flexible = isinstance(drawn, FlexibleMap)
        if ratio is not None and isinstance(drawn, FlexibleMap):
            drawn = drawn.fitted(ratio)
        elif ratio is not None:
            return drawn_board(game, board)
        while len(_DRAWN) >= BOARDS_KEPT:
            del _DRAWN[next(iter(_DRAWN))]
        base = drawn.base()
        shown = BoardShown(board_svg(base), base.legend, is_flexible)
        found = _DRAWN[key] = DrawnBoard(board, wire, drawn, shown)
    return found


def rounded_ratio(ratio: float | None) -> float | None:
    """Return the ratio of width to height for which a board is drawn: `ratio` rounded and limited.

    Return None for None.
    """
    return None if ratio is None else min(max(round(ratio, 1), NARROWEST), FLATTEST)


class Stage(NamedTuple):
    """The position after an action. Its events have the indexes `start` to `end` - 1 in the history of the match."""

    start: int
    end: int
    state: Any


class Scene:
    """The match at a table, with cached drawings that all its viewers share."""

    def __init__(self, table: str, match: Match) -> None:
        self.table = table
        self.match = match
        self.face = load_face(match.game.name)
        self._boards: dict[float | None, DrawnBoard] = {None: drawn_board(match.game, match.board)}
        self.wire_board = self._boards[None].wire
        self.names = [printable(player.name) for player in match.header.players]
        self.rows: list[Any] = [*seat_rows(self.names)]
        self._at = -1
        self._drawn: dict[int, tuple[Any, list[TableShown]]] = {}
        self._marked: dict[tuple[int, int, frozenset[str], float | None], list[SvgMark]] = {}
        self._question: QuestionShown | None = None
        self._recorded = len(match.history)
        self._stages: deque[Stage] = deque()
        self._numbers: dict[int, dict[SvgMark, int]] = {}
        """Dictionary from a seat (PUBLIC for all spectators) to a dictionary from a mark (SVG element) to its number.

        Each seat has its own numbers, because a gap in shared numbers would reveal marks that only another seat sees.
        """
        self._events: dict[tuple[int, int, int, frozenset[int], float | None], list[EventShown]] = {}

    def board(self, ratio: float | None) -> DrawnBoard:
        """Return the board with its drawing for a page.

        `ratio` is the width of the space on the page divided by its height, or None for the default of the board.
        """
        if ratio not in self._boards:
            self._boards[ratio] = drawn_board(self.match.game, self.match.board, ratio)
        return self._boards[ratio]

    def record(self) -> None:
        """Store the current position, so that later calls of `stages_since` include it. Call this after each action."""
        now = len(self.match.history)
        if now > self._recorded:
            self._stages.append(Stage(self._recorded, now, self.match.state.copy()))
            self._recorded = now
            while self._stages[0].start < now - MOST_EVENTS:
                self._stages.popleft()

    def stages_since(self, start: int) -> list[Stage]:
        """Return one stage for each action after the first `start` events. The last stage has the current position.

        If there are more than MOST_EVENTS such events, the earliest stages are missing.
        """
        self.record()
        return [stage for stage in self._stages if stage.start >= start]

    def events_shown(
        self, viewer: "Viewer", observer: int, events_sent: int, fresh_from: int, fresh: Sequence[Any]
    ) -> list[EventShown]:
        """Return what each event after the first `events_sent` events changed, as `observer` sees it.

        `observer` is a seat, PUBLIC or ALL_SEATS. `fresh` has the events from the index `fresh_from` on, as `observer`
        sees them. The returned list is cached. It is empty if the viewer has no board yet, or if too many events have
        happened.
        """
        most = MOST_EVENTS_WATCHED if observer < 0 else MOST_EVENTS
        if not viewer.has_board or not events_sent < len(self.match.history) <= events_sent + most:
            return []
        key = (observer, events_sent, fresh_from, frozenset(viewer.on_board), viewer.ratio)
        if key not in self._events:
            before = PageContent(viewer.on_board, viewer.auction, viewer.ratio, viewer.tables, viewer.players)
            self._events[key] = _events_shown(self, before, observer, self.stages_since(events_sent), fresh_from, fresh)
        return self._events[key]

    def compare_marks(
        self, observer: int, before: Set[int], marks: Sequence[SvgMark]
    ) -> tuple[list[MarkShown], list[int], set[int]]:
        """Return how to change a board that shows the marks with the numbers `before`, so that it shows `marks`.

        Marks are the variable SVG elements of a board. Return the marks to add (each with its number), the numbers of
        the marks to remove, and the numbers of all `marks`. Each `observer` has its own numbers of marks.
        """
        numbers = self._numbers.setdefault(observer if observer >= 0 else PUBLIC, {})
        now = {numbers.setdefault(mark, len(numbers)): mark for mark in marks}
        put: list[MarkShown] = [(number, *mark) for number, mark in now.items() if number not in before]
        return put, sorted(before - now.keys()), set(now)

    def marks(self, observer: int, view: Any, touched: set[str], now: int, ratio: float | None) -> list[SvgMark]:
        """Return the marks (variable SVG elements of the board) that show `view`. The result is cached.

        `view` is what `observer` sees after the first `now` events. `touched` has the ids of recently changed parts of
        the board. `ratio` is the ratio of width to height of the board's drawing.
        """
        key = (observer, now, frozenset(touched), ratio)
        if key not in self._marked:
            self._marked[key] = self.board(ratio).map.marks(view, touched)
        return self._marked[key]

    def position(
        self, observer: int, prices: Mapping[str, int], touched: set[str], ratio: float | None
    ) -> tuple[Any, list[TableShown], list[SvgMark]]:
        """Return the view, the tables and the marks that `observer` sees now. The result is cached.

        `observer` is a seat, PUBLIC or ALL_SEATS. Marks are the variable SVG elements of the board. `prices` maps the
        id of each sold thing to its last price in dollars. `touched` has the ids of recently changed parts of the
        board. `ratio` is the ratio of width to height of the board's drawing.
        """
        if self._at != len(self.match.history):
            self._at = len(self.match.history)
            self._drawn.clear()
            self._marked.clear()
            self._events.clear()
        if observer not in self._drawn:
            view = self.match.view_for(observer)
            self._drawn[observer] = (view, self.tables(view, prices))
        view, tables = self._drawn[observer]
        return view, tables, self.marks(observer, view, touched, self._at, ratio)

    def tables(self, view: Any, prices: Mapping[str, int]) -> list[TableShown]:
        sheets = self.face.sheets(self.wire_board, view, self.names, prices)
        return [TableShown(*sheet) for sheet in sheets]  # type: ignore[arg-type]

    def sentences(self, events: Sequence[Any]) -> list[str]:
        return [shortened(printable(self.face.tell(self.wire_board, event, self.names))) for event in events]

    def finale(self) -> list[str]:
        """Return sentences that say why the game has ended."""
        return self.sentences([event for event in self.match.history if type(event) in self.face.finale])

    def sources(self, scores: Sequence[int]) -> list[list[tuple[str, int]]]:
        """Return one list per seat, with pairs of a source of money and the dollars from this source.

        The sum of the dollars is the seat's final score in `scores`. The first source is the cash at the start. Return
        an empty list if scores of the game are not money.
        """
        if not self.face.transfers:
            return []
        flows = money_by_source(self.face, len(scores), self.match.history)
        return [
            [("start", score - own.total()), *((kind, amount) for kind, amount in own.items() if amount)]
            for score, own in zip(scores, flows, strict=True)
        ]

    def has_chance_since(self, start: int) -> bool:
        """Return whether an event after the first `start` events revealed a random result or hidden information."""
        match = self.match
        return any(type(event) in match.game.unforeseeable for event in match.history[start:])

    def is_revocable(self, path: PlannedPath) -> bool:
        """Return whether the actions of `path` can be taken back after they are sent, as far as the seat can know.

        The actions are played in an imagined position, with random hidden information, so that the result reveals
        nothing to the seat. Return False if the game cannot create an imagined position.
        """
        match, events = self.match, list[Any]()
        try:
            state = match.game.imagine(path.start.view, match.board, 0)
        except ValueError:
            return False
        for entry in path.entries:
            match.game.apply(state, match.board, without_info_fields(entry), events)
        return match.game.unforeseeable.isdisjoint(map(type, events))

    def question(self, seat: int, request: int) -> QuestionShown:
        """Return the open question of a seat and all its answers for a web page. The result is cached.

        `request` is the number of the request that asks the question.
        """
        if self._question is None or self._question.number != request:
            self._question = question_shown(self.decision(seat), request)
        return self._question

    def decision(self, seat: int) -> Decision:
        """Return the open question of a seat in a form from which the effects of actions can be previewed."""
        match = self.match
        lookahead = LocalLookahead(match.game, match.board, match.state, seat)
        return decision_at(lookahead, match.game, self.face, self.wire_board, match.board, self.names)


class Turns:
    """Record of when a viewer was to move. A time is given as the number of events in the match before it.

    The server keeps this object if the viewer loads the page again.
    """

    def __init__(self) -> None:
        self.has_moved = False
        """Whether the viewer has made a move that was not taken back."""
        self.fresh_from: int | None = None
        """Number of events that are not new to the viewer: for a player, those before the player was last to move.

        None until the viewer first sees the table.
        """
        self._asked_at: list[int] = []
        """Number of events at the time of each question to the viewer. Questions after an undone move are removed."""

    def begin(self, now: int, is_asked: bool) -> None:
        """Record whether the viewer is to move now (`is_asked`). `now` is the number of events so far."""
        self._asked_at = [at for at in self._asked_at if at < now]  # a move that is taken back leaves fewer events
        self.has_moved = bool(self._asked_at)
        if self._asked_at:
            self.fresh_from = self._asked_at[-1]
        elif self.fresh_from is None or self.fresh_from > now:
            self.fresh_from = now
        if is_asked:
            self._asked_at.append(now)


class Viewer:
    """The state of one viewer's web page of a table: what the page already shows.

    `turns` belongs to the viewer's seat and is shared by all pages of this seat. Each spectator has a new `Turns`.
    """

    def __init__(self, turns: Turns | None = None, ratio: float | None = None) -> None:
        self.turns = turns or Turns()
        self.ratio = ratio
        """Ratio of width to height for which the viewer's board is drawn. None for the default of the board."""
        self.has_board = False
        self.events_shown = 0
        self.prices: dict[str, int] = {}
        self.auction: AuctionShown | None = None
        self.tables: list[TableShown] = []
        self.players: list[PlayerShown] = []
        self.on_board: set[int] = set()
        """Numbers of the marks (variable SVG elements) on the viewer's board."""


def shown(scene: Scene, viewer: Viewer, observer: int, *, request: int | None = None, **more: Any) -> Shown:
    """Return the data that the page of a viewer needs to show the table as `observer` sees it now.

    `observer` is a seat, PUBLIC or ALL_SEATS. `request` is the number of the open request to this seat, or None if the
    seat is not to move. `more` has further fields of `Shown`.
    """
    match, events_sent = scene.match, viewer.events_shown
    history = len(match.history)
    viewer.turns.begin(history, request is not None)
    if observer < 0 and viewer.has_board and events_sent < history:
        viewer.turns.fresh_from = events_sent
    fresh_from = viewer.turns.fresh_from
    assert fresh_from is not None
    viewer.events_shown = history
    start = min(events_sent, fresh_from)  # a page that is loaded again has shown nothing yet
    recent = match.events_for(observer, start)
    events, fresh = recent[events_sent - start :], recent[fresh_from - start :]
    viewer.prices |= scene.face.last_prices(events)
    position = scene.position(observer, viewer.prices, scene.face.touched(fresh), viewer.ratio)
    more |= {
        "sent_before": events_sent,
        "story": scene.sentences(events),
        "events": scene.events_shown(viewer, observer, events_sent, fresh_from, fresh),
        "fresh": history - fresh_from,
        "others_moved": _have_others_moved(observer, fresh),
        "moved": viewer.turns.has_moved,
        "revocable": viewer.turns.has_moved and not scene.has_chance_since(fresh_from),
        "question": None if request is None else scene.question(observer, request),
    }
    found = _shown(scene, viewer, *position, match.history, more)
    viewer.auction, viewer.tables, viewer.players = found.auction, found.tables, found.players
    return found


def _have_others_moved(observer: int, fresh: Sequence[Any]) -> bool:
    """Return whether `fresh` includes events that `observer` did not cause, and is short enough to be shown.

    `fresh` has the events since `observer` was last to move. False if `observer` is not a seat.
    """
    return (
        observer >= 0 and len(fresh) <= MOST_EVENTS and any(getattr(event, "seat", None) != observer for event in fresh)
    )


def since_shown(scene: Scene, viewer: Viewer, seat: int, history: ActionHistory, ref: str | None) -> SinceShown | None:
    """Return what happened since `seat` was last to move.

    Return None if no other seat has moved, or if there were too many events. `viewer` is the viewer at the seat.
    `history` has the actions of the match. `ref` is the id of the client's request, which the result repeats.
    """
    match, start, ratio = scene.match, viewer.turns.fresh_from, viewer.ratio
    fresh = [] if start is None else match.events_for(seat, start)
    if start is None or not _have_others_moved(seat, fresh):
        return None
    state, stages = _stages_of(history, start)
    view = match.game.view(state, match.board, seat)
    put, _, on_board = scene.compare_marks(seat, set(), scene.marks(seat, view, set(), start, ratio))
    earlier = match.history[:start]
    tables = scene.tables(view, scene.face.last_prices(earlier))
    players = scene.face.possessions(scene.wire_board, view)
    before = PageContent(on_board, scene.face.bidding(scene.wire_board, view, earlier), ratio, tables, players)
    events = _events_shown(scene, before, seat, stages, start, fresh)
    return SinceShown(put, scene.sentences(fresh), events, tables, players, ref)


def _stages_of(history: ActionHistory, start: int) -> tuple[Any, list[Stage]]:
    """Return the position of a match after its first `start` events, and one stage for each later action."""
    match = history.match
    snapshot = [one for one in history.snapshots if one.events <= start][-1]
    states = {one.number: one.state for one in history.snapshots}
    state, now = snapshot.state.copy(), snapshot.events
    before, stages = state.copy(), []
    for number, (action, events) in enumerate(zip(history.actions, history.events, strict=True), 1):
        if number <= snapshot.number:
            continue
        if number in states:
            state = states[number].copy()
        else:
            match.game.apply(state, match.board, action, [])
        stage = Stage(now, now + len(events), state.copy())
        now = stage.end
        if stage.start >= start:
            stages.append(stage)
        else:
            before = stage.state
    return before, stages


class PageContent(NamedTuple):
    """The parts of a position that a page shows: marks on the board, the auction in progress, tables and possessions.

    `on_board` has the numbers of the marks. `ratio` is the ratio of width to height for which the board is drawn.
    """

    on_board: Set[int]
    auction: AuctionShown | None
    ratio: float | None
    tables: Sequence[TableShown]
    players: Sequence[PlayerShown]


def _events_shown(
    scene: Scene, before: PageContent, observer: int, stages: Sequence[Stage], fresh_from: int, fresh: Sequence[Any]
) -> list[EventShown]:
    """Return what each event of `stages` changed, as `observer` sees it.

    `fresh` has the events from the index `fresh_from` on, as `observer` sees them. The first event is compared with
    `before`.

    In a game with secrets, the changes of tables and possessions are assigned to the last event of consecutive actions
    of a seat. Otherwise they would reveal which passes were forced.
    """
    match, face = scene.match, scene.face
    found: list[EventShown] = []
    actors = [_first_seat(fresh[stage.start - fresh_from :]) for stage in stages]
    for stage, (actor, next_actor) in zip(stages, pairwise([*actors, None]), strict=True):
        start, end = stage.start - fresh_from, stage.end - fresh_from
        view = match.game.view(stage.state, match.board, observer)
        marks = scene.marks(observer, view, face.touched(fresh[:end]), stage.end, before.ratio)
        put, taken, on_board = scene.compare_marks(observer, before.on_board, marks)
        after = before._replace(
            on_board=on_board, auction=face.bidding(scene.wire_board, view, match.history[: stage.end])
        )
        if actor != next_actor or not match.game.has_secrets:
            after = _with_possessions(scene, after, stage, view)
        found += _events_of_action(face, fresh[start:end], before, after, put, taken)
        before = after
    return found


def _first_seat(events: Sequence[Any]) -> int | None:
    """Return the seat of the first event that names a seat. None if no event names a seat."""
    return next((event.seat for event in events if hasattr(event, "seat")), None)


def _with_possessions(scene: Scene, content: PageContent, stage: Stage, view: Any) -> PageContent:
    """Return `content` with the tables and possessions of `stage`, whose position is seen as `view`.

    If the shape of a table has changed, keep the old tables, because only tables of the same shape can be compared.
    """
    tables = scene.tables(view, scene.face.last_prices(scene.match.history[: stage.end]))
    is_same_shape = _shape(tables) == _shape(content.tables)
    players = scene.face.possessions(scene.wire_board, view)
    return content._replace(tables=tables if is_same_shape else content.tables, players=players)


def _events_of_action(
    face: Face, events: Sequence[Any], before: PageContent, after: PageContent, put: list[MarkShown], taken: list[int]
) -> list[EventShown]:
    """Return what each of the `events` of an action changed. `put` and `taken` are the changes of the board.

    The changes of the board are assigned to the first event that names a place on the board. All other differences
    between `before` and `after` are assigned to the last event.
    """
    touched = [sorted(map(printable, face.touched([event]))) for event in events]
    of_board = next((number for number, places in enumerate(touched) if places), 0)
    last = len(events) - 1
    found = []
    for number, (event, places) in enumerate(zip(events, touched, strict=True)):
        money = [(flow.seat, flow.amount) for flow in face.flows(event) if flow.amount]
        found.append(
            EventShown(
                seat=getattr(event, "seat", None),
                kind=_kind_of(face, event, money, is_on_board=bool(places)),
                places=places,
                money=money,
                put=put if number == of_board else [],
                taken=taken if number == of_board else [],
                auction=after.auction if number == last else before.auction,
                cells=_changed_cells(before.tables, after.tables) if number == last else [],
                players=_changed_players(before.players, after.players) if number == last else [],
            )
        )
    return found


CellShown = tuple[int, int, int, int | str | None]
"""Index of a table, a row and a column, and the value of the cell there."""


def _shape(tables: Sequence[TableShown]) -> list[list[int]]:
    """Return the number of cells in each row of each table."""
    return [[len(row) for row in table.cells] for table in tables]


def _changed_cells(before: Sequence[TableShown], after: Sequence[TableShown]) -> list[CellShown]:
    """Return the cells of the tables `after` that differ from the tables `before`, which have the same shape."""
    return [
        (number, row, column, value)
        for number, (old, new) in enumerate(zip(before, after, strict=True))
        for row, values in enumerate(new.cells)
        for column, value in enumerate(values)
        if value != old.cells[row][column]
    ]


def _changed_players(before: Sequence[PlayerShown], after: Sequence[PlayerShown]) -> list[tuple[int, PlayerShown]]:
    """Return the possessions in `after` that differ from those in `before`, each with its seat."""
    return [(seat, new) for seat, (old, new) in enumerate(zip(before, after, strict=True)) if new != old]


def _kind_of(face: Face, event: Any, money: Sequence[tuple[int, int]], *, is_on_board: bool) -> EventKind:
    """Return the kind of an event.

    `money` has pairs of a seat and the dollars by which the seat's money changed. `is_on_board` says whether the event
    names a place on the board.
    """
    transfer = face.transfers.get(type(event))
    if type(event) in face.finale:
        return "finale"
    if is_on_board:
        return "build"
    if transfer is not None and transfer.part == "paid":
        return "sale"
    return "payment" if any(amount > 0 for _, amount in money) else "other"


def _shown(
    scene: Scene,
    viewer: Viewer,
    view: Any,
    tables: list[TableShown],
    marks: Sequence[SvgMark],
    history: Sequence[Any],
    more: dict[str, Any],
) -> Shown:
    observer = PUBLIC if view.seat is None else view.seat
    put, taken, viewer.on_board = scene.compare_marks(observer, viewer.on_board, marks)
    board = None if viewer.has_board else scene.board(viewer.ratio).shown
    viewer.has_board = True
    return Shown(
        table=scene.table,
        title=scene.match.game.title,
        seat=view.seat,
        names=scene.rows,
        board=board,
        put=put,
        taken=taken,
        tables=tables,
        players=scene.face.possessions(scene.wire_board, view),
        stage=[printable(plain(line)) for line in scene.face.asked(view, scene.names)],
        asked=None if view.question is None else view.question.seat,
        auction=scene.face.bidding(scene.wire_board, view, history),
        track=scene.face.action_track(scene.wire_board, view),
        calendar=scene.face.calendar(scene.wire_board, view),
        goal=scene.face.goal(scene.wire_board, view),
        unit=scene.face.unit,
        **{"events": [], "supposed": None, "result": None, "clocks": [], **more},
    )


def shown_after(scene: Scene, viewer: Viewer, seat: int, request: int, steps: Sequence[Any], **more: Any) -> Shown:
    """Return the data that the page of a viewer needs to show the table as it would be after the actions `steps`.

    `seat` is the seat to move, and `request` the number of its open request. `more` has further fields of `Shown`.
    Raise IllegalAction if a step is not legal.
    """
    path = path_of(scene.decision(seat), scene.match.options, steps)
    face, view, events = scene.face, path.known.view, path.events
    taken = [
        StepShown(words, without_info_fields(entry), abbreviated(words, face.shorter))
        for words, entry in zip(path.words, path.entries, strict=True)
    ]
    if path.is_done:
        question = QuestionShown(request, face.prompt(path.start).asks, "", [], [])
    else:
        question = question_shown(path.now, request)
    total, sentences = ", ".join(path.total), scene.sentences(events)
    supposed = SupposedShown(taken, total, sentences, path.is_done, scene.is_revocable(path))
    more |= {
        "sent_before": viewer.events_shown,
        "story": [],
        "fresh": 0,
        "moved": viewer.turns.has_moved,
        "question": question,
        "supposed": supposed,
    }
    tables = scene.tables(view, viewer.prices | face.last_prices(events))
    marks = scene.board(viewer.ratio).map.marks(view, face.touched(events))
    return _shown(scene, viewer, view, tables, marks, [*scene.match.history, *events], more)
