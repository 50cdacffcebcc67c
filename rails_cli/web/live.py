"""A running game as data for a web page: drawings and texts of everything that one viewer may see.

Positions that a player tries out before answering are shown in the same form.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from rails_cli.games import load_face
from rails_cli.games.decision import Decision, LocalLookahead, Lookahead, action_of, decision_at
from rails_cli.games.faces.canvas import plain
from rails_cli.games.faces.choices import Choice, abbreviated, choices_of, group_of, preview_of, why, words_of
from rails_cli.games.faces.phrases import dollars
from rails_cli.games.faces.sheets import seat_rows
from rails_cli.games.faces.svg import Map, Mark, board_svg
from rails_cli.games.game import Game, IllegalAction, without_info_fields
from rails_cli.games.rulebook import cited
from rails_cli.games.shared.text import printable
from rails_cli.match.match import Match
from rails_cli.protocol.common import BidRange
from rails_cli.protocol.live_view import (
    BoardShown,
    ChoiceShown,
    QuestionShown,
    Shown,
    StepShown,
    SupposedShown,
    TableShown,
)
from rails_cli.study.analysis.hints import Hint, hint_with_command, worth
from rails_cli.web.story import shortened

MOST_STEPS = 30
LONGEST_WHY = 100


class DrawnBoard(NamedTuple):
    """A board of a game, the same board in the form that is sent to clients, and its drawing as SVG."""

    board: Any
    wire: dict[str, Any]
    map: Map
    shown: BoardShown


_DRAWN: dict[int, DrawnBoard] = {}
BOARDS_KEPT = 12


def drawn_board(game: Game[Any, Any], board: Any) -> DrawnBoard:
    """Return a board with its drawing. The result is cached and shared by all tables with this board."""
    found = _DRAWN.get(id(board))
    if found is None or found.board is not board:
        while len(_DRAWN) >= BOARDS_KEPT:
            del _DRAWN[next(iter(_DRAWN))]
        wire = game.wire_board(board)
        drawn = load_face(game.name).board_map(wire)
        base = drawn.base()
        found = _DRAWN[id(board)] = DrawnBoard(board, wire, drawn, BoardShown(board_svg(base), base.legend))
    return found


class Scene:
    """The match at a table, with cached drawings that all its viewers share."""

    def __init__(self, table: str, match: Match) -> None:
        self.table = table
        self.match = match
        self.face = load_face(match.game.name)
        _, self.wire_board, self.map, self.drawn = drawn_board(match.game, match.board)
        self.names = [printable(player.name) for player in match.header.players]
        self.rows: list[Any] = [*seat_rows(self.names)]
        self._at = -1
        self._drawn: dict[int, tuple[Any, list[TableShown]]] = {}
        self._marked: dict[tuple[int, frozenset[str]], list[Mark]] = {}
        self._question: QuestionShown | None = None

    def position(
        self, seer: int, prices: Mapping[str, int], touched: set[str]
    ) -> tuple[Any, list[TableShown], list[Mark]]:
        """Return the view, the tables and the marks that `seer` sees now. The result is cached.

        `seer` is a seat, PUBLIC or ALL_SEATS. Marks are the variable SVG elements of the board. `prices` has the last
        price of each thing sold, by id, for the tables. `touched` has the ids of recently changed parts of the board.
        """
        if self._at != len(self.match.history):
            self._at = len(self.match.history)
            self._drawn.clear()
            self._marked.clear()
        if seer not in self._drawn:
            view = self.match.view_for(seer)
            self._drawn[seer] = (view, self.tables(view, prices))
        view, tables = self._drawn[seer]
        key = (seer, frozenset(touched))
        if key not in self._marked:
            self._marked[key] = self.map.marks(view, touched)
        return view, tables, self._marked[key]

    def tables(self, view: Any, prices: Mapping[str, int]) -> list[TableShown]:
        sheets = self.face.sheets(self.wire_board, view, self.names, prices)
        return [TableShown(*sheet) for sheet in sheets]  # type: ignore[arg-type]

    def sentences(self, events: Sequence[Any]) -> list[str]:
        return [shortened(printable(self.face.tell(self.wire_board, event, self.names))) for event in events]

    def question(self, seat: int, request: int) -> QuestionShown:
        """Return the open question of a seat and all its answers for a web page, cached by request number."""
        if self._question is None or self._question.number != request:
            self._question = question_shown(self.decision(seat), request)
        return self._question

    def decision(self, seat: int) -> Decision:
        """Return the open question of a seat in a form from which the effects of actions can be previewed."""
        match = self.match
        lookahead = LocalLookahead(match.game, match.board, match.state, seat)
        return decision_at(lookahead, match.game, self.face, self.wire_board, match.board, self.names)


class Viewer:
    """The state of one viewer's web page of a table: what the page already shows."""

    def __init__(self) -> None:
        self.has_board = False
        self.events_shown = 0
        self.fresh_from = 0
        self.asked_at: int | None = None
        self.prices: dict[str, int] = {}
        self._numbers: dict[Mark, int] = {}
        self._on_board: set[int] = set()

    def update_marks(self, marks: Sequence[Mark]) -> tuple[list[Any], list[int]]:
        """Return the marks to add to the viewer's board, with numbers, and the numbers of the marks to remove.

        Marks are the variable SVG elements of a board. After these changes the board shows `marks`.
        """
        numbers = self._numbers
        now = {numbers.setdefault(mark, len(numbers)): mark for mark in marks}
        put = [(number, *mark) for number, mark in now.items() if number not in self._on_board]
        taken = sorted(self._on_board - now.keys())
        self._on_board = set(now)
        return put, taken

    def begin_turn(self, now: int, is_asked: bool) -> None:
        """Record whether the viewer is to move now. `now` is the number of events so far.

        Events since the viewer was last to move are highlighted as new.
        """
        if self.asked_at is not None and self.asked_at != now:
            self.fresh_from = self.asked_at
        self.asked_at = now if is_asked else None


def shown(scene: Scene, viewer: Viewer, seer: int, *, request: int | None = None, **more: Any) -> Shown:
    """Return what the page of a viewer needs to show the table as `seer`, a seat, PUBLIC or ALL_SEATS, sees it now.

    `request` is the number of the open request to this seat, or None if the seat is not to move. `more` has further
    fields of `Shown`.
    """
    match, told = scene.match, viewer.events_shown
    history = len(match.history)
    events = match.events_for(seer, told)
    viewer.prices |= scene.face.last_prices(events)
    viewer.begin_turn(history, request is not None)
    if seer < 0 and told < history:
        viewer.fresh_from = told
    viewer.events_shown = history
    touched = scene.face.touched(match.events_for(seer, viewer.fresh_from))
    question = None if request is None else scene.question(seer, request)
    more |= {"told": told, "story": scene.sentences(events), "fresh": history - viewer.fresh_from, "question": question}
    return _shown(scene, viewer, *scene.position(seer, viewer.prices, touched), match.history, more)


def _shown(
    scene: Scene,
    viewer: Viewer,
    view: Any,
    tables: list[TableShown],
    marks: Sequence[Mark],
    history: Sequence[Any],
    more: dict[str, Any],
) -> Shown:
    put, taken = viewer.update_marks(marks)
    board = None if viewer.has_board else scene.drawn
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
        **{"supposed": None, "result": None, "clocks": [], **more},
    )


# Questions and answers


def question_shown(decision: Decision, request: int) -> QuestionShown:
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
    shorter, group = decision.face.shorter, printable(group_of(decision, entry))
    short = abbreviated(printable(choice.words), shorter)
    return ChoiceShown(
        words=capital(printable(choice.words)),
        command=choice.command,
        preview=choice.preview.words,
        places=[printable(place) for place in decision.face.places(decision.wire_board, entry)],
        action=without_info_fields(choice.action),
        more=not is_bid and _is_same_turn(decision, decision.lookahead.after(choice.action)[0]),
        min=entry.min if is_bid else None,
        max=entry.max if is_bid else None,
        group=group,
        short=capital(short.removeprefix(f"{group} ").removeprefix("to ") if group else short),
        short_preview=abbreviated(choice.preview.words, shorter),
        act=_act(decision, choice),
        tile=decision.face.tile(decision, entry),
    )


def _act(decision: Decision, choice: Choice) -> str:
    """Return the text of a button that gives an answer: the answer in few words, and its price."""
    words, cost = printable(choice.words).partition(" (")[0], getattr(choice.entry, "cost", None)
    verb = decision.face.vocabulary.verb_of(choice.entry)
    if verb is not None and group_of(decision, choice.entry):  # the words begin with the name of the group
        words = f"{verb.kind} {words}"
    return capital(f"{words} for {dollars(cost)}" if cost else words)


def capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def _is_same_turn(decision: Decision, ahead: Lookahead) -> bool:
    """Return whether the seat of `decision` is to move again in the position `ahead`, within the same turn."""
    return ahead.asked == decision.seat and ahead.view.question.asks not in decision.face.new_turn


# Previews


class PlannedPath(NamedTuple):
    """The result of consecutive actions that one seat considers, as far as the seat can predict it.

    `start` is the question before the actions, and `now` the one after them.
    """

    start: Decision
    now: Decision
    known: Decision
    """The last question whose position the seat can predict, before chance or hidden information matters."""
    entries: list[Any]
    words: list[str]
    events: list[Any]

    @property
    def is_done(self) -> bool:
        """Whether the actions complete the turn."""
        return bool(self.entries) and not _is_same_turn(self.now, self.now.lookahead)

    @property
    def total(self) -> list[str]:
        """Texts about the combined effect of the actions."""
        return preview_of(self.start, self.entries).notes if self.entries else []


def path_of(start: Decision, options: Any, steps: Sequence[Any]) -> PlannedPath:
    """Return the result of playing the actions `steps`, beginning at the question `start`.

    `options` are the options of the game. Raises IllegalAction with the number of the action that is not legal.
    """
    game, seat = start.game, start.seat
    now = known = start
    found = PlannedPath(start, start, start, [], [], [])
    for number, step in enumerate(steps, 1):
        try:
            if now.lookahead.asked != seat:
                raise IllegalAction("nobody can know whether you are to move then")
            action = action_of(game, now.legal, step)
        except IllegalAction as error:
            raise IllegalAction(f"step {number}: {error}") from None
        entry = now.listed(action)
        found.words.append(capital(printable(words_of(now, entry))))
        found.entries.append(entry)
        after, happened = now.lookahead.after(action)
        found.events.extend(game.redact(event, seat, options) for event in happened)
        if after.is_by_chance:
            now = replace(now, lookahead=after, legal=[])
        else:
            now = known = now.at(after)
    return found._replace(now=now, known=known)


def shown_after(scene: Scene, viewer: Viewer, seat: int, request: int, steps: Sequence[Any], **more: Any) -> Shown:
    """Return what the page of a viewer needs to show the table as it would be after the actions `steps`.

    `seat` is the seat to move, and `request` the number of its open request. Raises IllegalAction.
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
    supposed = SupposedShown(taken, ", ".join(path.total), scene.sentences(events), path.is_done)
    more |= {"told": viewer.events_shown, "story": [], "fresh": 0, "question": question, "supposed": supposed}
    tables = scene.tables(view, viewer.prices | face.last_prices(events))
    marks = scene.map.marks(view, face.touched(events))
    return _shown(scene, viewer, view, tables, marks, [*scene.match.history, *events], more)


# Help


def hint_words(start: Decision, options: Any, steps: Sequence[Any]) -> Hint:
    """Return texts about the value of the actions `steps` and the best action after them, with its command.

    Raises IllegalAction.
    """
    path = path_of(start, options, steps)
    lines = worth(start, path.entries) if path.entries else []
    found = Hint([]) if path.is_done else hint_with_command(path.now, choices_of(path.now))
    return Hint([printable(line) for line in (*lines, *found.lines)], found.command)


def why_words(scene: Scene, seat: int, words: str) -> list[str]:
    return [printable(why(scene.decision(seat), words[:LONGEST_WHY].split()))]
