"""Bots that the server runs: local programs connected by pipes. They take seats like clients."""

import asyncio
import subprocess
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from rails_cli.programs import event_loop
from rails_cli.programs.exits import EXIT_WAIT_S, end_words, start_words
from rails_cli.programs.limits import BotLimits, UserUnavailable
from rails_cli.programs.process import BACKLOG_LIMIT, EXIT_CHECK_MS, TOO_LONG
from rails_cli.programs.sandbox import NoSandbox
from rails_cli.programs.stderr import Stderr
from rails_cli.programs.tree import GRACE_S, ProcessTree
from rails_cli.protocol.messages import MAX_LINE, Join
from rails_cli.referee.seats import SeatLost
from rails_cli.server.net.bucket import Bucket
from rails_cli.server.settings import CallLater
from rails_cli.server.tables.seat import ServerSeat
from rails_cli.server.tables.table import GameTable
from rails_cli.server.turn import Turn

if TYPE_CHECKING:
    from rails_cli.server.server import Server

LINES_PER_S = 200.0
"""Number of lines per second that a bot may write."""
BURST = 1000.0
"""Number of lines that a bot may write at once before LINES_PER_S limits it."""


class ServerBot:
    """A bot process on the server's machine. Its output lines are processed like websocket messages."""

    address = ""
    number = 0
    is_busy = False
    lag_s = 0.0

    def __init__(
        self,
        table: GameTable,
        seat: ServerSeat,
        command: Sequence[str],
        limits: BotLimits,
        stderr: Path,
        hides: Sequence[Path],
        turn: Turn,
        now: Callable[[], float],
        call_later: CallLater,
        host: "Server",
    ) -> None:
        """Start the program `command`, which plays `seat` at `table`, in a task of the event loop.

        - `stderr` is the file for the program's standard error.
        - `hides` lists the folders that the sandbox hides.
        - `turn` has the queues for messages.
        - `now` is the clock of the rate limit.
        - `call_later` schedules a call. It is used to kill the program some time after `drop`.
        - `host` is the server that runs the bot.
        """
        self.table = table
        self.seat = seat
        self.join = Join()
        self.command = list(command)
        self.limits = limits
        self.hides = hides
        self.stderr = Stderr(stderr)
        self.turn = turn
        self.now = now
        self.call_later = call_later
        self.host = host
        self.is_dropped = False
        self.outbox: list[bytes] = []
        self.process: asyncio.subprocess.Process | None = None
        self.tree: ProcessTree | None = None
        self.task = asyncio.get_running_loop().create_task(self._run())

    def measure(self) -> None:
        """Do nothing: local bots have no network latency."""

    def yield_to_people(self, *, yields: bool) -> None:
        """Do nothing, because messages of local bots are processed at once and never queued. `yields` is not used."""

    def post(self, content: bytes) -> None:
        if not self.is_dropped:
            self.outbox.append(content)
            self.turn.send(self)

    def flush(self) -> None:
        """Write the messages in the outbox to the program, if it is running."""
        if self.process is not None and self.outbox and not self.turn.files.is_broken:
            lines, self.outbox = b"\n".join([*self.outbox, b""]), []
            self.stderr.printed = 0
            self._write(lines)

    def drop(self, code: str, message: str) -> None:
        """Close the input of the program. Kill the program and its child processes GRACE_S seconds later.

        `code` and `message` are not used.
        """
        self.is_dropped = True
        if self.process is not None:
            self._close_input()

    def _close_input(self) -> None:
        assert self.process is not None
        assert self.process.stdin is not None
        self.turn.files.flush()
        self.flush()
        self.process.stdin.close()
        self.call_later(GRACE_S, self._kill)

    async def _run(self) -> None:
        try:
            self.process, self.tree = await event_loop.start(
                self.command, limits=self.limits, hides=self.hides, keeps_stderr=True
            )
        except (OSError, ValueError, subprocess.SubprocessError, NoSandbox, UserUnavailable) as error:
            why = "disconnect", start_words(self.command, error)
        else:
            why = await self._talk(self.process, self.tree)
        if not self.is_dropped:
            self.host.run_at_table(self, self.table.lose_bot, *why)

    async def _talk(self, process: asyncio.subprocess.Process, tree: ProcessTree) -> tuple[str, str]:
        """Process the output until the program ends. Return a fault code and a message about the end."""
        noting = asyncio.ensure_future(self._note_stderr(process))
        watching = asyncio.ensure_future(self._watch_exit(process))
        try:
            if self.is_dropped:
                self._close_input()
            else:
                self.turn.files.flush()
                self.flush()
            why = await self._listen(process)
            if why is None:
                with suppress(TimeoutError):
                    await asyncio.wait_for(process.wait(), EXIT_WAIT_S)
            code = process.returncode  # read it before the process is killed
        finally:
            watching.cancel()
            await event_loop.end(process, tree)
            with suppress(TimeoutError):
                await asyncio.wait_for(noting, GRACE_S)
            self.stderr.close()
        return why or ("disconnect", end_words(tree, code))

    async def _listen(self, process: asyncio.subprocess.Process) -> tuple[str, str] | None:
        """Process the output lines of the program. Return None when its output ends.

        If the output is invalid or cannot be read, return a fault code and a message at once.
        """
        assert process.stdout is not None
        bucket = Bucket(BURST, self.now())
        try:
            while (line := await process.stdout.readline()).endswith(b"\n"):
                if not line.startswith(b"{"):
                    self.stderr.keep_print(line[:-1])
                    await asyncio.sleep(0)  # let other tasks run, however much it prints
                elif not bucket.take(1.0, LINES_PER_S, BURST, self.now()):
                    return "too_long", "wrote too many lines at once"
                elif not self.is_dropped:
                    self.host.run_at_table(self, self.table.receive_from_bot, line.rstrip(b"\r\n"))
        except SeatLost as lost:
            return lost.code, str(lost)
        except ValueError:
            return "too_long", TOO_LONG
        except OSError as error:
            return "disconnect", error.strerror or str(error)
        return None

    async def _watch_exit(self, process: asyncio.subprocess.Process) -> None:
        """Kill the process tree once the program has exited, because child processes may keep the output open."""
        while process.returncode is None:
            await asyncio.sleep(EXIT_CHECK_MS / 1000)
        self._kill()

    async def _note_stderr(self, process: asyncio.subprocess.Process) -> None:
        assert process.stderr is not None
        while chunk := await process.stderr.read(MAX_LINE):
            self.stderr.write(chunk)

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
        """Kill the program and its child processes in a thread, because finding the child processes is slow."""
        if self.process is not None and self.tree is not None and not self.task.done():
            kill = partial(self.tree.kill, is_running=self.process.returncode is None)
            asyncio.get_running_loop().run_in_executor(None, kill)
