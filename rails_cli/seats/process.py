"""A bot in a subprocess: pipes with `poll()` deadlines, and a process group of its own that is ended as a whole."""

import ctypes
import os
import resource
import select
import signal
import subprocess
import sys
import time
import uuid
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import BinaryIO

import msgspec
import psutil

from protocol.messages import MAX_LINE, Join
from rails_cli.seats.line_seat import SeatLost, SeatSlow

READ_SIZE = 65_536
CHATTER_LIMIT = 4 * MAX_LINE
CHATTER_LINE = 64
"""What a line counts besides its length, so that many short ones are too many, too."""
STDERR_LIMIT = 1_048_576
BACKLOG_LIMIT = 4 * MAX_LINE
UNREAD_LIMIT = 2 * MAX_LINE
GRACE_S = 1.0
LAST_BREATH_S = 0.2
LOOKS = 3
POLITE_MS = 5
CPU_LOOK_MS = 50
LONGEST_LOOK_MS = 3_600_000
WALL_PER_CPU = 10
"""With a CPU clock: a bot that waits instead of thinking is given this many times its limit in wall time."""
MARK = "RAILS_CLI_BOT"
PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None
"""For bots that must not outlive a server that was killed."""


class Limits(msgspec.Struct, frozen=True):
    """What one process of a bot may use; None is without limit."""

    memory_bytes: int | None = None
    cpu_s: int | None = None
    open_files: int | None = None
    file_bytes: int | None = None

    def rlimits(self) -> list[tuple[int, int]]:
        wanted = (
            (resource.RLIMIT_AS, self.memory_bytes),
            (resource.RLIMIT_CPU, self.cpu_s),
            (resource.RLIMIT_NOFILE, self.open_files),
            (resource.RLIMIT_FSIZE, self.file_bytes),
        )
        return [(kind, value) for kind, value in wanted if value is not None]


class ProcessSeat:
    """A bot that is started when it is needed, serves many games in a row, and is started again when it is lost."""

    is_process = True

    def __init__(
        self,
        command: Sequence[str],
        *,
        notes: BinaryIO | None = None,
        limits: Limits | None = None,
        environment: Mapping[str, str] | None = None,
        folder: str | None = None,
        cpu_clock: bool = False,
        warn: Callable[[str], None] = lambda words: None,
    ) -> None:
        self.command = list(command)
        self.notes = notes
        self.limits = limits or Limits()
        self.environment = dict(environment or {})
        self.folder = folder
        self.cpu_clock = cpu_clock
        self.mark = uuid.uuid4().hex
        self.join = Join()
        self.process: subprocess.Popen[bytes] | None = None
        self.warn = warn
        self.has_warned = False
        self.noted = 0

    def start(self) -> bool:
        if self.process is not None:
            if self.process.poll() is None:
                return False
            self.end()
        rlimits = self.limits.rlimits()

        def prepare() -> None:
            if _LIBC is not None:
                _LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
            for kind, value in rlimits:
                resource.setrlimit(kind, (value, value))

        try:
            self.process = subprocess.Popen(
                self.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,
                preexec_fn=prepare,
                env={**os.environ, **self.environment, MARK: self.mark},
                cwd=self.folder,
            )
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            raise SeatLost("disconnect", start_words(self.command, error)) from None
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        self.stdin = self.process.stdin.fileno()
        self.stdout = self.process.stdout.fileno()
        self.stderr = self.process.stderr.fileno()
        for pipe in (self.stdin, self.stdout, self.stderr):
            os.set_blocking(pipe, False)
        self.reading = select.poll()
        self.reading.register(self.stdout, select.POLLIN)
        self.reading.register(self.stderr, select.POLLIN)
        self.join = Join()
        self.lines: deque[bytes] = deque()
        self.received = b""
        self.unread = 0
        self.unsent = b""
        self.chatter = 0
        self.cpu_seen = 0.0
        self.patience = time.perf_counter() + WALL_PER_CPU
        self.is_stderr_open = True
        return True

    def begin_match(self) -> None:
        """What the bot says besides its answers is kept up to a limit for each match."""
        self.noted = 0

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
        self.chatter = 0
        if self.unsent:
            self.unsent += line
        else:
            self.unsent = line
        self._write()
        while self.unsent:
            self._wait(deadline, writing=True)
            self._write()

    def receive(self, deadline: float | None) -> bytes:
        if self.cpu_clock and deadline is not None:
            self.patience = time.perf_counter() + WALL_PER_CPU * max(1.0, deadline - self.now())
        while True:
            while self.lines:
                line = self.lines.popleft()
                self.unread -= len(line) + 1
                if line.startswith(b"{"):
                    return line
                self._hear_chatter(line)
            if len(self.received) > MAX_LINE:
                raise SeatLost("too_long", f"wrote a line of more than {MAX_LINE} bytes")
            self._wait(deadline, writing=False)

    def now(self) -> float:
        return self._cpu_s() if self.cpu_clock else time.perf_counter()

    def end(self, *, is_final: bool = False) -> None:
        """Kills the bot and everything it started, and waits until it is gone."""
        process = self.process
        if process is None:
            return
        self.process = None
        children = []
        if process.returncode is None:
            with suppress(psutil.Error):
                children = psutil.Process(process.pid).children(recursive=True)
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
        for child in children:
            with suppress(psutil.Error):
                child.kill()
        end_marked(self.mark)
        process.wait()
        while self.noted < STDERR_LIMIT and self._read_stderr():
            pass
        for pipe in (process.stdin, process.stdout, process.stderr):
            assert pipe is not None
            pipe.close()

    def hang_up(self) -> None:
        """Ends the bot's input, which asks it to end by itself."""
        if self.process is not None and self.process.stdin is not None:
            self.process.stdin.close()

    def close(self) -> None:
        """End of input, then a request to stop, then the end: a second each."""
        if self.process is None:
            return
        self.hang_up()
        self._hear_out(self.process)
        if self.process.poll() is None:
            self.process.terminate()
            self._hear_out(self.process)
        self.end()

    def _wait(self, deadline: float | None, *, writing: bool) -> None:
        """Waits until something can be read (or written), and reads what is there."""
        timeout = None
        if deadline is not None:
            left = deadline - self.now()
            if left <= 0 or (self.cpu_clock and time.perf_counter() > self.patience):
                assert self.process is not None
                if self.process.poll() is not None:
                    raise self._lost()
                raise SeatSlow
            timeout = min(left * 1000 + 1, CPU_LOOK_MS if self.cpu_clock else LONGEST_LOOK_MS)
        if writing:
            self.reading.register(self.stdin, select.POLLOUT)
        try:
            ready = self.reading.poll(timeout)
        finally:
            if writing:
                self.reading.unregister(self.stdin)
        for pipe, _ in ready:
            if pipe == self.stdout:
                self._read()
            elif pipe == self.stderr:
                self._read_stderr()

    def _read(self) -> None:
        try:
            chunk = os.read(self.stdout, READ_SIZE)
        except BlockingIOError:
            return
        if not chunk:
            raise self._lost()
        self.unread += len(chunk)
        first, *others = chunk.split(b"\n")
        self.received += first
        if others:
            self.lines.append(self.received)
            self.received = others.pop()
            self.lines.extend(others)
        if self.unread > UNREAD_LIMIT:
            raise SeatLost("too_long", f"wrote more than {UNREAD_LIMIT} bytes at once")

    def _write(self) -> None:
        try:
            written = os.write(self.stdin, self.unsent)
        except BlockingIOError:
            return
        except OSError:
            raise self._lost() from None
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
        self._note(chunk)
        return True

    def _note(self, chunk: bytes) -> None:
        """Keeps what a bot says besides its answers, up to a limit for each game."""
        if self.notes is not None and self.noted < STDERR_LIMIT:
            self.notes.write(chunk[: STDERR_LIMIT - self.noted])
            self.notes.flush()
        self.noted += len(chunk)

    def _hear_chatter(self, line: bytes) -> None:
        """A line that does not start with `{` is a debug print: kept, warned about once, and never too many of them."""
        if not self.has_warned:
            self.has_warned = True
            self.warn(f"prints lines on its stdout that are no answers, such as {line[:60].decode(errors='replace')!r}")
        self._note(b"stdout: " + line + b"\n")
        self.chatter += len(line) + CHATTER_LINE
        if self.chatter > CHATTER_LIMIT:
            raise SeatLost("too_long", "wrote too much that is no answer")

    def _lost(self) -> SeatLost:
        """How the bot ended."""
        assert self.process is not None
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(LAST_BREATH_S)
        code = self.process.returncode
        return SeatLost("disconnect", exit_words(code), is_clean=code == 0)

    def _cpu_s(self) -> float:
        """CPU seconds used so far by the bot and the processes it started that still run or were waited for."""
        assert self.process is not None
        pids = {self.process.pid, *marked_processes(self.mark)}
        with suppress(psutil.Error):
            pids.update(child.pid for child in psutil.Process(self.process.pid).children(recursive=True))
        used = 0.0
        for pid in sorted(pids):
            with suppress(psutil.Error):
                times = psutil.Process(pid).cpu_times()
                used += times.user + times.system + times.children_user + times.children_system
        self.cpu_seen = max(self.cpu_seen, used)  # a process that ends takes its reading with it
        return self.cpu_seen

    def _hear_out(self, process: subprocess.Popen[bytes]) -> None:
        """Waits a while for the bot to end, and lets it say what it has to say."""
        until = time.perf_counter() + GRACE_S
        while process.poll() is None and time.perf_counter() < until:
            self.reading.poll(POLITE_MS)
            with suppress(BlockingIOError):
                if not os.read(self.stdout, READ_SIZE):
                    time.sleep(POLITE_MS / 1000)
            self._read_stderr()


def start_words(command: Sequence[str], error: Exception) -> str:
    """Why a bot could not be started."""
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return f"cannot start {command[0]!r}: {reason}"


def exit_words(code: int | None) -> str:
    """How a bot ended; without a code it still runs, but says no more."""
    if code is None:
        return "closed its end of the line"
    return f"was ended by {_signal_name(-code)}" if code < 0 else f"exited with code {code}"


def marked_processes(mark: str) -> list[int]:
    """The processes that carry a bot's mark in their environment: the bot and all it started, wherever they moved."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.environ().get(MARK) == mark:
                found.append(process.pid)
        except psutil.Error:
            continue
    return found


def end_marked(mark: str) -> None:
    """Ends a bot and all it started; looks again for what was started meanwhile."""
    for _ in range(LOOKS):
        found = marked_processes(mark)
        for pid in found:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        if not found:
            return


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
