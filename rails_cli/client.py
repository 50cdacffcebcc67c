"""A client of a websocket server: connects, comes back after a disconnection, and carries lines to a bot and back."""

import asyncio
import contextlib
import json
import os
import signal
import ssl
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidURI, WebSocketException

from protocol.lines import encode
from protocol.messages import MAX_LINE, PROTOCOL, Hello
from rails_cli.match import SERVER

FIRST_WAIT_S = 0.2
LONGEST_WAIT_S = 10.0
GRACE_S = 1.0
FOR_THE_BOT = frozenset({"start", "request", "update", "rejected", "end"})
PASSING = frozenset({"shutdown", "silent", "idle", "too_slow", "too_fast"})
"""Errors that end a connection, but not the seat: one comes back."""
HELLO = encode(Hello(PROTOCOL, SERVER, MAX_LINE))


class Unreachable(Exception):
    """The server cannot be reached, or does not behave like one."""


class Denied(Exception):
    """The server said no; the text is its own."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class BotLost(Exception):
    """The bot at this end is gone."""


@asynccontextmanager
async def lobby(url: str, certificate: Path | None = None) -> AsyncIterator[ClientConnection]:
    """A connection that has been greeted."""
    context = None
    if url.startswith("wss:"):
        context = ssl.create_default_context(cafile=None if certificate is None else str(certificate))
    try:
        proxy: Literal[True] | None = None if _is_loopback(url) else True
        async with connect(url, compression=None, max_size=None, ssl=context, proxy=proxy) as connection:
            hello = json.loads(await connection.recv())
            if not isinstance(hello, dict) or hello.get("type") != "hello":
                raise Unreachable(f"{url} does not speak this protocol")
            yield connection
    except InvalidURI as error:
        raise Unreachable(f"{url} is no address of a server; try ws://127.0.0.1:8765") from error
    except (OSError, WebSocketException, TimeoutError, ValueError) as error:
        raise Unreachable(f"cannot reach {url}: {_reason(error)}") from error


def _is_loopback(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    return host in ("localhost", "::1") or host.startswith("127.")


def _reason(error: Exception) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not trusted: {error.verify_message}"
    if isinstance(error, TimeoutError):
        return "no answer"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error)


async def ask(connection: ClientConnection, **request: Any) -> dict[str, Any]:
    """One request of the lobby and its answer; raises Denied."""
    await connection.send(json.dumps({**request, "ref": "ask"}))
    while True:
        answer: dict[str, Any] = json.loads(await connection.recv())
        if answer.get("ref") == "ask" or (answer.get("type") == "error" and answer.get("fatal")):
            if answer["type"] == "error":
                raise Denied(answer["code"], answer["message"])
            return answer


class Bridge:
    """Brings a bot that speaks on pipes to a table, and keeps it there. The bot is started once, and told again."""

    def __init__(
        self,
        url: str,
        command: Sequence[str],
        *,
        sit: dict[str, Any] | None,
        token: str | None,
        say: Callable[[str], None],
        certificate: Path | None = None,
        patience_s: float = 120.0,
    ) -> None:
        """`sit` is the request for a seat, or `token` the one of a seat held before; `say` hears what happens."""
        self.url = url
        self.command = list(command)
        self.sit = sit
        self.token = token
        self.say = say
        self.certificate = certificate
        self.patience_s = patience_s
        self.connection: ClientConnection | None = None
        """The server, while it is there."""

    async def run(self) -> dict[str, Any]:
        """Plays until the game has ended; the `end` message."""
        try:
            bot = await asyncio.create_subprocess_exec(
                *self.command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                limit=MAX_LINE,
                start_new_session=True,
            )
        except OSError as error:
            raise BotLost(f"cannot start {self.command[0]}: {error.strerror}") from None
        listening = asyncio.ensure_future(self._listen(bot))
        playing = asyncio.ensure_future(self._play(bot))
        try:
            await asyncio.wait((playing, listening), return_when=asyncio.FIRST_COMPLETED)
            if not playing.done():
                listening.result()
                raise BotLost("the bot ended before the game did")
            return playing.result()
        finally:
            for task in (playing, listening):
                task.cancel()
            await asyncio.gather(playing, listening, return_exceptions=True)
            await _end(bot)

    async def _play(self, bot: asyncio.subprocess.Process) -> dict[str, Any]:
        assert bot.stdin is not None
        bot.stdin.write(HELLO)
        wait, waited = FIRST_WAIT_S, 0.0
        while True:
            try:
                async with lobby(self.url, self.certificate) as connection:
                    await self._take_seat(connection)
                    self.connection = connection
                    wait, waited = FIRST_WAIT_S, 0.0
                    end = await self._carry(connection, bot.stdin)
                    if end is not None:
                        return end
                    raise Unreachable(f"connection to {self.url} closed")
            except Unreachable as error:
                if self.token is None or waited >= self.patience_s:
                    raise
                self.say(f"{error}; trying again in {wait:g} s")
            finally:
                self.connection = None
            await asyncio.sleep(wait)
            waited += wait
            wait = min(LONGEST_WAIT_S, wait * 2)

    async def _take_seat(self, connection: ClientConnection) -> None:
        if self.token is not None:
            await connection.send(json.dumps({"type": "resume", "token": self.token}))
            return
        assert self.sit is not None
        seated = await ask(connection, **self.sit)
        self.token = str(seated["token"])
        self.say(f"seated at table {seated['table']['table']} in seat {seated['seat']}; token {self.token}")

    async def _carry(self, connection: ClientConnection, bot: asyncio.StreamWriter) -> dict[str, Any] | None:
        """Brings the bot what concerns it; the end of the game, or None if the connection ends before."""
        async for content in connection:
            message = json.loads(content)
            kind = message.get("type")
            if kind == "error":
                self._heed(message)
            elif kind in FOR_THE_BOT:
                text = content if isinstance(content, str) else content.decode()
                try:
                    bot.write(text.encode() + b"\n")
                    await bot.drain()
                except ConnectionError:
                    raise BotLost("the bot reads no more") from None
                if kind == "end":
                    return dict(message)
        return None

    def _heed(self, error: dict[str, Any]) -> None:
        code, words = error["code"], error["message"]
        if code == "forbidden" or (error["fatal"] and code not in PASSING):
            raise Denied(code, words)
        self.say(f"{code}: {words}")

    async def _listen(self, bot: asyncio.subprocess.Process) -> None:
        """Brings the server what the bot says; what it says while the server is away is asked for again."""
        assert bot.stdout is not None
        try:
            while line := await bot.stdout.readline():
                connection = self.connection
                if connection is not None and line.startswith(b"{"):
                    with contextlib.suppress(WebSocketException):
                        await connection.send(line.decode(errors="replace").rstrip("\r\n"))
        except ValueError:
            raise BotLost(f"the bot wrote a line of more than {MAX_LINE} bytes") from None


async def _end(bot: asyncio.subprocess.Process) -> None:
    """Lets a bot go: end of input, and a second later the end; what it still says is not heard."""
    assert bot.stdin is not None
    bot.stdin.close()
    await _drained(bot)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(bot.pid, signal.SIGKILL)
    await _drained(bot)


async def _drained(bot: asyncio.subprocess.Process) -> None:
    """Waits a moment for the end of a bot; it is not over before its output is read."""
    assert bot.stdout is not None
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(GRACE_S):
            while await bot.stdout.read(MAX_LINE):
                pass
            await bot.wait()
