"""Tables shown to those who want them drawn and told in words. It costs something only where somebody asked for it."""

from traceback import format_exception
from typing import TYPE_CHECKING

from protocol.lines import frame
from protocol.messages import ClockLeft, Error
from protocol.showing import Advice, ResultShown, Show, Shown
from rails_cli.games.game import ALL_SEATS, PUBLIC, IllegalAction
from rails_cli.server.desk import Chair, Connection
from rails_cli.server.register import Refused
from rails_cli.server.table import Table
from rails_cli.web.live import MOST_STEPS, Eye, Scene, hint_words, imagined, preview_words, shown, why_words

if TYPE_CHECKING:
    from rails_cli.server.lobby import Lobby

PAUSE_S = 0.1
"""Between two showings of a table to those who only look on, or wait for others."""
NEVER = -1e9
NOT_SHOWN = "the table cannot be shown; the game goes on"
END_WORDS = {
    "normal": "The game has ended.",
    "timeout": "The game is void: a player was too slow.",
    "disconnect": "The game is void: a player was gone.",
    "illegal": "The game is void: a player broke the rules.",
    "interrupted": "The game was interrupted.",
}


class Gallery:
    """Who wants to be shown the table where he is, and what each has seen of it."""

    def __init__(self, lobby: "Lobby") -> None:
        self.lobby = lobby
        self.eyes: dict[Connection, tuple[str, Eye]] = {}
        """By connection, the table last shown to it and what it has seen of that."""
        self.scenes: dict[str, Scene] = {}
        self._due: set[str] = set()
        self._late: dict[str, Table] = {}
        """Tables that were shown only a moment ago, and will be again with the next tick."""
        self._shown_at: dict[str, float] = {}

    def wish(self, connection: Connection, wish: Show) -> None:
        """Heeds a `show`. A mistake in what is shown is no trouble for the game."""
        try:
            self._heed(connection, wish)
        except Refused:
            raise
        except Exception as error:
            self.lobby.register.report(f"a wish to be shown something failed: {''.join(format_exception(error))}")
            raise Refused("not_shown", NOT_SHOWN) from None

    def _heed(self, connection: Connection, wish: Show) -> None:
        if not wish.on:
            self.left(connection)
            return
        if wish.steps is None and not wish.hint and wish.why is None:
            self.eyes[connection] = ("", Eye())
            table = self.place(connection)
            if table is not None:
                table.look = self.changed
                if table.match is not None:
                    self._show_safely(table, connection, wish.ref)
            return
        self._about_request(connection, wish)

    def place(self, connection: Connection) -> Table | None:
        """The table where a connection is."""
        seated = self.lobby.seated.get(connection)
        table = seated[0] if seated is not None else self.lobby.watching.get(connection)
        return table if isinstance(table, Table) else None

    def came(self, connection: Connection, table: Table) -> None:
        """A connection has come to a table; to the others there nothing has changed."""
        if connection in self.eyes:
            self.left(connection)
            self.eyes[connection] = ("", Eye())
            table.look = self.changed
            table.house.later(table, lambda: self._welcome(connection, table))

    def _welcome(self, connection: Connection, table: Table) -> None:
        """Shows a table to one who has come, unless he has seen it since, is about to, or is gone."""
        seen = self.eyes.get(connection)
        is_new = seen is not None and seen[0] != table.id and table.id not in self._due
        if is_new and self.place(connection) is table and table.match is not None:
            self._show_safely(table, connection)

    def left(self, connection: Connection) -> None:
        """A connection is gone, or does not want to be shown anything any more."""
        name, _ = self.eyes.pop(connection, ("", None))
        if not any(name == other for other, _ in self.eyes.values()):
            self._forget(name)

    def _forget(self, name: str) -> None:
        """Nobody looks at a table any more."""
        self.scenes.pop(name, None)
        self._late.pop(name, None)
        self._shown_at.pop(name, None)

    def changed(self, table: Table) -> None:
        """Something has happened; all of it is shown at once, a moment later, and not too often."""
        if table.id in self._due:
            return
        asked = None if table.match is None or table.match.seat is None else table.chairs[table.match.seat].connection
        is_urgent = asked is not None and asked in self.eyes
        if not is_urgent and table.house.now() - self._shown_at.get(table.id, NEVER) < PAUSE_S:
            self._late[table.id] = table
            return
        self._due.add(table.id)
        table.house.later(table, lambda: self._show_all(table))

    def tick(self) -> None:
        """Shows what had to wait."""
        now = self.lobby.register.now()
        for table in [one for one in self._late.values() if now - self._shown_at.get(one.id, NEVER) >= PAUSE_S]:
            self.changed(table)

    def _show_all(self, table: Table) -> None:
        self._due.discard(table.id)
        self._late.pop(table.id, None)
        if table.match is not None:
            self._shown_at[table.id] = table.house.now()
        found = False
        for connection in self._present(table):
            if connection in self.eyes:
                found = True
                if table.match is not None:
                    self._show_safely(table, connection)
        if not found:
            table.look = None
            self._forget(table.id)

    def _show_safely(self, table: Table, connection: Connection, ref: str | None = None) -> None:
        """A mistake in what is shown is no trouble for the game."""
        try:
            self._show(table, connection, ref)
        except Exception as error:
            self.eyes.pop(connection, None)
            self.lobby.register.report(f"table {table.id} is not shown: {''.join(format_exception(error))}")
            connection.post(frame(Error("not_shown", NOT_SHOWN, fatal=False)))

    @staticmethod
    def _present(table: Table) -> list[Connection]:
        return [
            *(chair.connection for chair in table.chairs if chair.connection is not None),
            *(watcher.connection for watcher in table.watchers),
        ]

    def _show(self, table: Table, connection: Connection, ref: str | None = None) -> None:
        match = table.match
        assert match is not None
        eye = self._eye(table, connection)
        chair = self._chair(connection)
        seer = (ALL_SEATS if table.state == "ended" else PUBLIC) if chair is None else chair.seat
        content = shown(
            table.id,
            match,
            self._scene(table),
            eye,
            seer,
            request=self._open_request(table, chair),
            clocks=self._clocks(table),
            result=_result(table),
            ref=ref,
        )
        self._send(table, connection, content)

    def _send(self, table: Table, connection: Connection, content: Shown) -> None:
        for watcher in table.watchers:
            if watcher.connection is connection:
                table.to_watcher(watcher, frame(content))
                return
        connection.post(frame(content))

    def _eye(self, table: Table, connection: Connection) -> Eye:
        name, eye = self.eyes[connection]
        if name != table.id:
            eye = Eye()
            self.eyes[connection] = (table.id, eye)
        return eye

    def _scene(self, table: Table) -> Scene:
        assert table.match is not None
        scene = self.scenes.get(table.id)
        if scene is None:
            scene = self.scenes[table.id] = Scene(table.match)
        return scene

    def _chair(self, connection: Connection) -> Chair | None:
        seated = self.lobby.seated.get(connection)
        return None if seated is None else seated[1]

    @staticmethod
    def _open_request(table: Table, chair: Chair | None) -> int | None:
        """The number of the open request if it was put to this chair."""
        match, hearing = table.match, table.hearing
        if chair is None or match is None or hearing is None or table.state != "playing":
            return None
        return hearing.number if match.seat == chair.seat and chair.player is None else None

    @staticmethod
    def _clocks(table: Table) -> list[ClockLeft | None]:
        asked = None if table.match is None or table.state != "playing" else table.match.seat
        used = max(0.0, table.house.now() - table.asked_at)
        return [chair.clock.left(used if chair.seat == asked else 0.0) for chair in table.chairs]

    def _about_request(self, connection: Connection, wish: Show) -> None:
        """What the seat that is asked wants to know before it answers."""
        table, chair = self.place(connection), self._chair(connection)
        number = None if table is None else self._open_request(table, chair)
        if table is None or chair is None or number is None:
            raise Refused("not_your_turn", "no request is open for you")
        if wish.number != number:
            raise Refused("stale_request", f"this is about request {wish.number}; the open request is {number}")
        steps = wish.steps or []
        if len(steps) > MOST_STEPS:
            raise Refused("bad_request", f"{len(steps)} steps; at most {MOST_STEPS}")
        try:
            connection.post(frame(self._told(table, chair.seat, connection, number, wish)))
        except IllegalAction as error:
            raise Refused("illegal_action", str(error)) from None

    def _told(self, table: Table, seat: int, connection: Connection, number: int, wish: Show) -> Shown | Advice:
        match, scene, steps = table.match, self._scene(table), wish.steps or []
        assert match is not None
        if wish.hint:
            return Advice(hint_words(match, scene, seat, steps), wish.ref)
        if wish.why is not None:
            return Advice(why_words(match, scene, seat, wish.why), wish.ref)
        if wish.preview:
            return Advice(preview_words(match, scene, seat, steps), wish.ref)
        if connection not in self.eyes:
            raise Refused("bad_request", "say `show` first, without steps")
        eye = self._eye(table, connection)
        clocks = self._clocks(table)
        return imagined(table.id, match, scene, eye, seat, number, steps, clocks=clocks, ref=wish.ref)


def _result(table: Table) -> ResultShown | None:
    outcome = table.outcome
    if outcome is None:
        return None
    return ResultShown(outcome.scores, outcome.ranks, [END_WORDS[outcome.reason]])
