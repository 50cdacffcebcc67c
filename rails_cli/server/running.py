"""Runs a server: sockets, signals, the clock, and the lobby behind them."""

import asyncio
import contextlib
import signal
import ssl
import time
from collections.abc import Callable
from http import HTTPStatus
from pathlib import Path

import msgspec

from protocol.messages import Join
from rails_cli.server.bots import ServerBot
from rails_cli.server.connection import ConnectionLimits, Door, WebSocket
from rails_cli.server.desk import Chair, Connection
from rails_cli.server.lobby import Limits, Lobby
from rails_cli.server.storage import Storage
from rails_cli.server.table import Table

TICK_S = 0.05
LOOK_S = 2.0
FAREWELL_S = 3.0


class Settings(msgspec.Struct, frozen=True):
    """How a server is run."""

    host: str
    port: int
    folder: Path
    bots: dict[str, list[str]] = {}
    absence_s: float = 60.0
    open_table_s: float = 3600.0
    on_faults: str = "substitute"
    certificate: Path | None = None
    key: Path | None = None
    origins: list[str] = []
    logs: Path | None = None
    limits: Limits = Limits()
    connections: ConnectionLimits = ConnectionLimits()


class Server(Door):
    """The lobby with its doors open."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.limits = settings.connections
        self.origins = settings.origins
        self.now = time.monotonic
        self.open: set[WebSocket] = set()
        self.by_address: dict[str, int] = {}
        self.dropped: dict[str, int] = {}
        self.stopping = asyncio.Event()
        self.lobby = Lobby(
            Storage(settings.folder),
            now=time.monotonic,
            wall=time.time,
            later=self._later,
            bots=settings.bots,
            start_bot=self._start_bot,
            absence_s=settings.absence_s,
            on_faults=settings.on_faults,
            limits=settings.limits,
            logs=settings.logs,
            shutdown=self.stopping.set,
        )
        self.hear = self.lobby.hear
        self.welcome = self.lobby.welcome
        self.goodbye = self.lobby.goodbye

    def _later(self, todo: Callable[[], None]) -> None:
        asyncio.get_running_loop().call_soon(todo)

    async def run(self, started: Callable[[str, int, int], None]) -> None:
        """Serves until it is told to stop; `started` hears the address and how many games go on."""
        loop = asyncio.get_running_loop()
        going_on = self.lobby.bring_back()
        context = self._tls()
        server = await loop.create_server(
            lambda: WebSocket(self), self.settings.host, self.settings.port, ssl=context, backlog=2048
        )
        port = server.sockets[0].getsockname()[1]
        for number in (signal.SIGTERM, signal.SIGINT):
            with contextlib.suppress(NotImplementedError):
                loop.add_signal_handler(number, self.stopping.set)
        started("wss" if context else "ws", port, going_on)
        clock = loop.create_task(self._clock())
        await self.stopping.wait()
        clock.cancel()
        server.close()
        await self._farewell()

    def page(self, path: str) -> tuple[HTTPStatus, str, bytes] | None:
        """Answers to those who ask without a websocket."""
        if path == "/healthz":
            return HTTPStatus.OK, "text/plain; charset=utf-8", b"ok\n"
        if path == "/metrics":
            from rails_cli.server.metrics import metrics_page

            return HTTPStatus.OK, "text/plain; version=0.0.4; charset=utf-8", metrics_page(self.lobby, self)
        if path == "/":
            return HTTPStatus.OK, "text/plain; charset=utf-8", b"rails-cli: connect with a websocket\n"
        return HTTPStatus.NOT_FOUND, "text/plain; charset=utf-8", b"nothing here\n"

    def _tls(self) -> ssl.SSLContext | None:
        if self.settings.certificate is None:
            return None
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(self.settings.certificate, self.settings.key)
        return context

    async def _clock(self) -> None:
        looked_at = 0.0
        while True:
            await asyncio.sleep(TICK_S)
            self.lobby.tick(self.settings.open_table_s)
            now = time.monotonic()
            if now - looked_at > LOOK_S:
                looked_at = now
                for connection in list(self.open):
                    connection.tick(now)

    async def _farewell(self) -> None:
        """Tells everybody; every line of every log is already written."""
        for connection in list(self.open):
            connection.drop("shutdown", "the server stops; unfinished games go on when it is back")
        for table in self.lobby.tables.values():
            for chair in table.chairs:
                if isinstance(chair.connection, ServerBot):
                    chair.connection.drop("shutdown", "")
        until = time.monotonic() + FAREWELL_S
        while self.open and time.monotonic() < until:
            await asyncio.sleep(0.02)
        for connection in list(self.open):
            connection.abort()

    def _start_bot(self, table: Table, chair: Chair, command: list[str]) -> Connection:
        def hear(bot: ServerBot, content: bytes) -> None:
            if table.state == "playing" and chair.connection is bot:
                heard = table.hear(chair, content)
                if isinstance(heard, Join):
                    bot.join = heard

        def lost(bot: ServerBot) -> None:
            """A bot that is gone is started again, a few times."""
            if chair.connection is not bot or table.state != "playing" or self.stopping.is_set():
                return
            chair.connection = None
            chair.late += 1
            if chair.late >= 3:
                table.replace(chair, "disconnect")
                table.ask()
                return
            chair.connection = self._start_bot(table, chair, command)
            table.catch_up(chair)

        return ServerBot(command, hear, lost)


def serve(settings: Settings, started: Callable[[str, int, int], None]) -> None:
    """Runs a server until it is stopped; on uvloop where that is installed."""

    async def main() -> None:
        await Server(settings).run(started)

    try:
        import uvloop
    except ImportError:
        asyncio.run(main())
    else:
        uvloop.run(main())
