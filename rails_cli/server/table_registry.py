"""All tables of a server: creating and storing them, and finding them by token. No network access."""

import hmac
import secrets
import shutil
import traceback
from collections import Counter, deque
from collections.abc import Callable
from functools import lru_cache, partial
from itertools import takewhile
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from protocol.lines import frame
from protocol.lobby import BranchPoint, CreateTable, HeldSeat, ListTables, OpeningKind, Status, TableInfo
from protocol.log import Header
from protocol.messages import Clock, Error
from rails_cli.asking import CannotAsk
from rails_cli.branches import NotOver, beginning, position
from rails_cli.files import read_file
from rails_cli.games import load_game, load_openings, problem_of, standard_board, whole_games
from rails_cli.games.game import Game
from rails_cli.games.options import read_options
from rails_cli.games.phrases import printable
from rails_cli.match.chain import Beginning
from rails_cli.match.clock import read_clock
from rails_cli.match.match import Match, unique_name
from rails_cli.match.replay import (
    BadLog,
    Log,
    Unfinished,
    branched,
    carry_on,
    log_board,
    look_into_types,
    read_log,
    replay,
)
from rails_cli.match.session import Rules
from rails_cli.players.builtin import BUILTIN_PLAYERS, SUBSTITUTE, builtin_player, check_player, is_slow, substitute
from rails_cli.players.levels import Budget, read_budget
from rails_cli.pool.model import PoolGame
from rails_cli.sandbox import chosen
from rails_cli.seeds import new_seed
from rails_cli.server.kept_logs import KeptLog, beside
from rails_cli.server.net.address import shares
from rails_cli.server.net.bans import Bans
from rails_cli.server.net.bucket import Budgets
from rails_cli.server.records import OpenRequest, Spec
from rails_cli.server.replaying import LoggedGames, board_of
from rails_cli.server.seat import Connection, ServerSeat
from rails_cli.server.settings import Settings
from rails_cli.server.storage import PASSING, Storage
from rails_cli.server.table import GameTable
from rails_cli.server.thinkers import LOOKING_AHEAD, Ask, DistantPlayer
from rails_cli.tokens import is_token, new_token, sealed
from rails_cli.tournament.model import BUILTIN

NAME_LIMIT = 60
LIST_LIMIT = 200
SHORTEST_CLOCK_S = 0.01
LONGEST_CLOCK_S = 30 * 24 * 3600.0
CLOCK_BOUNDS = f"clock times must be from {SHORTEST_CLOCK_S} s to {LONGEST_CLOCK_S:.0f} s"
RESTED_KEPT = 20
LOOKS_HERE = 10_000
SECONDS_HERE = 10.0
BUDGET_BOUNDS = f"a move may take {LOOKS_HERE:,} looks or {SECONDS_HERE:g} s"
"""Limits of a search run by the server."""
BOTS_ARE = "Bots are bot:NAME, builtin:expert and builtin:search@BUDGET; builtin:hard does not count"
TOO_MANY_FILES = "this server has too many files open; try again later"
READING_COST = 50.0
READING_BYTES = 20_000
MINUTE_S = 60.0
BRANCHES_SHOWN = 6
"""Branches of a game that are included in its replay."""
ORIGINS_KEPT = 4
"""Positions cached for games that branch from them. Most begin soon after their table is created."""
TABLES_AGAIN_S = 600.0
"""Seconds in which an address may create as many new tables as it may have at once."""


class Origin(NamedTuple):
    """A position from which a game continues.

    `content` is the whole log, `log` the part up to the position, `at` the number of the next action, `left` the
    match.
    """

    content: bytes
    log: Log
    at: int
    left: Unfinished


class Refused(Exception):
    """Raised for a request that is not granted. The text says why and what is allowed."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


InBackground = Callable[[Callable[[], Any], Callable[[Any], None]], None]
"""Calls the first function without blocking the server, then the second one with its result."""


def synchronously(do: Callable[[], Any], then: Callable[[Any], None]) -> None:
    """Call `do`, then `then` with its result, without a thread."""
    then(do())


def check_number(number: int | None, open_number: int) -> None:
    """Raise Refused unless `number` is that of the open request."""
    if number != open_number:
        raise Refused("stale_request", f"this refers to request {number}; the open request is {open_number}")


class TableRegistry:
    """The tables of a server."""

    def __init__(
        self,
        storage: Storage,
        settings: Settings,
        *,
        now: Callable[[], float],
        wall: Callable[[], float],
        soon: Callable[[Callable[[], None]], None],
        start_bot: Callable[[GameTable, ServerSeat], Connection],
        think: Ask,
        report: Callable[[str], None],
        stop: Callable[[OSError], None],
        in_background: InBackground = synchronously,
    ) -> None:
        """`soon` schedules a call, `think` runs a task in a worker, `report` informs the owner, `stop` ends the server
        after a write error, `in_background` runs slow work in a thread."""
        self.storage = storage
        self.write: Callable[[GameTable, Any], None] = storage.write
        self.write_beginning: Callable[[GameTable, Beginning], None] = storage.write_beginning
        self.save = storage.save
        self.now = now
        self.wall = wall
        self.soon = soon
        self.bots = settings.bots
        self.bots_kept_in = chosen(settings.bot_limits.sandbox, settings.bot_limits.image)
        self.start_bot = start_bot
        self.think = think
        self.in_background = in_background
        self.report = report
        self.stop = stop
        self.absence_s = settings.absence_s
        self.has_chat = not settings.no_chat
        self.idle_table_s = settings.idle_table_s
        try:
            self.bans = Bans(storage.bans, wall)
        except ValueError as error:
            raise OSError(None, str(error)) from None
        self.rules = Rules(on_faults=settings.on_faults, max_faults=settings.max_faults)
        """Time control and fault policy of all tables. Each table replaces the clock."""
        self.limits = settings.limits
        self.logged_games = None if settings.logs is None else LoggedGames(settings.logs, now)
        self.boards = settings.boards
        self.tables: dict[str, GameTable] = {}
        self.holders: dict[str, tuple[GameTable, ServerSeat]] = {}
        """Seats by the hash of their token."""
        self.makers: dict[str, str] = {}
        """By table, the address that created it."""
        self.going_on: set[str] = set()
        """Names of the tables that have not ended. May contain some that have."""
        self.made_by: Counter[str] = Counter()
        """Number of these tables by the address and IPv6 site that created them."""
        self.making = Budgets(float(self.limits.tables_each), TABLES_AGAIN_S)
        self.noting = Budgets(float(self.limits.notes_each_bytes), MINUTE_S)
        self.not_forgotten: set[str] = set()
        """Tables that must be kept because their logs are still needed."""
        self.tell_lost: Callable[[GameTable, ServerSeat], None] = lambda table, seat: None
        self.tell_ended: Callable[[GameTable], None] = lambda table: None
        """Called with the table after each game."""
        self.rested: dict[str, Match] = {}
        """Recently used matches of ended tables."""
        self._todo: deque[tuple[GameTable, Callable[[], None]]] = deque()
        self._yielding: deque[tuple[GameTable, Callable[[], None]]] = deque()
        """The same for tables where only pool bots play."""
        self._due: list[GameTable] = []
        """Tables that must send their next request."""
        self.moves = 0
        self.faults = 0
        self.admin_seal = sealed(storage.admin_token())

    # Making tables

    def create(self, wish: CreateTable, address: str, *, owner_seal: str, origin: Origin | None = None) -> GameTable:
        """Create a table without starting it. `origin` is the position to continue from, if it was read already."""
        game, options, clock = checked_wish(wish)
        if wish.branch is not None and origin is None:
            origin = self.origin(wish.branch, clock)
        if origin is not None:
            options = _options_of(origin.log.header, wish)
        board_name = wish.board if origin is None else board_of(origin.log.header)
        if not 0 <= wish.watch_delay_s <= 3600:
            raise Refused("bad_request", "watch_delay_s must be from 0 to 3600")
        if len(wish.seats) > wish.players:
            raise Refused("bad_request", f"{len(wish.seats)} seats are given, but {wish.players} play")
        for kind in wish.seats:
            if kind not in (None, "reserved"):
                self.check_server_side(kind, game.name, board_name)
        self.check_bots(sum(kind is not None and is_process(kind) for kind in wish.seats), address)
        if wish.openings == "drawn" and load_openings(game.name) is None:
            raise Refused("bad_request", f"openings: {game.title} has none to draw; leave them out, or choose none")
        if origin is None:
            board, board_line = self.board(game, wish.board)
        else:
            board, board_line = log_board(origin.log.header), origin.log.header.board
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
            board=board_name,
            openings=wish.openings,
            chat=wish.chat,
            branch=wish.branch,
            undo=wish.undo,
        )
        table = GameTable(spec, game, board, clock, self, board_line)
        for seat, kind in zip(table.seats, [*wish.seats, *[None] * wish.players], strict=False):
            if kind is None or kind == "reserved":
                seat.vacate(is_private=wish.private or kind == "reserved")
            else:
                self.fill(table, seat, kind)
        self.tables[table.id] = table
        self.makers[table.id] = address
        self.going_on.add(table.id)
        self.made_by.update(name for name, _ in shares(address))
        self.save(table)
        return table

    def create_for_pool(self, pool: PoolGame, clock: str, openings: OpeningKind) -> GameTable:
        """Create a table for a game of the pool. Its seats are reserved for the entrants named in `pool`."""
        setting = pool.group.setting
        game = load_game(setting.game)
        self._check_total()
        self.check_space()
        spec = Spec(
            table=pool.table,
            name=f"{'Pool' if pool.rated else 'Check'}: {', '.join(pool.seating)}",
            game=setting.game,
            players=setting.players,
            options=msgspec.to_builtins(read_options(game, setting.options)),
            clock=clock,
            private=False,
            watch_delay_s=0.0,
            owner_seal="",
            made_at=self.wall(),
            openings=openings,
            pool=pool,
        )
        table = GameTable(spec, game, standard_board(game.name), checked_clock(clock), self)
        for seat, name, kind in zip(table.seats, pool.seating, pool.specs, strict=True):
            if kind.startswith(BUILTIN):
                self.fill(table, seat, kind)
            else:
                seat.kind = "player"
            seat.name = name
        self.tables[table.id] = table
        self.going_on.add(table.id)
        self.save(table)
        return table

    def board(self, game: Game[Any, Any], name: str) -> tuple[Any, Any]:
        """Return the board called `name` and its form in logs. Raise Refused if there is none."""
        if name == "standard":
            return standard_board(game.name), name
        offered = self.boards.get(name)
        if offered is None or offered.game != game.name:
            known = ["standard", *(key for key, one in self.boards.items() if one.game == game.name)]
            raise Refused("bad_request", f"no board {name[:NAME_LIMIT]!r} of {game.title} here; try {', '.join(known)}")
        return offered.board, offered.content

    def _check_room(self, address: str) -> None:
        """Raise Refused if no more tables are allowed, in total or from this address."""
        limits = self.limits
        self._check_total()
        if self._has_many(address):
            self.count_anew()
        if address and self._has_many(address):
            raise Refused("too_many", f"you already have {limits.tables_each} tables; finish one first")
        self.check_space()
        if not self.making.take(address, 1.0, self.now()):
            raise Refused("too_many", "you have created many tables in a short time; wait a while")

    def _check_total(self) -> None:
        if len(self.going_on) >= self.limits.tables:
            self.count_anew()
        if len(self.going_on) >= self.limits.tables:
            raise Refused("too_many", f"this server has {self.limits.tables} tables; try again later")

    def count_anew(self) -> None:
        """Recount the tables that have not ended."""
        self.going_on = {name for name, table in self.tables.items() if table.state != "ended"}
        made = [self.makers[table] for table in self.going_on if table in self.makers]
        self.made_by = Counter(name for address in made for name, _ in shares(address))

    def _has_many(self, address: str) -> bool:
        return any(self.made_by[name] >= self.limits.tables_each * share for name, share in shares(address))

    def _new_id(self, is_private: bool) -> str:
        """Return a new table name. For a private table it cannot be guessed, because the name is enough to watch it."""
        while True:
            name = secrets.token_hex(12 if is_private else 4)
            if name not in self.tables and not self.storage.log_path(name).exists():
                return name

    def check_server_side(self, kind: str, game: str, board: str) -> None:
        known = [*(f"builtin:{name}" for name in BUILTIN_PLAYERS), *(f"bot:{name}" for name in self.bots)]
        side, _, name = kind.partition(":")
        if kind not in known and not (side == "builtin" and "@" in name and len(kind) <= NAME_LIMIT):
            raise Refused(
                "bad_request", f"{kind[:NAME_LIMIT]!r} is not available here; this server has {', '.join(known)}"
            )
        if side == "builtin":
            try:
                check_player(name, game, is_alone=False)
                budget = read_budget(name.partition("@")[2]) if "@" in name else Budget()
            except ValueError as error:
                raise Refused("bad_request", printable(str(error))) from None
            if (budget.looks or 0) > LOOKS_HERE or (budget.seconds or 0.0) > SECONDS_HERE:
                raise Refused("bad_request", f"{kind[:NAME_LIMIT]!r} thinks too long for a server; {BUDGET_BOUNDS}")
            if is_slow(name) and board != "standard":
                raise Refused("bad_request", "expert and search play only on standard boards; choose another level")

    def check_bots(self, wanted: int, address: str, beside: int = 0) -> None:
        """Raise Refused unless `wanted` more bots may run, with `beside` others at the same table, for `address`."""
        if not wanted:
            return
        most, each = self.limits.bots, self.limits.bots_each
        if self.bots_running() + wanted + beside > most:
            when = "; try again later" if wanted + beside <= most else ""
            raise Refused("too_many", f"this server runs at most {most} bots at once{when}. {BOTS_ARE}")
        going_on = [table for table in self.tables.values() if table.state != "ended"]
        theirs = sum(bots_at(table) for table in going_on if self.makers.get(table.id) == address)
        if address and theirs + wanted > each:
            raise Refused(
                "too_many", f"your tables may have {each} bots at once; they already have {theirs}. {BOTS_ARE}"
            )

    def bots_running(self) -> int:
        return sum(bots_at(table) for table in self.tables.values() if table.state == "playing")

    def has_bots_for(self, table: GameTable) -> bool:
        """Return whether all bots of a full table may start now. Older tables have priority."""
        wanted = bots_at(table)
        if not wanted:
            return True
        older = takewhile(lambda other: other is not table, self.tables.values())
        is_next = not any(other.state == "open" and other.is_full and bots_at(other) for other in older)
        return is_next and self.bots_running() + wanted <= self.limits.bots

    def fill(self, table: GameTable, seat: ServerSeat, kind: str) -> None:
        """Let the server play this seat."""
        seat.kind = "bot" if is_process(kind) else "builtin"
        seat.server_side = kind
        seat.name = unique_name(clean(kind.partition(":")[2]), [other.name for other in table.seats])
        seat.invite_seal = None

    def start_if_full(self, table: GameTable, origin: Origin | None = None) -> None:
        """Start the game of a full table, unless it has to wait until enough bots may run.

        `origin` is the position to continue from. It is read if it is not given.
        """
        if table.is_full and self.has_bots_for(table) and self.storage.keep_spare():
            branch = self._branch(table, origin)
            self.seat_server_players(table)
            if branch is None:
                pool = table.spec.pool
                table.begin(new_seed() if pool is None else pool.deal, self.bots_kept_in)
            else:
                table.begin_from(*branch)

    def _branch(self, table: GameTable, origin: Origin | None) -> tuple[Beginning, Unfinished] | None:
        """Return the first lines and the match of a game that continues another one. None for other games. Raise
        Refused."""
        branch = table.spec.branch
        if branch is None:
            return None
        content, log, at, left = origin or self.origin(branch, table.clock)
        players = table.players(self.bots_kept_in)
        begun = beginning(content, f"{branch.log}.jsonl", log, at, players, table.clock, table.id)
        return begun, branched(left, log, begun.header, players, table.clock)

    def origin(self, branch: BranchPoint, clock: Clock | None) -> Origin:
        """Return a position of a finished game. Raise Refused if there is none."""
        found = self.origin_reader(branch, clock)()
        if isinstance(found, Refused):
            raise found
        return found

    def origin_reader(self, branch: BranchPoint, clock: Clock | None) -> Callable[[], Origin | Refused]:
        """Return a function that reads a position or returns the reason why not. It may run in a thread, because it is
        slow.

        Raise Refused if the game does not exist.
        """
        for name in whole_games():
            look_into_types(name)
        path = self.ended_log(branch.log)
        if path is None:
            raise Refused("unknown_table", f"no game {branch.log[:NAME_LIMIT]!r} that has ended is here")
        return partial(_origin_or_not, path, branch, clock)

    def branches(self, name: str) -> list[Path]:
        """Return the latest logs of public finished games that branch from the game `name`."""
        told = [
            table.id
            for table in self.tables.values()
            if (branch := table.spec.branch) is not None and branch.log == name and table.is_told
            if not table.spec.private
        ]
        self.storage.flush()
        return [path for path in map(self.storage.log_path, told[-BRANCHES_SHOWN:]) if path.exists()]

    def seat_server_players(self, table: GameTable) -> None:
        for seat in table.seats:
            if seat.server_side is None:
                continue
            kind, _, name = seat.server_side.partition(":")
            if kind == "builtin" and not is_slow(name):
                seed = new_seed()  # a random seed, so that nobody can predict its choices
                if name in LOOKING_AHEAD:
                    seat.player = DistantPlayer(name, seed, self.think)
                else:
                    seat.player = builtin_player(name, table.spec.game, seed, seat.index)
            elif kind == "builtin" or name in self.bots:
                seat.is_process = True
            else:
                self.report(f"table {table.id}: there is no bot {name} any more; builtin:{SUBSTITUTE} plays for it")
                seat.player = substitute(table.spec.game, seat.index)

    # Disk space

    def may_note(self, table: GameTable, seat: ServerSeat, size: int) -> bool:
        """Return whether a note of `size` bytes may be stored. If not, its player is informed once."""
        limits, line = self.limits, seat.line
        address = "" if line is None else line.address
        if table.notes_bytes + size > limits.table_notes_bytes:
            why = f"the notes (`info`) of this table have {limits.table_notes_bytes} bytes already"
        elif address and not self.noting.take(address, float(size), self.now()):
            why = f"your address may note {limits.notes_each_bytes} bytes a minute"
        else:
            return True
        if line is not None and not seat.has_lost_notes:
            seat.has_lost_notes = True
            line.post(frame(Error("notes_full", f"{why}; further notes are dropped. The game continues", fatal=False)))
        return False

    def check_space(self) -> None:
        """Raise Refused if there is no room for the log of another game: disk space or open files."""
        if not self.storage.keep_spare():
            raise Refused("too_many", TOO_MANY_FILES)
        if shutil.disk_usage(self.storage.folder).free < self.limits.min_free_space_bytes:
            raise Refused(
                "no_space", "this server is short of disk space: no new tables for now; running games continue"
            )

    def let_go(self, logs: list[KeptLog]) -> list[Path]:
        """Delete logs of finished games, except those of tables in use.

        Return the paths outside the folder of tables that must be deleted too.
        """
        gone, elsewhere = [], []
        for log in logs:
            here = [path for path in log.paths if path.parent == self.storage.tables]
            tables = [table for path in here if (table := self.tables.get(path.stem)) is not None]
            if any(table.state != "ended" or table.is_attended or table.id in self.not_forgotten for table in tables):
                continue
            for table in tables:
                self.forget(table)
            for path in here:
                for file in (*beside(path), path):
                    file.unlink(missing_ok=True)
            elsewhere += [path for path in log.paths if path not in here]
            gone.append(log.size)
        if gone:
            size = sum(gone) / 1e6
            self.report(f"deleted the logs of {len(gone)} finished games, {size:.1f} MB (--keep-days, --keep-size)")
        return elsewhere

    # Tokens

    def hand_token(self, table: GameTable, seat: ServerSeat) -> str:
        """Create a token for a seat. Its holder owns the seat."""
        token = new_token()
        seat.token_seal = sealed(token)
        self.holders[seat.token_seal] = (table, seat)
        return token

    def void_token(self, seat: ServerSeat) -> None:
        if seat.token_seal is not None:
            self.holders.pop(seat.token_seal, None)
            seat.token_seal = None

    def holder(self, token: str) -> tuple[GameTable, ServerSeat]:
        """Return the table and seat of a token. Raise Refused if there is none."""
        seal = sealed(token)
        found = self.holders.get(seal)
        if found is None or found[1].token_seal is None or not hmac.compare_digest(seal, found[1].token_seal):
            raise Refused("forbidden", "no seat belongs to this token")
        return found

    def is_holder(self, token: str) -> bool:
        """Return whether a seat belongs to this token."""
        try:
            self.holder(token)
        except Refused:
            return False
        return True

    def held(self, token: str) -> HeldSeat | None:
        """Return the state of the table whose seat belongs to this token. None if there is none."""
        if not self.is_holder(token):
            return None
        table, seat = self.holder(token)
        outcome = table.outcome
        return HeldSeat(seat.index, table.info(for_players=True), None if outcome is None else outcome.ranks)

    # Finding tables

    def find(self, name: str) -> GameTable:
        if name not in self.tables:
            raise Refused("unknown_table", f"there is no table {name[:NAME_LIMIT]!r}")
        return self.tables[name]

    def owned(self, name: str, owner: str) -> GameTable:
        table = self.find(name)
        if not is_token(owner, table.spec.owner_seal):
            raise Refused("forbidden", "this is not the owner's token")
        return table

    def listed(self, wish: ListTables) -> tuple[list[TableInfo], int]:
        """Return the public tables that match `wish` and the total number of matches.

        Ended tables are listed newest first, then logged games. Ended pool games are listed only if they are searched
        for.
        """
        words = wish.search.casefold()
        tables: list[GameTable] = []
        logged: list[TableInfo] = []
        for table in reversed(self.tables.values()):
            spec = table.spec
            if spec.private or (wish.game and spec.game != wish.game) or (wish.state and table.state != wish.state):
                continue
            if spec.pool is not None and table.state == "ended" and wish.state is None and not words:
                continue
            names = " ".join(seat.name or "" for seat in table.seats)
            if words in f"{spec.name} {spec.game} {spec.table} {names}".casefold():
                tables.append(table)
        tables.sort(key=lambda table: table.state == "ended")
        if self.logged_games is not None and wish.state in (None, "ended"):
            for info in self.logged_games.games():
                names = " ".join(seat.name or "" for seat in info.seats)
                is_wanted = not wish.game or info.game == wish.game
                if is_wanted and words in f"{info.name} {info.game} {names}".casefold():
                    logged.append(info)
        last = wish.skip + LIST_LIMIT
        shown = [table.info() for table in tables[wish.skip : last]]
        shown += logged[max(wish.skip - len(tables), 0) : max(last - len(tables), 0)]
        return shown, len(tables) + len(logged)

    def status(self, connections: int, ref: str | None = None) -> Status:
        counts = {"open": 0, "playing": 0, "ended": 0}
        for table in self.tables.values():
            counts[table.state] += 1
        return Status(connections, counts, self.moves, ref, self.bans.left())

    # Files

    def save_clocks(self) -> None:
        """Store the time used for open requests, in case the server is killed."""
        now = self.now()
        waiting = {
            table.id: OpenRequest(
                table.logged, round(now - session.asked_at, 3) if session.deadline is not None else 0.0
            )
            for table in self.tables.values()
            if (session := table.session) is not None and table.state == "playing"
        }
        try:
            self.storage.save_clocks(waiting)
        except OSError as error:
            if error.errno not in PASSING:
                self.stop(error)

    def lost(self, table: GameTable, seat: ServerSeat) -> None:
        self.tell_lost(table, seat)

    def ended(self, table: GameTable) -> None:
        """Close the log of a finished game and stop its bots."""
        self.storage.close(table.id)
        self.save(table)
        for seat in table.seats:
            if seat.server_side is not None and seat.line is not None:
                bot, seat.line = seat.line, None
                bot.drop("ended", "the game has ended")
        self.tell_ended(table)
        self.let_rest(table)

    def let_rest(self, table: GameTable) -> None:
        """Release the match of an ended table after everybody has left. It can be read from the log again."""
        if table.state == "ended" and not table.is_attended and table.match is not None:
            self.rested[table.id] = table.match
            table.match = table.session = None
            while len(self.rested) > RESTED_KEPT:
                del self.rested[next(iter(self.rested))]

    def wake(self, table: GameTable) -> None:
        """Restore the match of an ended table for a client that returns."""
        if table.state != "ended" or table.match is not None:
            return
        match = self.rested.pop(table.id, None)
        if match is not None:
            table.match = match
            return
        try:
            for step in replay(self.log_of(table)):
                match = step.match
        except (BadLog, OSError):
            match = None
        if match is None:
            raise Refused("unknown_table", f"the game at table {table.id} has ended, and its log was deleted")
        table.match = match
        table.board = match.board

    def burden(self, table: GameTable) -> float:
        """Return the cost of reading the log of an ended table, in units of the request budget of an address."""
        if table.state != "ended" or table.match is not None or table.id in self.rested:
            return 0.0
        try:
            size = self.storage.log_path(table.id).stat().st_size
        except OSError:
            return 0.0
        return min(READING_COST + size / READING_BYTES, self.limits.burst / 2)

    def log_of(self, table: GameTable) -> Log:
        return read_log(self.storage.read_log(table.id))

    def ended_log(self, name: str) -> Path | None:
        """Return the log of a finished game, by the name of its table or log. None if there is none."""
        table = self.tables.get(name)
        if table is not None:
            self.storage.flush()
            return self.storage.log_path(name) if table.is_told else None
        if self.logged_games is not None and self.logged_games.info(name) is not None:
            return self.logged_games.folder / f"{name}.jsonl"
        return None

    def forget(self, table: GameTable) -> None:
        for seat in table.seats:
            self.void_token(seat)
        self.storage.forget(table.id)
        self.rested.pop(table.id, None)
        self.tables.pop(table.id, None)
        self.makers.pop(table.id, None)

    # Scheduling: an error at one table must not affect others

    def later(self, table: GameTable, todo: Callable[[], None]) -> None:
        """Schedule `todo` for a table after pending work of other tables."""
        (self._yielding if table.yields else self._todo).append((table, todo))
        if len(self._todo) + len(self._yielding) == 1:
            self.soon(self._do_one)

    def _do_one(self) -> None:
        """Do one scheduled call and reschedule, so that messages are processed between two calls."""
        waiting = self._todo or self._yielding
        table, todo = waiting[0]
        try:
            todo()
        except Exception as error:
            self.trouble(table, error)
        finally:
            waiting.popleft()
            if self._todo or self._yielding:
                self.soon(self._do_one)

    def ask_in_turn(self, table: GameTable) -> None:
        """Let a table send its request after all received messages are processed."""
        self._due.append(table)

    def ask_due(self) -> None:
        """Let all due tables send their requests now."""
        due, self._due = self._due, []
        for table in due:
            if table.is_due:
                try:
                    table.ask()
                except Exception as error:
                    self.trouble(table, error)

    def trouble(self, table: GameTable, error: Exception) -> None:
        """Handle an exception at a table: end its game only. An OSError, such as a full disk, stops the server."""
        if isinstance(error, OSError):
            table.state = "ended"  # its log lacks a line, so it is continued after a restart
            self.stop(error)
            return
        self.report(f"table {table.id} is ended: {''.join(traceback.format_exception(error))}")
        try:
            if table.state == "playing":
                table.finish("interrupted")
        except Exception as second:
            self.report(f"table {table.id}: {''.join(traceback.format_exception(second))}")
            table.state = "ended"

    def tick(self, now: float) -> None:
        """Check the deadlines of all games."""
        for table in list(self.tables.values()):
            if table.state == "playing" or (table.watchers and table.spec.watch_delay_s):
                try:
                    table.tick(now)
                except Exception as error:
                    self.trouble(table, error)

    def tidy(self, now: float) -> None:
        """Forget the oldest ended tables and full rate-limit buckets."""
        self.count_anew()
        if self.storage.keep_spare():
            self.storage.tidy_if_grown()
        ended = [
            table for table in self.tables.values() if table.state == "ended" and table.id not in self.not_forgotten
        ]
        resting = [table for table in ended if not table.is_attended]
        for table in resting[: max(0, len(resting) - self.limits.ended_kept)]:
            self.forget(table)
        self.making.tidy(now)
        self.noting.tidy(now)


def _options_of(header: Header, wish: CreateTable) -> Any:
    """Return the options of the game to continue. Raise Refused if `wish` asks for something else."""
    game = load_game(header.game)
    options = msgspec.convert(header.options, game.options_type)
    own = {"game": header.game, "players": len(header.players), "board": board_of(header), "openings": "none"}
    for name, value in own.items():
        if getattr(wish, name) not in (value, "standard"):
            raise Refused("bad_request", f"{name}: the game that this one continues has {value!r}; use that")
    if wish.options and read_options(game, wish.options) != options:
        raise Refused("bad_request", "options: the game that this one continues has its own; leave them out")
    return options


def _origin_or_not(path: Path, branch: BranchPoint, clock: Clock | None) -> Origin | Refused:
    try:
        return _origin(path, path.stat().st_mtime_ns, branch.number, clock)
    except (BadLog, CannotAsk, NotOver) as error:
        return Refused("bad_request", f"branch: {printable(str(error))}")
    except OSError:
        return Refused("bad_request", f"branch: the log of {branch.log[:NAME_LIMIT]!r} cannot be read")


@lru_cache(ORIGINS_KEPT)
def _origin(path: Path, changed_at: int, number: int, clock: Clock | None) -> Origin:
    """Return a position of a log. `changed_at` is part of the cache key. Raise BadLog, CannotAsk, NotOver or
    OSError."""
    content = read_file(path)
    log, at = position(content, number)
    return Origin(content, log, at, carry_on(log, clock))


def checked_wish(wish: CreateTable) -> tuple[Game[Any, Any], Any, Clock | None]:
    """Return the requested game with its options and clock. Raise Refused if they are invalid."""
    problem = problem_of(wish.game)
    if problem is not None:
        raise Refused("bad_request", problem)
    game = load_game(wish.game)
    if wish.players not in game.players:
        fitting = f"{game.players[0]} to {game.players[-1]}"
        raise Refused("bad_request", f"{game.title} is for {fitting} players, not {wish.players}")
    try:
        options = read_options(game, wish.options)
    except ValueError as error:
        raise Refused("bad_request", f"options: {error}") from None
    return game, options, checked_clock(wish.clock[:NAME_LIMIT])


@lru_cache(256)
def checked_clock(words: str) -> Clock | None:
    """Parse a clock within the limits for tables. Raise Refused if it is invalid."""
    try:
        clock = read_clock(words)
    except ValueError as error:
        raise Refused("bad_request", f"{error}; {CLOCK_BOUNDS}") from None
    if clock is not None:
        times = [time for time in (clock.bank_s, clock.move_s, clock.increment_s or None) if time is not None]
        if max(times) > LONGEST_CLOCK_S or min(times) < SHORTEST_CLOCK_S:
            raise Refused("bad_request", CLOCK_BOUNDS)
    return clock


def clock_words(clock: Clock | None) -> str:
    """Return a clock in the notation that is shown and stored."""
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
    """Return a name without unprintable characters, truncated to NAME_LIMIT."""
    return "".join(letter for letter in (name or "")[:1000] if letter.isprintable()).strip()[:NAME_LIMIT]


def bots_at(table: GameTable) -> int:
    """Return the number of seats of a table that are played by separate processes."""
    return sum(seat.kind == "bot" for seat in table.seats)


def is_process(kind: str) -> bool:
    """Return whether a server player of this kind runs in a separate process."""
    side, _, name = kind.partition(":")
    return side == "bot" or (side == "builtin" and is_slow(name))
