"""Games of an agent at a table of a server.

The connection to the server is a `Bridge`: a relay between a server and a bot.
"""

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from rails_cli.agents.seat import JOIN, AgentError, AgentSeat
from rails_cli.client.bridge import Bridge
from rails_cli.client.connection import ANSWER_S, Denied, RetryPolicy, Unreachable
from rails_cli.client.local_bot import BotLost, LocalBot
from rails_cli.protocol.lines import encode
from rails_cli.protocol.lobby import TableInfo
from rails_cli.protocol.messages import Error

HINT_S = 30.0
"""Maximum number of seconds to wait for a hint of a server. The server runs a search to find a hint."""


class _AgentBot:
    """An adapter that gives the agent's seat the interface `LocalBot`.

    A bridge (a relay between a server and a bot) exchanges lines with a `LocalBot`.
    """

    def __init__(self, seat: AgentSeat) -> None:
        self.answers: asyncio.Queue[bytes] = asyncio.Queue()
        self._seat = seat

    async def send_line(self, line: bytes) -> None:
        self._seat.receive(line)

    async def read_line(self) -> bytes:
        return await self.answers.get()

    async def end(self) -> None:
        """Do nothing, because there is no process to end."""


@dataclass
class _AgentBridge(Bridge):
    """A bridge (relay between a server and a bot) that passes hints and errors of the server on to the agent."""

    seat: AgentSeat | None = None
    has_seat: bool = False
    """Whether the agent has taken its seat."""

    def _note_lost(self, table: TableInfo) -> None:
        super()._note_lost(table)
        self.has_seat = True
        if self.seat is not None:
            self.seat.wake()

    async def _wait_after(self, error: Denied | Unreachable) -> None:
        if isinstance(error, Unreachable) and not self.has_seat:
            raise error  # the agent can correct the address or try again later
        await super()._wait_after(error)

    def _note_other(self, message: dict[str, Any]) -> None:
        if self.seat is not None:
            self.seat.receive(msgspec.json.encode(message))

    def _handle_error(self, error: Error) -> None:
        super()._handle_error(error)
        if self.seat is not None:
            self.seat.receive(msgspec.json.encode(error))


class RemoteGame:
    """A game of an agent (a language model) at a table of a server."""

    def __init__(
        self,
        seat: AgentSeat,
        url: str,
        sit: dict[str, Any] | None,
        token: str | None,
        name: str,
        certificate: Path | None,
    ) -> None:
        self._seat = seat
        self._bot = _AgentBot(seat)
        self._bot.answers.put_nowait(encode(JOIN))
        self._bridge = _AgentBridge(
            url,
            self._start_bot,
            sit,
            token,
            on_status=lambda words: None,
            nickname="agent",
            certificate=certificate,
            timeout_s=ANSWER_S,
            retry_policy=RetryPolicy(),
            name=name,
            seat=seat,
        )
        self._task = asyncio.ensure_future(self._play())

    async def _start_bot(self) -> LocalBot:
        return self._bot

    async def _play(self) -> None:
        try:
            await self._bridge.run(lambda end, words: None)
        except (Denied, Unreachable, BotLost) as error:
            self._seat.fail(str(error))
        except LookupError:  # in a message that names a seat that does not exist
            self._seat.fail("the server does not follow the protocol")

    async def sit_down(self) -> None:
        """Wait until the agent has its seat, at most `ANSWER_S` seconds. Raise AgentError if the server refuses."""
        await self._seat.until(lambda: self._seat.is_over or self._bridge.has_seat, ANSWER_S)
        if self._seat.failure:
            raise AgentError(self._seat.failure)

    @property
    def token(self) -> str | None:
        """Token with which the agent can return to its seat. None until the agent has a seat."""
        return self._bridge.token

    def send(self, line: bytes) -> None:
        self._bot.answers.put_nowait(line)

    async def hint(self, number: int) -> list[str]:
        self.send(encode({"type": "show", "hint": True, "number": number}))
        return await self._seat.advice(HINT_S)

    async def leave(self) -> None:
        self._bridge.stop()
        self._bridge.stop()  # the second call ends the game at once
        await asyncio.wait([self._task])

    async def disconnect(self) -> None:
        """End the connection without giving up the seat."""
        self._task.cancel()
        with suppress(asyncio.CancelledError):
            await self._task

    @property
    def record(self) -> str:
        return "The log of the game is at the server."


def join_server(
    seat: AgentSeat,
    url: str,
    table: str | None,
    token: str | None,
    invite: str | None,
    name: str,
    *,
    certificate: Path | None,
) -> RemoteGame:
    """Begin to take a seat at a table of the server `url`, and return the game.

    With a `token`, return to the seat of this token. Without `table` and `token`, any free seat is taken. Raise
    AgentError if `table` and `token` are both given, or if `invite` is given without `table`.
    """
    if table is not None and token is not None:
        raise AgentError("Give either `table`, to take a seat, or `token`, to return to your seat.")
    if table is None and invite is not None:
        raise AgentError("Give `table` together with `invite`, or the link to the table as `server`.")
    sit = None if table is None else {"type": "sit", "table": table, "invite": invite, "name": name}
    return RemoteGame(seat, url, sit, token, name, certificate)
