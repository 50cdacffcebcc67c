"""Bots that the owner of the server has configured: programs at the end of pipes that hold a seat like anybody else."""

import asyncio
import contextlib
import os
import signal
import time
import uuid
from collections.abc import Callable, Sequence

from protocol.messages import MAX_LINE, Join
from rails_cli.seats.process import LAST_BREATH_S, MARK, end_marked, exit_words, start_words
from rails_cli.server.bucket import Bucket
from rails_cli.server.turns import Turns

BACKLOG_LIMIT = 4 * MAX_LINE
GRACE_S = 1.0
LINES_PER_S = 200.0
BURST = 1000.0


class ServerBot:
    """A program on the server's machine; what it says is heard like a message from the network."""

    def __init__(
        self,
        command: Sequence[str],
        turns: Turns,
        hear: Callable[["ServerBot", bytes], None],
        lost: Callable[["ServerBot", str, str], None],
    ) -> None:
        self.join = Join()
        self.command = list(command)
        self.turns = turns
        self.hear = hear
        self.lost = lost
        self.mark = uuid.uuid4().hex
        self.is_dropped = False
        self.unsent: list[bytes] = []
        self.process: asyncio.subprocess.Process | None = None
        self.task = asyncio.get_running_loop().create_task(self._run())

    @property
    def is_busy(self) -> bool:
        return False

    def post(self, content: bytes) -> None:
        if not self.is_dropped:
            self.unsent.append(content + b"\n")
            self.turns.send(self)

    def send(self) -> None:
        """Gives what was posted to the program, once it runs."""
        if self.process is not None and self.unsent and not self.turns.is_broken:
            lines, self.unsent = b"".join(self.unsent), []
            self._write(lines)

    def drop(self, code: str, message: str) -> None:
        """The end of its input; a moment later, the end of the program with all that it started."""
        self.is_dropped = True
        if self.process is not None:
            self._say_last()

    def _say_last(self) -> None:
        assert self.process is not None
        assert self.process.stdin is not None
        self.turns.settle()
        self.send()
        self.process.stdin.close()
        asyncio.get_running_loop().call_later(GRACE_S, self._kill)

    async def _run(self) -> None:
        try:
            why = await self._talk()
        finally:
            self._kill()
            with contextlib.suppress(OSError):  # too many open files
                await asyncio.to_thread(end_marked, self.mark)
            await self._drain()
        if not self.is_dropped:
            self.lost(self, *why)

    async def _talk(self) -> tuple[str, str]:
        """Hears the program out; why it was lost, as a code and in words."""
        try:
            process = self.process = await asyncio.create_subprocess_exec(
                *self.command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                start_new_session=True,
                limit=MAX_LINE,
                env={**os.environ, MARK: self.mark},
            )
        except (OSError, ValueError) as error:
            return "disconnect", start_words(self.command, error)
        if self.is_dropped:
            self._say_last()
        else:
            self.turns.settle()
            self.send()
        assert process.stdout is not None
        bucket = Bucket(BURST, time.monotonic())
        try:
            while line := await process.stdout.readline():
                if not bucket.take(1.0, LINES_PER_S, BURST, time.monotonic()):
                    return "too_long", "wrote too many lines at once"
                if line.startswith(b"{") and not self.is_dropped:
                    self.hear(self, line.rstrip(b"\r\n"))
        except ValueError:
            return "too_long", f"wrote a line of more than {MAX_LINE} bytes"
        except OSError as error:
            return "disconnect", error.strerror or str(error)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), LAST_BREATH_S)
        return "disconnect", exit_words(process.returncode)

    async def _drain(self) -> None:
        """Its output is open until all of it is read."""
        if self.process is None or self.process.stdout is None:
            return
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(GRACE_S):
                while await self.process.stdout.read(MAX_LINE):
                    pass

    def _write(self, data: bytes) -> None:
        assert self.process is not None
        assert self.process.stdin is not None
        transport = self.process.stdin.transport
        if transport.is_closing():
            return
        self.process.stdin.write(data)
        if transport.get_write_buffer_size() > BACKLOG_LIMIT:
            self._kill()

    def _kill(self) -> None:
        if self.process is not None and self.process.returncode is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)
