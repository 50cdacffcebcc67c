"""A relay between the tables of a server and a bot."""

import asyncio
import json
import signal
import threading
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
from websockets.asyncio.client import ClientConnection
from websockets.exceptions import WebSocketException

from rails_cli.client.connection import (
    RETRYABLE_ERRORS,
    Denied,
    RetryPolicy,
    Unreachable,
    all_tables,
    ask,
    connect_to_lobby,
    convert_message,
    decode_message,
)
from rails_cli.client.local_bot import BotLost, LocalBot
from rails_cli.client.results import result_words
from rails_cli.match.match import SERVER
from rails_cli.protocol.lines import encode
from rails_cli.protocol.lobby import Tables
from rails_cli.protocol.messages import MAX_LINE, PROTOCOL, End, Error, Hello, Join, Rejected

TABLE_SEARCH_S = 2.0
"""Seconds between two searches for a table with a free seat."""
JOIN_WAIT_S = 0.5
"""Seconds after its start in which a bot can send a `join` before its seat is taken without one."""
MAX_VISITED_TABLES = 10_000
"""Visited tables remembered, before those that no longer exist are forgotten."""
MAX_REPORTED_REJECTIONS = 5
"""Most rejections per game that are reported."""
RELAYED_TYPES = frozenset({"start", "request", "update", "rejected", "end"})
"""Types of messages that are relayed to the bot."""
HELLO = encode(Hello(PROTOCOL, SERVER, MAX_LINE))
JOIN_DECODER = msgspec.json.Decoder(Join)

OnGameEnd = Callable[[dict[str, Any], str], None]
"""Called after each game with the `end` message and a description."""


@dataclass
class Bridge:
    """A relay that seats a bot at one table or one after another. The bot is started once and reused."""

    url: str
    start: Callable[[], Awaitable[LocalBot]]
    """Starts the bot."""
    seat_request: dict[str, Any] | None
    """The request for a seat. None with `token`, or to take any table with a free seat."""
    token: str | None
    on_status: Callable[[str], None]
    """Called with each status message."""
    nickname: str
    """Name used if neither `seat_request` nor the bot itself gives one."""
    certificate: Path | None
    timeout_s: float
    retry_policy: RetryPolicy
    games: int | None = 1
    """Number of games. All but the first are at any table. None for no limit."""
    game: str | None = None
    """Only tables of this game are considered."""
    name: str | None = None
    """Its name at tables it finds by itself."""
    visited_tables: set[str] = field(default_factory=set)
    """Tables already visited, shared with other bridges so that two of them never play at the same table."""
    is_playing: bool = False
    """Whether a game is running, so that other players depend on it."""
    place: str = ""
    """Description of the table where the bot plays, for status messages."""
    started: dict[str, Any] | None = None
    """The `start` message of the current game."""
    rejected: int = 0
    """Number of rejected answers in the current game."""
    is_asked: bool = False
    """Whether the bot has received a request at the current table."""
    connection: ClientConnection | None = None
    """The connection, while it is open and the seat is taken."""
    join: str | None = None
    """The last `join` of the bot, verbatim."""
    has_sent_line: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the bot has sent its first line."""
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    """Waits for a number of seconds: for a `join`, before the next attempt, or before the next search for a table."""
    stops: int = 0
    is_over: bool = False
    """Whether the last game has ended, so that the bot may exit."""
    wake: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.stays = self.games != 1 or self.takes_any_table
        """Whether any other table is acceptable if the current one is gone."""

    async def run(self, ended: OnGameEnd) -> None:
        """Play until the last game ends or `stop` is called. `ended` is called after each game."""
        bot = await self.start()
        listening = asyncio.ensure_future(self._listen(bot))
        joining = asyncio.ensure_future(self._await_join(bot))
        playing = asyncio.ensure_future(self._play(bot, joining, ended))
        try:
            while not playing.done() and not await self._is_leaving(playing, listening):
                if listening.done() and self.is_over:
                    await playing  # the bot has exited after its last game, and the connection is being closed
                elif listening.done() and not playing.done():
                    listening.result()
                    raise BotLost("the bot ended before the game did")
            if playing.done():
                playing.result()
        finally:
            for task in (playing, joining, listening):
                task.cancel()
            await asyncio.gather(playing, joining, listening, return_exceptions=True)
            await bot.end()

    def stop(self) -> None:
        """Stop after the current game. A second call stops at once."""
        self.stops += 1
        self.wake.set()

    async def _is_leaving(self, *tasks: asyncio.Future[Any]) -> bool:
        """Wait for one of the tasks or for `stop`. Return whether the seat was given up."""
        waking = asyncio.ensure_future(self.wake.wait())
        await asyncio.wait((*tasks, waking), return_when=asyncio.FIRST_COMPLETED)
        waking.cancel()
        if not self.wake.is_set():
            return False
        self.wake.clear()
        if self.is_playing and self.stops == 1:
            self.on_status("stopping after this game; interrupt again to leave at once")
            await self._on_stop()
            return False
        if self.connection is not None:
            with suppress(WebSocketException):
                await self.connection.send(json.dumps({"type": self.leave_type}))
        return True

    @property
    def leave_type(self) -> str:
        """Type of the message that gives up the seat."""
        return "leave"

    async def _on_stop(self) -> None:
        """Prepare to stop after the current game. Subclasses override it."""

    async def _await_join(self, bot: LocalBot) -> None:
        """Greet the bot, and wait for its first line, which may be a `join`, for at most JOIN_WAIT_S seconds."""
        await bot.send_line(HELLO)
        waits = [asyncio.ensure_future(self.has_sent_line.wait()), asyncio.ensure_future(self.sleep(JOIN_WAIT_S))]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()

    async def _play(self, bot: LocalBot, joining: asyncio.Future[None], ended: OnGameEnd) -> None:
        """Play at one table after another. A seat is taken when `joining` is done."""
        while self.games != 0:
            try:
                end = await self._visit(bot, joining)
            except (Denied, Unreachable) as error:
                is_gone = isinstance(error, Denied) and error.code not in RETRYABLE_ERRORS and self.token is not None
                if self.stays and is_gone:
                    self.on_status(str(error))
                    await self._leave_table()
                else:
                    await self._wait_after(error)
                continue
            ended(end, result_words(self.place, self.started, end))
            if self.is_over:
                return
            await self._leave_table()

    async def _leave_table(self) -> None:
        """Leave the table to look for the next one, after a delay if no request came at this one."""
        if not self.is_asked:
            await self.sleep(TABLE_SEARCH_S)
        self.is_playing, self.is_asked, self.token, self.seat_request = False, False, None, None

    @property
    def takes_any_table(self) -> bool:
        """Whether no particular table is requested."""
        return self.token is None and self.seat_request is None

    async def _visit(self, bot: LocalBot, joining: asyncio.Future[None]) -> dict[str, Any]:
        """Play over one connection until the end of the game."""
        try:
            async with connect_to_lobby(self.url, self.certificate, timeout_s=self.timeout_s) as connection:
                await joining
                if self.takes_any_table:
                    await self._take_any_seat(connection)
                else:
                    await self._take_seat(connection, self._seat_request())
                self.retry_policy.reset()
                return await self._relay_game(connection, bot)
        finally:
            self.connection = None

    async def _wait_after(self, error: Denied | Unreachable) -> None:
        wait = self.retry_policy.next_delay_s(error, has_seat=self.token is not None or self.takes_any_table)
        self.on_status(f"{error}; trying again in {wait:g} s")
        await self.sleep(wait)

    async def _take_any_seat(self, connection: ClientConnection) -> None:
        """Wait for a table with a free seat and take it. The oldest table is tried first."""
        is_told = False
        while True:
            answer = await all_tables(connection, timeout_s=self.timeout_s, state="open", game=self.game)
            listed = convert_message({"type": "tables", "tables": answer}, Tables, "the answer to `list`")
            self.retry_policy.reset()
            if len(self.visited_tables) > MAX_VISITED_TABLES:
                self.visited_tables.intersection_update(table.table for table in listed.tables)
            for table in reversed(listed.tables):
                if table.table not in self.visited_tables and any(seat.kind == "open" for seat in table.seats):
                    self.visited_tables.add(table.table)
                    try:
                        sit = {"type": "sit", "table": table.table, "name": self.name}
                        return await self._take_seat(connection, self._named(sit))
                    except Denied as error:  # another player was faster
                        if error.is_fatal:
                            raise
                        self.on_status(str(error))
            if not is_told:
                self.on_status("waiting for a table with a free seat")
                is_told = True
            await self.sleep(TABLE_SEARCH_S)

    async def _take_seat(self, connection: ClientConnection, wish: dict[str, Any]) -> None:
        """Send the `join` of the bot and take its seat. Retry after a delay if the rate limit is exceeded."""
        introduced: str | None = None

        def report_error(error: Error) -> None:
            nonlocal introduced
            if error.code == "too_fast":
                introduced = None

        while True:
            if self.join is not None and self.join != introduced:
                introduced = self.join
                await connection.send(introduced)
            try:
                seated = await ask(connection, timeout_s=self.timeout_s, on_other_error=report_error, **wish)
                break
            except Denied as error:
                if error.code != "too_fast" or error.is_fatal:
                    raise
                await self._wait_after(error)
        self.place = f"table {seated['table']['table']}"
        if self.token is None:
            self.token = str(seated["token"])
            self.on_status(
                f"seated at table {seated['table']['table']} in seat {seated['seat'] + 1}; token {self.token}"
            )
        self.connection = connection
        if self.join is not None and self.join != introduced:
            await connection.send(self.join)

    def _seat_request(self) -> dict[str, Any]:
        """Return the request that takes the seat."""
        if self.token is not None:
            return {"type": "resume", "token": self.token}
        assert self.seat_request is not None
        return self._named(self.seat_request)

    def _named(self, sit: dict[str, Any]) -> dict[str, Any]:
        has_name = sit.get("name") or (self.join is not None and JOIN_DECODER.decode(self.join).name)
        return sit if has_name else {**sit, "name": self.nickname}

    async def _relay_game(self, connection: ClientConnection, bot: LocalBot) -> dict[str, Any]:
        """Relay messages to the bot until the game ends. Return the `end` message."""
        while True:
            content = await connection.recv()
            message = decode_message(content)
            kind = message.get("type")
            if kind == "error":
                self._handle_error(convert_message(message, Error, "an error"))
            elif kind in RELAYED_TYPES:
                await self._relay(message, content, bot)
                if kind == "end":
                    return message

    async def _relay(self, message: dict[str, Any], content: str | bytes, bot: LocalBot) -> None:
        """Send a message to the bot as one line, and note what matters for status messages."""
        self._note(message)
        line = content.encode() if isinstance(content, str) else content
        await bot.send_line((msgspec.json.encode(message) if b"\n" in line else line) + b"\n")

    def _note(self, message: dict[str, Any]) -> None:
        self.is_playing = True
        if message["type"] == "start":
            self.started, self.rejected = message, 0
        elif message["type"] == "request":
            self.is_asked = True
        elif message["type"] == "end":
            convert_message(message, End[Any], "`end`")
            self.games = None if self.games is None else self.games - 1
            self.is_over = self.games == 0 or self.stops > 0
        elif message["type"] == "rejected":
            self.rejected += 1
            if self.rejected <= MAX_REPORTED_REJECTIONS:
                told = convert_message(message, Rejected, "`rejected`")
                self.on_status(f"request {told.number}: answer rejected: {told.code}: {told.message}")
            elif self.rejected == MAX_REPORTED_REJECTIONS + 1:
                self.on_status("further rejections in this game are not shown")

    def _handle_error(self, error: Error) -> None:
        if error.code == "closed" or (error.fatal and error.code not in RETRYABLE_ERRORS):
            raise Denied(error.code, error.message, is_fatal=error.fatal)
        self.on_status(f"{error.code}: {error.message}")

    async def _listen(self, bot: LocalBot) -> None:
        """Relay lines of the bot to the server.

        While disconnected, only the `join` is kept. The server repeats everything else after the reconnection.
        """
        while line := await bot.read_line():
            if not line.startswith(b"{"):
                continue
            text = line.decode(errors="replace").rstrip("\r\n")
            if _is_join(line):
                self.join = text
            self.has_sent_line.set()
            connection = self.connection
            if connection is not None:
                with suppress(WebSocketException):
                    await connection.send(text)


async def run_all(bridges: Sequence[Bridge], ended: OnGameEnd) -> None:
    """Run all bridges concurrently. The first failure ends them all.

    If all are long-running, SIGINT or SIGTERM stops them after their games. A second signal stops them at once.
    """
    loop = asyncio.get_running_loop()

    def stop() -> None:
        for bridge in bridges:
            bridge.stop()

    signals = (signal.SIGINT, signal.SIGTERM) if all(bridge.stays for bridge in bridges) else ()
    if threading.current_thread() is not threading.main_thread():
        signals = ()  # only the main thread can handle signals
    for number in signals:
        loop.add_signal_handler(number, stop)
    running = [asyncio.ensure_future(bridge.run(ended)) for bridge in bridges]
    try:
        await asyncio.gather(*running)
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        for number in signals:
            loop.remove_signal_handler(number)


def _is_join(line: bytes) -> bool:
    if b"join" not in line:
        return False
    try:
        JOIN_DECODER.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return False
    return True
