"""A running game as a page shows it: drawn and put into words here, from what the one who looks may see.

What is imagined, because a player tries out an answer before giving it, is told in the same way.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from protocol.common import BidRange
from protocol.live_view import BoardShown, ChoiceShown, QuestionShown, Shown, StepShown, SupposedShown, TableShown
from rails_cli.games import load_face
from rails_cli.games.canvas import plain
from rails_cli.games.choices import Choice, choices_of, hint, preview_of, why, words_of
from rails_cli.games.decision import Decision, LocalLookahead, action_of
from rails_cli.games.game import Game, IllegalAction, bare
from rails_cli.games.phrases import printable
from rails_cli.games.rulebook import cited
from rails_cli.games.sheets import seat_rows
from rails_cli.games.svg import Map, Mark, board_svg
from rails_cli.match.match import Match
from rails_cli.web.story import shortened

MOST_STEPS = 30
LONGEST_WHY = 100


class DrawnBoard(NamedTuple):
    """A board as clients are told of it, and its drawing."""

    board: Any
    wire: dict[str, Any]
    map: Map
    shown: BoardShown


_DRAWN: dict[int, DrawnBoard] = {}
BOARDS_KEPT = 12


def drawn_board(game: Game[Any, Any], board: Any) -> DrawnBoard:
    """The drawing of a board, made once for all tables that are played on it."""
    kept = _DRAWN.get(id(board))
    if kept is None or kept.board is not board:
        while len(_DRAWN) >= BOARDS_KEPT:
            del _DRAWN[next(iter(_DRAWN))]
        wire = game.wire_board(board)
        drawn = load_face(game.name).board_map(wire)
        base = drawn.base()
        kept = _DRAWN[id(board)] = DrawnBoard(board, wire, drawn, BoardShown(board_svg(base), base.legend))
    return kept


class Scene:
    """What stays the same at a table: the game, its board and the names of the players."""

    def __init__(self, match: Match) -> None:
        self.game = match.game
        self.face = load_face(match.game.name)
        self.board = match.board
        _, self.wire_board, self.map, self.drawn = drawn_board(match.game, match.board)
        self.names = [printable(player.name) for player in match.header.players]
        self.face = load_face(match.game.name)
        self.rows: list[Any] = [*seat_rows(self.names)]
        self._at = -1
        self._drawn: dict[int, tuple[Any, list[TableShown]]] = {}
        self._marked: dict[tuple[int, frozenset[str]], list[Mark]] = {}

    def position(
        self, match: Match, seer: int, prices: Mapping[str, int], touched: set[str]
    ) -> tuple[Any, list[TableShown], list[Mark]]:
        """The view of a match as it stands, its tables and its marks: made once for all who see the same."""
        if self._at != len(match.history):
            self._at = len(match.history)
            self._drawn.clear()
            self._marked.clear()
        if seer not in self._drawn:
            view = match.view_for(seer)
            self._drawn[seer] = (view, self.tables(view, prices))
        view, shown_tables = self._drawn[seer]
        key = (seer, frozenset(touched))
        if key not in self._marked:
            self._marked[key] = self.map.marks(view, touched)
        return view, shown_tables, self._marked[key]

    def tables(self, view: Any, prices: Mapping[str, int]) -> list[TableShown]:
        sheets = self.face.sheets(self.wire_board, view, self.names, prices)
        return [TableShown(*sheet) for sheet in sheets]  # type: ignore[arg-type]

    def sentences(self, events: Sequence[Any]) -> list[str]:
        return [shortened(printable(self.face.tell(event, self.names))) for event in events]

    def decision(self, match: Match, seat: int) -> Decision:
        """The open question of a match, put to this seat."""
        return Decision(
            game=self.game,
            face=self.face,
            wire_board=self.wire_board,
            board=self.board,
            names=self.names,
            seat=seat,
            view=match.view_for(seat),
            legal=match.legal,
            lookahead=LocalLookahead(self.game, self.board, match.state, seat),
        )


class Viewer:
    """What one who looks at a table has been shown of it."""

    def __init__(self) -> None:
        self.has_board = False
        self.told = 0
        self.fresh_from = 0
        self.asked_at: int | None = None
        self.prices: dict[str, int] = {}
        self._numbers: dict[Mark, int] = {}
        self._on_board: set[int] = set()

    def look(self, marks: Sequence[Mark]) -> tuple[list[Any], list[int]]:
        """What comes onto the board and what is taken off it if it is to show these marks."""
        numbers = self._numbers
        now = {numbers.setdefault(mark, len(numbers)): mark for mark in marks}
        put = [(number, *mark) for number, mark in now.items() if number not in self._on_board]
        taken = sorted(self._on_board - now.keys())
        self._on_board = set(now)
        return put, taken

    def begin_turn(self, now: int, is_asked: bool) -> None:
        """Keeps since when things are new: since the seat was last asked."""
        if self.asked_at is not None and self.asked_at != now:
            self.fresh_from = self.asked_at
        self.asked_at = now if is_asked else None


def shown(
    table: str, match: Match, scene: Scene, viewer: Viewer, seer: int, *, request: int | None = None, **more: Any
) -> Shown:
    """The table as `seer` sees it now; `request` is the number of the open request if it was put to this seat."""
    history = len(match.history)
    events = match.events_for(seer, viewer.told)
    viewer.prices |= scene.face.last_prices(events)
    viewer.begin_turn(history, request is not None)
    fresh_from = viewer.fresh_from if seer >= 0 else viewer.told if viewer.told < history else viewer.fresh_from
    if seer < 0:
        viewer.fresh_from = fresh_from
    told, viewer.told = viewer.told, history
    drawn = scene.position(match, seer, viewer.prices, scene.face.touched(match.events_for(seer, fresh_from)))
    asked = None
    if request is not None:
        asked = question_shown(scene.decision(match, seer), request)
    return _shown(
        table,
        scene,
        viewer,
        *drawn,
        match.history,
        told=told,
        story=scene.sentences(events),
        fresh=history - fresh_from,
        question=asked,
        **more,
    )


def _shown(
    table: str,
    scene: Scene,
    viewer: Viewer,
    view: Any,
    shown_tables: list[TableShown],
    marks: Sequence[Mark],
    history: Sequence[Any],
    **more: Any,
) -> Shown:
    put, taken = viewer.look(marks)
    board = None if viewer.has_board else scene.drawn
    viewer.has_board = True
    more = {"supposed": None, "result": None, "clocks": [], **more}
    return Shown(
        table=table,
        title=scene.game.title,
        seat=view.seat,
        names=scene.rows,
        board=board,
        put=put,
        taken=taken,
        tables=shown_tables,
        stage=[printable(plain(line)) for line in scene.face.asked(view, scene.names)],
        asked=None if view.question is None else view.question.seat,
        auction=scene.face.bidding(scene.wire_board, view, history),
        **more,
    )


# Questions and answers


def question_shown(decision: Decision, request: int) -> QuestionShown:
    """What the seat is asked, with all its answers."""
    asked = decision.face.prompt(decision)
    return QuestionShown(
        request,
        asked.asks,
        asked.explained,
        cited(decision.game.name, asked.rules),
        [_choice(decision, choice) for choice in choices_of(decision)],
    )


def _choice(decision: Decision, choice: Choice) -> ChoiceShown:
    entry = choice.entry
    is_bid = type(entry) is BidRange
    return ChoiceShown(
        words=capital(printable(choice.words)),
        command=choice.command,
        preview=choice.preview.words,
        places=[printable(place) for place in decision.face.places(decision.wire_board, entry)],
        action=bare(choice.action),
        more=not is_bid and _has_more(decision, choice.action),
        min=entry.min if is_bid else None,
        max=entry.max if is_bid else None,
    )


def capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def _has_more(decision: Decision, action: Any) -> bool:
    """Whether the seat would be asked something else that belongs to the same turn."""
    assert decision.lookahead is not None
    after, _ = decision.lookahead.after(action)
    return after.asked == decision.seat and after.view.question.asks not in decision.face.new_turn


# What is imagined


class Path(NamedTuple):
    """Where some actions of one seat lead, as far as it can foresee that."""

    start: Decision
    now: Decision
    known: Decision
    """The last position that the seat can know."""
    entries: list[Any]
    words: list[str]
    events: list[Any]

    @property
    def is_done(self) -> bool:
        """Whether nothing of the same turn is left to decide."""
        return bool(self.entries) and not _is_same_turn(self.now)

    @property
    def total(self) -> list[str]:
        return preview_of(self.start, self.entries).notes if self.entries else []


def path_of(match: Match, scene: Scene, seat: int, steps: Sequence[Any]) -> Path:
    """Raises IllegalAction, naming the step."""
    start = now = known = scene.decision(match, seat)
    found = Path(start, start, start, [], [], [])
    for number, step in enumerate(steps, 1):
        try:
            action, entry = _readable(now, step)
        except IllegalAction as error:
            raise IllegalAction(f"step {number}: {error}") from None
        found.words.append(capital(printable(words_of(now, entry))))
        found.entries.append(entry)
        assert now.lookahead is not None
        after, happened = now.lookahead.after(action)
        found.events.extend(match.game.redact(event, seat, match.options) for event in happened)
        if after.is_by_chance:
            now = replace(now, lookahead=after, legal=[])
        else:
            now = known = now.at(after)
    return found._replace(now=now, known=known)


def imagined(
    table: str, match: Match, scene: Scene, viewer: Viewer, seat: int, request: int, steps: Sequence[Any], **more: Any
) -> Shown:
    """The table after some actions of the seat that is asked. Raises IllegalAction."""
    path = path_of(match, scene, seat, steps)
    told = [StepShown(words, bare(entry)) for words, entry in zip(path.words, path.entries, strict=True)]
    if path.is_done:
        asked = QuestionShown(request, scene.face.prompt(path.start).asks, "", [], [])
    else:
        asked = question_shown(path.now, request)
    return _shown(
        table,
        scene,
        viewer,
        path.known.view,
        scene.tables(path.known.view, viewer.prices | scene.face.last_prices(path.events)),
        scene.map.marks(path.known.view, scene.face.touched(path.events)),
        [*match.history, *path.events],
        told=viewer.told,
        story=[],
        fresh=0,
        question=asked,
        supposed=SupposedShown(told, ", ".join(path.total), scene.sentences(path.events), path.is_done),
        **more,
    )


def _is_same_turn(now: Decision) -> bool:
    assert now.lookahead is not None
    return now.lookahead.asked == now.seat and now.view.question.asks not in now.face.new_turn


def _readable(now: Decision, step: Any) -> tuple[Any, Any]:
    """A step as an action, and the entry that it answers."""
    assert now.lookahead is not None
    if now.lookahead.asked != now.seat:
        raise IllegalAction("nobody can foresee that you are asked then")
    action = action_of(now.game, now.legal, step)
    return action, now.listed(action)


# Help


def preview_words(match: Match, scene: Scene, seat: int, steps: Sequence[Any]) -> list[str]:
    """What some actions would do, all in all. Raises IllegalAction."""
    return path_of(match, scene, seat, steps).total


def hint_words(match: Match, scene: Scene, seat: int, steps: Sequence[Any]) -> list[str]:
    """What the greedy bot would do after some actions. Raises IllegalAction."""
    path = path_of(match, scene, seat, steps)
    if path.is_done:
        return []
    return [printable(line) for line in hint(path.now, choices_of(path.now))]


def why_words(match: Match, scene: Scene, seat: int, words: str) -> list[str]:
    return [printable(why(scene.decision(match, seat), words[:LONGEST_WHY].split()))]
