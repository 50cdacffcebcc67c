"""Tables drawn and described in words for clients that ask for it. Other clients cause no cost."""

from collections.abc import Callable, Mapping
from traceback import format_exception
from typing import Any

from rails_cli.games.faces.phrases import END_WORDS
from rails_cli.games.game import ALL_SEATS, PUBLIC, IllegalAction
from rails_cli.protocol.lines import frame
from rails_cli.protocol.live_view import AdviceShown, ResultShown, Show, Shown
from rails_cli.protocol.messages import ClockLeft, Error
from rails_cli.server.refused import Refused
from rails_cli.server.replaying import Replay
from rails_cli.server.seat import Connection, ServerSeat
from rails_cli.server.table import GameTable
from rails_cli.server.tables.registry import TableRegistry
from rails_cli.server.tables.validation import check_number
from rails_cli.server.thinking import HintTask, Thought, position_of
from rails_cli.web.live import MOST_STEPS, Scene, Viewer, path_of, shown, shown_after, why_words

PAUSE_S = 0.1
"""Seconds between two updates of a table for clients that are not to move."""
NEVER = -1e9
HINT_COST = 25.0
SHOWING_COST = 10.0
"""Costs in units of the request budget of an address, in addition to the message. Roughly proportional to CPU time."""
HINTS_KEPT = 1000
NO_HINT = "no hint could be found; the game continues"
NOT_SHOWN = "the table cannot be shown; the game continues"
Afford = Callable[[float], None]
"""Raises Refused if the address may not spend that much of its request budget now."""
HintKey = tuple[str, int, bytes]
"""A table, the number of its open request, and the steps before the hint."""


class LiveView:
    """The clients that want their table drawn, and what each has already been shown."""

    def __init__(
        self,
        registry: TableRegistry,
        seated: Mapping[Connection, tuple[GameTable, ServerSeat]],
        watching: Mapping[Connection, GameTable | Replay],
    ) -> None:
        """`seated` and `watching` are the current places of all connections."""
        self.registry = registry
        self.seated = seated
        self.watching = watching
        self.viewers: dict[Connection, tuple[str, Viewer]] = {}
        """By connection: the table last shown to it and what it has seen of that table."""
        self.scenes: dict[str, Scene] = {}
        self._due: set[str] = set()
        self._late: dict[str, GameTable] = {}
        """Tables that were shown just now and must be shown again at a later tick."""
        self._shown_at: dict[str, float] = {}
        self._hints: dict[HintKey, list[str]] = {}
        """Recently computed hints."""
        self._awaiting: set[Connection] = set()
        """Connections that wait for a hint."""

    def wish(self, connection: Connection, wish: Show, afford: Afford) -> None:
        """Process a `show` request. `afford` is called with its cost and may raise Refused.

        Errors while drawing are reported and refused with `not_shown`. The game continues.
        """
        try:
            self._handle(connection, wish, afford)
        except Refused:
            raise
        except Exception as error:
            self.registry.report(f"showing something failed: {''.join(format_exception(error))}")
            raise Refused("not_shown", NOT_SHOWN) from None

    def _handle(self, connection: Connection, wish: Show, afford: Afford) -> None:
        if not wish.on:
            self.left(connection)
            return
        if wish.steps is None and not wish.hint and wish.why is None:
            table = self.place(connection)
            if table is not None and table.match is not None:
                afford(SHOWING_COST)
            self.viewers[connection] = ("", Viewer())
            if table is not None:
                table.look = self.changed
                if table.match is not None:
                    self._show_safely(table, connection, wish.ref)
            return
        self._about_request(connection, wish, afford)

    def place(self, connection: Connection) -> GameTable | None:
        """Return the table at which a connection plays or watches. None if there is none."""
        seated = self.seated.get(connection)
        table = seated[0] if seated is not None else self.watching.get(connection)
        return table if isinstance(table, GameTable) else None

    def came(self, connection: Connection, table: GameTable) -> None:
        """Show the table to a connection that joined it, but not again to the others."""
        if connection in self.viewers:
            self.left(connection)
            self.viewers[connection] = ("", Viewer())
            table.look = self.changed
            table.host.later(table, self._show_to_newcomer, connection, table)

    def _show_to_newcomer(self, connection: Connection, table: GameTable) -> None:
        """Show the table to a new connection, unless it was shown already, is about to be, or the connection left."""
        seen = self.viewers.get(connection)
        is_new = seen is not None and seen[0] != table.id and table.id not in self._due
        if is_new and self.place(connection) is table and table.match is not None:
            self._show_safely(table, connection)

    def left(self, connection: Connection) -> None:
        """Stop showing tables to a connection."""
        name, _ = self.viewers.pop(connection, ("", None))
        if not any(name == other for other, _ in self.viewers.values()):
            self._forget(name)

    def _forget(self, name: str) -> None:
        """Discard the state of a table that nobody views."""
        self.scenes.pop(name, None)
        self._late.pop(name, None)
        self._shown_at.pop(name, None)

    def changed(self, table: GameTable) -> None:
        """Show a table again after a change. Several changes are shown together, at most once per PAUSE_S if not
        urgent."""
        if table.id in self._due:
            return
        asked = None if table.match is None or table.match.seat is None else table.seats[table.match.seat].channel
        is_urgent = asked is not None and asked in self.viewers
        if not is_urgent and table.host.now() - self._shown_at.get(table.id, NEVER) < PAUSE_S:
            self._late[table.id] = table
            return
        self._due.add(table.id)
        table.host.later(table, self._show_all, table)

    def tidy(self) -> None:
        """Discard the state of tables that are not shown to anybody."""
        viewed = {name for name, _ in self.viewers.values()}
        for name in [name for name in self.scenes if name not in viewed]:
            self._forget(name)

    def tick(self) -> None:
        """Show tables whose update was delayed."""
        now = self.registry.now()
        for table in [one for one in self._late.values() if now - self._shown_at.get(one.id, NEVER) >= PAUSE_S]:
            self.changed(table)

    def _show_all(self, table: GameTable) -> None:
        self._due.discard(table.id)
        self._late.pop(table.id, None)
        if table.match is not None:
            self._shown_at[table.id] = table.host.now()
        present = [*(seat.channel for seat in table.seats), *(watcher.connection for watcher in table.watchers)]
        looking = [connection for connection in present if connection is not None and connection in self.viewers]
        for connection in looking if table.match is not None else ():
            self._show_safely(table, connection)
        if not looking:
            table.look = None
            self._forget(table.id)

    def _show_safely(self, table: GameTable, connection: Connection, ref: str | None = None) -> None:
        """Show a table. Errors are reported to the owner and to the client, and the game continues."""
        try:
            self._show(table, connection, ref)
        except Exception as error:
            self.viewers.pop(connection, None)
            self.registry.report(f"table {table.id} is not shown: {''.join(format_exception(error))}")
            connection.post(frame(Error("not_shown", NOT_SHOWN, fatal=False)))

    def _show(self, table: GameTable, connection: Connection, ref: str | None) -> None:
        seat = self.seat_of(connection)
        seer = (ALL_SEATS if table.state == "ended" else PUBLIC) if seat is None else seat.index
        outcome = table.outcome
        content = frame(
            shown(
                self._scene(table),
                self._viewer(table, connection),
                seer,
                request=_open_request(table, seat),
                clocks=_clocks(table),
                result=outcome and ResultShown(outcome.scores, outcome.ranks, [END_WORDS[outcome.reason]]),
                ref=ref,
            )
        )
        watcher = next((one for one in table.watchers if one.connection is connection), None)
        if watcher is not None:
            table.to_watcher(watcher, content)
        else:
            connection.post(content)

    def _viewer(self, table: GameTable, connection: Connection) -> Viewer:
        name, viewer = self.viewers[connection]
        if name != table.id:
            viewer = Viewer()
            self.viewers[connection] = (table.id, viewer)
        return viewer

    def _scene(self, table: GameTable) -> Scene:
        assert table.match is not None
        scene = self.scenes.get(table.id)
        if scene is None or scene.match is not table.match:
            if scene is not None:  # a move was taken back, so what was shown is out of date
                for connection in [one for one, (name, _) in self.viewers.items() if name == table.id]:
                    self.viewers[connection] = ("", Viewer())
            scene = self.scenes[table.id] = Scene(table.id, table.match)
        return scene

    def seat_of(self, connection: Connection) -> ServerSeat | None:
        """Return the seat that a connection holds. None if it holds none."""
        seated = self.seated.get(connection)
        return None if seated is None else seated[1]

    def _about_request(self, connection: Connection, wish: Show, afford: Afford) -> None:
        """Answer a question of the seat to move about its open request. Raise Refused if no request is open for it."""
        table, seat = self.place(connection), self.seat_of(connection)
        number = None if table is None else _open_request(table, seat)
        if table is None or seat is None or number is None:
            raise Refused("not_your_turn", "no request is open for you")
        check_number(wish.number, number)
        steps = wish.steps or []
        if len(steps) > MOST_STEPS:
            raise Refused("bad_request", f"{len(steps)} steps; at most {MOST_STEPS}")
        if wish.hint:
            self._hint(connection, table, (table.id, number, frame(steps)), wish, afford)
            return
        try:
            connection.post(frame(self._reply_to_show(table, seat.index, connection, wish, steps)))
        except IllegalAction as error:
            raise Refused("illegal_action", str(error)) from None

    def _hint(self, connection: Connection, table: GameTable, key: HintKey, wish: Show, afford: Afford) -> None:
        """Send a hint. It is computed once in another process. Repeating it costs no more than a message."""
        if key in self._hints:
            connection.post(frame(AdviceShown(self._hints[key], wish.ref)))
            return
        if connection in self._awaiting:
            raise Refused("too_fast", "your last hint is still being worked out")
        afford(HINT_COST)
        assert table.match is not None
        self._awaiting.add(connection)
        task = HintTask(position_of(table.match), wish.steps or [])
        self.registry.players.think(task, lambda thought: self._hinted(connection, key, wish.ref, thought))

    def _hinted(self, connection: Connection, key: HintKey, ref: str | None, thought: Thought) -> None:
        self._awaiting.discard(connection)
        if thought.words is not None:
            while len(self._hints) >= HINTS_KEPT:
                del self._hints[next(iter(self._hints))]
            self._hints[key] = thought.words
            connection.post(frame(AdviceShown(thought.words, ref)))
        elif thought.illegal is not None:
            connection.post(frame(Error("illegal_action", thought.illegal, fatal=False, ref=ref)))
        else:
            connection.post(frame(Error("not_shown", NO_HINT, fatal=False, ref=ref)))

    def _reply_to_show(
        self, table: GameTable, seat: int, connection: Connection, wish: Show, steps: list[Any]
    ) -> Shown | AdviceShown:
        scene = self._scene(table)
        if wish.why is not None:
            return AdviceShown(why_words(scene, seat, wish.why), wish.ref)
        if wish.preview:
            return AdviceShown(path_of(scene.decision(seat), scene.match.options, steps).total, wish.ref)
        if connection not in self.viewers:
            raise Refused("bad_request", "send `show` without steps first")
        assert wish.number is not None
        viewer = self._viewer(table, connection)
        return shown_after(scene, viewer, seat, wish.number, steps, clocks=_clocks(table), ref=wish.ref)


def _open_request(table: GameTable, seat: ServerSeat | None) -> int | None:
    """Return the number of the open request if it was sent to this seat. Otherwise None."""
    session = table.session
    if seat is None or session is None or table.state != "playing":
        return None
    return session.number if session.match.seat == seat.index and seat.player is None else None


def _clocks(table: GameTable) -> list[ClockLeft | None]:
    session = table.session
    asked = None if session is None or table.state != "playing" else session.match.seat
    used_s = max(0.0, table.waiting_s(table.host.now()))
    return [seat.clock.left(used_s if seat.index == asked else 0.0) for seat in table.seats]
