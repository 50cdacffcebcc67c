"""Bots that the owner of the server has configured: programs at the end of pipes that hold a seat like anybody else."""

import asyncio
import contextlib
import os
import signal
import uuid
from collections.abc import Callable, Sequence

from protocol.lines import encode
from protocol.messages import MAX_LINE, PROTOCOL, Hello, Join
from rails_cli.match import SERVER
from rails_cli.seats.process import MARK, end_marked

HELLO = encode(Hello(protocol=PROTOCOL, server=SERVER, max_line=MAX_LINE))
BACKLOG_LIMIT = 4 * MAX_LINE


class ServerBot:
    """A program on the server's machine; what it says is heard like a message from the network."""

    def __init__(
        self, command: Sequence[str], hear: Callable[["ServerBot", bytes], None], lost: Callable[["ServerBot"], None]
    ) -> None:
        self.join = Join()
        self.command = list(command)
        self.hear = hear
        self.lost = lost
        self.mark = uuid.uuid4().hex
        self.is_dropped = False
        self.unsent = HELLO
        self.process: asyncio.subprocess.Process | None = None
        self.task = asyncio.get_running_loop().create_task(self._run())

    def post(self, content: bytes) -> None:
        if self.is_dropped:
            return
        if self.process is None:
            self.unsent += content + b"\n"
        else:
            self._write(content + b"\n")

    def drop(self, code: str, message: str) -> None:
        """Ends the program with all that it started."""
        self.is_dropped = True
        self.task.cancel()

    async def _run(self) -> None:
        try:
            self.process = await asyncio.create_subprocess_exec(
                *self.command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                start_new_session=True,
                limit=MAX_LINE,
                env={**os.environ, MARK: self.mark},
            )
            self._write(self.unsent)
            assert self.process.stdout is not None
            while line := await self.process.stdout.readline():
                if line.startswith(b"{"):
                    self.hear(self, line.rstrip(b"\n"))
        except (OSError, ValueError):
            pass
        finally:
            self._end()
        if not self.is_dropped:
            self.lost(self)

    def _write(self, data: bytes) -> None:
        assert self.process is not None
        assert self.process.stdin is not None
        transport = self.process.stdin.transport
        if transport.is_closing():
            return
        self.process.stdin.write(data)
        if transport.get_write_buffer_size() > BACKLOG_LIMIT:
            self.task.cancel()

    def _end(self) -> None:
        if self.process is None:
            return
        end_marked(self.mark)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
