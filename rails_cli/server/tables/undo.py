"""Undo: moves at a table are taken back if all human players agree.

A move cannot be taken back if random results or hidden information were revealed after the move.
"""

from collections.abc import Callable, Mapping

import msgspec

from rails_cli.logs.reading import BadLog, read_log
from rails_cli.logs.resume import action_history
from rails_cli.match.action_history import UNFORESEEN, ActionHistory
from rails_cli.match.match import Match
from rails_cli.protocol.lines import frame
from rails_cli.protocol.lobby import Undo, UndoAsked, UndoState
from rails_cli.protocol.log import UndoLine
from rails_cli.server.refused import Refused
from rails_cli.server.store.storage import OPEN_FILE_ERRORS
from rails_cli.server.tables.ended import READING_COST
from rails_cli.server.tables.registry import TableRegistry
from rails_cli.server.tables.seat import Connection, ServerSeat
from rails_cli.server.tables.table import GameTable

LONGEST_S = 60.0
"""Seconds within which the other players must agree to an undo request."""
NOBODY_ASKS = "nobody is asking to take a move back"
NO_MOVE = "you have no move here to take back"
TOO_LATE = f"your last move cannot be taken back: since then {UNFORESEEN}"


class UndoRequest:
    """A request to take back a move."""

    def __init__(self, table: GameTable, seat: ServerSeat, at: float) -> None:
        self.table = table
        self.seat = seat
        self.at = at
        self.match: Match | None = table.match
        self.number = 0 if table.match is None else table.match.number
        self.agreed: set[int] = {seat.index}
        self.is_refused = False

    @property
    def is_timely(self) -> bool:
        """Whether the game is still in the position in which the request was made."""
        match = self.table.match
        is_same = match is not None and match is self.match and match.number == self.number
        return is_same and self.table.state == "playing"


def recorded_actions(registry: TableRegistry, table: GameTable) -> ActionHistory:
    """Return the actions played at a table. They are read from the log of the table, unless they are in memory.

    Raise Refused if the log is unreadable.
    """
    if table.action_history is not None:
        return table.action_history
    assert table.match is not None
    try:
        found = action_history(read_log(registry.storage.read_log(table.id)))
    except (BadLog, OSError) as error:
        if isinstance(error, OSError) and error.errno in OPEN_FILE_ERRORS:
            raise
        registry.report(f"table {table.id}: its log cannot be read: {error}", table.id)
        raise Refused("bad_log", "moves cannot be taken back: the log of this game cannot be read") from None
    found.match = table.match
    if table.state == "playing":
        table.action_history = found
    return found


class TableUndo:
    """The undo requests of all tables, at most one per table."""

    def __init__(
        self,
        registry: TableRegistry,
        seated: Mapping[Connection, tuple[GameTable, ServerSeat]],
        charge: Callable[[str, float], None],
    ) -> None:
        """`seated` maps each connection to its table and seat. `charge` takes a cost from the request budget of an
        address, or raises Refused."""
        self.registry = registry
        self.seated = seated
        self.charge = charge
        self.requests: dict[str, UndoRequest] = {}

    def receive(self, connection: Connection, address: str, request: Undo) -> None:
        """Process an `undo` message: a request, an agreement or a refusal.

        Raise Refused if the message is not allowed.
        """
        table, seat = self.seated.get(connection, (None, None))
        if table is None or seat is None or table.state != "playing":
            raise Refused(
                "bad_request", "you can take back moves only at your own table, while its game is being played"
            )
        found = self.requests.get(table.id)
        if found is not None and not found.is_timely:
            self._over(found)
            found = None
        if request.say == "ask":
            self._ask(table, seat, found, address)
            self._go_on(self.requests[table.id], seat, request.ref)
        elif found is None or found.is_refused or found.seat is seat:
            raise Refused("too_late", NOBODY_ASKS)
        elif request.say == "agree":
            found.agreed.add(seat.index)
            self._go_on(found, seat, request.ref)
        else:
            found.is_refused = True
            self._send_state(found, "refused", seat, request.ref)

    def table_joined(self, connection: Connection, table: GameTable) -> None:
        """Schedule sending the pending undo request to a connection that joined a table."""
        if connection.join.undo and table.id in self.requests:
            table.host.later(table, self._send_pending, connection, table)

    def tick(self, now: float) -> None:
        """End undo requests after the next move or after LONGEST_S seconds."""
        for request in list(self.requests.values()):
            if not request.is_timely or (not request.is_refused and now - request.at > LONGEST_S):
                self._over(request)

    def _ask(self, table: GameTable, seat: ServerSeat, found: UndoRequest | None, address: str) -> None:
        """Create an undo request of the player at `seat`. Raise Refused if that is not allowed.

        `found` is the current undo request at the table, or None. The cost of reading the log is charged to `address`.
        """
        if not table.has_undo:
            raise Refused("forbidden", "moves cannot be taken back at this table")
        if found is not None:
            who = "the others have refused" if found.is_refused else "somebody has already asked for that"
            raise Refused("too_fast", f"{who}; play on")
        for other in _people(table):
            if other.channel is None:
                raise Refused("bad_request", f"{other.name} is away, and everybody has to agree")
            if not other.channel.join.undo:
                raise Refused("bad_request", f"{other.name} plays with a program that cannot take moves back")
        self.charge(address, READING_COST)
        self._taken_back(table, seat)
        self.requests[table.id] = UndoRequest(table, seat, self.registry.now())

    def _go_on(self, request: UndoRequest, by: ServerSeat, ref: str | None) -> None:
        """Inform all players at the table that the player of `by` agrees to an undo. If all agree, undo the move.

        `ref` is the id of the message that this player sent, or None.
        """
        table = request.table
        if any(seat.index not in request.agreed for seat in _people(table)):
            self._send_state(request, "asked", by, ref)
            return
        line = self._taken_back(table, request.seat)
        del self.requests[table.id]
        self._send_state(request, "done", by, ref)
        try:
            self.registry.players.start(table)
            table.go_back(line)
            self.registry.save_clocks()
        except Exception as error:
            self.registry.end_after_error(table, error)

    def _taken_back(self, table: GameTable, seat: ServerSeat) -> UndoLine:
        """Return the log line that takes back the last move of `seat`. Raise Refused if that is not possible."""
        match, session, action_history = table.match, table.session, recorded_actions(self.registry, table)
        assert match is not None
        assert session is not None
        to = action_history.last_of(seat.index)
        if not to or action_history.has_chance_since(to):
            raise Refused("too_late", TOO_LATE if to else NO_MOVE)
        return UndoLine(match.number + 1, seat.index, to, session.used_ms(self.registry.now()))

    def _over(self, request: UndoRequest) -> None:
        del self.requests[request.table.id]
        if not request.is_refused:
            self._send_state(request, "over", request.seat)

    def _send_state(self, request: UndoRequest, state: UndoState, by: ServerSeat, ref: str | None = None) -> None:
        """Send the state of an undo request to all clients at the table that support undo.

        `by` is the seat whose message caused the state. `ref` is the id of this message, and is sent only to `by`.
        """
        table = request.table
        notice = _notice(request, state, by.index)
        for seat in table.seats:
            if seat.channel is not None and seat.server_side is None and seat.channel.join.undo:
                seat.channel.post(frame(msgspec.structs.replace(notice, ref=ref) if seat is by else notice))
        for connection in table.spectators:
            if connection.join.undo:
                table.spectators.post(connection, frame(notice))

    def _send_pending(self, connection: Connection, table: GameTable) -> None:
        """Send a pending undo request to a client that joined the table."""
        request = self.requests.get(table.id)
        if request is None or request.is_refused or not request.is_timely:
            return
        for seat in table.seats:
            if seat.channel is connection:
                connection.post(
                    frame(_notice(request, "asked", (seat if seat.index in request.agreed else request.seat).index))
                )
        if connection in table.spectators:
            table.spectators.post(connection, frame(_notice(request, "asked", request.seat.index)))


def _notice(request: UndoRequest, state: UndoState, by: int) -> UndoAsked:
    return UndoAsked(request.table.id, request.seat.index, request.seat.name or "", state, by)


def _people(table: GameTable) -> list[ServerSeat]:
    """Return the seats whose players must agree to an undo: all but substitutes and players that the server runs."""
    return [seat for seat in table.seats if seat.server_side is None and seat.player is None]
