"""The process of a bot: started when needed, read with deadlines, and ended together with all its child processes."""

import os
import select
import signal
import subprocess
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import BinaryIO

from rails_cli.programs.exits import EXIT_WAIT_S, end_words, start_words
from rails_cli.programs.limits import NO_LIMITS, BotLimits, UserUnavailable
from rails_cli.programs.sandbox import NoSandbox
from rails_cli.programs.starting import new_mark, prepare_start
from rails_cli.programs.stderr import Stderr
from rails_cli.programs.tree import GRACE_S, ProcessTree
from rails_cli.protocol.messages import MAX_LINE, Join
from rails_cli.referee.seats import READ_SIZE, MatchTimeOver, SeatLost, SeatSlow

TOO_LONG = f"wrote a line of more than {MAX_LINE} bytes"
BACKLOG_LIMIT = 4 * MAX_LINE
"""Maximum number of bytes of messages that are buffered until a bot reads them."""
UNREAD_LIMIT = 2 * MAX_LINE
"""Maximum number of bytes of a bot's output that are buffered until they are processed."""
DRAIN_READS = 64
"""Maximum number of consecutive reads of a bot's stderr. Enough to empty a full pipe."""
CPU_POLL_MS = 50
"""Milliseconds between checks of the CPU time of a bot whose clock counts CPU time."""
EXIT_CHECK_MS = 250
"""Milliseconds between checks whether a bot has exited.

The bot may have exited although its output is still open, because its child processes may keep the output open.
"""
EXIT_POLL_MS = 5
"""Milliseconds between checks whether a bot has exited, after it was asked to exit."""
WALL_PER_CPU = 10
"""Wall-clock limit for an answer, as a multiple of its CPU time limit, if the bot's clock counts CPU time.

Without this limit, a bot that waits without using CPU time would never reach its deadline.
"""


class BotProcess:
    """A bot that runs as a process and plays many matches. It is started when needed, and again after it has ended."""

    is_process = True
    tree: ProcessTree
    """All processes of the bot. Set when the bot is started for the first time."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        stderr: Path | BinaryIO | None = None,
        limits: BotLimits = NO_LIMITS,
        environment: Mapping[str, str] = MappingProxyType({}),
        folder: str | None = None,
        hides: Sequence[Path] = (),
        cpu_clock: bool = False,
        freeze: bool = False,
        on_print: Callable[[bytes], None] = lambda line: None,
        now: Callable[[], float] = time.perf_counter,
    ) -> None:
        """Prepare a bot without starting it. Its stderr is stored in `stderr`, unless this is None.

        The bot gets the additional environment variables `environment` and starts in `folder`. `hides` lists paths that
        a bot in a sandbox must not see. If `cpu_clock`, the time of the bot is CPU time. If `freeze`, the bot is
        stopped while others are to move. `on_print` is called with each line of output that is not a message. `now`
        reads the wall clock in seconds, for deadlines.
        """
        self.command = list(command)
        self.notes = Stderr(stderr)
        self.limits = limits
        self.environment = environment
        self.folder = folder
        self.hides = hides
        self.cpu_clock = cpu_clock
        self.freeze = freeze
        self.wall = now
        self.now: Callable[[], float] = (lambda: self.tree.cpu_s()) if cpu_clock else now
        self.mark = new_mark()
        self.join = Join()
        self.process: subprocess.Popen[bytes] | None = None
        self.cannot_start = ""
        """Why the last start of the bot failed. Empty if it did not fail."""
        self.on_print = on_print
        self.match_until: float | None = None

    def start(self) -> bool:
        """Start the process unless it was started already. Return whether it was started now.

        Raise SeatLost if the bot cannot be started.
        """
        if self.process is not None:  # it may have ended, but checking is slow, and the next write shows it
            return False
        self.notes.begin_process()
        try:
            command, how, self.tree = prepare_start(
                self.command,
                self.mark,
                self.limits,
                self.environment,
                folder=self.folder,
                hides=self.hides,
                counts_cpu=self.cpu_clock,
                now=self.wall,
            )
            with self.tree.starting():
                self.process = subprocess.Popen(command, bufsize=0, cwd=self.folder, **how)
                self._begin_process(self.process)
        except (OSError, ValueError, subprocess.SubprocessError, NoSandbox, UserUnavailable) as error:
            self.cannot_start = start_words(self.command, error)
            raise SeatLost("disconnect", self.cannot_start) from None
        self.cannot_start = ""
        return True

    def _begin_process(self, process: subprocess.Popen[bytes]) -> None:
        self.tree.begin(process.pid)
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        self.stdin = process.stdin.fileno()
        self.stdout = process.stdout.fileno()
        self.stderr = process.stderr.fileno()
        for pipe in (self.stdin, self.stdout, self.stderr):
            os.set_blocking(pipe, False)
        self.reading = select.poll()
        self.reading.register(self.stdout, select.POLLIN)
        self.reading.register(self.stderr, select.POLLIN)
        self.is_stderr_open = True
        self.join = Join()
        self.lines: deque[bytes] = deque()
        """Complete lines of the bot's output that were not returned yet."""
        self.received = b""
        """The beginning of an incomplete line of the bot's output."""
        self.unread = 0
        """Number of bytes in `lines` and `received`, including newlines."""
        self.unsent = b""
        self.is_input_closed = False
        """Whether the bot no longer reads its input. Its earlier output is still used."""
        self.is_frozen = False
        self.wall_limit = self.wall() + WALL_PER_CPU

    def begin_match(self, until: float | None) -> None:
        """Reset the limits per match on the bot's output. `until` is the wall-clock deadline of the match."""
        self.end_if_over()
        self.read_stderr()
        self.notes.begin_match()
        self.match_until = until

    def end_if_over(self) -> None:
        """Clean up if the bot has exited, so that it can be started again."""
        if self.process is not None and self.process.poll() is not None:
            self.end()

    def last_lines(self) -> list[str]:
        self.read_stderr()
        return self.notes.last_lines()

    def read_stderr(self) -> None:
        if self.process is not None:
            self._drain_stderr()

    def post(self, line: bytes) -> None:
        if self.process is None:
            raise SeatLost("disconnect", "is not running")
        self.unsent += line
        self._write()
        if len(self.unsent) > BACKLOG_LIMIT:
            raise SeatLost("disconnect", f"does not read its input: {len(self.unsent)} bytes are waiting")

    def send(self, line: bytes, deadline: float | None) -> None:
        if self.process is None:
            raise SeatLost("disconnect", "is not running")
        self.notes.printed = 0
        self._freeze(is_frozen=False)
        self.unsent += line
        self._write()
        if self.is_input_closed:
            lost = self._lost()
            if self.process.returncode is not None:
                lost.was_gone = True
                raise lost
        while self.unsent:  # the pipe is full
            self._wait(deadline, writing=True)
            self._write()

    def receive(self, deadline: float | None) -> bytes:
        if self.cpu_clock and deadline is not None:
            self.wall_limit = self.wall() + WALL_PER_CPU * max(1.0, deadline - self.now())
        while (line := self._next_answer()) is None:
            self._wait(deadline, writing=False)
        if self.freeze:
            self._freeze(is_frozen=True)
        return line

    def _next_answer(self) -> bytes | None:
        """Return the next received message or None. Store lines before it as debug output."""
        while self.lines:
            line = self.lines.popleft()
            self.unread -= len(line) + 1
            if len(line) > MAX_LINE:
                raise SeatLost("too_long", TOO_LONG)
            if line.startswith(b"{"):
                return line
            self.on_print(line)
            self.notes.keep_print(line)
        if len(self.received) > MAX_LINE:
            raise SeatLost("too_long", TOO_LONG)
        return None

    def end(self, *, is_final: bool = False) -> None:
        """Kill all processes of the bot, and wait until they are gone. `is_final` is not used here."""
        process = self.process
        if process is None:
            return
        self.process = None
        self.tree.close(is_running=process.returncode is None)
        process.wait()
        self._drain_stderr()
        self.notes.close()
        for pipe in (process.stdin, process.stdout, process.stderr):
            assert pipe is not None
            pipe.close()

    def _freeze(self, *, is_frozen: bool) -> None:
        """If `is_frozen`, stop all processes of the bot with SIGSTOP. Otherwise continue them with SIGCONT."""
        if self.process is not None and is_frozen != self.is_frozen:
            self.is_frozen = is_frozen
            self.tree.send_signal(signal.SIGSTOP if is_frozen else signal.SIGCONT)

    def close_input(self) -> None:
        """Close the bot's input. A bot should exit when its input ends."""
        self._freeze(is_frozen=False)
        if self.process is not None and self.process.stdin is not None:
            self.process.stdin.close()

    def close(self) -> None:
        close_all([self], self.wall)

    def _wait(self, deadline: float | None, *, writing: bool) -> None:
        """Wait until the bot has written something, or until its input is writable if `writing`. Read its output.

        Raise SeatSlow at the deadline, MatchTimeOver at the end of the match, and SeatLost if the bot has ended.
        """
        assert self.process is not None
        timeout: float = EXIT_CHECK_MS
        if self.match_until is not None and self.wall() >= self.match_until:
            raise MatchTimeOver
        if deadline is not None:
            left = deadline - self.now()
            if left <= 0 or (self.cpu_clock and self.wall() > self.wall_limit):
                if self.process.poll() is not None:
                    raise self._lost()
                raise SeatSlow
            timeout = min(left * 1000 + 1, CPU_POLL_MS if self.cpu_clock else EXIT_CHECK_MS)
        if writing:
            self.reading.register(self.stdin, select.POLLOUT)
        try:
            ready = self.reading.poll(0 if self.is_input_closed else timeout)
        finally:
            if writing:
                self.reading.unregister(self.stdin)
        if not ready and (self.is_input_closed or self.process.poll() is not None):
            raise self._lost()
        for pipe, _ in ready:
            if pipe == self.stdout:
                self._read()
            elif pipe == self.stderr:
                self._read_stderr()

    def _read(self) -> None:
        """Read available output and split it into lines. Raise SeatLost if the output has ended or is too long."""
        try:
            chunk = os.read(self.stdout, READ_SIZE)
        except BlockingIOError:
            return
        if not chunk:
            raise self._lost()
        self.unread += len(chunk)
        *lines, self.received = (self.received + chunk).split(b"\n")
        self.lines.extend(lines)
        if self.unread > UNREAD_LIMIT:
            raise SeatLost("too_long", f"wrote more than {UNREAD_LIMIT} bytes at once")

    def _write(self) -> None:
        try:
            written = os.write(self.stdin, self.unsent)
        except BlockingIOError:
            return
        except OSError:  # the bot has closed its input; its earlier output is still read
            self.is_input_closed, written = True, len(self.unsent)
        self.unsent = self.unsent[written:]

    def _read_stderr(self) -> bool:
        try:
            chunk = os.read(self.stderr, READ_SIZE)
        except BlockingIOError:
            return False
        if not chunk:
            if self.is_stderr_open:
                self.reading.unregister(self.stderr)
                self.is_stderr_open = False
            return False
        self.notes.write(chunk)
        return True

    def _drain_stderr(self) -> None:
        for _ in range(DRAIN_READS):
            if not self._read_stderr():
                return

    def _lost(self) -> SeatLost:
        """Return an exception that says how the bot ended. Wait a short time for its exit status."""
        assert self.process is not None
        until = self.wall() + EXIT_WAIT_S
        while self.process.poll() is None and self.wall() < until:
            time.sleep(EXIT_POLL_MS / 1000)
        self._drain_stderr()
        code = self.process.returncode
        self.cannot_start = self.tree.launcher_message()
        return SeatLost("disconnect", end_words(self.tree, code), is_clean=code == 0)

    def discard_output(self) -> bool:
        """Read and discard output for up to EXIT_POLL_MS milliseconds. Return whether the bot still runs."""
        if self.process is None or self.process.poll() is not None:
            return False
        self.reading.poll(EXIT_POLL_MS)
        with suppress(BlockingIOError):
            if not os.read(self.stdout, READ_SIZE):
                time.sleep(EXIT_POLL_MS / 1000)
        self._read_stderr()
        return True


def close_all(bots: Sequence[BotProcess], now: Callable[[], float] = time.perf_counter) -> None:
    """End several bots at the same time: close their inputs, then send SIGTERM, then kill them.

    After each of the first two steps, the bots have GRACE_S seconds on the clock `now` to exit.
    """
    until = now() + GRACE_S  # computed before the inputs are closed, because bots may react at once
    for bot in bots:
        bot.close_input()
    _await_exits(bots, until, now)
    until = now() + GRACE_S
    for bot in bots:
        if bot.process is not None and bot.process.poll() is None:
            bot.process.terminate()
    _await_exits(bots, until, now)
    for bot in bots:
        bot.end()


def _await_exits(bots: Sequence[BotProcess], until: float, now: Callable[[], float]) -> None:
    running = list(bots)
    while running and now() < until:
        running = [bot for bot in running if bot.discard_output()]
