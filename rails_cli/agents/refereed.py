"""Matches that a referee runs and an agent plays.

The bot in `client.py` passes messages between the referee and the agent.
"""

import asyncio
from pathlib import Path

from rails_cli.agents.seat import AgentError, AgentSeat

LONGEST_LINE = 1 << 24
"""Largest number of bytes in a message of a referee."""


class RefereedGame:
    """The connection of an agent's seat to the referee, over the Unix socket of `ClientBot`."""

    record = "The referee keeps the log of the game."

    def __init__(self, seat: AgentSeat, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._seat, self._reader, self._writer = seat, reader, writer
        self._task = asyncio.ensure_future(self._receive())

    async def _receive(self) -> None:
        while line := await self._reader.readline():
            self._seat.receive(line)
        self._seat.fail("the referee has ended the game")

    def send(self, line: bytes) -> None:
        self._writer.write(line)

    async def hint(self, number: int) -> list[str]:
        raise AgentError("Hints are not allowed in this game.")

    async def leave(self) -> None:
        self._task.cancel()
        self._writer.close()


async def take_seat(path: Path) -> AgentSeat:
    """Connect to the socket `path` and return the agent's seat. Raise OSError if the connection fails."""
    seat = AgentSeat()
    reader, writer = await asyncio.open_unix_connection(path, limit=LONGEST_LINE)
    seat.game = RefereedGame(seat, reader, writer)
    return seat
