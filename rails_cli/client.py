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
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidURI, WebSocketException

from protocol.messages import MAX_LINE

FIRST_WAIT_S = 0.2
LONGEST_WAIT_S = 10.0


class Unreachable(Exception):
    """The server cannot be reached, or does not behave like one."""


class Denied(Exception):
    """The server said no; the text is its own."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@asynccontextmanager
async def lobby(url: str, certificate: Path | None = None) -> AsyncIterator[ClientConnection]:
    """A connection that has been greeted."""
    context = None
    if url.startswith("wss:"):
        context = ssl.create_default_context(cafile=None if certificate is None else str(certificate))
    try:
        async with connect(url, compression=None, max_size=MAX_LINE, ssl=context, ping_interval=None) as connection:
            hello = json.loads(await connection.recv())
            if hello.get("type") != "hello":
                raise Unreachable(f"{url} does not speak this protocol")
            yield connection
    except InvalidURI as error:
        raise Unreachable(f"{url} is no address of a server; try ws://127.0.0.1:8765") from error
    except (OSError, WebSocketException, TimeoutError, ValueError) as error:
        raise Unreachable(f"cannot reach {url}: {error}") from error


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
    """Brings a bot that speaks on pipes to a table, and keeps it there."""

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
        self.end: dict[str, Any] | None = None

    async def run(self) -> dict[str, Any]:
        """Plays until the game has ended; the `end` message."""
        wait, waited = FIRST_WAIT_S, 0.0
        while self.end is None:
            try:
                async with lobby(self.url, self.certificate) as connection:
                    wait, waited = FIRST_WAIT_S, 0.0
                    await self._take_seat(connection)
                    await self._carry(connection)
            except Unreachable as error:
                if self.end is not None:
                    break
                if self.token is None or waited > self.patience_s:
                    raise
                self.say(f"{error}; trying again in {wait:g} s")
                await asyncio.sleep(wait)
                waited += wait
                wait = min(LONGEST_WAIT_S, wait * 2)
        return self.end

    async def _take_seat(self, connection: ClientConnection) -> None:
        if self.token is not None:
            await connection.send(json.dumps({"type": "resume", "token": self.token}))
            return
        assert self.sit is not None
        seated = await ask(connection, **self.sit)
        self.token = str(seated["token"])
        self.say(f"seated at table {seated['table']['table']} in seat {seated['seat']}; token {self.token}")

    async def _carry(self, connection: ClientConnection) -> None:
        """Lines between the bot and the server, for as long as both are there."""
        bot = await asyncio.create_subprocess_exec(
            *self.command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=MAX_LINE,
            start_new_session=True,
        )
        assert bot.stdin is not None
        assert bot.stdout is not None
        answers = asyncio.ensure_future(self._from_bot(bot.stdout, connection))
        try:
            bot.stdin.write(b'{"type":"hello","protocol":1,"server":"rails-cli connect","max_line":1048576}\n')
            async for content in connection:
                message = json.loads(content)
                kind = message.get("type")
                if kind == "error":
                    self._heed(message)
                elif kind in ("start", "request", "update", "rejected", "end"):
                    text = content if isinstance(content, str) else content.decode()
                    bot.stdin.write(text.encode() + b"\n")
                    if kind == "end":
                        self.end = message
                        return
                if answers.done():
                    raise Denied("bot", "the bot ended before the game did")
        except (ConnectionError, WebSocketException) as error:
            raise Unreachable(f"connection to {self.url} lost: {error}") from error
        finally:
            answers.cancel()
            await _end(bot)
        raise Unreachable(f"connection to {self.url} closed")

    def _heed(self, error: dict[str, Any]) -> None:
        if error["code"] == "shutdown":
            self.say(error["message"])
        elif error["fatal"] or error["code"] == "forbidden":
            raise Denied(error["code"], error["message"])
        else:
            self.say(f"{error['code']}: {error['message']}")

    async def _from_bot(self, source: asyncio.StreamReader, connection: ClientConnection) -> None:
        with contextlib.suppress(WebSocketException):
            while line := await source.readline():
                if line.startswith(b"{"):
                    await connection.send(line.decode(errors="replace").rstrip("\n"))


async def _end(bot: asyncio.subprocess.Process) -> None:
    """Lets a bot go: end of input, and a second later the end."""
    assert bot.stdin is not None
    bot.stdin.close()
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(bot.wait(), 1.0)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(bot.pid, signal.SIGKILL)
    with contextlib.suppress(ProcessLookupError):
        await bot.wait()
