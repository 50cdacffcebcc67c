"""The lobby, which processes all requests of clients, gives seats to players and admits spectators."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, get_args

import msgspec

from rails_cli.basics.tokens import matches_hash, new_token, token_hash
from rails_cli.logs.reading import BadLog
from rails_cli.match.match import unique_name
from rails_cli.match.session import wrong_version
from rails_cli.protocol import lobby
from rails_cli.protocol.lines import UNDECODABLE, BadLine, decode, decode_or_error, frame
from rails_cli.protocol.live_view import Show
from rails_cli.protocol.messages import PROTOCOL, Again, Answer, Error, Join
from rails_cli.protocol.pool import AskStandings, Enter, ListEntrants, PoolRequest, Register
from rails_cli.server.admin import receive_admin_command
from rails_cli.server.net.bucket import Budgets
from rails_cli.server.refused import Refused, check_number
from rails_cli.server.store.storage import OPEN_FILE_ERRORS
from rails_cli.server.tables.branching import Origin, origin_reader
from rails_cli.server.tables.chat import TableChat
from rails_cli.server.tables.ended import READING_COST
from rails_cli.server.tables.listing import listed
from rails_cli.server.tables.live_view import LiveView
from rails_cli.server.tables.lookahead import check_size, cost_of, supposed
from rails_cli.server.tables.quotas import TOO_MANY_FILES
from rails_cli.server.tables.registry import TableRegistry
from rails_cli.server.tables.rematches import Rematches
from rails_cli.server.tables.replaying import Replay
from rails_cli.server.tables.seat import Connection, ServerSeat
from rails_cli.server.tables.server_players import bots_at, fill, is_process
from rails_cli.server.tables.sharing import TOKEN_COST, SeatSharing
from rails_cli.server.tables.standing_orders import StandingOrders
from rails_cli.server.tables.table import SUBSTITUTED, GameTable
from rails_cli.server.tables.undo import TableUndo
from rails_cli.server.tables.validation import NAME_LIMIT, checked_clock, clean

if TYPE_CHECKING:
    from rails_cli.server.pool.pool import Pool

BOTS_ARE_BUSY = "this server is running as many bots as it can; your game starts when some of them finish"
LOBBY_DECODER = msgspec.json.Decoder(Join | Again | Answer[msgspec.Raw] | lobby.LobbyRequest | PoolRequest)
COSTS: dict[type, float] = {
    lobby.CreateTable: 5,
    lobby.WatchTable: 5,
    lobby.ListTables: 2,
    lobby.ResumeSeat: 2,
    Again: 2,
    Show: 4,
    lobby.StandingOrder: 2,
    lobby.AdminCommand: 5,
    Register: 20,
    AskStandings: 5,
    ListEntrants: 5,
}
"""Mapping from the type of a request to its cost, in units of the request budget of an address.

Requests that are not listed cost 1. The request budget is the rate limit `Limits.requests_per_s`.
"""
BRANCH_COST = 2 * READING_COST
"""Cost of creating a table that continues a logged game.

The log is read twice: when the table is created and when the game starts.
"""


MOST_REFUSALS = 20
"""Maximum number of refused requests of one connection that are written to the log of the server."""


class Lobby:
    """Handler of all client messages. It records the table of each player's and each spectator's connection."""

    def __init__(self, registry: TableRegistry, *, shutdown: Any = lambda: None) -> None:
        self.registry = registry
        self.turn = registry.turn
        self.turn.receive = self.receive
        self.shutdown = shutdown
        self.pool: Pool | None = None
        self.connections: set[Connection] = set()
        self.seated: dict[Connection, tuple[GameTable, ServerSeat]] = {}
        self.refusals: dict[Connection, int] = {}
        """Mapping from a connection to the number of its refused requests. The first `MOST_REFUSALS` are logged."""
        self.watching: dict[Connection, GameTable | Replay] = {}
        self.replays: list[Replay] = []
        self.live_view = LiveView(registry, self.seated, self.watching, self.charge)
        self.chat = TableChat(registry, self.live_view.table_of, self.live_view.seat_of)
        self.undo = TableUndo(registry, self.seated, self.charge)
        self.orders = StandingOrders(registry, self.seated)
        self.rematches = Rematches(self)
        self.sharing = SeatSharing(registry.tokens, registry.now, self.charge)
        limits = registry.quotas.limits
        self.asking = Budgets(float(limits.burst), limits.burst / limits.requests_per_s)
        self._handlers: dict[type, Callable[[Connection, str, Any], None]] = {
            Join: _join,
            Again: self._again,
            lobby.ListTables: self._list,
            lobby.CreateTable: self._create,
            lobby.TakeSeat: self._sit,
            lobby.ResumeSeat: self._resume,
            lobby.ListHeld: self._held,
            lobby.ShareSeats: self.sharing.share,
            lobby.FetchSeats: self.sharing.fetch,
            lobby.WatchTable: self._watch,
            lobby.InviteTo: self._invite,
            lobby.StartTable: self._start,
            lobby.LeaveSeat: self._leave,
            lobby.Rematch: self.rematches.receive,
            lobby.Chat: self.chat.receive,
            lobby.Undo: self.undo.receive,
            lobby.StandingOrder: self.orders.receive,
            lobby.Suppose: self._suppose,
            Show: self.live_view.receive,
            lobby.AdminCommand: partial(receive_admin_command, self),
            **dict.fromkeys(get_args(PoolRequest), _no_pool),
        }
        """Mapping from a message type to its handler. Arguments of a handler: connection, address, message."""

    # Connections

    def handle(self, kind: type, handler: Callable[[Connection, str, Any], None]) -> None:
        """Set the handler for messages of type `kind`."""
        self._handlers[kind] = handler

    def is_at_table(self, connection: Connection) -> bool:
        """Return whether a connection plays, watches or waits for a pool game. Such a connection may stay idle."""
        is_waiting = self.pool is not None and self.pool.is_member(connection)
        return is_waiting or connection in self.seated or connection in self.watching

    def is_return(self, content: bytes) -> bool | None:
        """Return whether a message contains a valid token of a seat or of a pool entrant.

        None for `join` and `show`. A client may send these messages before the one with its token.
        """
        try:
            message = decode(content, LOBBY_DECODER)
        except BadLine:
            return False
        if isinstance(message, Join | Show):
            return None
        if isinstance(message, Enter):
            return self.pool is not None and self.pool.is_token(message.token)
        return isinstance(message, lobby.ResumeSeat) and self.registry.tokens.is_valid(message.token)

    def receive(self, connection: Connection, content: bytes, arrived_at: float) -> bool:
        """Process an encoded message from a connection. Return True if the message was the move that a game waited for.

        `arrived_at` is the time at which the message was read. The player's clock stops at this time.
        """
        place = self.seated.get(connection)
        if place is not None and place[0].is_due:
            self.turn.advance_tables()
        if place is None or place[0].state != "playing" or place[1].player is not None:
            self._receive_request(connection, decode_or_error(content, LOBBY_DECODER))
            return False
        table, seat = place
        session = table.session
        assert session is not None
        try:
            message = table.decoder.decode(content)
        except UNDECODABLE:
            message = None
        if type(message) is not Answer or message.info is not None:
            message = decode_or_error(content, table.decoder)  # checks the note and explains errors
            if type(message) is not Answer and type(message) is not BadLine:
                self._receive_request(connection, message)
                return False
        was_asked = session.pending is not None
        try:
            step = session.receive(seat, message, arrived_at)
        except Exception as error:
            self.registry.end_after_error(table, error)
            return False
        table.is_due = True
        self.turn.due.append((table, step))
        is_move = was_asked and session.pending is None
        if is_move:
            self.turn.measured.append(arrived_at)
        return is_move

    def _receive_request(self, connection: Connection, message: Any) -> None:
        """Process a message that is not a move in a running game.

        `message` is the decoded message, or a BadLine if it could not be decoded.
        """
        if type(message) is BadLine:
            connection.post(frame(Error(message.code, str(message), fatal=False)))
            return
        self.turn.advance_tables()
        with self._refusals_sent_to(connection, getattr(message, "ref", None)):
            address = connection.address
            self.charge(address, COSTS.get(type(message), 1.0))
            self._handlers.get(type(message), self._not_asked)(connection, address, message)

    @contextmanager
    def _refusals_sent_to(self, connection: Connection, ref: str | None) -> Iterator[None]:
        """Context manager that sends the reason to the client if the code inside raises Refused.

        `ref` identifies the request.
        """
        try:
            yield
        except Refused as refused:
            connection.post(frame(Error(refused.code, str(refused), fatal=False, ref=ref)))
            self.refusals[connection] = self.refusals.get(connection, 0) + 1
            if self.refusals[connection] <= MOST_REFUSALS:
                self.note("refused", connection, code=refused.code)
        except OSError as error:
            if error.errno in OPEN_FILE_ERRORS:
                connection.post(frame(Error("too_many", TOO_MANY_FILES, fatal=False, ref=ref)))
            else:
                self.registry.stop(error)

    def note(self, event: str, connection: Connection, **fields: Any) -> None:
        """Record an event of a connection, with the table at which it plays or watches."""
        place = self.seated.get(connection)
        table = self.watching.get(connection) if place is None else place[0]
        self.registry.note(event, None if table is None else table.id, connection.number, **fields)

    def disconnected(self, connection: Connection) -> None:
        """Remove a closed connection from the lobby, the pool and its table."""
        self.connections.discard(connection)
        self.refusals.pop(connection, None)
        if self.pool is not None:
            self.pool.disconnected(connection)
        self.live_view.forget_connection(connection)
        self.chat.forget_connection(connection)
        self._stop_watching(connection)
        place = self.seated.pop(connection, None)
        if place is not None:
            place[0].detach(connection)
            self.rematches.begin_if_all_agree(place[0])
            self.registry.ended_tables.release_match(place[0])

    def may_ask(self, address: str, cost: float) -> bool:
        """Take `cost` from the request budget of an address. Return False if the remaining budget is too small."""
        return self.asking.take(address, cost, self.registry.now())

    def charge(self, address: str, cost: float) -> None:
        """Take `cost` from the request budget of an address. Raise Refused if the remaining budget is too small."""
        if not self.may_ask(address, cost):
            raise Refused("too_fast", "too many requests from your address; wait a moment")

    def _again(self, connection: Connection, _: str, again: Again) -> None:
        place = self.seated.get(connection)
        if place is None or place[0].match is None:
            raise Refused("not_your_turn", "no request is open for you")
        place[0].again(place[1], connection, again.view)

    def _not_asked(self, connection: Connection, _: str, message: Any) -> None:
        place = self.seated.get(connection)
        if place is not None and place[0].state == "playing":
            raise Refused("substituted", SUBSTITUTED)
        raise Refused("not_your_turn", "no request is open for you")

    def _suppose(self, connection: Connection, address: str, request: lobby.Suppose) -> None:
        table, seat = self.seated.get(connection, (None, None))
        if table is None or seat is None or table.state != "playing" or seat.player is not None:
            self._not_asked(connection, address, request)
            return
        assert table.match is not None
        assert table.session is not None
        if table.match.seat != seat.index:
            raise Refused("not_your_turn", f"seat {table.match.seat} is to move")
        check_number(request.number, table.session.number)
        check_size(request.lines)
        self.charge(address, cost_of(request.lines))
        connection.post(frame(supposed(table.match, seat.index, request)))

    # Tables

    def _list(self, connection: Connection, _: str, request: lobby.ListTables) -> None:
        registry = self.registry
        tables, total = listed(registry.tables, registry.ended_tables.logged_games, request)
        connection.post(frame(lobby.Tables(tables, request.ref, total)))

    def _create(self, connection: Connection, address: str, request: lobby.CreateTable) -> None:
        if request.branch is None:
            self._make(connection, address, request)
            return
        self.charge(address, BRANCH_COST)
        read = origin_reader(
            self.registry.ended_tables.log_path(request.branch.log),
            request.branch,
            checked_clock(request.clock[:NAME_LIMIT]),
        )

        def create_branch(found: Origin | Refused) -> None:
            """Create a table that continues from the position `found`. If `found` is Refused, inform the client."""
            if connection in self.connections:
                with self._refusals_sent_to(connection, request.ref):
                    self._make(connection, address, request, found)

        self.registry.in_background(read, create_branch)

    def _make(
        self, connection: Connection, address: str, request: lobby.CreateTable, origin: Origin | Refused | None = None
    ) -> None:
        if isinstance(origin, Refused):
            raise origin
        owner = new_token()
        table = self.registry.create(request, address, owner_seal=token_hash(owner), origin=origin)
        connection.post(frame(lobby.TableCreated(table.info(), owner, request.ref)))
        spec = table.spec
        self.registry.note("table_created", table.id, connection.number, game=spec.game, players=spec.players)
        self.start_if_full(table, origin)

    def start_if_full(self, table: GameTable, origin: Origin | None = None) -> None:
        """Start the game of `table` if no seat is free. If the game cannot start, send the reason to the players.

        A game may continue another game. Then `origin` is the position from which it continues. If `origin` is None,
        this position is read from the log of the other game.
        """
        try:
            self.registry.start_if_full(table, origin)
        except Refused as refused:  # the game to continue no longer exists
            self.close(table, str(refused))
            return
        except Exception as error:
            self.registry.end_after_error(table, error)
        if table.is_full:
            words = BOTS_ARE_BUSY if bots_at(table) else TOO_MANY_FILES
            content = frame(Error("too_many", words, fatal=False))
            for seat in table.seats:
                if seat.channel is not None:
                    seat.channel.post(content)

    def _invite(self, connection: Connection, _: str, request: lobby.InviteTo) -> None:
        table = self.registry.owned(request.table, request.owner)
        free = [seat for seat in table.seats if seat.is_free and request.seat in (None, seat.index)]
        if request.seat is None:
            free = [seat for seat in free if seat.invite_seal is None]
        if not free:
            raise Refused("taken", "no such seat is free at this table")
        seat = min(free, key=lambda seat: seat.kind != "reserved")
        token = new_token()
        seat.kind = "reserved"
        seat.invite_seal = token_hash(token)
        self.registry.save(table)
        connection.post(frame(lobby.Invited(table.id, seat.index, token, request.ref)))
        table.send_table()

    def _start(self, connection: Connection, _: str, request: lobby.StartTable) -> None:
        table = self.registry.owned(request.table, request.owner)
        self.registry.check_accepting()
        if table.state != "open":
            raise Refused("too_late", f"table {table.id} has started already")
        self.registry.players.check(request.fill, table.game.name, table.spec.board)
        if is_process(request.fill):
            free = sum(seat.is_free for seat in table.seats)
            self.registry.quotas.check_bots(free, self.registry.quotas.creators.get(table.id, ""), bots_at(table))
        for seat in table.seats:
            if seat.is_free:
                fill(table, seat, request.fill)
        self.registry.save(table)
        connection.post(frame(lobby.TableChanged(table.info(), request.ref)))
        self.start_if_full(table)

    # Seats

    def let_go_of(self, connection: Connection) -> None:
        """Remove a connection from the table at which it plays or watches. Do nothing if it is not at a table.

        Raise Refused if the connection plays in a game that has not ended.
        """
        place = self.seated.get(connection)
        if place is not None:
            if place[0].state != "ended":
                raise Refused("seated", f"you sit at table {place[0].id}; leave it first, or use another connection")
            del self.seated[connection]
            place[1].channel = None
            self.rematches.begin_if_all_agree(place[0])
            self.registry.ended_tables.release_match(place[0])
        self._stop_watching(connection)

    def _sit(self, connection: Connection, _: str, request: lobby.TakeSeat) -> None:
        table = self.registry.find(request.table)
        if table.state != "open":
            raise Refused("too_late", f"the game at table {table.id} has started; you can watch it")
        self.registry.check_accepting()
        seat = _seat_for(table, request)
        self.let_go_of(connection)
        seat.kind = "player"
        wanted = clean(request.name) or connection.join.name or "guest"
        seat.name = unique_name(wanted, [other.name for other in table.seats])
        seat.invite_seal = None
        token = self.registry.tokens.issue(table, seat)
        self.take(connection, table, seat)
        self.registry.save(table)
        connection.post(frame(lobby.Seated(table.info(), seat.index, token, request.ref)))
        table.send_table()
        self.start_if_full(table)

    def take(self, connection: Connection, table: GameTable, seat: ServerSeat) -> None:
        """Give a seat to a connection. An older connection that held the seat gets an error message and is closed."""
        older = seat.channel
        if older is not None and older is not connection:
            self.seated.pop(older, None)
        table.attach(seat, connection)
        self.seated[connection] = (table, seat)
        self.note("seated", connection, seat=seat.index)
        if self.pool is not None:
            self.pool.seat_taken(connection, table)
        self.live_view.table_joined(connection, table)
        self.chat.table_joined(connection, table)
        self.undo.table_joined(connection, table)
        self.orders.table_joined(connection, table)

    def _resume(self, connection: Connection, address: str, request: lobby.ResumeSeat) -> None:
        table, seat = self.registry.tokens.holder(request.token)
        if self.seated.get(connection) != (table, seat):
            self.let_go_of(connection)
        self.charge(address, self.registry.ended_tables.reading_cost(table))
        self.registry.ended_tables.restore_match(table)
        self.rematches.forget_old_offer(seat)
        self.take(connection, table, seat)
        played, seat.substituted_from = seat.substituted_from, None
        connection.post(frame(lobby.Seated(table.info(), seat.index, request.token, request.ref, played)))
        table.send_table()
        if table.match is not None:
            table.send_start(seat, connection)
            table.again(seat, connection)
        self.rematches.begin_if_all_agree(table)

    def _held(self, connection: Connection, address: str, request: lobby.ListHeld) -> None:
        self.charge(address, len(request.tokens) * TOKEN_COST)
        connection.post(frame(lobby.Held([self.registry.tokens.held(token) for token in request.tokens], request.ref)))

    def _leave(self, connection: Connection, _: str, request: lobby.LeaveSeat) -> None:
        place = self.seated.pop(connection, None)
        if place is None:
            watched = self.watching.get(connection)
            if watched is None:
                raise Refused("bad_request", "you are not at a table")
            self._stop_watching(connection)
            connection.post(frame(lobby.Left(watched.id, request.ref)))
            return
        table, seat = place
        seat.channel = None
        self.registry.tokens.revoke(seat)
        if table.state == "open":
            seat.vacate(is_private=table.spec.private)
        self.registry.save(table)
        connection.post(frame(lobby.Left(table.id, request.ref)))
        table.send_table()
        if table.state == "playing" and seat.player is None:
            try:
                table.give_up(seat, "left the game")
            except Exception as error:
                self.registry.end_after_error(table, error)
        self.rematches.begin_if_all_agree(table)
        self.registry.ended_tables.release_match(table)

    # Spectators

    def _watch(self, connection: Connection, address: str, request: lobby.WatchTable) -> None:
        if not 0 <= request.pace_s <= 60:
            raise Refused("bad_request", "pace_s must be from 0 to 60")
        registry = self.registry
        table = registry.tables.get(request.table)
        if table is not None and table.state != "ended":
            self.let_go_of(connection)
            self.watching[connection] = table
            self.note("watching", connection)
            connection.post(frame(lobby.Watching(table.info(), request.ref)))
            table.watch(connection)
            self.live_view.table_joined(connection, table)
            self.chat.table_joined(connection, table)
            self.undo.table_joined(connection, table)
            return
        if table is not None:
            if not table.is_result_public:
                raise Refused(
                    "too_early", f"the end of this game is shown with a delay of {table.spec.watch_delay_s:g} s"
                )
            self.charge(address, registry.ended_tables.reading_cost(table))
            try:
                found = (table.info(), registry.ended_tables.log_of(table))
            except (BadLog, OSError):
                raise Refused("bad_log", f"the log of table {table.id} cannot be shown") from None
        else:
            shown = (
                None
                if registry.ended_tables.logged_games is None
                else registry.ended_tables.logged_games.find(request.table)
            )
            if shown is None:
                raise Refused("unknown_table", f"there is no table or logged game {request.table[:NAME_LIMIT]!r}")
            found = shown
        self.let_go_of(connection)
        replay = Replay(connection, *found, request.pace_s, registry.now())
        self.watching[connection] = replay
        self.note("watching", connection)
        self.replays.append(replay)
        connection.post(frame(lobby.Watching(replay.info, request.ref)))

    def _stop_watching(self, connection: Connection) -> None:
        watched = self.watching.pop(connection, None)
        if isinstance(watched, GameTable):
            watched.detach(connection)
            self.registry.ended_tables.release_match(watched)
        elif watched is not None:
            self.replays = [replay for replay in self.replays if replay is not watched]

    def close(self, table: GameTable, words: str) -> None:
        """Remove a table whose game has not started, and send the reason `words` to all clients at the table."""
        self.registry.forget(table)
        content = frame(Error("closed", words, fatal=False))
        for seat in table.seats:
            if seat.channel is not None:
                self.seated.pop(seat.channel, None)
                seat.channel.post(content)
        for connection in table.spectators:
            self.watching.pop(connection, None)
            connection.post(content)

    # Time

    def tick(self, now: float) -> None:
        """Check the deadlines of games, offers and undo requests, and advance replays."""
        self.registry.tick(now)
        if self.pool is not None:
            self.pool.tick(now)
        self.undo.tick(now)
        self.live_view.tick()
        if self.replays:
            self.replays = [replay for replay in self.replays if not replay.tick(now)]

    def tidy(self, now: float, open_table_s: float) -> None:
        """Do periodic work on tables and seats:

        - Free the seats of absent players at tables whose game has not begun.
        - Close tables without players `open_table_s` seconds after their creation, and other unused tables.
        - Start the games of full tables that had to wait.
        - End inactive games that have no clock.
        """
        registry = self.registry
        for table in [table for table in registry.tables.values() if table.state == "open"]:
            for seat in table.seats:
                if seat.absent_since is not None and now - seat.absent_since > registry.absence_s:
                    registry.tokens.revoke(seat)
                    seat.vacate(is_private=table.spec.private)
                    registry.save(table)
                    table.send_table()
            is_empty = not any(seat.kind == "player" for seat in table.seats)
            if is_empty and registry.wall() - table.spec.made_at > open_table_s:
                self.close(table, "nobody joined this table")
            elif now - table.active_at > registry.idle_table_s:
                self.close(table, f"nobody joined this table for {registry.idle_table_s:g} s")
            elif bots_at(table) > registry.quotas.limits.bots:
                self.close(table, f"this server now runs at most {registry.quotas.limits.bots} bots at a time")
            elif table.spec.branch is not None and registry.ended_tables.log_path(table.spec.branch.log) is None:
                self.close(table, "the game that this one continues is no longer here")
            elif table.is_full:
                registry.later(table, registry.start_if_full, table)
        for table in [table for table in registry.tables.values() if table.state == "playing"]:
            if table.clock is None and now - table.active_at > registry.idle_table_s:
                try:
                    table.finish("interrupted")
                except Exception as error:
                    registry.end_after_error(table, error)
        self.asking.tidy(now)
        self.live_view.tidy()
        self.chat.tidy(now)
        self.rematches.tidy()
        self.sharing.tidy()
        registry.tidy(now)


def _join(connection: Connection, _: str, join: Join) -> None:
    if join.protocol != PROTOCOL:
        connection.drop("version", wrong_version(join))
        return
    connection.join = msgspec.structs.replace(join, name=clean(join.name))


def _no_pool(connection: Connection, _: str, message: Any) -> None:
    raise Refused("no_pool", "this server has no pool; its owner can add one with --pool")


def _seat_for(table: GameTable, request: lobby.TakeSeat) -> ServerSeat:
    """Return the seat that `request` names, or any free seat if it names no seat. Raise Refused if none is free."""
    if request.seat is not None and not 0 <= request.seat < len(table.seats):
        raise Refused("bad_request", f"seat {request.seat} is not one of 0 to {len(table.seats) - 1}")
    seats = table.seats if request.seat is None else [table.seats[request.seat]]
    if request.invite is not None:
        for seat in seats:
            if seat.is_free and matches_hash(request.invite, seat.invite_seal):
                return seat
        raise Refused("forbidden", "this invitation is not valid here, or has been used")
    for seat in seats:
        if seat.kind == "open":
            return seat
    if any(seat.kind == "reserved" for seat in seats):
        raise Refused("forbidden", "the free seats are reserved; ask the owner for an invitation")
    raise Refused("taken", "no such seat is free at this table")
