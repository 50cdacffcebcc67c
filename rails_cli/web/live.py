"""A running game as a page shows it: drawn and put into words here, from what the one who looks may see.

What is imagined, because a player tries out an answer before giving it, is told in the same way.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from protocol.common import Bid, BidRange
from protocol.showing import (
    AuctionShown,
    BoardShown,
    ChoiceShown,
    QuestionShown,
    Shown,
    StepShown,
    SupposedShown,
    TableShown,
)
from rails_cli.asking.choices import Choice, choices_of, words_of
from rails_cli.asking.hints import hint
from rails_cli.asking.previews import preview_of_steps
from rails_cli.asking.questions import question_of
from rails_cli.asking.reasons import why
from rails_cli.asking.rulebook import cited
from rails_cli.asking.situation import Situation, Trial, action_of
from rails_cli.games.game import Game, IllegalAction, bare
from rails_cli.match.match import Match
from rails_cli.render import teller_of
from rails_cli.render.boards import letters
from rails_cli.render.ledger import question
from rails_cli.web.auctions import OCCASIONS, OFFERED, tag
from rails_cli.web.drawing import Map, Mark, board_svg, clean
from rails_cli.web.maps import board_map
from rails_cli.web.paints import company_paints, seat_paint
from rails_cli.web.story import shortened, touched_by
from rails_cli.web.tables import tables

MOST_STEPS = 30
LONGEST_WHY = 100
NEW_TURN = frozenset({"choose_action", "choose", "play", "nominate"})
"""Questions that begin something new: what comes before them is finished."""


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
        drawn = board_map(wire)
        base = drawn.base()
        kept = _DRAWN[id(board)] = DrawnBoard(board, wire, drawn, BoardShown(board_svg(base), base.legend))
    return kept


class Scene:
    """What stays the same at a table: the game, its board and the names of the players."""

    def __init__(self, match: Match) -> None:
        self.game = match.game
        self.board = match.board
        _, self.wire_board, self.map, self.drawn = drawn_board(match.game, match.board)
        self.names = [clean(player.name) for player in match.header.players]
        self.tell = teller_of(match.game.name).tell
        self.rows = [(name, seat_paint(seat), str(seat)) for seat, name in enumerate(self.names)]
        companies = self.wire_board.get("companies", [])
        self.paints = dict(zip([one["id"] for one in companies], company_paints(companies), strict=True))
        self.towns = {lot["id"]: city["id"] for city in self.wire_board.get("cities", ()) for lot in city["properties"]}

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
        return [TableShown(*one) for one in tables(self.wire_board, view, self.names, prices)]  # type: ignore[arg-type]

    def sentences(self, events: Sequence[Any]) -> list[str]:
        return [shortened(clean(self.tell(event, self.names))) for event in events]

    def situation(self, match: Match, seat: int) -> Situation:
        """The open question of a match, put to this seat."""
        return Situation(
            game=self.game.name,
            title=self.game.title,
            wire_board=self.wire_board,
            board=self.board,
            names=self.names,
            seat=seat,
            view=match.view_for(seat),
            legal=match.legal,
            trial=Trial(self.game, self.board, match.state, seat),
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

    def note_prices(self, events: Sequence[Any]) -> None:
        self.prices |= prices_in(events)

    def begin_turn(self, now: int, is_asked: bool) -> None:
        """Keeps since when things are new: since the seat was last asked."""
        if self.asked_at is not None and self.asked_at != now:
            self.fresh_from = self.asked_at
        self.asked_at = now if is_asked else None


def prices_in(events: Sequence[Any]) -> dict[str, int]:
    """What the companies' shares sold for last."""
    return {event.company: event.price for event in events if tag(event) == "share_sold"}


def shown(
    table: str, match: Match, scene: Scene, viewer: Viewer, seer: int, *, request: int | None = None, **more: Any
) -> Shown:
    """The table as `seer` sees it now; `request` is the number of the open request if it was put to this seat."""
    history = len(match.history)
    events = match.events_for(seer, viewer.told)
    viewer.note_prices(events)
    viewer.begin_turn(history, request is not None)
    fresh_from = viewer.fresh_from if seer >= 0 else viewer.told if viewer.told < history else viewer.fresh_from
    if seer < 0:
        viewer.fresh_from = fresh_from
    told, viewer.told = viewer.told, history
    drawn = scene.position(match, seer, viewer.prices, touched_by(match.events_for(seer, fresh_from)))
    asked = None
    if request is not None:
        asked = question_shown(scene, scene.situation(match, seer), request)
    return _shown(
        table,
        match,
        scene,
        viewer,
        *drawn,
        told=told,
        story=scene.sentences(events),
        fresh=history - fresh_from,
        question=asked,
        **more,
    )


def _shown(
    table: str,
    match: Match,
    scene: Scene,
    viewer: Viewer,
    view: Any,
    shown_tables: list[TableShown],
    marks: Sequence[Mark],
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
        stage=[clean(line.plain) for line in question(view, scene.names)],
        asked=None if view.question is None else view.question.seat,
        auction=auction_shown(match, scene, view),
        **more,
    )


# Questions and answers


def question_shown(scene: Scene, situation: Situation, request: int) -> QuestionShown:
    """What the seat is asked, with all its answers."""
    asked = question_of(situation)
    return QuestionShown(
        request,
        asked.asks,
        asked.explained,
        cited(scene.game.name, asked.rules),
        [_choice(scene, situation, choice) for choice in choices_of(situation)],
    )


def _choice(scene: Scene, situation: Situation, choice: Choice) -> ChoiceShown:
    entry = choice.entry
    is_bid = type(entry) is BidRange
    words = choice.words
    if choice.command == "pass":
        words = "pass: stop here" if situation.view.question.asks == "expand" else "pass"
    return ChoiceShown(
        words=capital(clean(words)),
        command=choice.command,
        preview=choice.preview.words,
        places=[clean(place) for place in _places(scene, entry)],
        action=bare(choice.action),
        more=not is_bid and _has_more(situation, choice.action),
        min=entry.min if is_bid else None,
        max=entry.max if is_bid else None,
    )


def capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def _has_more(situation: Situation, action: Any) -> bool:
    """Whether the seat would be asked something else that belongs to the same turn."""
    assert situation.trial is not None
    after, _ = situation.trial.after(action)
    return after.asked == situation.seat and after.view.question.asks not in NEW_TURN


def _places(scene: Scene, entry: Any) -> list[str]:
    for field in ("hex", "piece", "city"):
        if hasattr(entry, field):
            return [getattr(entry, field)]
    return [scene.towns[entry.property]] if hasattr(entry, "property") else []


def auction_shown(match: Match, scene: Scene, view: Any) -> AuctionShown | None:
    """The auction in progress with its bids."""
    auction = getattr(view, "auction", None)
    if auction is None:
        return None
    bids: list[tuple[int, int | None]] = []
    what = "share"
    for event in reversed(match.history):
        if tag(event) == OFFERED:
            what = OCCASIONS[event.occasion]
            break
        if tag(event) == "bid_made":
            bids.append((event.seat, event.amount))
        elif tag(event) == "passed":
            bids.append((event.seat, None))
    company = auction.company
    return AuctionShown(
        company=clean(company),
        what=what,
        paint=scene.paints[company],
        letter=letters(view)[company],
        minimum=auction.minimum,
        bids=bids[::-1],
        leader=auction.leader,
        bid=auction.bid,
        still_in=auction.still_in,
    )


# What is imagined


class Path(NamedTuple):
    """Where some actions of one seat lead, as far as it can foresee that."""

    start: Situation
    now: Situation
    known: Situation
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
        return preview_of_steps(self.start, self.entries).notes if self.entries else []


def path_of(match: Match, scene: Scene, seat: int, steps: Sequence[Any]) -> Path:
    """Raises IllegalAction, naming the step."""
    start = now = known = scene.situation(match, seat)
    found = Path(start, start, start, [], [], [])
    for number, step in enumerate(steps, 1):
        try:
            action, entry = _readable(match, now, step)
        except IllegalAction as error:
            raise IllegalAction(f"step {number}: {error}") from None
        found.words.append(capital(clean(words_of(now, entry))))
        found.entries.append(entry)
        assert now.trial is not None
        trial, happened = now.trial.after(action)
        found.events.extend(match.game.redact(event, seat, match.options) for event in happened)
        if trial.is_by_chance:
            now = replace(now, trial=trial, legal=[])
        else:
            now = known = replace(now, trial=trial, view=trial.view, legal=trial.legal)
    return found._replace(now=now, known=known)


def imagined(
    table: str, match: Match, scene: Scene, viewer: Viewer, seat: int, request: int, steps: Sequence[Any], **more: Any
) -> Shown:
    """The table after some actions of the seat that is asked. Raises IllegalAction."""
    path = path_of(match, scene, seat, steps)
    told = [StepShown(words, bare(entry)) for words, entry in zip(path.words, path.entries, strict=True)]
    if path.is_done:
        asked = QuestionShown(request, question_of(path.start).asks, "", [], [])
    else:
        asked = question_shown(scene, path.now, request)
    return _shown(
        table,
        match,
        scene,
        viewer,
        path.known.view,
        scene.tables(path.known.view, viewer.prices | prices_in(path.events)),
        scene.map.marks(path.known.view, touched_by(path.events)),
        told=viewer.told,
        story=[],
        fresh=0,
        question=asked,
        supposed=SupposedShown(told, ", ".join(path.total), scene.sentences(path.events), path.is_done),
        **more,
    )


def _is_same_turn(now: Situation) -> bool:
    assert now.trial is not None
    return now.trial.asked == now.seat and now.view.question.asks not in NEW_TURN


def _readable(match: Match, now: Situation, step: Any) -> tuple[Any, Any]:
    """A step as an action, and the entry that it answers."""
    assert now.trial is not None
    if now.trial.asked != now.seat:
        raise IllegalAction("nobody can foresee that you are asked then")
    action = action_of(match.game, now.legal, step)
    if type(action) is Bid:
        return action, action
    return action, next(e for e in now.legal if type(e) is type(action) and bare(e) == bare(action))


# Help


def preview_words(match: Match, scene: Scene, seat: int, steps: Sequence[Any]) -> list[str]:
    """What some actions would do, all in all. Raises IllegalAction."""
    return path_of(match, scene, seat, steps).total


def hint_words(match: Match, scene: Scene, seat: int, steps: Sequence[Any]) -> list[str]:
    """What the greedy bot would do after some actions. Raises IllegalAction."""
    path = path_of(match, scene, seat, steps)
    if path.is_done:
        return []
    return [clean(line) for line in hint(path.now, choices_of(path.now))]


def why_words(match: Match, scene: Scene, seat: int, words: str) -> list[str]:
    return [clean(why(scene.situation(match, seat), words[:LONGEST_WHY].split()))]
