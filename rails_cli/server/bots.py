"""Bots configured by the owner of the server: local programs connected by pipes that hold a seat like a client."""

import asyncio
import subprocess
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Protocol

from rails_cli.match.seats import SeatLost
from rails_cli.programs import event_loop
from rails_cli.programs.exits import end_words, exit_wait_s, not_started_words, start_words
from rails_cli.programs.limits import BotLimits, UserUnavailable
from rails_cli.programs.process import BACKLOG_LIMIT, EXIT_CHECK_MS, TOO_LONG
from rails_cli.programs.sandbox import NoSandbox
from rails_cli.programs.stderr import Stderr
from rails_cli.programs.tree import GRACE_S, ProcessTree
from rails_cli.protocol.messages import MAX_LINE, Join
from rails_cli.server.net.bucket import Bucket
from rails_cli.server.seat import ServerSeat
from rails_cli.server.table import GameTable
from rails_cli.server.turn import Turn

LINES_PER_S = 200.0
BURST = 1000.0


class BotHost(Protocol):
    """The server, as seen by its bots."""

    def receive_from_bot(self, bot: "ServerBot", content: bytes) -> None:
        """Process an output line of a bot."""

    def lose_bot(self, bot: "ServerBot", code: str, words: str) -> None:
        """Handle the end of a bot process that was not stopped by the server."""


class ServerBot:
    """A bot process on the server's machine. Its output lines are processed like websocket messages."""

    address = game = ""
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
        host: BotHost,
    ) -> None:
        """`stderr` is the file for its standard error. `hides` lists the folders that the sandbox hides. `now` is the
        clock of its rate limit."""
        self.table = table
        self.seat = seat
        self.join = Join()
        self.command = list(command)
        self.limits = limits
        self.hides = hides
        self.stderr = Stderr(stderr)
        self.turn = turn
        self.now = now
        self.host = host
        self.is_dropped = False
        self.unsent: list[bytes] = []
        self.process: asyncio.subprocess.Process | None = None
        self.tree: ProcessTree | None = None
        self.task = asyncio.get_running_loop().create_task(self._run())

    def measure(self) -> None:
        """No-op: local bots have no network latency."""

    def yield_to_people(self, *, yields: bool) -> None:
        """No-op: local bots are never in a queue."""

    def post(self, content: bytes) -> None:
        if not self.is_dropped:
            self.unsent.append(content + b"\n")
            self.turn.send(self)

    def flush(self) -> None:
        """Write the posted messages to the program if it is running."""
        if self.process is not None and self.unsent and not self.turn.is_broken:
            lines, self.unsent = b"".join(self.unsent), []
            self.stderr.printed = 0
            self._write(lines)

    def drop(self, code: str, message: str) -> None:
        """Close the input of the program. Shortly after, kill it and all processes it started."""
        self.is_dropped = True
        if self.process is not None:
            self._close_input()

    def _close_input(self) -> None:
        assert self.process is not None
        assert self.process.stdin is not None
        self.turn.flush_files()
        self.flush()
        self.process.stdin.close()
        asyncio.get_running_loop().call_later(GRACE_S, self._kill)

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
            self.host.lose_bot(self, *why)

    async def _talk(self, process: asyncio.subprocess.Process, tree: ProcessTree) -> tuple[str, str]:
        """Read the program's output until it ends. Return why it was lost, as a fault code and a message."""
        noting = asyncio.ensure_future(self._note_stderr(process))
        watching = asyncio.ensure_future(self._watch_exit(process))
        try:
            if self.is_dropped:
                self._close_input()
            else:
                self.turn.flush_files()
                self.flush()
            why = await self._listen(process)
            if why is None:
                with suppress(TimeoutError):
                    await asyncio.wait_for(process.wait(), exit_wait_s(tree))
            code = process.returncode  # read it before the process is killed
        finally:
            watching.cancel()
            await event_loop.end(process, tree)
            with suppress(TimeoutError):
                await asyncio.wait_for(noting, GRACE_S)
            self.stderr.close()
        words = not_started_words(tree, code, self.stderr.last) or end_words(tree, code)
        return why or ("disconnect", words)

    async def _listen(self, process: asyncio.subprocess.Process) -> tuple[str, str] | None:
        """Read lines until the end of the output. Return a reason if it is known without the exit status."""
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
                    self.host.receive_from_bot(self, line.rstrip(b"\r\n"))
        except SeatLost as lost:
            return lost.code, str(lost)
        except ValueError:
            return "too_long", TOO_LONG
        except OSError as error:
            return "disconnect", error.strerror or str(error)
        return None

    async def _watch_exit(self, process: asyncio.subprocess.Process) -> None:
        """Kill the process tree once the program has exited, because its children may keep its output open."""
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
        """Kill the process tree. Runs in a thread because it searches all processes for descendants."""
        if self.process is not None and self.tree is not None and not self.task.done():
            kill = partial(self.tree.kill, is_running=self.process.returncode is None)
            asyncio.get_running_loop().run_in_executor(None, kill)
