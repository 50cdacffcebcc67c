"""Entrants that are checked before they come back to the pool, as `check-bot` checks a bot: by a process beside the
server, to which the lines of their connections are carried.
"""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import get_args

import msgspec

from protocol.lobby import LobbyRequest
from protocol.messages import MAX_LINE, type_of
from protocol.pool import PoolRequest
from protocol.pool_api import CheckFinding
from rails_cli.bot_check.dialled import MAIN, REPORT, REPORTS, DialledTask
from rails_cli.bot_process import BACKLOG_LIMIT
from rails_cli.server.niced import niced
from rails_cli.server.seat import Connection

CPU_S = 120
"""Of the process, for one check; it is a few seconds."""
MEMORY_BYTES = 2 << 30
"""Of the process; it takes a tenth of that."""
LIMIT_S = 900.0
LAST_WORDS_S = 10.0
MOST_AT_ONCE = 2
ASKS = ("request", "rejected")
FOR_THE_SERVER = frozenset(kind.__struct_config__.tag for kind in get_args(LobbyRequest | PoolRequest))
"""Types of messages that are for the server, also during a check."""


class Checkup:
    """One check, from its first line to its report."""

    def __init__(
        self, lines: Sequence[Connection], task: DialledTask, done: Callable[[list[CheckFinding] | None], None]
    ) -> None:
        """`done` is told what was found; None if that cannot be said, which is no fault of the entrant."""
        self.lines = list(lines)
        self.task = task
        self._done = done
        self._asked: set[Connection] = set()
        """Those who have to answer."""
        self._process: asyncio.subprocess.Process | None = None
        self.is_left = False
        """Whether the entrant has gone before its end."""
        self._is_closed = False
        self._found: list[CheckFinding] | None = None
        self._running = asyncio.get_running_loop().create_task(self._run())
        self._running.add_done_callback(self._ended)  # also if it was cancelled before it began

    def carry(self, connection: Connection, content: bytes) -> bool:
        """Brings what an entrant says to the process: whether that was waited for."""
        stdin = None if self._process is None else self._process.stdin
        if stdin is None or stdin.is_closing():
            return False
        stdin.write(b"%d %s\n" % (self.lines.index(connection), content.replace(b"\n", b" ")))
        if stdin.transport.get_write_buffer_size() > BACKLOG_LIMIT:
            connection.drop("too_fast", "you send more than can be read")
        is_answer = connection in self._asked and type_of(content) == "action"
        if is_answer:
            self._asked.discard(connection)
        return is_answer

    def hang_up(self) -> None:
        """The entrant has gone: the process is told so by the end of its input, and reports how far it came."""
        self.is_left = True
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()
            asyncio.get_running_loop().call_later(LAST_WORDS_S, self._running.cancel)
        else:
            self._running.cancel()

    async def close(self) -> None:
        """Without a report: the server ends."""
        self._is_closed = True
        self._running.cancel()
        with suppress(asyncio.CancelledError):
            await self._running

    async def _run(self) -> None:
        words = msgspec.json.encode(self.task).decode()
        try:
            process = self._process = await asyncio.create_subprocess_exec(
                *niced(MAIN, words, cpu_s=CPU_S, memory_bytes=MEMORY_BYTES),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                limit=2 * MAX_LINE,
            )
            assert process.stdout is not None
            while line := await process.stdout.readline():
                if line.startswith(REPORT):
                    self._found = REPORTS.decode(line.removeprefix(REPORT))
                    break
                number, _, content = line.rstrip(b"\n").partition(b" ")
                connection = self.lines[int(number)]
                if type_of(content) in ASKS:
                    self._asked.add(connection)
                connection.post(content)
        except (OSError, ValueError):
            self._found = None
        finally:
            if self._process is not None and self._process.returncode is None:
                with suppress(ProcessLookupError):
                    self._process.kill()
                await self._process.wait()

    def _ended(self, running: asyncio.Task[None]) -> None:
        if not self._is_closed:
            self._done(self._found)
