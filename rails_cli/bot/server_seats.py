"""Bots in this process at the tables of a server: one connection and one thread for each seat."""

import asyncio
import queue
import threading
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from rails_cli.bot import MakeBot
from rails_cli.client.bridge import Bridge, run_all
from rails_cli.client.connection import ANSWER_S, RetryPolicy
from rails_cli.client.local_bot import BotLost
from rails_cli.client.pool_bridge import PoolBridge
from rails_cli.protocol.bot import Conversation
from rails_cli.protocol.lines import BadLine, encode
from rails_cli.protocol.messages import End, Join

JOIN_THREAD_S = 2.0
"""Maximum number of seconds to wait until the thread of a bot has handled its last message."""


class ThreadBot:
    """A bot that runs in its own thread, so that the connection is not blocked while the bot thinks."""

    def __init__(self, talk: Conversation) -> None:
        self.talk = talk
        self.lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self.answers: asyncio.Queue[bytes | BadLine] = asyncio.Queue()
        self.loop = asyncio.get_running_loop()
        self.thread = threading.Thread(target=self._think, daemon=True)
        self.thread.start()

    async def send_line(self, line: bytes) -> None:
        self.lines.put(line)

    async def read_line(self) -> bytes:
        answer = await self.answers.get()
        if isinstance(answer, BadLine):
            raise BotLost(f"cannot read what the server sent: {answer}")
        return answer

    async def end(self) -> None:
        """Let the thread end after it has handled all messages. Wait for its end for at most JOIN_THREAD_S seconds."""
        self.lines.put(None)
        await asyncio.to_thread(self.thread.join, JOIN_THREAD_S)

    def _think(self) -> None:
        for line in iter(self.lines.get, None):
            answer: bytes | BadLine | None
            try:
                answer = _line(self.talk.hear(line))
            except BadLine as error:
                answer = error
            except Exception:
                traceback.print_exc()
                answer = _line(self.talk.default())
            if answer is not None and not self.loop.is_closed():
                self.loop.call_soon_threadsafe(self.answers.put_nowait, answer)


def _line(message: Any) -> bytes | None:
    return None if message is None else encode(message)


@dataclass
class ServerSeats:
    """The seats at one server that are played by bots in this process.

    `ends` has the `end` messages of the games. `visited_tables` has the ids of the public tables at which bots have
    already tried to take a seat. `rails_cli.bot.run` explains the other fields.
    """

    url: str
    make: MakeBot
    join: Join | None
    certificate: Path | None
    patience_s: float
    say: Callable[[str], None]
    visited_tables: set[str] = field(default_factory=set)
    ends: list[End[Any]] = field(default_factory=list)

    async def run(
        self,
        tables: Sequence[str],
        tokens: Sequence[str],
        at_once: int,
        games: int | None,
        game: str | None,
        pool: str | None,
    ) -> None:
        """Play in all seats until the last game in each seat has ended. `rails_cli.bot.run` explains the parameters."""
        seats = [self._bridge({"type": "sit", "table": table}, None) for table in tables]
        seats += [self._bridge(None, token) for token in tokens]
        if pool is not None:
            wish = {"token": pool, "games": [] if game is None else [game]}
            seats += [self._bridge(None, None, PoolBridge, games=games, enter=wish) for _ in range(at_once)]
        if not seats:
            seats = [self._bridge(None, None, games=games, game=game) for _ in range(at_once)]
        await run_all(seats, lambda end, words: self.ends.append(msgspec.convert(end, End[Any])))

    def _bridge(
        self, sit: dict[str, Any] | None, token: str | None, kind: type[Bridge] = Bridge, **more: Any
    ) -> Bridge:
        return kind(
            self.url,
            self._start,
            sit,
            token,
            on_status=self.say,
            nickname=getattr(self.make, "__name__", "bot"),
            certificate=self.certificate,
            timeout_s=ANSWER_S,
            retry_policy=RetryPolicy(self.patience_s),
            visited_tables=self.visited_tables,
            **more,
        )

    async def _start(self) -> ThreadBot:
        return ThreadBot(Conversation(self.make, self.join))
