"""The process of a bot: started with its limits, read with deadlines, and ended with all that it started."""

import ctypes
import os
import pwd
import resource
import select
import shlex
import shutil
import signal
import subprocess
import sys
import time
import uuid
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from io import BytesIO
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO

import msgspec

from protocol.log import FaultLine
from protocol.messages import MAX_LINE, Join
from rails_cli.games.phrases import printable
from rails_cli.process_tree import BOT_MARK, GRACE_S, ProcessTree
from rails_cli.sandbox import (
    LEVELS,
    Limits,
    NoSandbox,
    Sandbox,
    Wish,
    chosen,
    command_in,
    variables_in,
)
from rails_cli.seats import READ_SIZE, MatchTimeOver, SeatLost, SeatSlow
from rails_cli.settings import flag_of, setting
from rails_cli.tokens import SECRET_VARIABLES

if TYPE_CHECKING:
    from asyncio.subprocess import Process

INTERPRETERS = {
    ".py": "python3",
    ".js": "node",
    ".mjs": "node",
    ".pl": "perl",
    ".sh": "bash",
    ".rb": "ruby",
    ".php": "php",
}
"""Interpreters of the source files of bots, by suffix."""
TOO_LONG = f"wrote a line of more than {MAX_LINE} bytes"
PRINT_LIMIT = 4 * MAX_LINE
PRINT_LINE = 64
"""Bytes that each printed line counts in addition to its length, so that many short lines are limited too."""
STDERR_LIMIT = 1_048_576
"""Bytes of a bot's stderr that are kept per match."""
DRAIN_READS = 64
"""Most reads of a bot's stderr at a time: more than a pipe holds, but bounded if the bot keeps writing."""
MARKS = (b"=", b"stdout:")
"""Prefixes of our own lines in a bot's stderr file."""
LAST_WORDS = 8192
LAST_LINES = 15
"""Lines from the end of a bot's stderr that are reported with a fault."""
LONGEST_LINE = 500
"""Most characters of a stderr line that is reported with a fault."""
BACKLOG_LIMIT = 4 * MAX_LINE
UNREAD_LIMIT = 2 * MAX_LINE
LAST_BREATH_S, LAUNCHERS_BREATH_S = 1.0, 2.0
"""Seconds to wait for the exit status of a process after the end of its output, which takes a while on a busy machine.

The second value is for launchers, which learn of it later.
"""
NOT_STARTED = (126, 127)
"""Exit codes of a launcher that could not set up a sandbox, or could not start a program in it."""
LAUNCHER_SAYS = "rails-cli: "
SPARE_CPU_S = 2
"""Seconds added to the system's CPU limit, so that our own limit, which reports the reason, takes effect first."""
POLITE_MS = 5
CPU_LOOK_MS = 50
QUICK_LOOK_MS = 10
"""Milliseconds to wait for an answer without polling the bot's stderr, which costs as much again."""
QUICK_LOOKS = 32
"""Number of answers after which stderr is polled anyway."""
EXIT_LOOK_MS = 250
"""Milliseconds between checks whether a bot has ended while others hold its output open."""
WALL_PER_CPU = 10
"""With a CPU clock, limit of wall time as a multiple of the CPU limit, for bots that wait instead of thinking."""
RUN_MARK, WORKER_MARK = "RAILS_CLI_RUN", "RAILS_CLI_WORKER"
"""Like `BOT_MARK`, for all bots of a tournament and of a worker.

Every bot has all three, so that they do not reveal where it plays.
"""
PROGRAM = "RAILS_CLI"
"""Variable with the shell command of this program, for bots that start `rails-cli engine`. The same in all games."""
TELLTALES = ("PWD", "OLDPWD", "_", *SECRET_VARIABLES)
"""Variables not passed to bots: they reveal where we were started, or are secret."""
PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None
"""The C library, for `PR_SET_PDEATHSIG`, so that bots do not outlive a killed server. None except on Linux."""
_HAS_PROC = Path("/proc/self/environ").exists()


class BotLimits(msgspec.Struct, frozen=True):
    """Resource limits of a bot. None means no limit."""

    memory_bytes: Annotated[int | None, setting("Memory a bot may use, such as 512M.")] = None
    cpu_s: Annotated[
        int | None, setting("CPU seconds a bot may use, including its child processes.", "--cpu-seconds", least=1)
    ] = None
    open_files: Annotated[int | None, setting("Files a bot process may hold open.", least=8)] = None
    file_bytes: Annotated[int | None, setting("Size of the files a bot process may write.", "--file-size")] = None
    processes: Annotated[int | None, setting("Processes a bot may have at once.", least=1)] = None
    sandbox: Annotated[
        Wish, setting("Sandbox for bots; `auto` picks the best one that works here. See `rails-cli sandbox`.")
    ] = "none"
    network: Annotated[bool, setting("Let bots in a sandbox use the network.", "--sandbox-network")] = False
    reads: Annotated[
        list[str], setting("A file or folder that bots in a sandbox may read, too.", "--sandbox-read", "PATH")
    ] = []
    image: Annotated[
        str,
        setting("The image of the containers that --sandbox podman starts bots in.", "--sandbox-image", is_eager=True),
    ] = ""
    """Parsed first: with an image, the programs of bots need not exist on this machine."""
    user: Annotated[str, setting("Run bots as this user; only root can.", "--bot-user", "NAME")] = ""


NO_LIMITS = BotLimits()


class Stderr:
    """Keeps a bot's stderr: up to a limit per match in a file, and its last lines."""

    def __init__(self, file: Path | BinaryIO | None) -> None:
        """Prepare the output. A path is created now, and open only while there is something to write."""
        self.file = file
        if isinstance(file, Path):
            with suppress(OSError):  # a full disk does not end the game
                file.touch()
        self.size = 0
        """Bytes written in this match."""
        self.heading = b""
        """Heading to write before the next output, if there is any."""
        self.last = b""
        """The end of what the process wrote."""
        self.printed = 0
        """Size of printed lines on stdout since the last request."""
        self._open: BinaryIO | None = None
        self._at_line_start = not isinstance(file, Path) or ends_with_newline(file)
        self._is_new_process = False

    def begin_process(self) -> None:
        """Keep the text of a new process apart: it starts on a new line, and its last lines are its own."""
        self.last, self._is_new_process = b"", True

    def write(self, chunk: bytes) -> None:
        self.last = (self.last + chunk)[-LAST_WORDS:]
        self._keep(chunk, is_line=False)

    def _keep(self, chunk: bytes, *, is_line: bool) -> None:
        """Write to the file. With `is_line`, start a new line. Bot lines that resemble our marks are indented."""
        if self.file is not None and self.size < STDERR_LIMIT:
            heading, self.heading = self.heading, b""
            if (heading or is_line or self._is_new_process) and not self._at_line_start:
                heading, self._at_line_start = b"\n" + heading, True
            self._is_new_process = False
            if not is_line:
                chunk = (b" " if self._at_line_start and chunk.startswith(MARKS) else b"") + chunk
                for mark in MARKS:
                    chunk = chunk.replace(b"\n" + mark, b"\n " + mark)
            kept = chunk[: STDERR_LIMIT - self.size]
            self._at_line_start = kept.endswith(b"\n")
            with suppress(OSError):
                self._opened(self.file).write(heading + kept)
        self.size += len(chunk)

    def forget(self) -> None:
        """Discard what was written before and reset the count. A file on disk keeps its content."""
        self.size, self.last = 0, b""
        if isinstance(self.file, BytesIO):
            self.file.seek(0)
            self.file.truncate()
            self._at_line_start = True

    def take(self) -> bytes:
        """Return and clear what is kept in memory. It ends with a newline, because other text may be appended to it."""
        assert isinstance(self.file, BytesIO)
        words = self.file.getvalue()
        self.file.seek(0)
        self.file.truncate()
        self._at_line_start = True
        return words if not words or words.endswith(b"\n") else words + b"\n"

    def mark(self, words: str) -> None:
        """Write a line of our own, if the bot has written something in this match. It does not count for the limit."""
        if self.file is not None and self.size:
            was_open = self._open is not None
            line_end = "" if self._at_line_start else "\n"
            self._at_line_start = True
            with suppress(OSError):
                self._opened(self.file).write(f"{line_end}=== {printable(words)}\n".encode())
            if not was_open:
                self.close()

    def last_lines(self) -> list[str]:
        """Return the end of what the process wrote, as printable lines."""
        lines = self.last.decode(errors="replace").rstrip().splitlines()[-LAST_LINES:]
        return [printable(line.expandtabs(4))[:LONGEST_LINE] for line in lines]

    def keep_print(self, line: bytes) -> None:
        """Keep a line of stdout that is not an answer (a debug print). Raises SeatLost if there are too many."""
        self._keep(b"stdout: " + line + b"\n", is_line=True)
        self.printed += len(line) + PRINT_LINE
        if self.printed > PRINT_LIMIT:
            raise SeatLost("too_long", "wrote too much that is not an answer")

    def close(self) -> None:
        if self._open is not None:
            self._open.close()
            self._open = None

    def _opened(self, file: Path | BinaryIO) -> BinaryIO:
        if not isinstance(file, Path):
            return file
        if self._open is None:
            self._open = file.open("ab", buffering=0)
        return self._open


class BotProcess:
    """A bot that is started when needed, plays many games, and is restarted when it is lost."""

    is_process = True
    tree: ProcessTree
    """All its processes, once it was started."""

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
        """`now` reads the wall clock in seconds: deadlines and the end of a match are readings of it."""
        self.command = list(command)
        self.notes = Stderr(stderr)
        self.limits = limits
        self.environment = environment
        self.folder = folder
        self.hides = hides
        """Paths that the bot must not see in a sandbox."""
        self.cpu_clock = cpu_clock
        self.freeze = freeze
        """Whether the bot is stopped while others are to move."""
        self.wall = now
        self.now = self._cpu_s if cpu_clock else now
        self.mark = new_mark()
        self.join = Join()
        self.process: subprocess.Popen[bytes] | None = None
        self.cannot_start = ""
        """Why it could not be started the last time. Empty if it could."""
        self.on_print = on_print
        self.match_until: float | None = None

    def start(self) -> bool:
        """Start the process unless there is one. Return whether it is new. Raises SeatLost.

        Whether an existing process still runs is not checked, because that is slow. The next write shows it.
        """
        if self.process is not None:
            return False
        self.notes.begin_process()
        try:
            command, how, self.tree = _start(
                self.command,
                self.mark,
                self.limits,
                self.environment,
                folder=self.folder,
                hides=self.hides,
                counts_cpu=self.cpu_clock,
            )
            with self.tree.starting():
                self.process = subprocess.Popen(command, bufsize=0, cwd=self.folder, **how)
        except (OSError, ValueError, subprocess.SubprocessError, NoSandbox, NoUser) as error:
            self.cannot_start = start_words(self.command, error)
            raise SeatLost("disconnect", self.cannot_start) from None
        self.tree.begin(self.process.pid)
        self.cannot_start = ""
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
        self.answers = select.poll()
        self.answers.register(self.stdout, select.POLLIN)
        self.quick_looks = 0
        self.can_read = (self.stdout, select.POLLIN)
        self.join = Join()
        self.lines: deque[bytes] = deque()
        self.received = b""
        self.unread = 0
        self.unsent = b""
        self.is_deaf = self.is_frozen = False
        self.patience = self.wall() + WALL_PER_CPU
        self.is_stderr_open = True
        return True

    def begin_match(self, until: float | None) -> None:
        """Reset the per-match limits of a bot's output. `until` is the deadline of the match."""
        self.end_if_over()
        self.read_stderr()
        self.notes.size, self.notes.last = 0, b""
        self.match_until = until

    def end_if_over(self) -> None:
        """Clean up if the bot has exited on its own, so that it can be started again."""
        if self.process is not None and self.process.poll() is not None:
            self.end()

    def last_lines(self) -> list[str]:
        """Return the end of the bot's stderr so far."""
        self.read_stderr()
        return self.notes.last_lines()

    def read_stderr(self) -> None:
        """Read what the bot has written to stderr by now."""
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
        self.unsent = self.unsent + line if self.unsent else line
        self._write()
        if self.is_deaf:
            lost = self._lost()
            if self.process.returncode is not None:
                lost.was_gone = True
                raise lost
        while self.unsent:  # the pipe is full
            self._wait(deadline, writing=True)
            self._write()

    def receive(self, deadline: float | None) -> bytes:
        line = self._received(deadline)
        if self.freeze:
            self._freeze(is_frozen=True)
        return line

    def _received(self, deadline: float | None) -> bytes:
        if self.cpu_clock and deadline is not None:
            self.patience = self.wall() + WALL_PER_CPU * max(1.0, deadline - self.now())
        elif not self.lines and not self.received and not self.is_deaf and self.match_until is None:
            line = self._one_line(deadline)
            if line is not None:
                return line
        while True:
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
            self._wait(deadline, writing=False)

    def _one_line(self, deadline: float | None) -> bytes | None:
        """Read one whole line in the most common case, with fewer system calls.

        Return None in other cases, which `_received` handles.
        """
        timeout: float = EXIT_LOOK_MS
        if deadline is not None:
            left_ms = (deadline - self.wall()) * 1000 + 1
            if left_ms < EXIT_LOOK_MS:
                if left_ms <= 1:
                    return None
                timeout = left_ms
        self.quick_looks += 1
        ready = self.answers.poll(min(timeout, QUICK_LOOK_MS)) if self.quick_looks % QUICK_LOOKS else []
        if not ready:
            ready = self.reading.poll(timeout)
        if len(ready) != 1 or ready[0] != self.can_read:
            return None
        chunk = os.read(self.stdout, READ_SIZE)
        if chunk.find(b"\n") == len(chunk) - 1 and chunk.startswith(b"{"):
            return chunk[:-1]
        self._take(chunk)
        return None

    def end(self, *, is_final: bool = False) -> None:
        """Kill the bot and everything it started, and wait until it is gone."""
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
        """Stop or continue the bot and everything it started."""
        if self.process is not None and is_frozen != self.is_frozen:
            self.is_frozen = is_frozen
            self.tree.send_signal(signal.SIGSTOP if is_frozen else signal.SIGCONT)

    def hang_up(self) -> None:
        """Close the bot's input, which asks it to exit."""
        self._freeze(is_frozen=False)
        if self.process is not None and self.process.stdin is not None:
            self.process.stdin.close()

    def close(self) -> None:
        close_all([self])

    def _wait(self, deadline: float | None, *, writing: bool) -> None:
        """Wait until a pipe is readable (or writable), and read what is available.

        Raises SeatSlow at the deadline, MatchTimeOver at the end of the match, and SeatLost if the bot has ended.
        """
        assert self.process is not None
        timeout: float = EXIT_LOOK_MS
        if self.match_until is not None and self.wall() >= self.match_until:
            raise MatchTimeOver
        if deadline is not None:
            left = deadline - self.now()
            if left <= 0 or (self.cpu_clock and self.wall() > self.patience):
                if self.process.poll() is not None:
                    raise self._lost()
                raise SeatSlow
            timeout = min(left * 1000 + 1, CPU_LOOK_MS if self.cpu_clock else EXIT_LOOK_MS)
        if writing:
            self.reading.register(self.stdin, select.POLLOUT)
        try:
            ready = self.reading.poll(0 if self.is_deaf else timeout)
        finally:
            if writing:
                self.reading.unregister(self.stdin)
        if not ready and (self.is_deaf or self.process.poll() is not None):
            raise self._lost()
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
        self._take(chunk)

    def _take(self, chunk: bytes) -> None:
        """Split a chunk of stdout into lines. Raises SeatLost at the end of output, or if it is too long."""
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
        except OSError:  # its earlier output is read first
            self.is_deaf, written = True, len(self.unsent)
        self.unsent = self.unsent[written:] if written < len(self.unsent) else b""

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
        """Return the reason why the bot ended."""
        assert self.process is not None
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(last_breath_s(self.tree))
        self._drain_stderr()
        code = self.process.returncode
        self.cannot_start = not_started_words(self.tree, code, self.notes.last)
        return SeatLost("disconnect", self.cannot_start or end_words(self.tree, code), is_clean=code == 0)

    def _cpu_s(self) -> float:
        return self.tree.cpu_s()

    def hear_out(self) -> bool:
        """Read remaining output of the bot. Return whether it still runs."""
        if self.process is None or self.process.poll() is not None:
            return False
        self.reading.poll(POLITE_MS)
        with suppress(BlockingIOError):
            if not os.read(self.stdout, READ_SIZE):
                time.sleep(POLITE_MS / 1000)
        self._read_stderr()
        return True


def ends_with_newline(file: Path) -> bool:
    """Return whether the next text in a file starts a line. Also true of a file that cannot be read."""
    try:
        with file.open("rb") as content:
            if not content.seek(0, os.SEEK_END):
                return True
            content.seek(-1, os.SEEK_END)
            return content.read(1) == b"\n"
    except OSError:
        return True


def command_mistake(words: Sequence[str], folder: Path) -> str | None:
    """Return why a command cannot be run in a folder, or None if no reason is visible."""
    if not words:
        return "an empty command line"
    program = words[0]
    if os.sep in program:
        path = Path(folder, program)
        if not os.path.isfile(path):
            return f"there is no program {path}"
        if not os.access(path, os.X_OK):
            return f"{path} is not executable; try chmod +x"
    elif shutil.which(program) is None:
        return f"there is no program {program} on the path"
    script = next((word for word in words[1:] if word != "-u"), "")
    if Path(script).suffix in INTERPRETERS and not script.startswith("-") and not os.path.isfile(Path(folder, script)):
        return f"there is no file {Path(folder, script)}"
    return None


def start_words(command: Sequence[str], error: Exception) -> str:
    """Say why a bot could not be started."""
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return f"cannot start {command[0]!r}: {reason}"


def end_words(tree: ProcessTree, code: int | None) -> str:
    """Say how a bot ended. Without a code, it still runs but has closed its output."""
    if passed := tree.passed_limit():
        return passed
    if code is None:
        return "closed its end of the line"
    return f"was killed by {_signal_name(-code)}" if code < 0 else f"exited with code {code}"


def last_breath_s(tree: ProcessTree) -> float:
    return LAST_BREATH_S if tree.level is None else LAUNCHERS_BREATH_S


def not_started_words(tree: ProcessTree, code: int | None, stderr: bytes) -> str:
    """Return the launcher's message about a bot that it could not start. Empty if it could."""
    if tree.level is None or code not in NOT_STARTED:
        return ""
    line = stderr.rstrip().rpartition(b"\n")[2].decode(errors="replace")
    return printable(line.removeprefix(LAUNCHER_SAYS)) if line.startswith(LAUNCHER_SAYS) else ""


def ask_command(
    log: str,
    action: int,
    command: str,
    folder: str = "",
    limits: BotLimits = NO_LIMITS,
    environment: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """Return the shell command that asks a bot a question of a log again, under the same limits and environment.

    If `folder` is given, the command runs there.
    """
    words = ["rails-cli", "ask", log, "--at", str(action)]
    for field in msgspec.structs.fields(BotLimits):
        limit = getattr(limits, field.name)
        if isinstance(limit, list | tuple):
            words += [word for one in limit for word in (flag_of(field), one)]
        elif limit is True:
            words.append(flag_of(field))
        elif limit != field.default:
            words += [flag_of(field), str(limit)]
    words.append("--")
    if environment:
        words += ["env", *(f"{name}={value}" for name, value in environment.items())]
    asks = f"{shlex.join(words)} {command}"
    return f"(cd {shlex.quote(folder)} && {asks})" if folder else asks


class Failure(msgspec.Struct, frozen=True):
    """A fault, with the bot's stderr before it, and the command to ask it again."""

    number: int
    seat: int
    code: str
    message: str
    stderr: list[str]
    ask: str | None

    def stderr_lines(self) -> list[str]:
        return ["  the end of its stderr:", *(f"    {line}" for line in self.stderr)] if self.stderr else []

    def ask_lines(self) -> list[str]:
        return [] if self.ask is None else [f"  to ask the bot again: {printable(self.ask)}"]


def failure_of(fault: FaultLine, process: BotProcess | None, spec: str | None, log: str | None) -> Failure:
    """Describe a fault of a bot (or of a built-in player if `process` is None), and mark it in the bot's stderr."""
    stderr, ask = [], None
    if process is not None:
        stderr = process.last_lines()
        process.notes.mark(f"action {fault.number}: {fault.code}: {fault.message}")
        if log is not None and spec is not None:
            ask = ask_command(log, fault.number, spec, limits=process.limits)
    return Failure(fault.number, fault.seat, fault.code, fault.message, stderr, ask)


def close_all(bots: Sequence[BotProcess]) -> None:
    """Close all bots together: close their input, then send SIGTERM, then kill them, with a second after each step."""
    for bot in bots:
        bot.hang_up()
    _hear_out(bots)
    for bot in bots:
        if bot.process is not None and bot.process.poll() is None:
            bot.process.terminate()
    _hear_out(bots)
    for bot in bots:
        bot.end()


def _hear_out(bots: Sequence[BotProcess]) -> None:
    until = time.perf_counter() + GRACE_S
    running = list(bots)
    while running and time.perf_counter() < until:
        running = [bot for bot in running if bot.hear_out()]


# On an event loop. asyncio is imported late, so that a match over pipes starts without it


async def start_async(
    command: Sequence[str],
    *,
    limits: BotLimits = NO_LIMITS,
    hides: Sequence[Path] = (),
    keeps_stderr: bool = False,
) -> tuple["Process", ProcessTree]:
    """Start a process of a bot. Raises OSError, NoSandbox or NoUser."""
    import asyncio

    command, how, tree = _start(command, new_mark(), limits, hides=hides)
    if not keeps_stderr:
        how["stderr"] = None
    with tree.starting():
        process = await asyncio.create_subprocess_exec(*command, limit=MAX_LINE, **how)
    tree.begin(process.pid)
    return process, tree


async def end_async(process: "Process", tree: ProcessTree) -> None:
    """Kill a bot and everything it started, and read the rest of its output, which is open until then."""
    import asyncio

    with suppress(OSError):  # too many open files
        await asyncio.to_thread(tree.close, is_running=process.returncode is None)
    await drain(process)


async def drain(process: "Process") -> None:
    """Wait up to GRACE_S seconds for a bot to end. Its output must be read for that."""
    import asyncio

    assert process.stdout is not None
    with suppress(TimeoutError):
        async with asyncio.timeout(GRACE_S):
            while await process.stdout.read(MAX_LINE):
                pass
            await process.wait()


# Starting and killing


class NoUser(Exception):
    """Bots cannot run as the requested user."""


def user_of(name: str) -> pwd.struct_passwd | None:
    """Return the user to run bots as, or None if `name` is empty. Raises NoUser."""
    if not name:
        return None
    if os.geteuid() != 0:
        raise NoUser(f"only root can run bots as another user, such as {name}")
    try:
        return pwd.getpwnam(name)
    except KeyError:
        raise NoUser(f"there is no user {name!r} on this machine") from None


def new_mark() -> str:
    return uuid.uuid4().hex


def _start(
    command: Sequence[str],
    mark: str,
    limits: BotLimits,
    environment: Mapping[str, str] = MappingProxyType({}),
    *,
    folder: str | None = None,
    hides: Sequence[Path] = (),
    counts_cpu: bool = False,
) -> tuple[list[str], dict[str, Any], ProcessTree]:
    """Prepare the start of a bot.

    Return its command, the arguments for Popen, and its process tree. The process has pipes, its own session, marks and
    limits, and is killed when we die. Raises NoSandbox or NoUser.
    """
    level = chosen(limits.sandbox, limits.image)
    wanted = (
        (resource.RLIMIT_AS, limits.memory_bytes),
        (resource.RLIMIT_CPU, None if limits.cpu_s is None else limits.cpu_s + SPARE_CPU_S),
        (resource.RLIMIT_NOFILE, limits.open_files),
        (resource.RLIMIT_FSIZE, limits.file_bytes),
        (resource.RLIMIT_NPROC, limits.processes if level in LEVELS else None),  # it counts all processes of a user
    )
    rlimits = [(kind, value) for kind, value in wanted if value is not None]
    ours: Mapping[str, str] = os.environ
    if level is not None:
        hidden = tuple(str(path) for path in hides)
        sandbox = Sandbox(level, limits.network, tuple(limits.reads), hidden, limits.image)
        held = Limits(rlimits, limits.memory_bytes, limits.processes)
        command = command_in(sandbox, command, folder, held, environment)
        rlimits, environment = [], {}  # the launcher applies them to the bot
        ours = variables_in(ours, level)
    other = user_of(limits.user)
    tree = ProcessTree(
        mark,
        level,
        memory_bytes=limits.memory_bytes,
        cpu_s=limits.cpu_s,
        processes=limits.processes,
        counts_cpu=counts_cpu,
    )

    def prepare() -> None:
        tree.enter()
        for kind, most in rlimits:
            resource.setrlimit(kind, (most, most))
        if other is not None:
            os.initgroups(other.pw_name, other.pw_gid)
            os.setgid(other.pw_gid)
            os.setuid(other.pw_uid)
        if _LIBC is not None:  # last, because a change of user would undo it
            _LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)

    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    kept = {name: value for name, value in ours.items() if name not in TELLTALES}
    marks = {name: os.environ.get(name) or new_mark() for name in (RUN_MARK, WORKER_MARK)}
    home = {} if other is None or level is not None else {"HOME": other.pw_dir, "USER": other.pw_name}
    variables = {**kept, **home, **marks, PROGRAM: program_words(), **environment, BOT_MARK: mark}
    return list(command), {**pipes, "start_new_session": True, "preexec_fn": prepare, "env": variables}, tree


@cache
def program_words() -> str:
    """Return the shell command of this program: the script next to the interpreter, or else the module."""
    entry = Path(sys.executable).with_name("rails-cli")
    return shlex.join([str(entry)] if os.access(entry, os.X_OK) else [sys.executable, "-m", "rails_cli"])


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
