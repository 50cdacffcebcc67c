"""The running server: sockets, signals, timers, and the lobby."""

import asyncio
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from websockets.datastructures import Headers

from rails_cli.basics.collector import reduce_garbage_collection
from rails_cli.basics.files import raise_open_file_limit
from rails_cli.basics.tokens import matches_hash, token_hash
from rails_cli.logs.signing import can_sign
from rails_cli.protocol.lines import frame
from rails_cli.protocol.messages import Error
from rails_cli.server.bots import ServerBot
from rails_cli.server.draining import RETURN_S, DrainRequest, take_request
from rails_cli.server.lobby import Lobby
from rails_cli.server.net.address import is_loopback
from rails_cli.server.net.admission import Admission
from rails_cli.server.net.certificate import Certificate
from rails_cli.server.net.http import Reply
from rails_cli.server.net.listener import PlainListener, TlsListener, bind
from rails_cli.server.net.websocket import Endpoint, WebSocket
from rails_cli.server.pages.routes import Pages
from rails_cli.server.reporting import OperatorLog
from rails_cli.server.service import ServiceManager
from rails_cli.server.settings import CallLater, Settings
from rails_cli.server.store.kept_logs import DAY_S, logs_to_delete
from rails_cli.server.store.storage import OPEN_FILE_ERRORS, Storage
from rails_cli.server.tables.quotas import TOO_MANY_FILES
from rails_cli.server.tables.recovery import restore_tables
from rails_cli.server.tables.registry import TableRegistry
from rails_cli.server.tables.seat import Connection, ServerSeat
from rails_cli.server.tables.table import GameTable
from rails_cli.server.turn import Turn
from rails_cli.server.workers.low_priority import RAILS_CLI, low_priority_command
from rails_cli.server.workers.thinkers import Thinkers, ThinkingProcess
from rails_cli.web.site import File, games_file

if TYPE_CHECKING:
    from rails_cli.server.pool.pages import PoolPages
    from rails_cli.server.pool.pool import Pool
    from rails_cli.server.pool.seasons import Final
    from rails_cli.tournament.model import SeedGroup

TICK_S = 0.05
"""Seconds between two calls of `Server.tick`."""
LOOK_S = 1.0
"""Seconds between two checks of the certificate, the open tables and the connections."""
SIGN_S = 10.0
"""Seconds between two signatures in the logs of running games."""
SHUTDOWN_S = 3.0
"""Maximum number of seconds for which the server waits for connections to close."""
DELETE_EVERY_S = 600.0
"""Seconds between two deletions of old logs."""
FILES_OF_A_BOT = 8
"""Number of files that the server may need for one bot."""
OWN_FILES = 200
"""Maximum number of open files of the server, apart from connections, logs and pipes of bots."""
MOVES_S = 5.0
"""Maximum delay in seconds before the server stops, to wait for moves that bots or built-in players are computing."""
RETURNS_PER_S = 500
"""Number of clients that are asked to connect again in the same second. So the clients do not all return at once."""
DRAINING_TEXT = "the server stops when all games have ended, or in {:g} s; unfinished games resume when it is back"
SHUTDOWN_TEXT = "the server is stopping; unfinished games resume when it is started again"


class BadPool(Exception):
    """Raised if the rated pool cannot be run. The text is the reason."""


class Server(Endpoint):
    """The running server: listening sockets, tables and the lobby, which processes requests of clients."""

    def __init__(
        self,
        settings: Settings,
        report: OperatorLog,
        *,
        now: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
        call_later: CallLater | None = None,
    ) -> None:
        """`report` prints a message for the operator of the server. `now` is the clock of games and limits, and `wall`
        returns Unix timestamps. `call_later` schedules a call, by default on the event loop."""
        self.settings = settings
        self.limits = settings.connections
        self.now = now
        self.wall = wall
        self.dropped = Counter()
        self.stopping = asyncio.Event()
        self.drain_request: DrainRequest | None = None
        """The request to stop the server. None until the server begins to stop."""
        self._draining: asyncio.Task[None] | None = None
        self.service = ServiceManager()
        self.certificate = (
            None
            if settings.certificate is None or settings.key is None
            else Certificate(settings.certificate, settings.key)
        )
        self.failure: OSError | None = None
        self.thinkers = Thinkers(report)
        loop = asyncio.get_running_loop()
        self.call_later = call_later or loop.call_later
        self._sockets = bind(settings.host, settings.port)  # first, so that a used port leaves no new data folder
        storage = Storage(settings.folder, failed=self._fail)
        if settings.sign == "always" or (settings.sign == "auto" and can_sign()):
            storage.signer = storage.signing_key()
        self._metrics_seal = token_hash(storage.token("metrics-token"))
        self.turn = Turn(storage, soon=loop.call_soon, report_error=self._report_error, now=now)
        self.registry = TableRegistry(
            storage,
            settings,
            self.turn,
            now=now,
            wall=wall,
            soon=loop.call_soon,
            start_bot=self._start_bot,
            think=self.thinkers.ask,
            report=report,
            stop=self._fail,
            in_background=self._in_background,
            note=report.note,
        )
        self.lobby = Lobby(self.registry, shutdown=self.drain)
        self.pool: Pool | None = None
        self.pool_pages: PoolPages | None = None
        self.pool_workers: list[ThinkingProcess] = []
        self.computing_final: asyncio.Task[None] | None = None
        """The task that computes the games of a final (the last games of a pool season).

        None before the task starts.
        """
        if settings.pool.is_on:
            self._add_pool(report)
        self.connected = self._connected
        self.disconnected = lambda connection: self._safely(self._disconnected, connection)
        self.reported: set[str] = set()
        self._looked_at, self._signed_at = -LOOK_S, now()
        self.is_return = self.lobby.is_return
        self.admission = Admission(
            self.limits,
            is_at_table=self.lobby.is_at_table,
            is_holder=self.registry.tokens.is_valid,
            is_banned=self.registry.bans.is_banned,
            origins=settings.origins,
            any_name=settings.certificate is not None or not is_loopback(settings.host),
            proxies=settings.proxies,
        )
        self.page = Pages(
            self._games,
            self._metrics,
            self._ended_log,
            self.registry.not_ready,
            self.lobby.may_ask,
            self._more_pages,
            call_later=self.call_later,
            key=storage.signer.key if storage.signer is not None else None,
            branches=self.registry.ended_tables.branches,
        ).answer

    async def run(self, started: Callable[[str, int, int], None]) -> None:
        """Serve clients until the server is stopped.

        `started` is called with the scheme (`ws` or `wss`), the port, and the number of resumed games.
        """
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(self._handle_loop_error)
        listener = (
            PlainListener(self, self._sockets)
            if self.certificate is None
            else TlsListener(self, self._sockets, self.certificate)
        )
        port = self._sockets[0].getsockname()[1]
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self.drain)
        if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # with nohup, SIGHUP must stay ignored
            has_terminal = sys.stderr is not None and sys.stderr.isatty()  # SIGHUP then says that it was closed
            loop.add_signal_handler(signal.SIGHUP, self.drain if has_terminal else self._reload_certificate)
        self.registry.is_starting = self.admission.is_starting = True
        await listener.open()
        going_on = await restore_tables(self.registry)
        if self.pool is not None:
            self.pool.restore_tables()
        self.registry.is_starting = self.admission.is_starting = False
        started("ws" if self.certificate is None else "wss", port, going_on)
        self.service.send("READY=1")
        tasks = [loop.create_task(self._clock()), loop.create_task(self._delete_old_logs())]
        await self.stopping.wait()
        self.service.send("STOPPING=1")
        for task in tasks:
            task.cancel()
        listener.close()
        await self._shut_down()
        if self.failure is not None:
            raise self.failure

    def _handle_loop_error(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Report an error of the event loop. The error that too many files are open is reported only once."""
        error = context.get("exception")
        if not isinstance(error, OSError) or error.errno not in OPEN_FILE_ERRORS:
            loop.default_exception_handler(context)
        elif TOO_MANY_FILES not in self.reported:
            self.reported.add(TOO_MANY_FILES)
            self.registry.report("too many files are open: newcomers have to wait (ulimit -n, LimitNOFILE)")

    def _games(self) -> File:
        boards = {name: one.game for name, one in self.settings.boards.items()}
        return games_file(list(self.settings.bots), boards, has_pool=self.pool is not None)

    def _ended_log(self, name: str) -> Path | None:
        found = self.registry.ended_tables.log_path(name)
        return found if found is not None or self.pool_pages is None else self.pool_pages.log_of(name)

    def _more_pages(self, path: str, headers: Headers, reply: Reply) -> bool:
        return self.pool_pages is not None and self.pool_pages.answer(path, headers, reply)

    def _metrics(self, token: str | None) -> bytes:
        from rails_cli.server.pages.metrics import metrics_page

        is_for_operator = token is not None and matches_hash(token, self._metrics_seal)
        return metrics_page(self.lobby, self, self.pool, is_for_operator=is_for_operator)

    def _add_pool(self, report: Callable[[str], None]) -> None:
        """Create the rated pool. Its modules are imported here, because few servers have a pool."""
        from rails_cli.server.pool.pages import PoolPages
        from rails_cli.server.pool.pool import Pool
        from rails_cli.server.pool.worker import DECODER, MAIN, RATING_S
        from rails_cli.tournament.results.store import StoreError

        storing, rating = ThinkingProcess(report, MAIN, DECODER), ThinkingProcess(report, MAIN, DECODER, RATING_S)
        self.pool_workers += [storing, rating]
        try:
            settings = self.settings
            self.pool = Pool(
                self.lobby,
                settings.pool,
                settings.max_faults,
                storing.ask,
                rating.ask,
                self._compute_final,
            )
        except (StoreError, ValueError) as error:
            raise BadPool(str(error)) from None
        self.pool_pages = PoolPages(self.pool)

    def _compute_final(self, final: "Final", then: Callable[[dict[str, "SeedGroup"]], None]) -> None:
        """Compute the games of a final (the last games of a pool season) in a thread, and pass the games to `then`."""

        async def compute() -> None:
            try:
                then(await asyncio.to_thread(final.games))
            except Exception as error:
                self._report_error(error)

        self.computing_final = asyncio.get_running_loop().create_task(compute())

    def _connected(self, connection: WebSocket) -> None:
        self.lobby.connections.add(connection)
        self.lobby.note("connected", connection, address=connection.address)

    def _disconnected(self, connection: WebSocket) -> None:
        self.lobby.note("disconnected", connection, code=connection.end_code)
        self.lobby.disconnected(connection)

    def _reload_certificate(self, *, is_wanted: bool = True) -> None:
        """Load the TLS certificate again if `is_wanted`, or if its files have changed."""
        if self.certificate is None:
            return
        try:
            if is_wanted:
                self.certificate.reload()
            elif not self.certificate.reload_if_changed():
                return
        except OSError as error:
            reason = f"{error.filename}: {error.strerror}" if error.filename else error
            self.registry.report(f"the new certificate or its key cannot be used, and the old one stays: {reason}")
        else:
            self.registry.report("the certificate was loaded again")

    def drain(self) -> None:
        """Begin to stop the server: no new game begins, and moves in progress are finished.

        A file in the data folder may ask the server to wait for the end of running games. A second call stops the
        server without waiting.
        """
        if self.drain_request is not None:
            self.stopping.set()
            return
        self.drain_request = take_request(self.settings.folder)
        self.registry.is_draining = True
        self.registry.note("draining", wait_s=self.drain_request.wait_s, return_s=self.drain_request.return_s)
        self._draining = asyncio.get_running_loop().create_task(self._drain(self.drain_request))

    async def _drain(self, request: DrainRequest) -> None:
        """Wait for the end of running games as `request` says, then for moves in progress. Then stop the server."""
        registry, tables = self.registry, self.registry.tables
        if request.wait_s:
            content = frame(Error("draining", DRAINING_TEXT.format(request.wait_s), fatal=False))
            for connection in list(self.lobby.connections):
                connection.post(content)
            await _wait_while(lambda: any(table.state == "playing" for table in tables.values()), request.wait_s)
        registry.is_pausing = True
        await _wait_while(lambda: any(table.is_computing for table in tables.values()), MOVES_S)
        self.stopping.set()

    def _fail(self, error: Exception) -> None:
        """Stop the server after an error in writing files, because no action may be played without being logged."""
        self.failure = self.failure or (error if isinstance(error, OSError) else OSError(None, str(error)))
        self.stopping.set()

    async def _clock(self) -> None:
        """Do periodic work, record delays of the event loop, and report to the service manager regularly."""
        loop = asyncio.get_running_loop()
        reported_at = 0.0
        while True:
            due = loop.time() + TICK_S
            await asyncio.sleep(TICK_S)
            now = loop.time()
            self.turn.lag_times.add(max(0.0, now - due))
            self.tick()
            if self.service.watchdog_s and now - reported_at > self.service.watchdog_s / 4:
                reported_at = now
                self.service.send("WATCHDOG=1")

    def tick(self) -> None:
        """Process queued messages, check deadlines and limits, and sign logs."""
        self.turn.process_queues()
        self._safely(self.lobby.tick, self.turn.processed_until())
        now = self.now()
        if now - self._looked_at > LOOK_S:
            self._looked_at = now
            self._reload_certificate(is_wanted=False)
            self._safely(self.registry.save_clocks)
            self._safely(self.lobby.tidy, now, self.settings.open_table_s)
            for connection in list(self.admission.open):
                self._safely(connection.tick, now)
        if now - self._signed_at > SIGN_S:
            self._signed_at = now
            self._safely(self.registry.storage.sign_all)

    async def _delete_old_logs(self) -> None:
        """Delete old logs every DELETE_EVERY_S seconds. The folders are read in a thread."""
        settings = self.settings
        days, most = settings.keep_days, settings.keep_bytes
        folders = [self.registry.storage.tables]
        if self.pool is not None:
            folders.append(self.pool.logs)
        while days is not None or most is not None:
            older_than = None if days is None else self.wall() - days * DAY_S
            try:
                find = partial(logs_to_delete, folders, older_than=older_than, most_bytes=most)
                rated = self.registry.delete_logs(await asyncio.to_thread(find))
                if rated and self.pool is not None:
                    self.pool.results.delete_logs(rated)
            except OSError as error:  # logs that stay undeleted harm no game
                self.registry.report(f"old logs cannot be deleted: {error}")
            await asyncio.sleep(DELETE_EVERY_S)

    def _in_background(self, do: Callable[[], Any], then: Callable[[Any], None]) -> None:
        """Call `do` in a thread. Then call `then` with the result on the event loop."""
        done = asyncio.get_running_loop().run_in_executor(None, do)
        done.add_done_callback(lambda future: self._safely(lambda: then(future.result())))

    def _safely(self, do: Callable[..., None], *what: Any) -> None:
        """Call `do` with the arguments `what`.

        Report an exception to the operator, or stop the server after an OSError.
        """
        try:
            do(*what)
        except Exception as error:
            self._report_error(error)

    def _report_error(self, error: Exception) -> None:
        if isinstance(error, OSError):
            self._fail(error)
            return
        words = "".join(traceback.format_exception(error))
        if words not in self.reported:
            self.reported.add(words)
            self.registry.report(words)

    async def _shut_down(self) -> None:
        """Write all logs, inform all clients, close the connections and end all processes."""
        self.turn.process_all()
        if self.failure is None:
            self.registry.storage.sign_all()
        self.registry.storage.flush()
        self.registry.save_clocks()
        return_s = RETURN_S if self.drain_request is None else self.drain_request.return_s
        for number, connection in enumerate(list(self.admission.open)):
            connection.drop("shutdown", SHUTDOWN_TEXT, round(return_s + number / RETURNS_PER_S, 3))
        for table in self.registry.tables.values():
            for seat in table.seats:
                if isinstance(seat.channel, ServerBot):
                    seat.channel.drop("shutdown", SHUTDOWN_TEXT)
        until = self.now() + SHUTDOWN_S
        while self.admission.open and self.now() < until:
            await asyncio.sleep(0.02)
        for connection in list(self.admission.open):
            connection.abort()
        await self.thinkers.close()
        for worker in self.pool_workers:
            await worker.close()
        if self.computing_final is not None:
            self.computing_final.cancel()
        if self.pool is not None:
            self.pool.close()
        self.registry.storage.release()

    def _start_bot(self, table: GameTable, seat: ServerSeat) -> Connection:
        """Start the bot process that plays a seat, and return its connection."""
        assert seat.server_side is not None
        kind, _, name = seat.server_side.partition(":")
        return ServerBot(
            table,
            seat,
            self.settings.bots[name] if kind == "bot" else low_priority_command(RAILS_CLI, "player", name),
            self.settings.bot_limits,
            self.registry.storage.log_path(table.id).with_suffix(f".seat{seat.index + 1}.stderr"),
            [self.settings.folder],
            self.turn,
            self.now,
            self.call_later,
            self,
        )

    def run_at_table(self, bot: ServerBot, do: Callable[..., None], *arguments: Any) -> None:
        """Call `do`, a method of the bot's table, with the bot's seat and `arguments` as arguments.

        Do nothing if the bot has lost its seat, or if its game is not running.
        """
        if bot.table.state == "playing" and bot.seat.channel is bot and not self.stopping.is_set():
            try:
                do(bot.seat, *arguments)
            except Exception as error:
                self.registry.end_after_error(bot.table, error)


async def _wait_while(is_busy: Callable[[], bool], seconds: float) -> None:
    """Wait until `is_busy` returns False, at most `seconds` seconds."""
    loop = asyncio.get_running_loop()
    until = loop.time() + seconds
    while is_busy() and loop.time() < until:
        await asyncio.sleep(TICK_S)


def open_files(settings: Settings) -> int:
    """Return the highest number of files that a server with `settings` may have open at once."""
    return settings.connections.connections + settings.limits.tables + FILES_OF_A_BOT * settings.limits.bots + OWN_FILES


def fitting(settings: Settings, files: int) -> Settings:
    """Return `settings` with lower limits of connections, tables and bots, so that `files` open files are enough."""
    room = max(files - OWN_FILES, files // 2)
    share = room / (open_files(settings) - OWN_FILES)
    limits, connections = settings.limits, settings.connections
    return msgspec.structs.replace(
        settings,
        limits=msgspec.structs.replace(
            limits, tables=max(1, int(limits.tables * share)), bots=int(limits.bots * share)
        ),
        connections=msgspec.structs.replace(
            connections,
            connections=max(1, int(connections.connections * share)),
            reserved=None if connections.reserved is None else int(connections.reserved * share),
        ),
    )


def serve(
    settings: Settings,
    started: Callable[[str, int, int], None],
    report: OperatorLog,
    make: Callable[[Settings, OperatorLog], Server] = Server,
) -> None:
    """Create a server with `make` and run it until it is stopped. Use uvloop if it is installed.

    `started` is passed to `Server.run`. `report` prints a message for the operator of the server.
    """
    wanted = open_files(settings)
    most = raise_open_file_limit(wanted)
    if most < wanted:
        settings = fitting(settings, most)
        report(
            f"only {most} files may be open, and {wanted} would be needed (ulimit -n, LimitNOFILE): at most"
            f" {settings.connections.connections} connections, {settings.limits.tables} tables and"
            f" {settings.limits.bots} bots"
        )

    async def run() -> None:
        await make(settings, report).run(started)

    reduce_garbage_collection()
    try:
        import uvloop
    except ImportError:
        asyncio.run(run())
    else:
        uvloop.run(run())
