"""The lobby: finds tables, seats players by their tokens, and brings everything back after a crash."""

import hmac
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from protocol.lines import BadLine, decode, frame
from protocol.lobby import (
    AdminCommand,
    CreateTable,
    Invited,
    InviteTo,
    LeaveSeat,
    Left,
    ListTables,
    LobbyRequest,
    Rematch,
    ResumeSeat,
    Seated,
    StartTable,
    Status,
    TableChanged,
    TableCreated,
    Tables,
    TakeSeat,
    Watching,
    WatchTable,
)
from protocol.messages import PROTOCOL, Again, Answer, Clock, Error, Join
from rails_cli.clock import read_clock
from rails_cli.core.luck import MAX_SEED
from rails_cli.games import GAME_NAMES, load_game, standard_board
from rails_cli.players.house import HOUSE_PLAYERS, house_player
from rails_cli.referee import Player
from rails_cli.replay import BadLog, carry_on, read_log
from rails_cli.server.desk import Chair, Connection, is_token, new_token, sealed
from rails_cli.server.replaying import Replay, logged_games
from rails_cli.server.storage import SavedTable, Storage
from rails_cli.server.table import House, Spec, Table

NAME_LIMIT = 60
LIST_LIMIT = 200
LOBBY_DECODER = msgspec.json.Decoder(Join | Again | Answer[msgspec.Raw] | LobbyRequest)


class Limits(msgspec.Struct, frozen=True):
    """What the lobby bears."""

    tables: int = 1000
    """Open and running tables in all."""
    tables_each: int = 20
    """Open and running tables made from one address."""
    ended_kept: int = 500
    """Ended tables that are still listed."""


class Refused(Exception):
    """A request of the lobby that cannot be granted; the text says why and what would do."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class Lobby(House):
    """All tables of a server, and what is said outside of games."""

    def __init__(
        self,
        storage: Storage,
        *,
        now: Callable[[], float],
        wall: Callable[[], float],
        later: Callable[[Callable[[], None]], None],
        bots: dict[str, list[str]],
        start_bot: Callable[[Table, Chair, list[str]], Connection],
        absence_s: float = 60.0,
        on_faults: str = "substitute",
        limits: Limits | None = None,
        logs: Path | None = None,
        shutdown: Callable[[], None] = lambda: None,
    ) -> None:
        self.storage = storage
        self.now = now
        self.wall = wall
        self.later = later
        self.bots = bots
        self.start_bot = start_bot
        self.absence_s = absence_s
        self.on_faults = on_faults
        self.limits = limits or Limits()
        self.logs = logs
        self.shutdown = shutdown
        self.tables: dict[str, Table] = {}
        self.replays: list[Replay] = []
        self.seated: dict[Connection, tuple[Table, Chair]] = {}
        self.watching: dict[Connection, Table | Replay] = {}
        self.makers: dict[str, str] = {}
        self.connections: set[Connection] = set()
        self.admin_seal = sealed(storage.admin_token())

    # Connections

    def welcome(self, connection: Connection) -> None:
        self.connections.add(connection)

    def hear(self, connection: Connection, address: str, content: bytes) -> None:
        """A message from a connection, whatever it is."""
        place = self.seated.get(connection)
        message: Any
        if place is not None and place[0].state == "playing" and place[1].player is None:
            message = place[0].hear(place[1], content)
            if message is None:
                return
        else:
            try:
                message = decode(content, LOBBY_DECODER)
            except BadLine as bad:
                connection.post(frame(Error(bad.code, str(bad), fatal=False)))
                return
        ref = getattr(message, "ref", None)
        try:
            self._answer(connection, address, message, ref)
        except Refused as refused:
            connection.post(frame(Error(refused.code, str(refused), fatal=False, ref=ref)))

    def goodbye(self, connection: Connection) -> None:
        """A connection is gone."""
        self.connections.discard(connection)
        place = self.seated.pop(connection, None)
        watched = self.watching.pop(connection, None)
        if place is not None:
            table, chair = place
            if table.state == "open" and chair.connection is connection:
                chair.connection = None
                chair.absent_since = self.now()
                table.tell_changed()
            else:
                table.detach(connection)
        if isinstance(watched, Table):
            watched.detach(connection)
        elif watched is not None:
            self.replays = [replay for replay in self.replays if replay is not watched]

    def _answer(self, connection: Connection, address: str, message: Any, ref: str | None) -> None:
        if type(message) is Join:
            self._join(connection, message)
        elif type(message) is ListTables:
            connection.post(frame(Tables(self._listed(message), ref)))
        elif type(message) is CreateTable:
            table, owner = self.create(message, address)
            connection.post(frame(TableCreated(table.info(), owner, ref)))
            self.start_if_full(table)
        elif type(message) is TakeSeat:
            self._sit(connection, message)
        elif type(message) is ResumeSeat:
            self._resume(connection, message)
        elif type(message) is WatchTable:
            self._watch(connection, message)
        elif type(message) is InviteTo:
            self._invite(connection, message)
        elif type(message) is StartTable:
            self._start(connection, message)
        elif type(message) is LeaveSeat:
            self._leave(connection, ref)
        elif type(message) is Rematch:
            self._rematch(connection, ref)
        elif type(message) is AdminCommand:
            self._admin(connection, message)
        else:
            raise Refused("not_your_turn", "no request is open for you")

    def _join(self, connection: Connection, join: Join) -> None:
        if join.protocol != PROTOCOL:
            connection.drop("version", f"this server speaks protocol {PROTOCOL}, you asked for {join.protocol}")
            return
        connection.join = msgspec.structs.replace(join, name=_clean(join.name))

    # Tables

    def create(self, wish: CreateTable, address: str) -> tuple[Table, str]:
        """A new table and its owner's token."""
        if sum(table.state != "ended" for table in self.tables.values()) >= self.limits.tables:
            raise Refused("too_many", f"this server has {self.limits.tables} tables; try again later")
        mine = [self.tables[name] for name, maker in self.makers.items() if maker == address and name in self.tables]
        if sum(table.state != "ended" for table in mine) >= self.limits.tables_each:
            raise Refused("too_many", f"you have {self.limits.tables_each} tables already; end one first")
        if wish.game not in GAME_NAMES:
            raise Refused("bad_request", f"unknown game {wish.game!r}; the games are {', '.join(GAME_NAMES)}")
        game = load_game(wish.game)
        if wish.players not in game.players:
            raise Refused(
                "bad_request",
                f"{game.title} is for {game.players[0]} to {game.players[-1]} players, not {wish.players}",
            )
        try:
            options = msgspec.convert(wish.options, game.options_type)
            clock = read_clock(wish.clock)
        except (msgspec.ValidationError, ValueError) as error:
            raise Refused("bad_request", str(error)) from None
        if not 0 <= wish.watch_delay_s <= 3600:
            raise Refused("bad_request", "watch_delay_s is from 0 to 3600")
        if len(wish.seats) > wish.players:
            raise Refused("bad_request", f"{len(wish.seats)} seats are described, but {wish.players} play")
        owner = new_token()
        spec = Spec(
            table=secrets.token_hex(4),
            name=_clean(wish.name) or f"{game.title} for {wish.players}",
            game=wish.game,
            players=wish.players,
            options=msgspec.to_builtins(options),
            clock=wish.clock,
            private=wish.private,
            watch_delay_s=wish.watch_delay_s,
            owner_seal=sealed(owner),
            made_at=self.wall(),
        )
        table = Table(spec, game, standard_board(wish.game), clock, self)
        for chair, kind in zip(table.chairs, [*wish.seats, *[None] * wish.players], strict=False):
            if kind == "reserved" or (kind is None and wish.private):
                chair.kind = "reserved"
            elif kind is not None:
                self._check_server_side(kind)
                self._fill(chair, kind)
        self.tables[table.id] = table
        self.makers[table.id] = address
        self.storage.save(table)
        return table, owner

    def _check_server_side(self, kind: str) -> None:
        known = [*(f"builtin:{name}" for name in HOUSE_PLAYERS), *(f"bot:{name}" for name in self.bots)]
        if kind not in known:
            raise Refused("bad_request", f"{kind!r} cannot sit here; this server has {', '.join(known)}")

    def _fill(self, chair: Chair, kind: str) -> None:
        chair.kind = "builtin" if kind.startswith("builtin:") else "bot"
        chair.server_side = kind
        chair.name = f"{kind.partition(':')[2]} {chair.seat}"

    def start_if_full(self, table: Table) -> None:
        if table.state == "open" and not any(chair.is_free for chair in table.chairs):
            self._seat_server_players(table)
            table.begin(secrets.randbelow(MAX_SEED + 1))

    def _seat_server_players(self, table: Table) -> None:
        for chair in table.chairs:
            if chair.server_side is None:
                continue
            kind, _, name = chair.server_side.partition(":")
            if kind == "builtin":
                chair.player = self.house_player(table, name, chair.seat)
            else:
                chair.connection = self.start_bot(table, chair, self.bots[name])

    def house_player(self, table: Table, name: str, seat: int) -> Player:
        """A house player; what it does by chance is nobody's to foresee."""
        return house_player(name, table.spec.game, secrets.randbelow(MAX_SEED + 1), seat)

    def write(self, table: Table, line: Any) -> None:
        self.storage.write(table, line)

    def save(self, table: Table) -> None:
        self.storage.save(table)

    def ended(self, table: Table) -> None:
        """Closes the log; the oldest ended tables are not listed for ever."""
        self.storage.close(table.id)
        for chair in table.chairs:
            if chair.server_side is not None and chair.connection is not None:
                bot, chair.connection = chair.connection, None
                bot.drop("ended", "the game has ended")
        ended = [name for name, each in self.tables.items() if each.state == "ended" and not self._is_attended(each)]
        for name in ended[: -self.limits.ended_kept or None]:
            del self.tables[name]
            self.makers.pop(name, None)

    def _is_attended(self, table: Table) -> bool:
        return bool(table.watchers) or any(chair.connection is not None for chair in table.chairs)

    def _listed(self, wish: ListTables) -> list[Any]:
        words = wish.search.casefold()
        found = []
        for table in reversed(self.tables.values()):
            if table.spec.private or (wish.game and table.spec.game != wish.game):
                continue
            if wish.state and table.state != wish.state:
                continue
            info = table.info()
            seats = " ".join(seat.name or "" for seat in info.seats)
            if words in f"{info.name} {info.game} {info.table} {seats}".casefold():
                found.append(info)
        if self.logs is not None and wish.state in (None, "ended"):
            found.extend(info for info in logged_games(self.logs) if words in f"{info.name} {info.game}".casefold())
        return found[:LIST_LIMIT]

    def _table(self, name: str) -> Table:
        if name not in self.tables:
            raise Refused("unknown_table", f"there is no table {name[:NAME_LIMIT]!r}")
        return self.tables[name]

    def _owned(self, name: str, owner: str) -> Table:
        table = self._table(name)
        if not is_token(owner, table.spec.owner_seal):
            raise Refused("forbidden", "this is not the owner's token")
        return table

    # Seats

    def _free_to_go(self, connection: Connection) -> None:
        """A connection that holds a seat of a running game cannot go elsewhere; other ties are loosened."""
        place = self.seated.get(connection)
        if place is not None:
            if place[0].state != "ended":
                raise Refused("seated", f"you sit at table {place[0].id}; leave it first, or use another connection")
            del self.seated[connection]
            place[1].connection = None
        watched = self.watching.pop(connection, None)
        if isinstance(watched, Table):
            watched.detach(connection)
        elif watched is not None:
            self.replays = [replay for replay in self.replays if replay is not watched]

    def _sit(self, connection: Connection, wish: TakeSeat) -> None:
        table = self._table(wish.table)
        if table.state != "open":
            raise Refused("too_late", f"the game at table {table.id} has begun; you can watch it")
        chair = self._chair_for(table, wish)
        self._free_to_go(connection)
        token = new_token()
        chair.kind = "player"
        chair.name = self._unique_name(table, _clean(wish.name) or connection.join.name or "guest")
        chair.token_seal = sealed(token)
        chair.invite_seal = None
        self._take(connection, table, chair)
        self.storage.save(table)
        connection.post(frame(Seated(table.info(), chair.seat, token, wish.ref)))
        table.tell_changed()
        self.start_if_full(table)

    def _chair_for(self, table: Table, wish: TakeSeat) -> Chair:
        if wish.seat is not None and not 0 <= wish.seat < len(table.chairs):
            raise Refused("bad_request", f"seat {wish.seat} is not one of 0 to {len(table.chairs) - 1}")
        chairs = table.chairs if wish.seat is None else [table.chairs[wish.seat]]
        if wish.invite is not None:
            for chair in chairs:
                if chair.is_free and is_token(wish.invite, chair.invite_seal):
                    return chair
            raise Refused("forbidden", "this invitation is not good here, or has been used")
        for chair in chairs:
            if chair.kind == "open":
                return chair
        if any(chair.kind == "reserved" for chair in chairs):
            raise Refused("forbidden", "the free seats are reserved; ask the owner for an invitation")
        raise Refused("taken", "no such seat is free at this table")

    def _unique_name(self, table: Table, wanted: str) -> str:
        name, count = wanted, 2
        while any(chair.name == name for chair in table.chairs):
            name = f"{wanted} {count}"
            count += 1
        return name

    def _take(self, connection: Connection, table: Table, chair: Chair) -> None:
        older = chair.connection
        if older is not None and older is not connection:
            self.seated.pop(older, None)
        table.attach(chair, connection)
        self.seated[connection] = (table, chair)

    def _resume(self, connection: Connection, wish: ResumeSeat) -> None:
        seal = sealed(wish.token)
        found = None
        for table in self.tables.values():
            for chair in table.chairs:
                if chair.token_seal is not None and hmac.compare_digest(seal, chair.token_seal):
                    found = (table, chair)
        if found is None:
            raise Refused("forbidden", "no seat belongs to this token")
        table, chair = found
        if self.seated.get(connection) != found:
            self._free_to_go(connection)
        self._take(connection, table, chair)
        connection.post(frame(Seated(table.info(), chair.seat, wish.token, wish.ref)))
        table.tell_changed()
        if table.match is not None:
            table.catch_up(chair)

    def _leave(self, connection: Connection, ref: str | None) -> None:
        place = self.seated.pop(connection, None)
        if place is None:
            watched = self.watching.get(connection)
            if watched is None:
                raise Refused("bad_request", "you are at no table")
            self._free_to_go(connection)
            connection.post(frame(Left(watched.id, ref)))
            return
        table, chair = place
        chair.connection = None
        chair.token_seal = None
        if table.state == "open":
            chair.kind = "reserved" if table.spec.private else "open"
            chair.name = None
        elif table.state == "playing":
            table.replace(chair, "disconnect")
        self.storage.save(table)
        connection.post(frame(Left(table.id, ref)))
        table.tell_changed()
        if table.state == "playing" and table.match is not None and table.match.seat == chair.seat:
            table.ask()

    def _invite(self, connection: Connection, wish: InviteTo) -> None:
        table = self._owned(wish.table, wish.owner)
        for chair in table.chairs:
            if wish.seat in (None, chair.seat) and chair.is_free and (wish.seat is not None or not chair.invite_seal):
                token = new_token()
                chair.kind = "reserved"
                chair.invite_seal = sealed(token)
                self.storage.save(table)
                connection.post(frame(Invited(table.id, chair.seat, token, wish.ref)))
                table.tell_changed()
                return
        raise Refused("taken", "no such seat is free at this table")

    def _start(self, connection: Connection, wish: StartTable) -> None:
        table = self._owned(wish.table, wish.owner)
        if table.state != "open":
            raise Refused("too_late", f"table {table.id} has started already")
        self._check_server_side(wish.fill)
        for chair in table.chairs:
            if chair.is_free:
                self._fill(chair, wish.fill)
        self.storage.save(table)
        connection.post(frame(TableChanged(table.info(), wish.ref)))
        self.start_if_full(table)

    def _rematch(self, connection: Connection, ref: str | None) -> None:
        place = self.seated.get(connection)
        if place is None or place[0].state != "ended":
            raise Refused("bad_request", "a rematch follows a game that has ended, at whose table you sit")
        table, chair = place
        chair.is_rematch_wanted = True
        there = [each for each in table.chairs if each.connection is not None and each.server_side is None]
        if not all(each.is_rematch_wanted for each in there):
            table.tell_changed(ref)
            return
        seats = [each.server_side or ("reserved" if each.connection is not None else None) for each in table.chairs]
        spec = table.spec
        wish = CreateTable(
            game=spec.game,
            players=spec.players,
            options=spec.options,
            clock=spec.clock,
            name=spec.name,
            private=spec.private,
            seats=seats,
            watch_delay_s=spec.watch_delay_s,
        )
        again, _ = self.create(wish, self.makers.get(table.id, ""))
        for old, new in zip(table.chairs, again.chairs, strict=True):
            if old.connection is None or old.server_side is not None:
                continue
            token = new_token()
            new.kind, new.name, new.token_seal = "player", old.name, sealed(token)
            player, old.connection = old.connection, None
            self._take(player, again, new)
            player.post(frame(Seated(again.info(), new.seat, token)))
        self.storage.save(again)
        self.start_if_full(again)

    # Looking on

    def _watch(self, connection: Connection, wish: WatchTable) -> None:
        if not 0 <= wish.pace_s <= 60:
            raise Refused("bad_request", "pace_s is from 0 to 60")
        table = self.tables.get(wish.table)
        if table is None or table.state == "ended":
            self._watch_log(connection, wish, table)
            return
        self._free_to_go(connection)
        self.watching[connection] = table
        connection.post(frame(Watching(table.info(), wish.ref)))
        table.watch(connection)

    def _watch_log(self, connection: Connection, wish: WatchTable, table: Table | None) -> None:
        if table is not None:
            path: Path | None = self.storage.log_path(table.id)
        else:
            path = None if self.logs is None else _logged(self.logs, wish.table)
        if path is None:
            raise Refused("unknown_table", f"there is no table or logged game {wish.table[:NAME_LIMIT]!r}")
        try:
            replay = Replay(connection, wish.table, path.read_bytes(), wish.pace_s, self.now())
        except BadLog as bad:
            raise Refused("bad_log", f"this log cannot be shown: {bad}") from None
        self._free_to_go(connection)
        self.watching[connection] = replay
        connection.post(frame(Watching(replay.info, wish.ref)))
        self.replays.append(replay)
        replay.tick(self.now())

    # The owner's commands

    def _admin(self, connection: Connection, wish: AdminCommand) -> None:
        if not is_token(wish.token, self.admin_seal):
            raise Refused("forbidden", "this is not the admin token")
        if wish.command == "end_table":
            table = self._table(wish.table or "")
            if table.state == "playing":
                table.finish("interrupted")
            elif table.state == "open":
                self._close_open(table, "closed", "the owner of the server closed this table")
        connection.post(frame(self.status(wish.ref)))
        if wish.command == "shutdown":
            self.later(self.shutdown)

    def status(self, ref: str | None = None) -> Status:
        counts = {"open": 0, "playing": 0, "ended": 0}
        for table in self.tables.values():
            counts[table.state] += 1
        return Status(len(self.connections), counts, self.moves, ref)

    def _close_open(self, table: Table, code: str, words: str) -> None:
        for chair in table.chairs:
            if chair.connection is not None:
                self.seated.pop(chair.connection, None)
                chair.connection.post(frame(Error(code, words, fatal=False)))
        for watcher in table.watchers:
            self.watching.pop(watcher.connection, None)
            watcher.connection.post(frame(Error(code, words, fatal=False)))
        self.storage.forget(table)
        self.tables.pop(table.id, None)
        self.makers.pop(table.id, None)

    # Time

    def tick(self, open_table_s: float) -> None:
        """Looks at all clocks; tables that nobody came to are closed after `open_table_s`."""
        now = self.now()
        for table in list(self.tables.values()):
            if table.state == "playing" or (table.state == "ended" and table.watchers):
                table.tick(now)
            elif table.state == "open":
                self._tick_open(table, now, open_table_s)
        if self.replays:
            self.replays = [replay for replay in self.replays if not replay.tick(now)]

    def _tick_open(self, table: Table, now: float, open_table_s: float) -> None:
        for chair in table.chairs:
            if chair.absent_since is not None and now - chair.absent_since > self.absence_s:
                chair.absent_since = None
                chair.kind, chair.name, chair.token_seal = ("reserved" if table.spec.private else "open"), None, None
                self.storage.save(table)
                table.tell_changed()
        is_empty = not any(chair.kind == "player" for chair in table.chairs)
        if is_empty and self.wall() - table.spec.made_at > open_table_s:
            self._close_open(table, "closed", "nobody came to this table")

    # After a crash

    def bring_back(self) -> int:
        """All tables that were not finished, as their files and logs left them; how many games go on."""
        playing = []
        for saved in self.storage.saved_tables():
            table = self._rebuilt(saved)
            if table is not None:
                self.tables[table.id] = table
                if table.match is not None and table.state != "ended":
                    playing.append(table)
        for table in playing:
            assert table.match is not None
            self._seat_server_players(table)
            table.go_on(table.match)
        return len(playing)

    def _rebuilt(self, saved: SavedTable) -> Table | None:
        spec = saved.spec
        if spec.game not in GAME_NAMES:
            return None
        clock: Clock | None = read_clock(spec.clock)
        table = Table(spec, load_game(spec.game), standard_board(spec.game), clock, self)
        for chair, kept in zip(table.chairs, saved.chairs, strict=True):
            chair.kind, chair.name, chair.server_side = kept.kind, kept.name, kept.server_side
            chair.token_seal, chair.invite_seal = kept.token_seal, kept.invite_seal
            if chair.kind == "player":
                chair.absent_since = self.now()
        path = self.storage.log_path(table.id)
        if not path.exists():
            return table
        try:
            log = read_log(path.read_bytes())
            left = carry_on(log, clock)
        except BadLog as bad:
            if bad.is_finished:
                return None
            if bad.is_before_setup:
                path.unlink()
                self.later(lambda: self.start_if_full(table))
                return table
            return None
        self.storage.carry_on(table.id, left.size)
        table.match = left.match
        for chair, seat_clock in zip(table.chairs, left.clocks, strict=True):
            chair.clock = seat_clock
        return table


def _clean(name: str | None) -> str:
    """A name without anything that could disturb a screen, and not too long."""
    return "".join(letter for letter in name or "" if letter.isprintable()).strip()[:NAME_LIMIT]


def _logged(folder: Path, name: str) -> Path | None:
    """The log of this name in a folder; nothing outside of it."""
    for info_name in sorted(file.name for file in folder.glob("*.jsonl")):
        if info_name.removesuffix(".jsonl") == name:
            return folder / info_name
    return None
