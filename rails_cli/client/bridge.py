"""A relay between the tables of a server and a bot."""

import asyncio
import json
import signal
import threading
from collections.abc import Awaitable, Callable, Collection, Sequence
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
    denied,
)
from rails_cli.client.local_bot import BotLost, LocalBot
from rails_cli.games import NoSuchGame, load_face
from rails_cli.games.faces.phrases import DOLLARS, score_text
from rails_cli.games.game import ranked_last
from rails_cli.match.match import SERVER
from rails_cli.protocol.lines import UNDECODABLE, encode
from rails_cli.protocol.lobby import Seated, TableChanged, TableInfo, Tables
from rails_cli.protocol.messages import MAX_LINE, PROTOCOL, End, Error, Hello, Join, Rejected

TABLE_SEARCH_S = 2.0
"""Seconds between two searches for a table with a free seat."""
JOIN_WAIT_S = 0.5
"""Maximum number of seconds to wait for the `join` message of a started bot before taking a seat."""
MAX_VISITED_TABLES = 10_000
"""Number of ids in `visited_tables` above which the ids of tables that are not open any more are removed."""
MAX_REPORTED_REJECTIONS = 5
"""Maximum number of rejected answers that are reported in a game."""
RELAYED_TYPES = frozenset({"start", "request", "update", "rejected", "end"})
"""Types of server messages that are relayed to the bot."""
HELLO = encode(Hello(PROTOCOL, SERVER, MAX_LINE))
JOIN_DECODER = msgspec.json.Decoder(Join)

OnGameEnd = Callable[[dict[str, Any], str], None]
"""Callback that is called after each game. Its parameters are the `end` message and a description of the result."""


@dataclass
class Bridge:
    """A relay between a bot and a server. The bot is started once, and plays at one or several tables in succession."""

    url: str
    start: Callable[[], Awaitable[LocalBot]]
    """Function that starts the bot and returns it."""
    seat_request: dict[str, Any] | None
    """The `sit` request for a seat. None if the bot returns to the seat of `token`, or takes any free seat."""
    token: str | None
    """Token of the seat that the bot holds. None without a seat."""
    on_status: Callable[[str], None]
    """Callback with a message for the user."""
    nickname: str
    """Name of the bot if neither the request for a seat nor the `join` of the bot has a name."""
    certificate: Path | None
    """File with certificates to trust instead of those of the system. None to trust those of the system."""
    timeout_s: float
    retry_policy: RetryPolicy
    games: int | None = 1
    """Number of games to play. None for no limit. After the first game, any table may be used."""
    game: str | None = None
    """Name of the game to play if the bridge looks for tables. None for any game."""
    name: str | None = None
    """Name of the bot at tables that the bridge searches for itself.

    None to use the name in the bot's message `join`, or `nickname` if the message has no name.
    """
    visited_tables: set[str] = field(default_factory=set)
    """Ids of visited tables, shared between bridges, so that two bridges never play at the same table."""
    is_playing: bool = False
    """Whether a game is in progress, so that other players wait for the bot."""
    place: str = ""
    """Description of the table where the bot plays, for status messages."""
    started: dict[str, Any] | None = None
    """The `start` message of the current game. None before the first game."""
    lost: set[int] = field(default_factory=set)
    """Seats of the current game that were lost to substitutes. Their players are ranked last."""
    rejected: int = 0
    """Number of rejected answers in the current game."""
    is_asked: bool = False
    """Whether the server has sent a request at the current table."""
    connection: ClientConnection | None = None
    """The connection to the server. None while it is closed or the seat is not taken yet."""
    join: str | None = None
    """The last `join` message of the bot, as the bot wrote it. None before the first `join`."""
    has_sent_line: asyncio.Event = field(default_factory=asyncio.Event)
    """Event that is set when the bot has sent its first line."""
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    stops: int = 0
    """Number of calls of `stop`."""
    is_over: bool = False
    """Whether the last game has ended, so that the bot may exit without an error."""
    wake: asyncio.Event = field(default_factory=asyncio.Event)
    """Event that `stop` sets to interrupt a wait."""

    def __post_init__(self) -> None:
        self.stays = self.games != 1 or self.takes_any_table
        """Whether to look for another table if the seat at the current table is lost."""

    async def run(self, ended: OnGameEnd) -> None:
        """Start the bot, and play until the last game ends or `stop` is called. Call `ended` after each game."""
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
        """Let `run` return after the current game. After a second call, `run` returns at once."""
        self.stops += 1
        self.wake.set()

    async def _is_leaving(self, *tasks: asyncio.Future[Any]) -> bool:
        """Wait until one of `tasks` is done or `stop` is called. Return whether `run` must return at once."""
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
        return "leave"

    async def _on_stop(self) -> None:
        """Do nothing. Subclasses can override this method, which is called when `stop` is called during a game."""

    async def _await_join(self, bot: LocalBot) -> None:
        """Send `hello` to the bot. Wait at most JOIN_WAIT_S seconds for its first line, which may be a `join`."""
        await bot.send_line(HELLO)
        waits = [asyncio.ensure_future(self.has_sent_line.wait()), asyncio.ensure_future(self.sleep(JOIN_WAIT_S))]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()

    async def _play(self, bot: LocalBot, joining: asyncio.Future[None], ended: OnGameEnd) -> None:
        """Play at one table after another. Call `ended` after each game.

        `joining` is the task that waits for the `join` of the bot. The first seat is taken when this task is done.
        """
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
            ended(end, result_words(self.place, self.started, end, self.lost))
            if self.is_over:
                return
            await self._leave_table()

    async def _leave_table(self) -> None:
        """Forget the table. If the bot received no request there, wait before the next search for a table."""
        if not self.is_asked:
            await self.sleep(TABLE_SEARCH_S)
        self.is_playing, self.is_asked, self.token, self.seat_request = False, False, None, None

    @property
    def takes_any_table(self) -> bool:
        """Whether the bridge looks for any table with a free seat."""
        return self.token is None and self.seat_request is None

    async def _visit(self, bot: LocalBot, joining: asyncio.Future[None]) -> dict[str, Any]:
        """Connect, take a seat, and play until the end of the game. Return the `end` message.

        `joining` is the task that waits for the `join` of the bot. The seat is taken when this task is done.
        """
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
        """Search for tables until the bot has a seat. Try tables that were not visited before, the oldest first."""
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

    async def _take_seat(self, connection: ClientConnection, request: dict[str, Any]) -> None:
        """Send the `join` of the bot and then `request`, which asks for a seat. Retry if the rate limit is exceeded."""
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
                seated = await ask(connection, timeout_s=self.timeout_s, on_other_error=report_error, **request)
                break
            except Denied as error:
                if error.code != "too_fast" or error.is_fatal:
                    raise
                await self._wait_after(error)
        table = convert_message(seated, Seated, "`seated`").table
        self.place = f"table {table.table}"
        self._note_lost(table)
        if self.token is None:
            self.token = str(seated["token"])
            self.on_status(f"seated at {self.place} in seat {seated['seat'] + 1}; token {self.token}")
        self.connection = connection
        if self.join is not None and self.join != introduced:
            await connection.send(self.join)

    def _seat_request(self) -> dict[str, Any]:
        if self.token is not None:
            return {"type": "resume", "token": self.token}
        assert self.seat_request is not None
        return self._named(self.seat_request)

    def _named(self, sit: dict[str, Any]) -> dict[str, Any]:
        has_name = sit.get("name") or (self.join is not None and JOIN_DECODER.decode(self.join).name)
        return sit if has_name else {**sit, "name": self.nickname}

    async def _relay_game(self, connection: ClientConnection, bot: LocalBot) -> dict[str, Any]:
        """Relay messages of the server to the bot until the game ends. Return the `end` message."""
        while True:
            content = await connection.recv()
            message = decode_message(content)
            kind = message.get("type")
            if kind == "error":
                self._handle_error(convert_message(message, Error, "an error"))
            elif kind == "table":
                self._note_lost(convert_message(message, TableChanged, "`table`").table)
            elif kind in RELAYED_TYPES:
                await self._relay(message, content, bot)
                if kind == "end":
                    return message
            else:
                self._note_other(message)

    def _note_other(self, message: dict[str, Any]) -> None:
        """Do nothing. Subclasses can override this method to process a message that is not relayed."""

    def _note_lost(self, table: TableInfo) -> None:
        """Set `lost` to the seats that substitutes play now. A player who returns to a seat is not lost any more."""
        self.lost = {seat.seat for seat in table.seats if seat.substitute}

    async def _relay(self, message: dict[str, Any], content: str | bytes, bot: LocalBot) -> None:
        """Send `content`, which decodes to `message`, to the bot as one line. Also update the state of the game."""
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
                rejection = convert_message(message, Rejected, "`rejected`")
                self.on_status(f"request {rejection.number}: answer rejected: {rejection.code}: {rejection.message}")
            elif self.rejected == MAX_REPORTED_REJECTIONS + 1:
                self.on_status("further rejections in this game are not shown")

    def _handle_error(self, error: Error) -> None:
        if error.code == "closed" or error.fatal:
            raise denied(error)
        self.on_status(f"{error.code}: {error.message}")

    async def _listen(self, bot: LocalBot) -> None:
        """Relay the lines of the bot that start with `{` to the server.

        Without a connection, lines are dropped, because the server repeats open requests on the next connection. Only
        the last `join` is kept.
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
    """Run all bridges at the same time, and call `ended` after each game. The first failure ends all bridges.

    If all bridges may play at several tables, SIGINT or SIGTERM stops them after their current games, and a second
    signal stops them at once. Otherwise signals are not handled.
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
    except UNDECODABLE:
        return False
    return True


class _Seating(msgspec.Struct):
    """The fields of a `start` message that are needed to describe the result of the game."""

    players: list[str]
    seat: int | None
    game: str = ""

    def score_text(self, score: int) -> str:
        """Return a score with the unit of the game. The unit is $ if the game is not installed here."""
        try:
            return load_face(self.game).score_text(score)
        except NoSuchGame:
            return score_text(score, DOLLARS)


def result_words(place: str, start: dict[str, Any] | None, end: dict[str, Any], lost: Collection[int]) -> str:
    """Return a description of the result of a game for the player in the seat that the `start` message names.

    `end` is the `end` message, and `place` names the table. Without a valid `start` message, list the scores of all
    seats. Seats in `lost` are ranked last.
    """
    if end["reason"] == "interrupted":
        return f"{place}: interrupted"
    how = "" if end["reason"] == "normal" else f" ({end['reason']})"
    scores, ranks = end["scores"], ranked_last(end["ranks"], lost)
    try:
        seating = msgspec.convert(start, _Seating)
        mine = seating.seat
        results = list(zip(seating.players, scores, ranks, strict=True))
        if mine is None or mine < 0:
            raise IndexError
        _, score, rank = results.pop(mine)
    except (msgspec.ValidationError, ValueError, IndexError):
        return f"{place}: ended{how}, scores {scores}, ranks {ranks}"
    others = ", ".join(f"{name} {seating.score_text(theirs)}" for name, theirs, _ in results)
    if mine in lost:
        made = f"your substitute made {seating.score_text(score)}"
        return f"{place}: you lost your seat: ranked last ({made}; {others}){how}"
    shared = "shared " if ranks.count(rank) > 1 else ""
    return f"{place}: {shared}rank {rank} of {len(ranks)} with {seating.score_text(score)} ({others}){how}"
