"""All tables of a server: made, kept, found again by their tokens, and brought back after a crash. Knows no network."""

import hmac
import secrets
import traceback
from collections.abc import Callable
from typing import Any

import msgspec

from protocol.lobby import CreateTable, ListTables, Status, TableInfo
from protocol.log import FaultLine, ResultLine, ResumedLine
from protocol.messages import Clock, EndReason
from rails_cli.clock import read_clock
from rails_cli.core.luck import MAX_SEED
from rails_cli.games import GAME_NAMES, load_game, standard_board
from rails_cli.match import Match
from rails_cli.players.house import HOUSE_PLAYERS, house_player
from rails_cli.record import LogInUse
from rails_cli.referee import Player
from rails_cli.replay import BadLog, Log, carry_on, read_log, replay
from rails_cli.server.bucket import Bucket
from rails_cli.server.desk import Chair, Connection, is_token, new_token, sealed
from rails_cli.server.replaying import Shelf
from rails_cli.server.storage import OpenRequest, SavedTable, Storage
from rails_cli.server.table import House, Outcome, Spec, Table

NAME_LIMIT = 60
LIST_LIMIT = 200
SHORTEST_CLOCK_S = 0.01
LONGEST_CLOCK_S = 30 * 24 * 3600.0
TABLES_AGAIN_S = 600.0
"""In so long an address may make as many new tables as it may have at once."""


class Limits(msgspec.Struct, frozen=True):
    """What the lobby bears."""

    tables: int = 1000
    """Open and running tables in all."""
    tables_each: int = 20
    """Open and running tables made from one address."""
    ended_kept: int = 500
    """Ended tables that are still listed."""
    requests_per_s: float = 50.0
    """What one address may ask of the lobby: a list or a seat costs one or two, a new table more."""
    burst: float = 500.0


class Refused(Exception):
    """A request of the lobby that cannot be granted; the text says why and what would do."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class Register(House):
    """The tables of a server."""

    def __init__(
        self,
        storage: Storage,
        *,
        now: Callable[[], float],
        wall: Callable[[], float],
        soon: Callable[[Callable[[], None]], None],
        bots: dict[str, list[str]],
        start_bot: Callable[[Table, Chair], Connection],
        report: Callable[[str], None],
        stop: Callable[[OSError], None],
        absence_s: float = 60.0,
        on_faults: str = "substitute",
        limits: Limits | None = None,
        shelf: Shelf | None = None,
    ) -> None:
        """`soon` does something in a moment, `report` tells the owner, `stop` ends the server that cannot write."""
        self.storage = storage
        self.write = storage.write
        self.save = storage.save
        self.now = now
        self.wall = wall
        self.soon = soon
        self.bots = bots
        self.start_bot = start_bot
        self.report = report
        self.stop = stop
        self.absence_s = absence_s
        self.on_faults = on_faults
        self.limits = limits or Limits()
        self.shelf = shelf
        self.tables: dict[str, Table] = {}
        self.holders: dict[str, tuple[Table, Chair]] = {}
        """Seats by the seals of their tokens."""
        self.makers: dict[str, str] = {}
        """By table, the address that made it."""
        self.making: dict[str, Bucket] = {}
        self.admin_seal = sealed(storage.admin_token())

    # Making tables

    def create(self, wish: CreateTable, address: str, *, owner_seal: str) -> Table:
        """A new table, not yet begun."""
        if wish.game not in GAME_NAMES:
            raise Refused("bad_request", f"unknown game {wish.game[:NAME_LIMIT]!r}; the games are {_list(GAME_NAMES)}")
        game = load_game(wish.game)
        if wish.players not in game.players:
            raise Refused(
                "bad_request",
                f"{game.title} is for {game.players[0]} to {game.players[-1]} players, not {wish.players}",
            )
        try:
            options = msgspec.convert(wish.options, game.options_type)
        except msgspec.ValidationError as error:
            raise Refused("bad_request", f"options: {error}") from None
        clock = _checked_clock(wish.clock)
        if not 0 <= wish.watch_delay_s <= 3600:
            raise Refused("bad_request", "watch_delay_s is from 0 to 3600")
        if len(wish.seats) > wish.players:
            raise Refused("bad_request", f"{len(wish.seats)} seats are described, but {wish.players} play")
        for kind in wish.seats:
            if kind not in (None, "reserved"):
                self.check_server_side(kind)
        self._check_room(address)
        spec = Spec(
            table=self._new_id(wish.private),
            name=clean(wish.name) or f"{game.title} for {wish.players}",
            game=wish.game,
            players=wish.players,
            options=msgspec.to_builtins(options),
            clock=clock_words(clock),
            private=wish.private,
            watch_delay_s=wish.watch_delay_s,
            owner_seal=owner_seal,
            made_at=self.wall(),
        )
        table = Table(spec, game, standard_board(wish.game), clock, self)
        for chair, kind in zip(table.chairs, [*wish.seats, *[None] * wish.players], strict=False):
            if kind is None or kind == "reserved":
                chair.vacate(is_private=wish.private or kind == "reserved")
            else:
                self.fill(chair, kind)
        self.tables[table.id] = table
        self.makers[table.id] = address
        self.save(table)
        return table

    def _check_room(self, address: str) -> None:
        """Whether one more table is borne, in all and from this address."""
        limits = self.limits
        going_on = [table.id for table in self.tables.values() if table.state != "ended"]
        if len(going_on) >= limits.tables:
            raise Refused("too_many", f"this server has {limits.tables} tables; try again later")
        if sum(self.makers.get(name) == address for name in going_on) >= limits.tables_each:
            raise Refused("too_many", f"you have {limits.tables_each} tables already; end one first")
        now, burst = self.now(), float(limits.tables_each)
        bucket = self.making.setdefault(address, Bucket(burst, now))
        if not bucket.take(1.0, burst / TABLES_AGAIN_S, burst, now):
            raise Refused("too_many", "you have made many tables in a short time; wait a while")

    def _new_id(self, is_private: bool) -> str:
        """The name of a private table is all that is needed to look on, so it cannot be guessed."""
        while True:
            name = secrets.token_hex(12 if is_private else 4)
            if name not in self.tables and not self.storage.log_path(name).exists():
                return name

    def check_server_side(self, kind: str) -> None:
        known = [*(f"builtin:{name}" for name in HOUSE_PLAYERS), *(f"bot:{name}" for name in self.bots)]
        if kind not in known:
            raise Refused("bad_request", f"{kind[:NAME_LIMIT]!r} cannot sit here; this server has {_list(known)}")

    def fill(self, chair: Chair, kind: str) -> None:
        """The server plays this seat."""
        chair.kind = "builtin" if kind.startswith("builtin:") else "bot"
        chair.server_side = kind
        chair.name = f"{kind.partition(':')[2]} {chair.seat}"
        chair.invite_seal = None

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
            elif name in self.bots:
                chair.connection = self.start_bot(table, chair)
            else:
                self.report(f"table {table.id}: there is no bot {name} any more; builtin:greedy plays for it")
                chair.player = self.house_player(table, "greedy", chair.seat)

    def house_player(self, table: Table, name: str, seat: int) -> Player:
        """A house player; what it does by chance is nobody's to foresee."""
        return house_player(name, table.spec.game, secrets.randbelow(MAX_SEED + 1), seat)

    # Tokens

    def hand_token(self, table: Table, chair: Chair) -> str:
        """The chair belongs to whoever has this."""
        token = new_token()
        chair.token_seal = sealed(token)
        self.holders[chair.token_seal] = (table, chair)
        return token

    def void_token(self, chair: Chair) -> None:
        if chair.token_seal is not None:
            self.holders.pop(chair.token_seal, None)
            chair.token_seal = None

    def holder(self, token: str) -> tuple[Table, Chair]:
        """The seat that belongs to a token."""
        seal = sealed(token)
        found = self.holders.get(seal)
        if found is None or found[1].token_seal is None or not hmac.compare_digest(seal, found[1].token_seal):
            raise Refused("forbidden", "no seat belongs to this token")
        return found

    # Finding tables

    def find(self, name: str) -> Table:
        if name not in self.tables:
            raise Refused("unknown_table", f"there is no table {name[:NAME_LIMIT]!r}")
        return self.tables[name]

    def owned(self, name: str, owner: str) -> Table:
        table = self.find(name)
        if not is_token(owner, table.spec.owner_seal):
            raise Refused("forbidden", "this is not the owner's token")
        return table

    def listed(self, wish: ListTables) -> list[TableInfo]:
        """The public tables that are asked for, newest first, then logged games."""
        words = wish.search.casefold()
        found: list[TableInfo] = []
        for table in reversed(self.tables.values()):
            spec = table.spec
            if spec.private or (wish.game and spec.game != wish.game) or (wish.state and table.state != wish.state):
                continue
            names = " ".join(chair.name or "" for chair in table.chairs)
            if words in f"{spec.name} {spec.game} {spec.table} {names}".casefold():
                found.append(table.info())
                if len(found) == LIST_LIMIT:
                    return found
        if self.shelf is not None and wish.state in (None, "ended"):
            for info in self.shelf.games():
                names = " ".join(seat.name or "" for seat in info.seats)
                is_wanted = not wish.game or info.game == wish.game
                if is_wanted and words in f"{info.name} {info.game} {names}".casefold():
                    found.append(info)
        return found[:LIST_LIMIT]

    def status(self, connections: int, ref: str | None = None) -> Status:
        counts = {"open": 0, "playing": 0, "ended": 0}
        for table in self.tables.values():
            counts[table.state] += 1
        return Status(connections, counts, self.moves, ref)

    # Files

    def save_clocks(self) -> None:
        """Keeps the time that is running, in case the server is killed."""
        now = self.now()
        waiting = {
            table.id: OpenRequest(table.asked, round(now - table.asked_at, 3))
            for table in self.tables.values()
            if table.deadline is not None
        }
        try:
            self.storage.save_clocks(waiting)
        except OSError as error:
            self.stop(error)

    def ended(self, table: Table) -> None:
        """Closes the log, and lets bots go."""
        self.storage.close(table.id)
        self.save(table)
        for chair in table.chairs:
            if chair.server_side is not None and chair.connection is not None:
                bot, chair.connection = chair.connection, None
                bot.drop("ended", "the game has ended")
        self.let_rest(table)

    def let_rest(self, table: Table) -> None:
        """The match of an ended table is kept in its log only, while nobody is there."""
        if table.state == "ended" and not table.is_attended:
            table.match = table.hearing = None

    def wake(self, table: Table) -> None:
        """Brings the match of an ended table back for one who returns."""
        if table.state != "ended" or table.match is not None:
            return
        match: Match | None = None
        try:
            for step in replay(self.log_of(table)):
                match = step.match
        except (BadLog, OSError):
            match = None
        if match is None:
            raise Refused("unknown_table", f"the game at table {table.id} has ended, and its log is gone")
        table.match = match

    def log_of(self, table: Table) -> Log:
        return read_log(self.storage.log_path(table.id).read_bytes())

    def forget(self, table: Table) -> None:
        for chair in table.chairs:
            self.void_token(chair)
        self.storage.forget(table.id)
        self.tables.pop(table.id, None)
        self.makers.pop(table.id, None)

    # One table's trouble is not another's

    def later(self, table: Table, todo: Callable[[], None]) -> None:
        """Does something for a table after others had their turn."""

        def do() -> None:
            try:
                todo()
            except Exception as error:
                self.trouble(table, error)

        self.soon(do)

    def trouble(self, table: Table, error: Exception) -> None:
        """A mistake of this program ends the game it happened in and no other; a full disk stops the server."""
        if isinstance(error, OSError):
            table.state, table.deadline = "ended", None  # its log lacks a line: it goes on from there another time
            self.stop(error)
            return
        self.report(f"table {table.id} is ended: {''.join(traceback.format_exception(error))}")
        try:
            if table.state == "playing":
                table.finish("interrupted")
        except Exception as second:
            self.report(f"table {table.id}: {''.join(traceback.format_exception(second))}")
            table.state = "ended"
            table.deadline = None

    def tick(self, now: float) -> None:
        """Looks at the clocks of all games."""
        for table in list(self.tables.values()):
            if table.state == "playing" or (table.watchers and table.spec.watch_delay_s):
                try:
                    table.tick(now)
                except Exception as error:
                    self.trouble(table, error)

    def tidy(self, now: float) -> None:
        """Forgets the oldest ended tables, and what would be the same if it were made anew."""
        resting = [table for table in self.tables.values() if table.state == "ended" and not table.is_attended]
        for table in resting[: max(0, len(resting) - self.limits.ended_kept)]:
            self.forget(table)
        burst = float(self.limits.tables_each)
        for address in [
            name for name, bucket in self.making.items() if bucket.is_full(burst / TABLES_AGAIN_S, burst, now)
        ]:
            del self.making[address]

    # After a crash

    def bring_back(self) -> int:
        """All tables as their files and logs left them; how many games go on."""
        clocks = self.storage.saved_clocks()
        playing = []
        tables, unread = self.storage.saved_tables()
        for line in unread:
            self.report(f"{self.storage.seats}: a line cannot be read, and is left alone: {line[:60]!r}")
        for saved in tables:
            try:
                table = self._rebuilt(saved)
            except (BadLog, LogInUse, OSError, ValueError) as error:
                self.report(f"table {saved.spec.table} cannot be brought back: {error}")
                continue
            self.tables[table.id] = table
            for chair in table.chairs:
                if chair.token_seal is not None:
                    self.holders[chair.token_seal] = (table, chair)
            if table.match is not None and table.state != "ended":
                playing.append(table)
            elif table.state == "open":
                self.later(table, lambda table=table: self.start_if_full(table))  # type: ignore[misc]
        for table in playing:
            match = table.match
            assert match is not None
            waiting = clocks.get(table.id)
            used_s = waiting.used_s if waiting is not None and waiting.number == match.number + 1 else 0.0
            try:
                self._seat_server_players(table)
                table.go_on(match, used_s)
            except Exception as error:
                self.trouble(table, error)
        return len(playing)

    def _rebuilt(self, saved: SavedTable) -> Table:
        spec = saved.spec
        if spec.game not in GAME_NAMES:
            raise ValueError(f"unknown game {spec.game}")
        clock: Clock | None = read_clock(spec.clock)
        table = Table(spec, load_game(spec.game), standard_board(spec.game), clock, self)
        for chair, kept in zip(table.chairs, saved.chairs, strict=True):
            chair.kind, chair.name, chair.server_side = kept.kind, kept.name, kept.server_side
            chair.token_seal, chair.invite_seal = kept.token_seal, kept.invite_seal
            if chair.kind == "player":
                chair.absent_since = self.now()
        if saved.outcome is not None:
            table.state, table.outcome = "ended", saved.outcome
            return table
        path = self.storage.log_path(table.id)
        if path.exists():
            self._read_game(table, clock)
        return table

    def _read_game(self, table: Table, clock: Clock | None) -> None:
        """Finds out from its log how far a game has got."""
        path = self.storage.log_path(table.id)
        try:
            log = read_log(path.read_bytes())
            left = carry_on(log, clock)
        except BadLog as bad:
            if bad.is_before_setup:
                path.unlink()
                return
            if bad.is_finished:
                self._read_end(table, log)
                return
            raise
        self.storage.carry_on(table.id, left.size)
        if not left.has_setup:
            self.write(table, left.match.setup_line)
        header = left.match.header
        self.write(table, ResumedLine(left.match.number + 1, header.players, header.clock))
        table.match = left.match
        for chair, seat_clock, faults in zip(table.chairs, left.clocks, left.faults, strict=True):
            chair.clock, chair.faults = seat_clock, faults

    def _read_end(self, table: Table, log: Log) -> None:
        """The server was killed between the last line of the log and the file beside it."""
        faults = [0] * len(table.chairs)
        for step in replay(log):
            if type(step.message) is FaultLine:
                faults[step.message.seat] += 1
            elif type(step.message) is ResultLine:
                result = step.message
                reason = msgspec.convert(result.reason, EndReason)
                table.outcome = Outcome(result.scores, result.ranks, reason, faults, step.match.number)
        table.state = "ended"
        self.save(table)


def _checked_clock(words: str) -> Clock | None:
    try:
        clock = read_clock(words[:NAME_LIMIT])
    except ValueError as error:
        raise Refused("bad_request", str(error)) from None
    if clock is not None:
        times = [time for time in (clock.bank_s, clock.move_s, clock.increment_s or None) if time is not None]
        if max(times) > LONGEST_CLOCK_S or min(times) < SHORTEST_CLOCK_S:
            raise Refused("bad_request", f"times of a clock are from {SHORTEST_CLOCK_S} s to {LONGEST_CLOCK_S:.0f} s")
    return clock


def clock_words(clock: Clock | None) -> str:
    """A clock as it is shown and kept."""
    if clock is None:
        return "none"
    parts = []
    if clock.bank_s is not None:
        parts.append(_seconds(clock.bank_s) + (f"+{_seconds(clock.increment_s)}" if clock.increment_s else ""))
    if clock.move_s is not None:
        parts.append(f"{_seconds(clock.move_s)}/move")
    return ",".join(parts)


def _seconds(time: float) -> str:
    return f"{time:.3f}".rstrip("0").rstrip(".")


def clean(name: str | None) -> str:
    """A name without anything that could disturb a screen, and not too long."""
    return "".join(letter for letter in (name or "")[:1000] if letter.isprintable()).strip()[:NAME_LIMIT]


def _list(names: Any) -> str:
    return ", ".join(names)
