"""Bots on this machine that a bridge connects to a server."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Protocol, Self

from rails_cli.programs import event_loop
from rails_cli.programs.exits import EXIT_WAIT_S, end_words
from rails_cli.programs.limits import NO_LIMITS, BotLimits, UserUnavailable
from rails_cli.programs.sandbox import NoSandbox
from rails_cli.programs.tree import ProcessTree
from rails_cli.protocol.messages import MAX_LINE


class BotLost(Exception):
    """Raised if the local bot has ended or cannot be started. The text says why."""


class LocalBot(Protocol):
    """A bot on this machine that exchanges lines with a bridge."""

    async def send_line(self, line: bytes) -> None:
        """Send a line to the bot. Raise BotLost if the bot has ended."""

    async def read_line(self) -> bytes:
        """Return the next line of the bot. If the bot has ended, return an empty line or raise BotLost."""

    async def end(self) -> None:
        """Give the bot a short time to exit, then kill it."""


class ProcessBot:
    """A bot that runs as a process. It exchanges lines with the bridge through pipes."""

    def __init__(self, process: asyncio.subprocess.Process, tree: ProcessTree) -> None:
        self.process = process
        self.tree = tree

    @classmethod
    async def start(cls, command: Sequence[str], limits: BotLimits = NO_LIMITS, hides: Sequence[Path] = ()) -> Self:
        """Start the process of a bot with `limits` and return it. Raise BotLost if the process cannot be started.

        `hides` are files and folders that the sandbox hides from the bot.
        """
        try:
            return cls(*await event_loop.start(command, limits=limits, hides=hides))
        except (NoSandbox, UserUnavailable) as error:
            raise BotLost(str(error)) from None
        except OSError as error:
            raise BotLost(f"cannot start {command[0]}: {error.strerror}") from None

    async def send_line(self, line: bytes) -> None:
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(line)
            await self.process.stdin.drain()
        except ConnectionError:
            raise BotLost("the bot has stopped reading") from None

    async def read_line(self) -> bytes:
        assert self.process.stdout is not None
        try:
            line = await self.process.stdout.readline()
        except ValueError:
            raise BotLost(f"the bot wrote a line of more than {MAX_LINE} bytes") from None
        if not line:
            with suppress(TimeoutError):
                await asyncio.wait_for(self.process.wait(), EXIT_WAIT_S)
            raise BotLost(f"the bot {end_words(self.tree, self.process.returncode)}")
        return line

    async def end(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        await event_loop.drain(self.process)  # the bot has a second to exit after its input has ended
        await event_loop.end(self.process, self.tree)
