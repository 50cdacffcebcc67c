"""The lobby: handling of messages outside games, of seats, and of spectators."""

from collections.abc import Callable
from functools import partial
from typing import Any, Protocol, get_args

import msgspec

from rails_cli.basics.tokens import matches_hash, new_token, token_hash
from rails_cli.logs.reading import BadLog
from rails_cli.match.match import unique_name
from rails_cli.match.session import wrong_version
from rails_cli.protocol import lobby
from rails_cli.protocol.lines import BadLine, decode, frame
from rails_cli.protocol.live_view import Show
from rails_cli.protocol.messages import PROTOCOL, Again, Answer, Error, Join
from rails_cli.protocol.pool import AskStandings, Enter, ListEntrants, PoolRequest, Register
from rails_cli.server.chat import TableChat
from rails_cli.server.live_view import LiveView
from rails_cli.server.lookahead import check_size, cost_of, supposed
from rails_cli.server.net.bans import is_inside, name_of, read_network
from rails_cli.server.net.bucket import Budgets
from rails_cli.server.refused import Refused
from rails_cli.server.replaying import Replay
from rails_cli.server.seat import Connection, ServerSeat
from rails_cli.server.storage import PASSING
from rails_cli.server.table import SUBSTITUTED, GameTable
from rails_cli.server.tables.branching import Origin, origin_reader
from rails_cli.server.tables.ended import READING_COST
from rails_cli.server.tables.listing import listed
from rails_cli.server.tables.quotas import TOO_MANY_FILES
from rails_cli.server.tables.registry import TableRegistry
from rails_cli.server.tables.server_players import bots_at, fill, is_process
from rails_cli.server.tables.validation import NAME_LIMIT, check_number, checked_clock, clean
from rails_cli.server.undo import TableUndo

BANNED = "the owner of this server has banned your address"
BOTS_ARE_BUSY = "this server is running as many bots as it can; your game starts when some of them finish"
LOBBY_DECODER = msgspec.json.Decoder(Join | Again | Answer[msgspec.Raw] | lobby.LobbyRequest | PoolRequest)
COSTS: dict[type, float] = {
    lobby.CreateTable: 5,
    lobby.WatchTable: 5,
    lobby.ListTables: 2,
    lobby.ResumeSeat: 2,
    Again: 2,
    Show: 4,
    lobby.AdminCommand: 5,
    Register: 20,
    AskStandings: 5,
    ListEntrants: 5,
}
"""Cost of each kind of request, in units of the request budget of an address. Others cost 1."""
BRANCH_COST = 2 * READING_COST
"""Cost of creating a table from a logged game: the log is read now and again when the game begins."""
HELD_COST = 0.2
"""Cost per token in a `held` request."""


class PoolInterface(Protocol):
    """The interface of the pool that the lobby uses."""

    def is_member(self, connection: Connection) -> bool:
        """Return whether a connection waits or plays in the pool."""

    def is_token(self, token: str) -> bool:
        """Return whether `token` belongs to an entrant."""

    def seat_taken(self, connection: Connection, table: GameTable) -> None:
        """Handle a connection that took a seat."""

    def disconnected(self, connection: Connection) -> None:
        """Handle a closed connection."""

    def tick(self, now: float) -> None:
        """Check the deadlines of offers and pair waiting entrants."""


class Lobby:
    """Dispatcher of the messages of all connections, and record of who sits at or watches which table."""

    def __init__(self, registry: TableRegistry, *, shutdown: Any = lambda: None) -> None:
        self.registry = registry
        self.shutdown = shutdown
        self.pool: PoolInterface | None = None
        self.connections: set[Connection] = set()
        self.seated: dict[Connection, tuple[GameTable, ServerSeat]] = {}
        self.watching: dict[Connection, GameTable | Replay] = {}
        self.replays: list[Replay] = []
        self.live_view = LiveView(registry, self.seated, self.watching)
        self.chat = TableChat(registry, self.live_view.place, self.live_view.seat_of)
        self.undo = TableUndo(registry, self.seated)
        limits = registry.quotas.limits
        self.asking = Budgets(float(limits.burst), limits.burst / limits.requests_per_s)
        self._handlers: dict[type, Callable[[Connection, str, Any], None]] = {
            Join: self._join,
            Again: self._again,
            lobby.ListTables: self._list,
            lobby.CreateTable: self._create,
            lobby.TakeSeat: self._sit,
            lobby.ResumeSeat: self._resume,
            lobby.ListHeld: self._held,
            lobby.WatchTable: self._watch,
            lobby.InviteTo: self._invite,
            lobby.StartTable: self._start,
            lobby.LeaveSeat: self._leave,
            lobby.Rematch: self._rematch,
            lobby.Chat: self.chat.wish,
            lobby.Undo: self._undo,
            lobby.Suppose: self._suppose,
            Show: self._show,
            lobby.AdminCommand: self._admin,
            **dict.fromkeys(get_args(PoolRequest), self._no_pool),
        }
        """Handler for each message type. Arguments: connection, address, message."""

    # Connections

    def welcome(self, connection: Connection) -> None:
        self.connections.add(connection)

    def handle(self, kind: type, handler: Callable[[Connection, str, Any], None]) -> None:
        """Set the handler for messages of type `kind`."""
        self._handlers[kind] = handler

    def is_at_table(self, connection: Connection) -> bool:
        """Return whether a connection plays, watches or waits, so that it may stay silent."""
        is_waiting = self.pool is not None and self.pool.is_member(connection)
        return is_waiting or connection in self.seated or connection in self.watching

    def is_return(self, content: bytes) -> bool | None:
        """Return whether a message resumes a seat by token. None for options, after which such a message may follow."""
        try:
            message = decode(content, LOBBY_DECODER)
        except BadLine:
            return False
        if isinstance(message, Join | Show):
            return None
        if isinstance(message, Enter):
            return self.pool is not None and self.pool.is_token(message.token)
        return isinstance(message, lobby.ResumeSeat) and self.registry.tokens.is_valid(message.token)

    def receive(self, connection: Connection, content: bytes) -> bool:
        """Process any message from a connection. Return True if it was the move that a game waited for."""
        place = self.seated.get(connection)
        if place is not None and place[0].is_due:
            self.registry.ask_due()
        message: Any
        if place is not None and place[0].state == "playing" and place[1].player is None:
            moves = self.registry.moves
            try:
                message = place[0].receive(place[1], content)
            except Exception as error:
                self.registry.end_after_error(place[0], error)
                return False
            if message is None:
                return self.registry.moves != moves
        else:
            try:
                message = decode(content, LOBBY_DECODER)
            except BadLine as bad:
                connection.post(frame(Error(bad.code, str(bad), fatal=False)))
                return False
        self.registry.ask_due()
        ref = getattr(message, "ref", None)
        self._answer(connection, ref, self._handle, connection, message)
        return False

    def _handle(self, connection: Connection, message: Any) -> None:
        address = connection.address
        self._afford(address, COSTS.get(type(message), 1.0))
        self._handlers.get(type(message), self._not_asked)(connection, address, message)

    def _answer(self, connection: Connection, ref: str | None, do: Callable[..., None], *what: Any) -> None:
        """Call `do`. If it raises Refused, send the reason to the client."""
        try:
            do(*what)
        except Refused as refused:
            connection.post(frame(Error(refused.code, str(refused), fatal=False, ref=ref)))
        except OSError as error:
            if error.errno in PASSING:
                connection.post(frame(Error("too_many", TOO_MANY_FILES, fatal=False, ref=ref)))
            else:
                self.registry.stop(error)

    def goodbye(self, connection: Connection) -> None:
        """Forget a closed connection."""
        self.connections.discard(connection)
        if self.pool is not None:
            self.pool.disconnected(connection)
        self.live_view.left(connection)
        self.chat.left(connection)
        self._stop_watching(connection)
        place = self.seated.pop(connection, None)
        if place is not None:
            place[0].detach(connection)
            self._rematch_if_all_want(place[0])
            self.registry.ended_tables.release_match(place[0])

    def may_ask(self, address: str, cost: float) -> bool:
        """Take `cost` from the request budget of an address. Return False if there is not enough."""
        return self.asking.take(address, cost, self.registry.now())

    def _afford(self, address: str, cost: float) -> None:
        if not self.may_ask(address, cost):
            raise Refused("too_fast", "too many requests from your address; wait a moment")

    def _join(self, connection: Connection, _: str, join: Join) -> None:
        if join.protocol != PROTOCOL:
            connection.drop("version", wrong_version(join))
            return
        connection.join = msgspec.structs.replace(join, name=clean(join.name))

    def _again(self, connection: Connection, _: str, again: Again) -> None:
        place = self.seated.get(connection)
        if place is None or place[0].match is None:
            raise Refused("not_your_turn", "no request is open for you")
        place[0].again(place[1], connection)

    def _not_asked(self, connection: Connection, _: str, message: Any) -> None:
        place = self.seated.get(connection)
        if place is not None and place[0].state == "playing":
            raise Refused("substituted", SUBSTITUTED)
        raise Refused("not_your_turn", "no request is open for you")

    def _no_pool(self, connection: Connection, _: str, message: Any) -> None:
        raise Refused("no_pool", "this server has no pool; its owner can add one with --pool")

    def _suppose(self, connection: Connection, address: str, wish: lobby.Suppose) -> None:
        table, seat = self.seated.get(connection, (None, None))
        if table is None or seat is None or table.state != "playing" or seat.player is not None:
            self._not_asked(connection, address, wish)
            return
        assert table.match is not None
        assert table.session is not None
        if table.match.seat != seat.index:
            raise Refused("not_your_turn", f"seat {table.match.seat} is to move")
        check_number(wish.number, table.session.number)
        check_size(wish.lines)
        self._afford(address, cost_of(wish.lines))
        connection.post(frame(supposed(table.match, seat.index, wish)))

    def _undo(self, connection: Connection, address: str, wish: lobby.Undo) -> None:
        self.undo.wish(connection, wish, partial(self._afford, address))

    def _show(self, connection: Connection, address: str, wish: Show) -> None:
        self.live_view.wish(connection, wish, partial(self._afford, address))

    # Tables

    def _list(self, connection: Connection, _: str, wish: lobby.ListTables) -> None:
        registry = self.registry
        tables, total = listed(registry.tables, registry.ended_tables.logged_games, wish)
        connection.post(frame(lobby.Tables(tables, wish.ref, total)))

    def _create(self, connection: Connection, address: str, wish: lobby.CreateTable) -> None:
        if wish.branch is None:
            self._make(connection, address, wish)
            return
        self._afford(address, BRANCH_COST)
        read = origin_reader(
            self.registry.ended_tables.log_path(wish.branch.log), wish.branch, checked_clock(wish.clock[:NAME_LIMIT])
        )

        def go_on(found: Origin | Refused) -> None:
            """Create the table from the log that was read."""
            if connection in self.connections:
                self._answer(connection, wish.ref, self._make, connection, address, wish, found)

        self.registry.in_background(read, go_on)

    def _make(
        self, connection: Connection, address: str, wish: lobby.CreateTable, origin: Origin | Refused | None = None
    ) -> None:
        if isinstance(origin, Refused):
            raise origin
        owner = new_token()
        table = self.registry.create(wish, address, owner_seal=token_hash(owner), origin=origin)
        connection.post(frame(lobby.TableCreated(table.info(), owner, wish.ref)))
        self.start_if_full(table, origin)

    def start_if_full(self, table: GameTable, origin: Origin | None = None) -> None:
        """Start the game of a full table. If that fails, send the reason to the players."""
        try:
            self.registry.start_if_full(table, origin)
        except Refused as refused:  # the game to continue no longer exists
            self._close(table, str(refused))
            return
        except Exception as error:
            self.registry.end_after_error(table, error)
        if table.is_full:
            words = BOTS_ARE_BUSY if bots_at(table) else TOO_MANY_FILES
            content = frame(Error("too_many", words, fatal=False))
            for seat in table.seats:
                if seat.channel is not None:
                    seat.channel.post(content)

    def _invite(self, connection: Connection, _: str, wish: lobby.InviteTo) -> None:
        table = self.registry.owned(wish.table, wish.owner)
        free = [seat for seat in table.seats if seat.is_free and wish.seat in (None, seat.index)]
        if wish.seat is None:
            free = [seat for seat in free if seat.invite_seal is None]
        if not free:
            raise Refused("taken", "no such seat is free at this table")
        seat = min(free, key=lambda seat: seat.kind != "reserved")
        token = new_token()
        seat.kind = "reserved"
        seat.invite_seal = token_hash(token)
        self.registry.save(table)
        connection.post(frame(lobby.Invited(table.id, seat.index, token, wish.ref)))
        table.tell_changed()

    def _start(self, connection: Connection, _: str, wish: lobby.StartTable) -> None:
        table = self.registry.owned(wish.table, wish.owner)
        if table.state != "open":
            raise Refused("too_late", f"table {table.id} has started already")
        self.registry.players.check(wish.fill, table.game.name, table.spec.board)
        if is_process(wish.fill):
            free = sum(seat.is_free for seat in table.seats)
            self.registry.quotas.check_bots(free, self.registry.quotas.creators.get(table.id, ""), bots_at(table))
        for seat in table.seats:
            if seat.is_free:
                fill(table, seat, wish.fill)
        self.registry.save(table)
        connection.post(frame(lobby.TableChanged(table.info(), wish.ref)))
        self.start_if_full(table)

    # Seats

    def let_go_of(self, connection: Connection) -> None:
        """Release the connection from a finished game or from watching. Raise Refused if its game is not over."""
        place = self.seated.get(connection)
        if place is not None:
            if place[0].state != "ended":
                raise Refused("seated", f"you sit at table {place[0].id}; leave it first, or use another connection")
            del self.seated[connection]
            place[1].channel = None
            self._rematch_if_all_want(place[0])
            self.registry.ended_tables.release_match(place[0])
        self._stop_watching(connection)

    def _sit(self, connection: Connection, _: str, wish: lobby.TakeSeat) -> None:
        table = self.registry.find(wish.table)
        if table.state != "open":
            raise Refused("too_late", f"the game at table {table.id} has started; you can watch it")
        seat = self._seat_for(table, wish)
        self.let_go_of(connection)
        seat.kind = "player"
        wanted = clean(wish.name) or connection.join.name or "guest"
        seat.name = unique_name(wanted, [other.name for other in table.seats])
        seat.invite_seal = None
        token = self.registry.tokens.issue(table, seat)
        self.take(connection, table, seat)
        self.registry.save(table)
        connection.post(frame(lobby.Seated(table.info(), seat.index, token, wish.ref)))
        table.tell_changed()
        self.start_if_full(table)

    def _seat_for(self, table: GameTable, wish: lobby.TakeSeat) -> ServerSeat:
        if wish.seat is not None and not 0 <= wish.seat < len(table.seats):
            raise Refused("bad_request", f"seat {wish.seat} is not one of 0 to {len(table.seats) - 1}")
        seats = table.seats if wish.seat is None else [table.seats[wish.seat]]
        if wish.invite is not None:
            for seat in seats:
                if seat.is_free and matches_hash(wish.invite, seat.invite_seal):
                    return seat
            raise Refused("forbidden", "this invitation is not valid here, or has been used")
        for seat in seats:
            if seat.kind == "open":
                return seat
        if any(seat.kind == "reserved" for seat in seats):
            raise Refused("forbidden", "the free seats are reserved; ask the owner for an invitation")
        raise Refused("taken", "no such seat is free at this table")

    def take(self, connection: Connection, table: GameTable, seat: ServerSeat) -> None:
        """Give a seat to a connection. An older connection that held it is informed and closed."""
        older = seat.channel
        if older is not None and older is not connection:
            self.seated.pop(older, None)
        table.attach(seat, connection)
        self.seated[connection] = (table, seat)
        connection.game = table.game.name
        if self.pool is not None:
            self.pool.seat_taken(connection, table)
        self.live_view.came(connection, table)
        self.chat.came(connection, table)
        self.undo.came(connection, table)

    def _resume(self, connection: Connection, address: str, wish: lobby.ResumeSeat) -> None:
        table, seat = self.registry.tokens.holder(wish.token)
        if self.seated.get(connection) != (table, seat):
            self.let_go_of(connection)
        self._afford(address, self.registry.ended_tables.reading_cost(table))
        self.registry.ended_tables.restore_match(table)
        self.take(connection, table, seat)
        played, seat.substituted_from = seat.substituted_from, None
        connection.post(frame(lobby.Seated(table.info(), seat.index, wish.token, wish.ref, played)))
        table.tell_changed()
        if table.match is not None:
            table.tell_start(seat, connection)
            table.again(seat, connection)

    def _held(self, connection: Connection, address: str, wish: lobby.ListHeld) -> None:
        self._afford(address, len(wish.tokens) * HELD_COST)
        connection.post(frame(lobby.Held([self.registry.tokens.held(token) for token in wish.tokens], wish.ref)))

    def _leave(self, connection: Connection, _: str, wish: lobby.LeaveSeat) -> None:
        place = self.seated.pop(connection, None)
        if place is None:
            watched = self.watching.get(connection)
            if watched is None:
                raise Refused("bad_request", "you are not at a table")
            self._stop_watching(connection)
            connection.post(frame(lobby.Left(watched.id, wish.ref)))
            return
        table, seat = place
        seat.channel = None
        self.registry.tokens.revoke(seat)
        if table.state == "open":
            seat.vacate(is_private=table.spec.private)
        self.registry.save(table)
        connection.post(frame(lobby.Left(table.id, wish.ref)))
        table.tell_changed()
        if table.state == "playing" and seat.player is None:
            try:
                table.give_up(seat, "left the game")
            except Exception as error:
                self.registry.end_after_error(table, error)
        self._rematch_if_all_want(table)
        self.registry.ended_tables.release_match(table)

    # Rematches

    def _rematch(self, connection: Connection, address: str, wish: lobby.Rematch) -> None:
        place = self.seated.get(connection)
        if place is None or place[0].state != "ended":
            raise Refused("bad_request", "a rematch is only possible at your table, after its game has ended")
        table, seat = place
        seat.is_rematch_wanted = True
        connection.post(frame(lobby.TableChanged(table.info(), wish.ref)))
        self.registry.quotas.creators.setdefault(table.id, address)
        self._rematch_if_all_want(table)

    def _rematch_if_all_want(self, table: GameTable) -> None:
        there = [seat for seat in table.seats if seat.channel is not None and seat.server_side is None]
        if table.state != "ended" or not there or not all(seat.is_rematch_wanted for seat in there):
            return
        try:
            again = self._same_again(table)
        except Refused as refused:
            for seat in there:
                seat.is_rematch_wanted = False
                assert seat.channel is not None
                seat.channel.post(frame(Error(refused.code, str(refused), fatal=False)))
            return
        seated = []
        for old, new in zip(table.seats, again.seats, strict=True):
            if old not in there or old.channel is None:
                continue
            new.kind, new.name = "player", old.name
            player, old.channel = old.channel, None
            seated.append((player, new.index, self.registry.tokens.issue(again, new)))
            self.take(player, again, new)
        info = again.info()
        for player, index, token in seated:
            player.post(frame(lobby.Seated(info, index, token)))
        self.registry.save(again)
        self.registry.ended_tables.release_match(table)
        if any(seat.is_free for seat in again.seats):
            again.tell_changed()
        self.start_if_full(again)

    def _same_again(self, table: GameTable) -> GameTable:
        """Create a table like `table` for the same owner. The seats of players who left are free."""
        spec = table.spec
        fields = {name: getattr(spec, name) for name in lobby.CreateTable.__struct_fields__ if hasattr(spec, name)}
        wish = lobby.CreateTable(**fields, seats=[seat.server_side for seat in table.seats])
        return self.registry.create(wish, self.registry.quotas.creators.get(table.id, ""), owner_seal=spec.owner_seal)

    # Spectators

    def _watch(self, connection: Connection, address: str, wish: lobby.WatchTable) -> None:
        if not 0 <= wish.pace_s <= 60:
            raise Refused("bad_request", "pace_s must be from 0 to 60")
        registry = self.registry
        table = registry.tables.get(wish.table)
        if table is not None and table.state != "ended":
            self.let_go_of(connection)
            self.watching[connection] = table
            connection.post(frame(lobby.Watching(table.info(), wish.ref)))
            table.watch(connection)
            self.live_view.came(connection, table)
            self.chat.came(connection, table)
            self.undo.came(connection, table)
            return
        if table is not None:
            if not table.is_result_public:
                raise Refused(
                    "too_early", f"the end of this game is shown with a delay of {table.spec.watch_delay_s:g} s"
                )
            self._afford(address, registry.ended_tables.reading_cost(table))
            try:
                found = (table.info(), registry.ended_tables.log_of(table))
            except (BadLog, OSError):
                raise Refused("bad_log", f"the log of table {table.id} cannot be shown") from None
        else:
            shown = (
                None
                if registry.ended_tables.logged_games is None
                else registry.ended_tables.logged_games.find(wish.table)
            )
            if shown is None:
                raise Refused("unknown_table", f"there is no table or logged game {wish.table[:NAME_LIMIT]!r}")
            found = shown
        self.let_go_of(connection)
        replay = Replay(connection, *found, wish.pace_s, registry.now())
        self.watching[connection] = replay
        self.replays.append(replay)
        connection.post(frame(lobby.Watching(replay.info, wish.ref)))

    def _stop_watching(self, connection: Connection) -> None:
        watched = self.watching.pop(connection, None)
        if isinstance(watched, GameTable):
            watched.detach(connection)
            self.registry.ended_tables.release_match(watched)
        elif watched is not None:
            self.replays = [replay for replay in self.replays if replay is not watched]

    # Commands of the owner

    def _admin(self, connection: Connection, _: str, wish: lobby.AdminCommand) -> None:
        registry = self.registry
        if not matches_hash(wish.token, registry.admin_seal):
            raise Refused("forbidden", "this is not the admin token")
        if wish.command in ("ban", "unban"):
            self._ban(connection, wish)
        if wish.command == "end_table":
            table = registry.find(wish.table or "")
            if table.state == "playing":
                table.finish("interrupted")
            elif table.state == "open":
                self._close(table, "the owner of the server closed this table")
        connection.post(frame(registry.status(len(self.connections), wish.ref)))
        if wish.command == "shutdown":
            registry.soon(self.shutdown)

    def _ban(self, connection: Connection, wish: lobby.AdminCommand) -> None:
        bans = self.registry.bans
        try:
            network = read_network(wish.address or "")
        except ValueError as error:
            raise Refused("bad_request", f"address: {error}") from None
        if wish.command == "unban":
            if not bans.remove(network):
                raise Refused("bad_request", f"{name_of(network)} is not banned; `bans` lists who is")
            return
        if is_inside(connection.address, network):
            raise Refused("bad_request", f"{name_of(network)} includes your own address")
        bans.add(network, wish.minutes)
        for other in list(self.connections):
            if is_inside(other.address, network):
                other.drop("banned", BANNED)

    def _close(self, table: GameTable, words: str) -> None:
        """Remove an open table and tell everybody at it why."""
        self.registry.forget(table)
        content = frame(Error("closed", words, fatal=False))
        for seat in table.seats:
            if seat.channel is not None:
                self.seated.pop(seat.channel, None)
                seat.channel.post(content)
        for watcher in table.watchers:
            self.watching.pop(watcher.connection, None)
            watcher.connection.post(content)

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
        """Free the seats of absent players. Close tables to which nobody came within `open_table_s`, and inactive
        ones."""
        registry = self.registry
        for table in [table for table in registry.tables.values() if table.state == "open"]:
            for seat in table.seats:
                if seat.absent_since is not None and now - seat.absent_since > registry.absence_s:
                    registry.tokens.revoke(seat)
                    seat.vacate(is_private=table.spec.private)
                    registry.save(table)
                    table.tell_changed()
            is_empty = not any(seat.kind == "player" for seat in table.seats)
            if is_empty and registry.wall() - table.spec.made_at > open_table_s:
                self._close(table, "nobody joined this table")
            elif now - table.active_at > registry.idle_table_s:
                self._close(table, f"nobody joined this table for {registry.idle_table_s:g} s")
            elif bots_at(table) > registry.quotas.limits.bots:
                self._close(table, f"this server now runs at most {registry.quotas.limits.bots} bots at a time")
            elif table.spec.branch is not None and registry.ended_tables.log_path(table.spec.branch.log) is None:
                self._close(table, "the game that this one continues is no longer here")
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
        registry.tidy(now)
