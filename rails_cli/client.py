"""A client of a websocket server: connects, comes back after a disconnection, and carries lines to a bot and back."""

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
from rails_cli.bot_process import NO_LIMITS, BotLimits, NoUser, drain, end_async, end_words, last_breath_s, start_async
from rails_cli.games.game import ranked_last
from rails_cli.games.phrases import dollars
from rails_cli.match.match import SERVER
from rails_cli.process_tree import ProcessTree
from rails_cli.sandbox import NoSandbox

FIRST_WAIT_S = 0.2
LONGEST_WAIT_S = 5.0
PATIENCE_S = 120.0
MOST_FAILURES = 5
"""A bot of the pool that ends so often without a whole game is not started again."""
ANSWER_S = 10.0
"""Seconds that a server may take to be reached, to say hello, and to answer."""
CLOSE_S = 1.0
LOOK_S = 2.0
"""Seconds between two looks for a table with a free seat."""
MOMENT_S = 0.5
"""Seconds that a bot has from its start to introduce itself, before its seat is taken without that."""
LONGEST_MESSAGE = 64 * MAX_LINE
"""Far more than a server has to say at once: a whole game, told to one who comes back."""
MOST_TAKEN = 10_000
TOO_BIG = 1009
"""The code of a connection that is closed for a message longer than that."""
MOST_REJECTED = 5
"""So many rejections of a game are told."""
FOR_THE_BOT = frozenset({"start", "request", "update", "rejected", "end"})
PASSING = frozenset({"shutdown", "silent", "idle", "too_slow", "too_fast", "full"})
"""Errors that end a connection, but not the seat: one comes back."""
UNREADABLE = frozenset({"bad_line", "too_long"})
"""Errors about a message of which the server could not even read the `ref`."""
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
"""Hears of the end of each game: the `end` message, and in words."""


class Unreachable(Exception):
    """The server cannot be reached, or has gone."""


class Foreign(Unreachable):
    """The other end does not behave like a server of this protocol: to try again would not help."""


class Denied(Exception):
    """The server said no; the text is its own."""

    def __init__(self, code: str, message: str, *, is_fatal: bool = False) -> None:
        super().__init__(message)
        self.code = code
        self.is_fatal = is_fatal


class BotLost(Exception):
    """The bot at this end is gone."""


@dataclass
class Patience:
    """How long one goes on trying to come back to a seat: waits that grow, and an end."""

    seconds: float = PATIENCE_S
    wait_s: float = FIRST_WAIT_S
    since: float | None = None
    """When the first attempt failed after the last that did not."""
    now: Callable[[], float] = time.monotonic

    def renew(self) -> None:
        """The seat is there again."""
        self.wait_s, self.since = FIRST_WAIT_S, None

    def after(self, error: Unreachable | Denied, *, has_seat: bool) -> float:
        """Seconds to wait before the next attempt; raises the error if it is final, or there is no patience left."""
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
    """How a server is reached: what `connect` is told, that which waits and that which does not."""
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
    """A connection that has been greeted."""
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
    """Whether the first word of a server is that of this protocol; raises Foreign."""
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
    """A message of the server; raises Foreign."""
    try:
        message = msgspec.json.decode(content)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        message = None
    if not isinstance(message, dict):
        raise Foreign("the server sent something that is not a message of this protocol")
    return message


def shaped(message: dict[str, Any], kind: type[T], what: str) -> T:
    """A message as its type; raises Foreign, which names what could not be read."""
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
    """One request of the lobby and its answer, which has all that belongs to it; raises Denied.

    Errors that are about something else are told to `aside`.
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
    """All tables that a `list` with these wishes finds, page by page."""
    tables: list[dict[str, Any]] = []
    while True:
        answer = await ask(connection, timeout_s=timeout_s, type="list", **wish, skip=len(tables))
        tables += answer["tables"]
        if not answer["tables"] or len(tables) >= answer.get("total", 0):
            return tables


class _Seating(msgspec.Struct):
    """What is told of a game at its start, as far as its end is told with it."""

    players: list[str]
    seat: int | None


def result_words(
    place: str, start: dict[str, Any] | None, end: dict[str, Any], lost: Collection[int] = frozenset()
) -> str:
    """How a game ended for the one who played it; without its start, for all seats. Those that were `lost` come
    last."""
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
    """A bot at this end of the line."""

    async def tell(self, line: bytes) -> None:
        """Brings it a line. Raises BotLost."""

    async def hear(self) -> bytes:
        """The next line that it says; empty when it has ended. Raises BotLost, which may say how."""

    async def end(self) -> None:
        """Lets it end, and sees to it."""


class ProcessEnd:
    """A bot that speaks on pipes."""

    def __init__(self, process: asyncio.subprocess.Process, tree: ProcessTree) -> None:
        self.process = process
        self.tree = tree

    @classmethod
    async def start(cls, command: Sequence[str], limits: BotLimits = NO_LIMITS, hides: Sequence[Path] = ()) -> Self:
        """With limits, and what it must not see in a sandbox. Raises BotLost."""
        try:
            return cls(*await start_async(command, limits=limits, hides=hides))
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
                await asyncio.wait_for(self.process.wait(), last_breath_s(self.tree))
            raise BotLost(f"the bot {end_words(self.tree, self.process.returncode)}")
        return line

    async def end(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        await drain(self.process)  # a second to end by itself
        await end_async(self.process, self.tree)


@dataclass
class Bridge:
    """Brings a bot to a table, and keeps it there; or to one table after another. The bot is started once, and told
    again."""

    url: str
    start: Callable[[], Awaitable[BotEnd]]
    """Starts the bot."""
    sit: dict[str, Any] | None
    """The request for a seat; None if `token` is that of a seat held before, or for any table that has a free one."""
    token: str | None
    say: Callable[[str], None]
    """Hears what happens."""
    nickname: str
    """Its name, where neither `sit` nor the bot itself says one."""
    certificate: Path | None
    timeout_s: float
    patience: Patience
    games: int | None = 1
    """So many games, the second and all others at any table; None for as many as there are."""
    game: str | None = None
    """Only tables of this game."""
    name: str | None = None
    """Its name at tables that it finds by itself."""
    taken: set[str] = field(default_factory=set)
    """Tables that it has been to, and those of others who share this: nobody goes where one of them is."""
    is_playing: bool = False
    """Whether a game is going on, so that others wait for it."""
    place: str = ""
    """Where it plays, in words."""
    started: dict[str, Any] | None = None
    """How the game was told to begin."""
    rejected: int = 0
    """How many answers of the bot were rejected in this game."""
    is_asked: bool = False
    """Whether the bot was asked anything at the table it is at."""
    connection: ClientConnection | None = None
    """The server, while it is there and the seat is taken."""
    join: str | None = None
    """How the bot has introduced itself, word for word; the last time counts."""
    has_spoken: asyncio.Event = field(default_factory=asyncio.Event)
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    """Waits before the next attempt or the next look for a table."""
    stops: int = 0
    wake: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.stays = self.games != 1 or self.is_looking
        """Whether any table will do, where the one that it was at is gone."""

    async def run(self, ended: Ended) -> None:
        """Plays to the end of the last game, or until it is stopped; `ended` hears of each game."""
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
        """No more games after this one; said twice, not even this one."""
        self.stops += 1
        self.wake.set()

    async def _is_leaving(self, *tasks: asyncio.Future[Any]) -> bool:
        """Waits for one of the tasks, or to be stopped; whether it has then given up its seat."""
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
        """How it gives up its seat."""
        return "leave"

    async def _note_stop(self) -> None:
        """It was asked to stop after this game."""

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
        """On to the next one; in a while, if nothing happened at this."""
        if not self.is_asked:
            await self.sleep(LOOK_S)
        self.is_playing, self.is_asked, self.token, self.sit = False, False, None, None

    @property
    def is_looking(self) -> bool:
        """Whether it has no table in mind."""
        return self.token is None and self.sit is None

    async def _visit(self, bot: BotEnd, until: float) -> dict[str, Any]:
        """One connection, from hello to the end of the game; the bot has `until` then to introduce itself."""
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
        """Waits for the first word of the bot, which may be how it wants to be told things."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self.has_spoken.wait(), max(0.0, until - time.monotonic()))

    async def _take_any_seat(self, connection: ClientConnection) -> None:
        """Waits for a table with a free seat; the one that waits longest comes first."""
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
                    except Denied as error:  # somebody was faster
                        if error.is_fatal:
                            raise
                        self.say(str(error))
            if not is_told:
                self.say("waiting for a table with a free seat")
                is_told = True
            await self.sleep(LOOK_S)

    async def _take_seat(self, connection: ClientConnection, wish: dict[str, Any]) -> None:
        """Introduces the bot and takes its seat; if that is too much at once, a little later."""
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
        """The request that leads to the seat."""
        if self.token is not None:
            return {"type": "resume", "token": self.token}
        assert self.sit is not None
        return self._named(self.sit)

    def _named(self, sit: dict[str, Any]) -> dict[str, Any]:
        has_name = sit.get("name") or (self.join is not None and JOIN_DECODER.decode(self.join).name)
        return sit if has_name else {**sit, "name": self.nickname}

    async def _carry(self, connection: ClientConnection, bot: BotEnd) -> dict[str, Any]:
        """Brings the bot what concerns it; the end of the game."""
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
        """What the bot is told of its game, as far as it concerns others."""
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
        """Brings the server what the bot says.

        While the server is away only a `join` is kept; everything else is asked for again.
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
    """Keeps a bot in the pool of a server: it waits on one connection, and plays one game after another there."""

    enter: dict[str, Any] = field(default_factory=dict)
    """The request with which it enters."""
    failures: int = 0
    """How often the bot ended since its last whole game."""
    lost: set[int] = field(default_factory=set)
    """The seats of this game that a substitute has played: they come last, whoever comes back."""
    entrant: str = ""
    """As whom it plays, as soon as the server has said so."""

    def __post_init__(self) -> None:
        self.stays = True

    async def run(self, ended: Ended) -> None:
        """Plays until it is stopped; a bot that ends is started again, and takes its seat back."""
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
        """Nobody comes back to it, so that others need not wait."""
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
                is_passing = isinstance(error, Denied) and error.code == "too_many"  # of which some may be gone soon
                if is_passing:
                    error = Unreachable(str(error))
                wait = self.patience.after(error, has_seat=True)
                self.say(f"{error}; trying again in {wait:g} s")
                await self.sleep(wait)
            finally:
                self.connection = None

    async def _come_in(self, connection: ClientConnection) -> None:
        """Introduces the bot, takes its seat back, and enters; what the server answers is heard thereafter."""
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
        """The address of the entrant's page."""
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
        """Takes what is offered, and brings the bot what concerns it."""
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
    """The answer to an `offered` that is taken."""
    return msgspec.json.encode(Ready(shaped(message, Offered, "`offered`").offer)).decode()


async def run_politely(bridges: Sequence[Bridge], ended: Ended) -> None:
    """Runs them side by side; the first failure ends them all. Those who stay stop when the program is asked to: after
    their games, or, asked once more, at once."""
    loop = asyncio.get_running_loop()

    def stop() -> None:
        for bridge in bridges:
            bridge.stop()

    signals = (signal.SIGINT, signal.SIGTERM) if all(bridge.stays for bridge in bridges) else ()
    if threading.current_thread() is not threading.main_thread():
        signals = ()  # they are for another
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
