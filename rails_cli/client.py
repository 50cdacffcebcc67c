"""A client of a websocket server: connects, reconnects, and relays lines between the server and a bot."""

import asyncio
import json
import signal
import socket
import ssl
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, Self, TypeVar
from urllib.parse import quote, urlsplit

import msgspec
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidURI, WebSocketException

from protocol.lines import encode
from protocol.lobby import Held, Invited, Seated, TableChanged, TableCreated, TableInfo, Tables, Watching
from protocol.messages import MAX_LINE, PROTOCOL, End, Error, Hello, Join, Rejected
from protocol.pool import Entrants, EntrantsInvited, Offered, Ready, Registered, Season, Standing, Standings
from rails_cli.games.game import ranked_last
from rails_cli.games.phrases import dollars
from rails_cli.match.match import SERVER
from rails_cli.programs import event_loop
from rails_cli.programs.exits import end_words, exit_wait_s
from rails_cli.programs.limits import NO_LIMITS, BotLimits, NoUser
from rails_cli.programs.sandbox import NoSandbox
from rails_cli.programs.tree import ProcessTree

FIRST_WAIT_S = 0.2
LONGEST_WAIT_S = 5.0
PATIENCE_S = 120.0
MOST_FAILURES = 5
"""Exits of a pool bot without a complete game after which it is not restarted."""
ANSWER_S = 10.0
"""Seconds for connecting, for the `hello`, and for each answer of the server."""
CLOSE_S = 1.0
LOOK_S = 2.0
"""Seconds between two searches for a table with a free seat."""
MOMENT_S = 0.5
"""Seconds after its start in which a bot can send a `join` before its seat is taken without one."""
LONGEST_MESSAGE = 64 * MAX_LINE
"""Most bytes of one message. A whole game, sent after a reconnection, is far smaller."""
MOST_TAKEN = 10_000
TOO_BIG = 1009
"""Websocket close code for a message that is too long."""
MOST_REJECTED = 5
"""Most rejections per game that are reported."""
FOR_THE_BOT = frozenset({"start", "request", "update", "rejected", "end"})
PASSING = frozenset({"shutdown", "silent", "idle", "too_slow", "too_fast", "full"})
"""Errors that end a connection but not the seat, so that reconnecting helps."""
UNREADABLE = frozenset({"bad_line", "too_long"})
"""Errors about a message whose `ref` the server could not read."""
ANSWERS: dict[str, Any] = {
    "list": Tables,
    "create": TableCreated,
    "sit": Seated,
    "resume": Seated,
    "held": Held,
    "invite": Invited,
    "watch": Watching,
    "register": Registered,
    "revoke": Registered | Entrants,
    "ban_owner": Entrants,
    "standing": Standing,
    "standings": Standings,
    "entrants": Entrants,
    "invite_entrants": EntrantsInvited,
    "season": Season,
}
HELLO = encode(Hello(PROTOCOL, SERVER, MAX_LINE))
JOIN_DECODER = msgspec.json.Decoder(Join)

T = TypeVar("T")
Ended = Callable[[dict[str, Any], str], None]
"""Called after each game with the `end` message and a description."""


class Unreachable(Exception):
    """Raised if the server cannot be reached or has disconnected."""


class Foreign(Unreachable):
    """Raised if the other end does not follow the protocol, so that retrying is useless."""


class Denied(Exception):
    """Raised if the server refuses a request. The text is that of the server."""

    def __init__(self, code: str, message: str, *, is_fatal: bool = False) -> None:
        super().__init__(message)
        self.code = code
        self.is_fatal = is_fatal


class BotLost(Exception):
    """Raised if the local bot is gone."""


@dataclass
class Patience:
    """Retry policy for reconnecting: growing delays and a total limit."""

    seconds: float = PATIENCE_S
    wait_s: float = FIRST_WAIT_S
    since: float | None = None
    """Time of the first failure since the last success."""
    now: Callable[[], float] = time.monotonic

    def renew(self) -> None:
        """Reset after a success."""
        self.wait_s, self.since = FIRST_WAIT_S, None

    def after(self, error: Unreachable | Denied, *, has_seat: bool) -> float:
        """Return the seconds to wait before the next attempt. Raise `error` if it is final or the time is used up."""
        now = self.now()
        if self.since is None:
            self.since = now
        is_final = error.code not in PASSING if isinstance(error, Denied) else isinstance(error, Foreign)
        may_ask_again = has_seat or (isinstance(error, Denied) and error.code == "too_fast")
        if is_final or not may_ask_again or now - self.since >= self.seconds:
            raise error
        wait, self.wait_s = self.wait_s, min(LONGEST_WAIT_S, self.wait_s * 2)
        return wait


def way_to(url: str, certificate: Path | None, timeout_s: float) -> dict[str, Any]:
    """Return the arguments of `connect` for a server, for both the async and the blocking version."""
    return {
        "compression": None,
        "max_size": LONGEST_MESSAGE,
        "ssl": tls_context(certificate) if urlsplit(url).scheme == "wss" else None,
        "proxy": None if is_loopback(url) else True,
        "open_timeout": timeout_s,
        "close_timeout": CLOSE_S,
    }


@asynccontextmanager
async def lobby(
    url: str, certificate: Path | None = None, *, timeout_s: float = ANSWER_S
) -> AsyncIterator[ClientConnection]:
    """Connect to a server and wait for its `hello`. Raise Unreachable."""
    try:
        async with connect(url, **way_to(url, certificate, timeout_s)) as connection:
            await _greeted(connection, url, timeout_s)
            yield connection
    except InvalidURI as error:
        raise Unreachable(f"{url} is not a server address; try ws://127.0.0.1:8765") from error
    except ConnectionClosed as error:
        if error.sent is not None and error.sent.code == TOO_BIG:
            raise Foreign(f"{url} sent a message of more than {LONGEST_MESSAGE:,} bytes") from None
        raise Unreachable(f"the connection to {url} is closed") from error
    except (OSError, WebSocketException, ValueError) as error:
        raise Unreachable(f"cannot reach {url}: {reason_of(error, url)}") from error


def tls_context(certificate: Path | None) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=None if certificate is None else str(certificate))
    except ssl.SSLError as error:
        raise Foreign(f"the certificates in {certificate} cannot be used: {error.reason or error}") from None


async def _greeted(connection: ClientConnection, url: str, timeout_s: float) -> None:
    try:
        async with asyncio.timeout(timeout_s):
            message = heard(await connection.recv())
    except TimeoutError:
        raise Unreachable(f"{url} sent no hello; is it a rails-cli server?") from None
    check_hello(message, url)


def check_hello(message: dict[str, Any], url: str) -> None:
    """Raise Foreign unless `message` is a `hello` of this protocol version."""
    if message.get("type") != "hello":
        raise Foreign(f"{url} does not speak this protocol")
    protocol = shaped(message, Hello, "`hello`").protocol
    if protocol != PROTOCOL:
        raise Foreign(f"{url} speaks protocol {protocol}, this program speaks protocol {PROTOCOL}")


def is_loopback(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    return host in ("localhost", "::1") or host.startswith("127.")


def reason_of(error: Exception, url: str) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not trusted: {error.verify_message}"
    if isinstance(error, ssl.SSLError | ConnectionResetError) and urlsplit(url).scheme == "wss":
        return "TLS handshake failed; the address of a server without TLS starts with ws://"
    if isinstance(error, TimeoutError):
        return "no answer"
    if isinstance(error, ConnectionRefusedError) or "Connect call failed" in str(error):
        return "no server answers there; is it running, and is that its port?"
    if isinstance(error, socket.gaierror):
        return "there is no such host"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error) or type(error).__name__


def heard(content: str | bytes) -> dict[str, Any]:
    """Decode a message of the server. Raise Foreign if it is not a JSON object."""
    try:
        message = msgspec.json.decode(content)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        message = None
    if not isinstance(message, dict):
        raise Foreign("the server sent something that is not a message of this protocol")
    return message


def shaped(message: dict[str, Any], kind: type[T], what: str) -> T:
    """Convert a message to `kind`. Raise Foreign, naming `what`, if it does not fit."""
    try:
        return msgspec.convert(message, kind)
    except msgspec.ValidationError as error:
        raise Foreign(f"cannot read {what} from the server: {error}") from None


async def ask(
    connection: ClientConnection,
    /,
    *,
    timeout_s: float = ANSWER_S,
    aside: Callable[[Error], object] = lambda error: None,
    **request: Any,
) -> dict[str, Any]:
    """Send a request and return its answer. Raise Denied if it is refused.

    `aside` is called with errors that concern other messages.
    """
    what = f"the answer to `{request['type']}`"
    await connection.send(json.dumps({**request, "ref": "ask"}))
    try:
        async with asyncio.timeout(timeout_s):
            while True:
                answer = heard(await connection.recv())
                if answer.get("type") != "error":
                    if answer.get("ref") == "ask":
                        if request["type"] in ANSWERS:
                            shaped(answer, ANSWERS[request["type"]], what)
                        return answer
                    continue
                error = shaped(answer, Error, what)
                if error.ref == "ask" or error.fatal or (error.ref is None and error.code in UNREADABLE):
                    raise Denied(error.code, error.message, is_fatal=error.fatal)
                aside(error)
    except TimeoutError:
        raise Unreachable(f"the server did not answer `{request['type']}` within {timeout_s:g} s") from None


async def all_tables(
    connection: ClientConnection, /, *, timeout_s: float = ANSWER_S, **wish: Any
) -> list[dict[str, Any]]:
    """Return all tables found by a `list` request with the filters `wish`, page by page."""
    tables: list[dict[str, Any]] = []
    while True:
        answer = await ask(connection, timeout_s=timeout_s, type="list", **wish, skip=len(tables))
        tables += answer["tables"]
        if not answer["tables"] or len(tables) >= answer.get("total", 0):
            return tables


class _Seating(msgspec.Struct):
    """The fields of a `start` message that are needed to describe the end of the game."""

    players: list[str]
    seat: int | None


def result_words(
    place: str, start: dict[str, Any] | None, end: dict[str, Any], lost: Collection[int] = frozenset()
) -> str:
    """Describe the result for the player, or for all seats if `start` is unknown. `lost` seats come last."""
    if end["reason"] == "interrupted":
        return f"{place}: interrupted"
    how = "" if end["reason"] == "normal" else f" ({end['reason']})"
    scores, ranks = end["scores"], ranked_last(end["ranks"], lost)
    try:
        seating = msgspec.convert(start, _Seating)
        mine = seating.seat
        told = list(zip(seating.players, scores, ranks, strict=True))
        if mine is None or mine < 0:
            raise IndexError
        _, score, rank = told.pop(mine)
    except (msgspec.ValidationError, ValueError, IndexError):
        return f"{place}: ended{how}, scores {scores}, ranks {ranks}"
    others = ", ".join(f"{name} {dollars(theirs)}" for name, theirs, _ in told)
    if mine in lost:
        return f"{place}: you lost your seat: ranked last (your substitute made {dollars(score)}; {others}){how}"
    shared = "shared " if ranks.count(rank) > 1 else ""
    return f"{place}: {shared}rank {rank} of {len(ranks)} with {dollars(score)} ({others}){how}"


class BotEnd(Protocol):
    """A local bot."""

    async def tell(self, line: bytes) -> None:
        """Send a line to the bot. Raise BotLost."""

    async def hear(self) -> bytes:
        """Return the next line of the bot. Empty when it has ended. Raise BotLost with the reason if it is known."""

    async def end(self) -> None:
        """Let the bot exit, or kill it."""


class ProcessEnd:
    """A bot process connected by pipes."""

    def __init__(self, process: asyncio.subprocess.Process, tree: ProcessTree) -> None:
        self.process = process
        self.tree = tree

    @classmethod
    async def start(cls, command: Sequence[str], limits: BotLimits = NO_LIMITS, hides: Sequence[Path] = ()) -> Self:
        """Start the bot with `limits`. `hides` lists folders that its sandbox hides. Raise BotLost."""
        try:
            return cls(*await event_loop.start(command, limits=limits, hides=hides))
        except (NoSandbox, NoUser) as error:
            raise BotLost(str(error)) from None
        except OSError as error:
            raise BotLost(f"cannot start {command[0]}: {error.strerror}") from None

    async def tell(self, line: bytes) -> None:
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(line)
            await self.process.stdin.drain()
        except ConnectionError:
            raise BotLost("the bot has stopped reading") from None

    async def hear(self) -> bytes:
        assert self.process.stdout is not None
        try:
            line = await self.process.stdout.readline()
        except ValueError:
            raise BotLost(f"the bot wrote a line of more than {MAX_LINE} bytes") from None
        if not line:
            with suppress(TimeoutError):
                await asyncio.wait_for(self.process.wait(), exit_wait_s(self.tree))
            raise BotLost(f"the bot {end_words(self.tree, self.process.returncode)}")
        return line

    async def end(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        await event_loop.drain(self.process)  # it has a second to exit by itself
        await event_loop.end(self.process, self.tree)


@dataclass
class Bridge:
    """A relay that seats a bot at one table or one after another. The bot is started once and reused."""

    url: str
    start: Callable[[], Awaitable[BotEnd]]
    """Starts the bot."""
    sit: dict[str, Any] | None
    """The request for a seat. None with `token`, or to take any table with a free seat."""
    token: str | None
    say: Callable[[str], None]
    """Called with each status message."""
    nickname: str
    """Name used if neither `sit` nor the bot itself gives one."""
    certificate: Path | None
    timeout_s: float
    patience: Patience
    games: int | None = 1
    """Number of games. All but the first are at any table. None for no limit."""
    game: str | None = None
    """Only tables of this game are considered."""
    name: str | None = None
    """Its name at tables it finds by itself."""
    taken: set[str] = field(default_factory=set)
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
    has_spoken: asyncio.Event = field(default_factory=asyncio.Event)
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    """Waits before the next attempt or the next search for a table."""
    stops: int = 0
    wake: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.stays = self.games != 1 or self.is_looking
        """Whether any other table is acceptable if the current one is gone."""

    async def run(self, ended: Ended) -> None:
        """Play until the last game ends or `stop` is called. `ended` is called after each game."""
        bot = await self.start()
        listening = asyncio.ensure_future(self._listen(bot))
        playing = asyncio.ensure_future(self._play(bot, ended))
        try:
            while not playing.done() and not await self._is_leaving(playing, listening):
                if listening.done() and not playing.done():
                    listening.result()
                    raise BotLost("the bot ended before the game did")
            if playing.done():
                playing.result()
        finally:
            for task in (playing, listening):
                task.cancel()
            await asyncio.gather(playing, listening, return_exceptions=True)
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
            self.say("stopping after this game; interrupt again to leave at once")
            await self._note_stop()
            return False
        if self.connection is not None:
            with suppress(WebSocketException):
                await self.connection.send(json.dumps({"type": self.farewell}))
        return True

    @property
    def farewell(self) -> str:
        """Type of the message that gives up the seat."""
        return "leave"

    async def _note_stop(self) -> None:
        """Called when asked to stop after the current game."""

    async def _play(self, bot: BotEnd, ended: Ended) -> None:
        await bot.tell(HELLO)
        until = time.monotonic() + MOMENT_S
        played = 0
        while self.games is None or played < self.games:
            try:
                end = await self._visit(bot, until)
            except (Denied, Unreachable) as error:
                is_gone = isinstance(error, Denied) and error.code not in PASSING and self.token is not None
                if self.stays and is_gone:
                    self.say(str(error))
                    await self._leave_table()
                else:
                    await self._wait_after(error)
                continue
            played += 1
            ended(end, result_words(self.place, self.started, end))
            if self.stops or played == self.games:
                return
            await self._leave_table()

    async def _leave_table(self) -> None:
        """Leave the table to look for the next one, after a delay if no request came at this one."""
        if not self.is_asked:
            await self.sleep(LOOK_S)
        self.is_playing, self.is_asked, self.token, self.sit = False, False, None, None

    @property
    def is_looking(self) -> bool:
        """Whether no particular table is requested."""
        return self.token is None and self.sit is None

    async def _visit(self, bot: BotEnd, until: float) -> dict[str, Any]:
        """Play over one connection until the end of the game. The bot has until `until` to send its `join`."""
        try:
            async with lobby(self.url, self.certificate, timeout_s=self.timeout_s) as connection:
                await self._hear_first(until)
                if self.is_looking:
                    await self._take_any_seat(connection)
                else:
                    await self._take_seat(connection, self._wish())
                self.patience.renew()
                return await self._carry(connection, bot)
        finally:
            self.connection = None

    async def _wait_after(self, error: Denied | Unreachable) -> None:
        wait = self.patience.after(error, has_seat=self.token is not None or self.is_looking)
        self.say(f"{error}; trying again in {wait:g} s")
        await self.sleep(wait)

    async def _hear_first(self, until: float) -> None:
        """Wait for the first line of the bot, which may be a `join`."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self.has_spoken.wait(), max(0.0, until - time.monotonic()))

    async def _take_any_seat(self, connection: ClientConnection) -> None:
        """Wait for a table with a free seat and take it. The oldest table is tried first."""
        is_told = False
        while True:
            answer = await all_tables(connection, timeout_s=self.timeout_s, state="open", game=self.game)
            listed = shaped({"type": "tables", "tables": answer}, Tables, "the answer to `list`")
            self.patience.renew()
            if len(self.taken) > MOST_TAKEN:
                self.taken.intersection_update(table.table for table in listed.tables)
            for table in reversed(listed.tables):
                if table.table not in self.taken and any(seat.kind == "open" for seat in table.seats):
                    self.taken.add(table.table)
                    try:
                        sit = {"type": "sit", "table": table.table, "name": self.name}
                        return await self._take_seat(connection, self._named(sit))
                    except Denied as error:  # another player was faster
                        if error.is_fatal:
                            raise
                        self.say(str(error))
            if not is_told:
                self.say("waiting for a table with a free seat")
                is_told = True
            await self.sleep(LOOK_S)

    async def _take_seat(self, connection: ClientConnection, wish: dict[str, Any]) -> None:
        """Send the `join` of the bot and take its seat. Retry after a delay if the rate limit is exceeded."""
        introduced: str | None = None

        def aside(error: Error) -> None:
            nonlocal introduced
            if error.code == "too_fast":
                introduced = None

        while True:
            if self.join is not None and self.join != introduced:
                introduced = self.join
                await connection.send(introduced)
            try:
                seated = await ask(connection, timeout_s=self.timeout_s, aside=aside, **wish)
                break
            except Denied as error:
                if error.code != "too_fast" or error.is_fatal:
                    raise
                await self._wait_after(error)
        self.place = f"table {seated['table']['table']}"
        if self.token is None:
            self.token = str(seated["token"])
            self.say(f"seated at table {seated['table']['table']} in seat {seated['seat'] + 1}; token {self.token}")
        self.connection = connection
        if self.join is not None and self.join != introduced:
            await connection.send(self.join)

    def _wish(self) -> dict[str, Any]:
        """Return the request that takes the seat."""
        if self.token is not None:
            return {"type": "resume", "token": self.token}
        assert self.sit is not None
        return self._named(self.sit)

    def _named(self, sit: dict[str, Any]) -> dict[str, Any]:
        has_name = sit.get("name") or (self.join is not None and JOIN_DECODER.decode(self.join).name)
        return sit if has_name else {**sit, "name": self.nickname}

    async def _carry(self, connection: ClientConnection, bot: BotEnd) -> dict[str, Any]:
        """Relay messages to the bot until the game ends. Return the `end` message."""
        while True:
            content = await connection.recv()
            message = heard(content)
            kind = message.get("type")
            if kind == "error":
                self._heed(shaped(message, Error, "an error"))
            elif kind in FOR_THE_BOT:
                self._note(message)
                self.is_asked = self.is_asked or kind == "request"
                if kind == "end":
                    shaped(message, End[Any], "`end`")
                line = content.encode() if isinstance(content, str) else content
                await bot.tell((msgspec.json.encode(message) if b"\n" in line else line) + b"\n")
                if kind == "end":
                    return message

    def _note(self, message: dict[str, Any]) -> None:
        """Record a message to the bot that matters for status messages."""
        self.is_playing = True
        if message["type"] == "start":
            self.started, self.rejected = message, 0
        elif message["type"] == "rejected":
            self.rejected += 1
            if self.rejected <= MOST_REJECTED:
                told = shaped(message, Rejected, "`rejected`")
                self.say(f"request {told.number}: answer rejected: {told.code}: {told.message}")
            elif self.rejected == MOST_REJECTED + 1:
                self.say("further rejections in this game are not shown")

    def _heed(self, error: Error) -> None:
        if error.code == "closed" or (error.fatal and error.code not in PASSING):
            raise Denied(error.code, error.message, is_fatal=error.fatal)
        self.say(f"{error.code}: {error.message}")

    async def _listen(self, bot: BotEnd) -> None:
        """Relay lines of the bot to the server.

        While disconnected, only the `join` is kept. The server repeats everything else after the reconnection.
        """
        while line := await bot.hear():
            if not line.startswith(b"{"):
                continue
            text = line.decode(errors="replace").rstrip("\r\n")
            if _is_join(line):
                self.join = text
            self.has_spoken.set()
            connection = self.connection
            if connection is not None:
                with suppress(WebSocketException):
                    await connection.send(text)


@dataclass
class PoolBridge(Bridge):
    """A relay that keeps a bot in the pool of a server, where it plays one game after another on one connection."""

    enter: dict[str, Any] = field(default_factory=dict)
    """The request that enters the pool."""
    failures: int = 0
    """Exits of the bot since its last complete game."""
    lost: set[int] = field(default_factory=set)
    """Seats that a substitute has played in this game. They rank last even if their player returns."""
    entrant: str = ""
    """Name of the entrant, once the server has sent it."""

    def __post_init__(self) -> None:
        self.stays = True

    async def run(self, ended: Ended) -> None:
        """Play until stopped. A bot that exits is restarted and takes its seat back."""
        while True:
            try:
                await super().run(ended)
                return
            except BotLost as lost:
                self.failures += 1
                if self.failures >= MOST_FAILURES or self.stops:
                    await self._give_up_seat()
                    often = f", {self.failures} times without a whole game; `rails-cli check-bot` may show why"
                    raise BotLost(f"{lost}{often if self.failures > 1 else ''}") from None
                self.say(f"{lost}; starting it again")
                await self.sleep(FIRST_WAIT_S * self.failures)

    async def _give_up_seat(self) -> None:
        """Give up the seat, so that other players need not wait."""
        if self.token is not None:
            with suppress(Denied, Unreachable):
                async with lobby(self.url, self.certificate, timeout_s=self.timeout_s) as connection:
                    await ask(connection, timeout_s=self.timeout_s, type="resume", token=self.token)
                    await ask(connection, timeout_s=self.timeout_s, type="leave")

    @property
    def farewell(self) -> str:
        return "leave" if self.is_playing else "withdraw"

    async def _note_stop(self) -> None:
        if self.connection is not None:
            with suppress(WebSocketException):
                await self.connection.send(json.dumps({"type": "withdraw"}))

    async def _play(self, bot: BotEnd, ended: Ended) -> None:
        await bot.tell(HELLO)
        until = time.monotonic() + MOMENT_S
        while True:
            try:
                async with lobby(self.url, self.certificate, timeout_s=self.timeout_s) as connection:
                    await self._hear_first(until)
                    await self._come_in(connection)
                    await self._stay(connection, bot, ended)
                    return
            except (Denied, Unreachable) as error:
                is_passing = isinstance(error, Denied) and error.code == "too_many"  # may succeed later
                if is_passing:
                    error = Unreachable(str(error))
                wait = self.patience.after(error, has_seat=True)
                self.say(f"{error}; trying again in {wait:g} s")
                await self.sleep(wait)
            finally:
                self.connection = None

    async def _come_in(self, connection: ClientConnection) -> None:
        """Send the `join` of the bot, take its seat back, and send the request to enter without waiting for the
        answer."""
        if self.join is not None:
            await connection.send(self.join)
        if self.token is not None:
            try:
                await ask(connection, timeout_s=self.timeout_s, type="resume", token=self.token)
            except Denied as error:
                if error.is_fatal:
                    raise
                self.token = None
        self.is_playing = self.token is not None
        await connection.send(json.dumps({"type": "enter", "ref": "enter", **self.enter}))
        self.connection = connection

    @property
    def page(self) -> str:
        """URL of the entrant's page."""
        parts = urlsplit(self.url)
        scheme = "https" if parts.scheme == "wss" else "http"
        return f"{scheme}://{parts.netloc}/#pool/{quote(self.entrant, safe='')}"

    def _note_lost(self, table: TableInfo) -> None:
        self.lost.update(seat.seat for seat in table.seats if seat.substitute)

    def _heed(self, error: Error) -> None:
        if error.code == "substituted":
            self.say(f"substituted: a substitute plays this game to its end; what went wrong: {self.page}")
        else:
            super()._heed(error)

    async def _stay(self, connection: ClientConnection, bot: BotEnd, ended: Ended) -> None:
        """Accept offers and relay messages to the bot."""
        while True:
            content = await connection.recv()
            message = heard(content)
            kind = message.get("type")
            if kind == "error":
                error = shaped(message, Error, "an error")
                if error.ref == "enter":
                    raise Denied(error.code, error.message, is_fatal=error.fatal)
                self._heed(error)
            elif kind == "entered":
                self.patience.renew()
                self.entrant = str(message.get("entrant"))
                self.say(f"{self.entrant} has entered the pool")
            elif kind == "offered":
                await connection.send(taken(message))
                if message.get("check") is True:
                    self.say("the bot is quarantined; an unrated game decides whether it may play again")
            elif kind == "seated":
                seated = shaped(message, Seated, "`seated`")
                self.token, self.is_playing = seated.token, True
                place, self.started = f"table {seated.table.table}", None
                if place != self.place:
                    self.place, self.lost = place, set()
                self._note_lost(seated.table)
                table, place = seated.table, f"seat {seated.seat + 1} of {seated.table.players}"
                self.say(f"playing {table.game} at table {table.table} in {place}")
            elif kind == "table":
                self._note_lost(shaped(message, TableChanged, "`table`").table)
            elif kind == "withdrawn" and not self.is_playing:
                if self.stops:
                    return
                raise Denied("idle", str(message.get("why")))
            elif kind in FOR_THE_BOT:
                line = content.encode() if isinstance(content, str) else content
                if kind == "end":
                    shaped(message, End[Any], "`end`")
                self._note(message)
                await bot.tell((msgspec.json.encode(message) if b"\n" in line else line) + b"\n")
                if kind == "end":
                    self.token, self.is_playing, self.failures = None, False, 0
                    ended(message, result_words(self.place, self.started, message, self.lost))
                    if self.stops or self._has_played_enough():
                        return

    def _has_played_enough(self) -> bool:
        if self.games is not None:
            self.games -= 1
        return self.games == 0


def taken(message: dict[str, Any]) -> str:
    """Return the message that accepts an `offered` message."""
    return msgspec.json.encode(Ready(shaped(message, Offered, "`offered`").offer)).decode()


async def run_politely(bridges: Sequence[Bridge], ended: Ended) -> None:
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
