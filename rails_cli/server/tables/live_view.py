"""Descriptions and drawings of tables, for clients that ask for them with a `show` message."""

from collections.abc import Callable, Mapping, Sequence
from traceback import format_exception
from typing import Any

from rails_cli.games.faces.phrases import END_WORDS, listed, with_capital
from rails_cli.games.game import ALL_SEATS, PUBLIC, IllegalAction
from rails_cli.games.shared.text import printable
from rails_cli.protocol.lines import frame
from rails_cli.protocol.live_view import (
    AdviceShown,
    LessonShown,
    LessonStepShown,
    LessonTextShown,
    ResultShown,
    Show,
    Shown,
)
from rails_cli.protocol.messages import ClockLeft, Error
from rails_cli.server.refused import Refused, check_number
from rails_cli.server.store.records import GameOutcome
from rails_cli.server.tables.ended import READING_COST
from rails_cli.server.tables.registry import TableRegistry
from rails_cli.server.tables.replaying import Replay
from rails_cli.server.tables.seat import Connection, ServerSeat
from rails_cli.server.tables.table import GameTable
from rails_cli.server.tables.undo import recorded_actions
from rails_cli.server.workers.thinking import HintTask, Thought, position_of
from rails_cli.study.lessons import LessonText
from rails_cli.web.live import Scene, Viewer, rounded_ratio, shown, shown_after, since_shown
from rails_cli.web.questions import MOST_STEPS, path_of, why_words

PAUSE_S = 0.1
"""Minimum number of seconds between two drawings of a table.

This limit does not apply if a client that receives drawings has to move.
"""
NEVER = -1e9
"""Time long before the start of the server, on its clock in seconds."""
HINT_COST = 25.0
SHOWING_COST = 10.0
"""Cost of showing a table. HINT_COST is the cost of a hint.

Costs are units of the request budget, which limits the requests from an address.
"""
HINTS_KEPT = 1000
"""Maximum number of hints in the cache."""
NO_HINT = "no hint could be found; the game continues"
NOT_SHOWN = "the table cannot be shown; the game continues"
HintKey = tuple[str, int, bytes]
"""Key of a stored hint: id of the table, number of the request for a move, and encoded actions.

The hint is about the position after these actions.
"""


class LiveView:
    """The clients that asked for drawings of their table, and the drawings already sent to each client."""

    def __init__(
        self,
        registry: TableRegistry,
        seated: Mapping[Connection, tuple[GameTable, ServerSeat]],
        watching: Mapping[Connection, GameTable | Replay],
        charge: Callable[[str, float], None],
    ) -> None:
        """`seated` and `watching` map the connections of players and of spectators to their tables. `charge` takes a
        cost from the request budget of an address, or raises Refused."""
        self.charge = charge
        self.registry = registry
        self.seated = seated
        self.watching = watching
        self.viewers: dict[Connection, tuple[str, Viewer]] = {}
        """Mapping from a connection to the id of the table last shown to it, and the state of the page shown."""
        self.scenes: dict[str, Scene] = {}
        self._due: set[str] = set()
        self._late: dict[str, GameTable] = {}
        """Mapping from id to table, for changed tables whose last drawing is less than PAUSE_S seconds old."""
        self._shown_at: dict[str, float] = {}
        self._hints: dict[HintKey, tuple[list[str], str | None, list[Any], int | None]] = {}
        """Recently computed hints.

        Each hint has sentences, the suggested command, and the actions of the suggested move. The last value is the
        highest bid, if the suggestion is to bid up to a limit.
        """
        self._awaiting: set[Connection] = set()
        """Connections that wait for a hint."""

    def receive(self, connection: Connection, address: str, request: Show) -> None:
        """Process a `show` message: show the table, stop showing it, or answer a question about the next move.

        Raise Refused if the request is not allowed. If drawing fails, report the error to the operator of the server
        and raise Refused.
        """
        try:
            self._handle(connection, address, request)
        except Refused:
            raise
        except Exception as error:
            self.registry.report(f"showing something failed: {''.join(format_exception(error))}")
            raise Refused("not_shown", NOT_SHOWN) from None

    def _handle(self, connection: Connection, address: str, request: Show) -> None:
        if not request.on:
            self.forget_connection(connection)
            return
        if request.since:
            self._show_since(connection, address, request)
            return
        if request.steps is None and not request.hint and request.why is None:
            table = self.table_of(connection)
            if table is not None and table.match is not None:
                self.charge(address, SHOWING_COST)
            self.viewers[connection] = ("", Viewer(ratio=rounded_ratio(request.ratio)))
            if table is not None:
                table.on_change = self.changed
                if table.match is not None:
                    self._show_safely(table, connection, request.ref)
            return
        self._about_request(connection, address, request)

    def _show_since(self, connection: Connection, address: str, request: Show) -> None:
        """Send the events since the player was last to move. Raise Refused if there is nothing to show."""
        table, seat = self.table_of(connection), self.seat_of(connection)
        if table is None or seat is None or table.match is None or connection not in self.viewers:
            raise Refused(
                "bad_request", "you have no seat whose table is shown to you; send `show` without `since` first"
            )
        self.charge(address, READING_COST)
        scene, viewer = self._scene(table), self._viewer(table, connection)
        found = since_shown(scene, viewer, seat.index, recorded_actions(self.registry, table), request.ref)
        if found is None:
            raise Refused("bad_request", "since you were last to move nothing happened, or too much to show")
        connection.post(frame(found))

    def table_of(self, connection: Connection) -> GameTable | None:
        """Return the table at which a connection plays or watches. None if it is not at a table."""
        seated = self.seated.get(connection)
        table = seated[0] if seated is not None else self.watching.get(connection)
        return table if isinstance(table, GameTable) else None

    def table_joined(self, connection: Connection, table: GameTable) -> None:
        """Schedule showing `table` to a connection that joined it, if the connection asked for drawings."""
        if connection in self.viewers:
            ratio = self.viewers[connection][1].ratio
            self.forget_connection(connection)
            self.viewers[connection] = ("", Viewer(ratio=ratio))
            table.on_change = self.changed
            table.host.later(table, self._show_to_newcomer, connection, table)

    def _show_to_newcomer(self, connection: Connection, table: GameTable) -> None:
        """Show a table to a connection that joined it.

        Do nothing if an update for all clients of the table is scheduled.
        """
        seen = self.viewers.get(connection)
        is_new = seen is not None and seen[0] != table.id and table.id not in self._due
        if is_new and self.table_of(connection) is table and table.match is not None:
            self._show_safely(table, connection)

    def forget_connection(self, connection: Connection) -> None:
        """Stop showing tables to a connection."""
        name, _ = self.viewers.pop(connection, ("", None))
        if not any(name == other for other, _ in self.viewers.values()):
            self._forget(name)

    def _forget(self, name: str) -> None:
        """Discard the data stored for drawing the table with the id `name`."""
        self.scenes.pop(name, None)
        self._late.pop(name, None)
        self._shown_at.pop(name, None)

    def changed(self, table: GameTable) -> None:
        """Schedule showing a changed table to its clients. Several changes are shown together.

        A table is shown at most once in PAUSE_S seconds. This limit does not apply if a client that receives drawings
        has to move. It does not apply to ended games either, because players of the pool leave their table right after
        the end.
        """
        scene = self.scenes.get(table.id)
        if scene is not None and scene.match is table.match:
            scene.record()
        if table.id in self._due:
            return
        asked = None if table.match is None or table.match.seat is None else table.seats[table.match.seat].channel
        is_urgent = table.state == "ended" or (asked is not None and asked in self.viewers)
        if not is_urgent and table.host.now() - self._shown_at.get(table.id, NEVER) < PAUSE_S:
            self._late[table.id] = table
            return
        self._due.add(table.id)
        table.host.later(table, self._show_all, table)

    def tidy(self) -> None:
        """Discard the data stored for drawing tables that are not shown to any client."""
        viewed = {name for name, _ in self.viewers.values()}
        for name in [name for name in self.scenes if name not in viewed]:
            self._forget(name)

    def tick(self) -> None:
        """Show the tables whose update was delayed, if PAUSE_S seconds have passed since they were last shown."""
        now = self.registry.now()
        for table in [one for one in self._late.values() if now - self._shown_at.get(one.id, NEVER) >= PAUSE_S]:
            self.changed(table)

    def _show_all(self, table: GameTable) -> None:
        self._due.discard(table.id)
        self._late.pop(table.id, None)
        if table.match is not None:
            self._shown_at[table.id] = table.host.now()
        present = [*(seat.channel for seat in table.seats), *table.spectators]
        looking = [connection for connection in present if connection is not None and connection in self.viewers]
        for connection in looking if table.match is not None else ():
            self._show_safely(table, connection)
        if not looking:
            table.on_change = None
            self._forget(table.id)

    def _show_safely(self, table: GameTable, connection: Connection, ref: str | None = None) -> None:
        """Show a table to a connection. If an error occurs, report it to the client and to the server's operator.

        `ref` is the id of the client's request, or None.
        """
        try:
            self._show(table, connection, ref)
        except Exception as error:
            self.viewers.pop(connection, None)
            self.registry.report(f"table {table.id} is not shown: {''.join(format_exception(error))}", table.id)
            connection.post(frame(Error("not_shown", NOT_SHOWN, fatal=False)))

    def _show(self, table: GameTable, connection: Connection, ref: str | None) -> None:
        seat = self.seat_of(connection)
        observer = (ALL_SEATS if table.state == "ended" else PUBLIC) if seat is None else seat.index
        outcome, scene = table.outcome, self._scene(table)
        content = frame(
            shown(
                scene,
                self._viewer(table, connection),
                observer,
                request=_open_request(table, seat),
                clocks=_clocks(table),
                result=outcome and _result(scene, outcome, seat),
                lesson=_lesson(table, seat),
                ref=ref,
            )
        )
        if connection in table.spectators:
            table.spectators.post(connection, content)
        else:
            connection.post(content)

    def _viewer(self, table: GameTable, connection: Connection) -> Viewer:
        name, viewer = self.viewers[connection]
        if name != table.id:
            seat = self.seat_of(connection)
            viewer = Viewer(None if seat is None else seat.turns, viewer.ratio)
            self.viewers[connection] = (table.id, viewer)
        return viewer

    def _scene(self, table: GameTable) -> Scene:
        assert table.match is not None
        scene = self.scenes.get(table.id)
        if scene is None or scene.match is not table.match:
            if scene is not None:  # a move was taken back, so what was shown is out of date
                for connection, viewer in [(one, of) for one, (name, of) in self.viewers.items() if name == table.id]:
                    self.viewers[connection] = ("", Viewer(ratio=viewer.ratio))
            scene = self.scenes[table.id] = Scene(table.id, table.match)
        return scene

    def seat_of(self, connection: Connection) -> ServerSeat | None:
        """Return the seat that a connection holds. None if it holds no seat."""
        seated = self.seated.get(connection)
        return None if seated is None else seated[1]

    def _about_request(self, connection: Connection, address: str, request: Show) -> None:
        """Send a preview, a hint or an explanation to the player who has to move. Raise Refused for other players."""
        table, seat = self.table_of(connection), self.seat_of(connection)
        number = None if table is None else _open_request(table, seat)
        if table is None or seat is None or number is None:
            raise Refused("not_your_turn", "no request is open for you")
        check_number(request.number, number)
        steps = request.steps or []
        if len(steps) > MOST_STEPS:
            raise Refused("bad_request", f"{len(steps)} steps; at most {MOST_STEPS}")
        if request.hint:
            if not table.has_hints:
                where = "at this table" if table.spec.pool is None else "in games of the rated pool"
                raise Refused("forbidden", f"there are no hints {where}")
            self._hint(connection, address, table, (table.id, number, frame(steps)), request)
            return
        try:
            connection.post(frame(self._reply_to_show(table, seat.index, connection, request, steps)))
        except IllegalAction as error:
            raise Refused("illegal_action", str(error)) from None

    def _hint(self, connection: Connection, address: str, table: GameTable, key: HintKey, request: Show) -> None:
        """Send the hint for `key`. If no such hint is stored, another process computes it.

        The cost of the computation is charged to `address`.
        """
        if key in self._hints:
            connection.post(frame(AdviceShown(*self._hints[key], ref=request.ref)))
            return
        if connection in self._awaiting:
            raise Refused("too_fast", "your last hint is still being worked out")
        self.charge(address, HINT_COST)
        assert table.match is not None
        self._awaiting.add(connection)
        task = HintTask(position_of(table.match), request.steps or [])
        self.registry.players.think(task, lambda thought: self._hinted(connection, key, request.ref, thought))

    def _hinted(self, connection: Connection, key: HintKey, ref: str | None, thought: Thought) -> None:
        self._awaiting.discard(connection)
        if thought.words is not None:
            while len(self._hints) >= HINTS_KEPT:
                del self._hints[next(iter(self._hints))]
            self._hints[key] = thought.words, thought.command, thought.steps, thought.limit
            connection.post(frame(AdviceShown(*self._hints[key], ref=ref)))
        elif thought.illegal is not None:
            connection.post(frame(Error("illegal_action", thought.illegal, fatal=False, ref=ref)))
        else:
            connection.post(frame(Error("not_shown", NO_HINT, fatal=False, ref=ref)))

    def _reply_to_show(
        self, table: GameTable, seat: int, connection: Connection, request: Show, steps: list[Any]
    ) -> Shown | AdviceShown:
        scene = self._scene(table)
        if request.why is not None:
            words, plan = why_words(scene.decision(seat), scene.match.options, steps, request.why)
            return AdviceShown(words, steps=plan, ref=request.ref)
        if request.preview:
            return AdviceShown(path_of(scene.decision(seat), scene.match.options, steps).total, ref=request.ref)
        if connection not in self.viewers:
            raise Refused("bad_request", "send `show` without steps first")
        assert request.number is not None
        viewer = self._viewer(table, connection)
        return shown_after(scene, viewer, seat, request.number, steps, clocks=_clocks(table), ref=request.ref)


def _open_request(table: GameTable, seat: ServerSeat | None) -> int | None:
    """Return the number of the open request for a move, if `seat` has to answer it. Otherwise return None.

    Return None also if `seat` is to move, but the server is about to play for it.
    """
    pending = None if table.session is None or table.state != "playing" else table.session.pending
    return pending.number if pending is not None and pending.seat is seat else None


def _lesson(table: GameTable, seat: ServerSeat | None) -> LessonShown | None:
    """Return the texts of earlier lessons and the next suggested actions, for the learner in `seat`.

    Return None at a table without lessons, or if `seat` is not to move.
    """
    lesson = table.lesson
    if lesson is None or _open_request(table, seat) is None:
        return None
    steps = [
        LessonStepShown(_texts(step.lessons), step.action, step.command, with_capital(printable(step.words)), step.why)
        for step in lesson.steps
    ]
    return LessonShown(_texts(lesson.earlier), steps, lesson.total)


def _texts(lessons: Sequence[LessonText]) -> list[LessonTextShown]:
    return [LessonTextShown(*lesson) for lesson in lessons]


def _result(scene: Scene, outcome: GameOutcome, seat: ServerSeat | None) -> ResultShown:
    """Return the result of an ended game, as shown to the player of `seat`, or to a spectator if `seat` is None."""
    words = [END_WORDS[outcome.reason], *scene.finale()]
    own = None if seat is None else seat.index
    if outcome.voided_by:
        first = [at for at, rank in enumerate(outcome.final_ranks) if rank == 1]
        words.append(f"First place: {listed(['you' if at == own else scene.names[at] for at in first])}.")
    for other in outcome.substituted:
        whom = "you" if other == own else scene.names[other]
        words.append(f"A bot finished this game for {whom}.")
    scores = outcome.scores
    return ResultShown(
        *(scores, outcome.final_ranks, words, outcome.substituted, outcome.actions, outcome.reason),
        scene.sources(scores),
    )


def _clocks(table: GameTable) -> list[ClockLeft | None]:
    session = table.session
    asked = None if session is None or table.state != "playing" else session.match.seat
    used_s = max(0.0, table.waiting_s(table.host.now()))
    return [seat.clock.left(used_s if seat.index == asked else 0.0) for seat in table.seats]
