"""The tables of a server: creating and storing tables, finding them by id or token, and scheduling their work."""

import os
import secrets
import traceback
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from rails_cli.basics.seeds import new_seed
from rails_cli.basics.tokens import matches_hash, token_hash
from rails_cli.games import load_game, load_openings, standard_board
from rails_cli.games.game import Game
from rails_cli.games.options import read_options
from rails_cli.logs.reading import log_board
from rails_cli.match.seat_specs import BUILTIN
from rails_cli.match.session import MatchPolicy
from rails_cli.programs.sandbox import available_sandbox
from rails_cli.protocol.lobby import CreateTable, Status
from rails_cli.server.net.bans import Bans
from rails_cli.server.refused import Refused
from rails_cli.server.reporting import Note, ReportFunction, no_note
from rails_cli.server.settings import Settings
from rails_cli.server.store.kept_logs import KeptLog, stderr_files
from rails_cli.server.store.records import OpenRequest, PoolGame, Spec
from rails_cli.server.store.storage import OPEN_FILE_ERRORS, Storage
from rails_cli.server.tables.branching import Origin, begin_branch, read_origin
from rails_cli.server.tables.ended import EndedTables
from rails_cli.server.tables.lessons import lesson_request, lesson_seed
from rails_cli.server.tables.quotas import TableQuotas
from rails_cli.server.tables.replaying import LoggedGames, board_of
from rails_cli.server.tables.seat import Connection, ServerSeat
from rails_cli.server.tables.seat_tokens import SeatTokens
from rails_cli.server.tables.server_players import ServerPlayers, fill, is_process, may_start_bots
from rails_cli.server.tables.table import GameTable, saved_table
from rails_cli.server.tables.validation import (
    NAME_LIMIT,
    branch_options,
    check_table,
    checked_clock,
    checked_game,
    clean,
    clock_words,
)
from rails_cli.server.turn import Turn
from rails_cli.server.workers.thinkers import Ask

DRAINING = "this server is about to stop, and no game begins; try again when it is back"
InBackground = Callable[[Callable[[], Any], Callable[[Any], None]], None]
"""A function that runs a slow function without blocking the server, and passes the result to a callback."""


def synchronously(do: Callable[[], Any], then: Callable[[Any], None]) -> None:
    """Call `do`, then call `then` with its result. No thread is used."""
    then(do())


class TableRegistry:
    """The tables of a server, with functions to create, find, store and remove tables."""

    def __init__(
        self,
        storage: Storage,
        settings: Settings,
        turn: Turn,
        *,
        now: Callable[[], float],
        wall: Callable[[], float],
        soon: Callable[[Callable[[], None]], object],
        start_bot: Callable[[GameTable, ServerSeat], Connection],
        think: Ask,
        report: ReportFunction,
        stop: Callable[[OSError], None],
        in_background: InBackground = synchronously,
        note: Note = no_note,
    ) -> None:
        """`soon` schedules a call. `think` runs a task in a worker process. `report` prints a message for the operator
        of the server, and `note` records an event. `stop` ends the server after a write error. `in_background` runs
        slow work in a thread."""
        self.storage = storage
        self.turn = turn
        self.now = now
        self.wall = wall
        self.soon = soon
        self._bots_kept_in = available_sandbox(settings.bot_limits.sandbox, settings.bot_limits.image)
        self.start_bot = start_bot
        self.in_background = in_background
        self.report = report
        self.note = note
        self.is_starting = False
        """Whether the server has not finished restoring tables."""
        self.is_draining = False
        """Whether the server is about to stop. If so, no game begins."""
        self.is_pausing = False
        """Whether players are no longer asked to move, because the server is about to stop.

        The server stops as soon as its bots and built-in players have finished their moves.
        """
        self.stop = stop
        self.absence_s = settings.absence_s
        self.has_chat = not settings.no_chat
        self.idle_table_s = settings.idle_table_s
        try:
            self.bans = Bans(storage.bans, wall)
        except ValueError as error:
            raise OSError(None, str(error)) from None
        self.policy = MatchPolicy(on_faults=settings.on_faults, max_faults=settings.max_faults)
        """Fault policy of all tables. Each table has a copy with its own clock."""
        self._boards = settings.boards
        self.tables: dict[str, GameTable] = {}
        self.tokens = SeatTokens()
        logged_games = None if settings.logs is None else LoggedGames(settings.logs, now)
        self.ended_tables = EndedTables(storage, self.tables, logged_games, settings.limits.burst / 2)
        self.quotas = TableQuotas(settings.limits, storage, self.tables, now)
        self.may_note = self.quotas.may_note
        self.players = ServerPlayers(settings.bots, think, report)
        self.pinned: set[str] = set()
        """Ids of ended tables that are not removed, because their logs are needed to store their pool results."""
        self.on_seat_lost: Callable[[GameTable, ServerSeat], None] = lambda table, seat: None
        """Callback after a substitute has taken over a seat. Its arguments are the table and the seat."""
        self.on_game_ended: Callable[[GameTable], None] = lambda table: None
        """Callback after the end of a game. Its argument is the table."""
        self._todo: deque[tuple[GameTable, Callable[..., None], tuple[Any, ...]]] = deque()
        self._yielding: deque[tuple[GameTable, Callable[..., None], tuple[Any, ...]]] = deque()
        """Scheduled calls of low-priority tables, at which only bots of the rated pool play."""
        self.moves = 0
        self.faults = 0
        self.admin_seal = token_hash(storage.token("admin-token"))

    # Readiness

    def check_accepting(self) -> None:
        """Raise Refused if the server is about to stop, so that no game may begin."""
        if self.is_draining:
            raise Refused("draining", DRAINING)

    def not_ready(self) -> str | None:
        """Return the reason why no table can be created at the moment. None if tables can be created."""
        if self.is_starting:
            return "starting: tables are being restored"
        folders = (self.storage.folder, self.storage.tables)
        if self.storage.is_broken or not all(os.access(folder, os.W_OK) for folder in folders):
            return "the data folder cannot be written"
        try:
            self.check_accepting()
            self.quotas.check_total()
            self.quotas.check_space()
        except Refused as refused:
            return str(refused)
        return None

    # Making tables

    def create(self, request: CreateTable, address: str, *, owner_seal: str, origin: Origin | None = None) -> GameTable:
        """Return a new table as `request` describes. Its game does not start yet. Raise Refused if it is not allowed.

        - `address` is the address of the creator.
        - `owner_seal` is the hash of the owner's token.
        - `origin` is the position of another game from which the game continues. If it is None and `request` has a
          branch, the position is read from the log of the other game.
        """
        self.check_accepting()
        if request.lesson:
            request = lesson_request(request)
        game, options, clock = checked_game(request)
        if request.branch is not None and origin is None:
            origin = read_origin(self.ended_tables.log_path(request.branch.log), request.branch, clock)
        board_name = request.board
        if origin is not None:
            options, board_name = branch_options(origin.log.header, request), board_of(origin.log.header)
        check_table(request, game)
        for kind in request.seats:
            if kind not in (None, "reserved"):
                self.players.check(kind, game.name, board_name)
        self.quotas.check_bots(sum(kind is not None and is_process(kind) for kind in request.seats), address)
        if origin is None:
            board, board_line = self.board(game, request.board)
        else:
            board, board_line = log_board(origin.log.header), origin.log.header.board
        self.quotas.check_table(address)
        spec = Spec(
            table=self._new_id(request.private),
            name=clean(request.name) or f"{game.title} for {request.players}",
            game=request.game,
            players=request.players,
            options=msgspec.to_builtins(options),
            clock=clock_words(clock),
            private=request.private,
            watch_delay_s=request.watch_delay_s,
            owner_seal=owner_seal,
            made_at=self.wall(),
            board=board_name,
            openings=request.openings,
            chat=request.chat,
            branch=request.branch,
            undo=request.undo,
            hints=request.hints,
            lesson=request.lesson,
        )
        table = GameTable(spec, game, board, clock, self, board_line)
        for seat, kind in zip(table.seats, [*request.seats, *[None] * request.players], strict=False):
            if kind is None or kind == "reserved":
                seat.vacate(is_private=request.private or kind == "reserved")
            else:
                fill(table, seat, kind)
        self._add(table, address)
        return table

    def create_for_pool(self, pool: PoolGame, clock: str) -> GameTable:
        """Return a new table for a game of the pool. Its seats are reserved for the entrants that `pool` names."""
        self.check_accepting()
        setting = pool.group.setting
        game, board = load_game(setting.game), standard_board(setting.game)
        options = read_options(game, setting.options)
        has_opening = game.is_luckless(board, setting.players, options) and load_openings(game.name) is not None
        self.quotas.check_total()
        self.quotas.check_space()
        spec = Spec(
            table=pool.table,
            name=f"{'Pool' if pool.rated else 'Check'}: {', '.join(pool.seating)}",
            game=setting.game,
            players=setting.players,
            options=msgspec.to_builtins(options),
            clock=clock,
            private=False,
            watch_delay_s=0.0,
            owner_seal="",
            made_at=self.wall(),
            openings="drawn" if has_opening else "none",
            pool=pool,
            hints=False,
        )
        table = GameTable(spec, game, board, checked_clock(clock), self)
        for seat, name, kind in zip(table.seats, pool.seating, pool.specs, strict=True):
            if kind.startswith(BUILTIN):
                fill(table, seat, kind)
            else:
                seat.kind = "player"
            seat.name = name
        self._add(table, None)
        self.note("table_created", table.id, game=spec.game, players=spec.players)
        return table

    def _add(self, table: GameTable, address: str | None) -> None:
        self.tables[table.id] = table
        self.quotas.add(table, address)
        self.save(table)

    def restore(self, table: GameTable) -> None:
        """Add a table that was restored from the server's files."""
        self.tables[table.id] = table
        self.tokens.restore(table)

    def board(self, game: Game[Any, Any], name: str) -> tuple[Any, Any]:
        """Return the board `name` of a game, and its representation in logs. Raise Refused for an unknown name."""
        if name == "standard":
            return standard_board(game.name), name
        offered = self._boards.get(name)
        if offered is None or offered.game != game.name:
            known = ["standard", *(key for key, one in self._boards.items() if one.game == game.name)]
            raise Refused("bad_request", f"no board {name[:NAME_LIMIT]!r} of {game.title} here; try {', '.join(known)}")
        return offered.board, offered.content

    def _new_id(self, is_private: bool) -> str:
        """Return a new table id. Anyone with the id of a private table can watch it, so that id cannot be guessed."""
        while True:
            name = secrets.token_hex(12 if is_private else 4)
            if name not in self.tables and not self.storage.log_path(name).exists():
                return name

    def start_if_full(self, table: GameTable, origin: Origin | None = None) -> None:
        """Start the game of `table` if no seat is free and its bots may run now.

        A game may continue another game. Then `origin` is the position from which it continues. If `origin` is None,
        this position is read from the log of the other game.
        """
        may_start = (
            table.is_full and not self.is_draining and may_start_bots(table, self.tables.values(), self.quotas.limits)
        )
        if not may_start or not self.storage.keep_spare():
            return
        pool, branch = table.spec.pool, table.spec.branch
        if branch is not None and origin is None:
            origin = read_origin(self.ended_tables.log_path(branch.log), branch, table.clock)
        self.players.start(table)
        if branch is not None and origin is not None:
            begin_branch(table, branch, origin, self._bots_kept_in)
        else:
            seed = lesson_seed(table.game.name) if table.spec.lesson else new_seed()
            table.begin(seed if pool is None else pool.deal, self._bots_kept_in)
        self.note("table_started", table.id)

    # Disk space

    def delete_logs(self, logs: list[KeptLog]) -> list[Path]:
        """Delete old logs and their tables. Return the paths of the logs that the caller must delete.

        `logs` are the logs to delete. Tables that are in use are skipped. This method deletes the files in the folder
        of tables. The caller must delete the same logs in other folders, such as the pool's.
        """
        gone, elsewhere = [], []
        for log in logs:
            here = [path for path in log.paths if path.parent == self.storage.tables]
            tables = [table for path in here if (table := self.tables.get(path.stem)) is not None]
            if any(table.state != "ended" or table.is_attended or table.id in self.pinned for table in tables):
                continue
            for table in tables:
                self.forget(table)
            for path in here:
                for file in (*stderr_files(path), path):
                    file.unlink(missing_ok=True)
            elsewhere += [path for path in log.paths if path not in here]
            gone.append(log.size)
        if gone:
            size = sum(gone) / 1e6
            self.report(f"deleted the logs of {len(gone)} finished games, {size:.1f} MB (--keep-days, --keep-size)")
        return elsewhere

    # Finding tables

    def find(self, name: str) -> GameTable:
        if name not in self.tables:
            raise Refused("unknown_table", f"there is no table {name[:NAME_LIMIT]!r}")
        return self.tables[name]

    def owned(self, name: str, owner: str) -> GameTable:
        table = self.find(name)
        if not matches_hash(owner, table.spec.owner_seal):
            raise Refused("forbidden", "this is not the owner's token")
        return table

    def status(self, connections: int, ref: str | None = None) -> Status:
        counts = {"open": 0, "playing": 0, "ended": 0}
        for table in self.tables.values():
            counts[table.state] += 1
        return Status(connections, counts, self.moves, ref, self.bans.left())

    # Files

    def save(self, table: GameTable) -> None:
        """Store the specification, the seats and the result of a table, which replace what was stored before."""
        self.storage.save(saved_table(table))

    def save_clocks(self) -> None:
        """Store the time used so far for each open request. After a crash, the clocks are restored from this time."""
        now = self.now()
        waiting = {
            table.id: OpenRequest(table.logged, round(table.waiting_s(now), 3))
            for table in self.tables.values()
            if table.state == "playing"
        }
        try:
            self.storage.save_clocks(waiting)
        except OSError as error:
            if error.errno not in OPEN_FILE_ERRORS:
                self.stop(error)

    def ended(self, table: GameTable) -> None:
        """Process the end of a game: close its log, store its result and stop its bots."""
        self.storage.close(table.id)
        self.save(table)
        reason = None if table.outcome is None else table.outcome.reason
        self.note("table_ended", table.id, reason=reason)
        for seat in table.seats:
            if seat.server_side is not None and seat.channel is not None:
                bot, seat.channel = seat.channel, None
                bot.drop("ended", "the game has ended")
        self.on_game_ended(table)
        self.ended_tables.release_match(table)

    def forget(self, table: GameTable) -> None:
        for seat in table.seats:
            self.tokens.revoke(seat)
        self.storage.forget(table.id)
        self.ended_tables.forget(table)
        self.tables.pop(table.id, None)
        self.quotas.creators.pop(table.id, None)

    # Scheduling: an error at one table must not affect others

    def later(self, table: GameTable, do: Callable[..., None], *arguments: Any) -> None:
        """Schedule the call `do(*arguments)` after other pending calls.

        If it raises an exception, the game of `table` ends.
        """
        (self._yielding if table.yields else self._todo).append((table, do, arguments))
        if len(self._todo) + len(self._yielding) == 1:
            self.soon(self._do_one)

    def _do_one(self) -> None:
        """Make one scheduled call, and schedule the next one. Messages can be processed between the two."""
        waiting = self._todo or self._yielding
        table, do, arguments = waiting[0]
        try:
            do(*arguments)
        except Exception as error:
            self.end_after_error(table, error)
        finally:
            waiting.popleft()
            if self._todo or self._yielding:
                self.soon(self._do_one)

    def end_after_error(self, table: GameTable, error: Exception) -> None:
        """End the game of a table after an exception. An OSError, such as a full disk, stops the whole server."""
        if isinstance(error, OSError):
            table.state = "ended"  # its log lacks a line, so it is continued after a restart
            self.stop(error)
            return
        self.report(f"table {table.id} is ended: {''.join(traceback.format_exception(error))}", table.id)
        try:
            if table.state == "playing":
                table.finish("interrupted")
        except Exception as second:
            self.report(f"table {table.id}: {''.join(traceback.format_exception(second))}", table.id)
            table.state = "ended"

    def tick(self, now: float) -> None:
        """Check the deadlines of all running games, and send delayed messages to spectators."""
        for table in list(self.tables.values()):
            if table.state == "playing" or table.spec.watch_delay_s:
                try:
                    table.tick(now)
                except Exception as error:
                    self.end_after_error(table, error)

    def tidy(self, now: float) -> None:
        """Remove the oldest ended tables and unused rate limits, and compact the file of seats."""
        self.quotas.tidy(now)
        if self.storage.keep_spare():
            self.storage.tidy_if_grown()
        ended = [table for table in self.tables.values() if table.state == "ended" and table.id not in self.pinned]
        resting = [table for table in ended if not table.is_attended]
        for table in resting[: max(0, len(resting) - self.quotas.limits.ended_kept)]:
            self.forget(table)
