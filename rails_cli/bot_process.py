"""The process of a bot: started with its limits, heard with deadlines, and ended together with all that it started."""

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
"""What runs the source files of bots."""
TOO_LONG = f"wrote a line of more than {MAX_LINE} bytes"
PRINT_LIMIT = 4 * MAX_LINE
PRINT_LINE = 64
"""What a line counts besides its length, so that many short ones are too many, too."""
STDERR_LIMIT = 1_048_576
"""Bytes that are kept of what a bot writes to stderr, for each match."""
DRAIN_READS = 64
"""So often a bot's stderr is read at once: more than any pipe holds, and no end to whoever goes on writing."""
MARKS = (b"=", b"stdout:")
"""How lines of our own begin among those of a bot."""
LAST_WORDS = 8192
LAST_LINES = 15
"""So much of the end of a bot's stderr is told with a fault."""
LONGEST_LINE = 500
"""Characters of such a line."""
BACKLOG_LIMIT = 4 * MAX_LINE
UNREAD_LIMIT = 2 * MAX_LINE
LAST_BREATH_S, LAUNCHERS_BREATH_S = 1.0, 2.0
"""So long after the end of its output a process is waited for to say how it ended, which takes a while on a busy
machine; launchers have to hear of it."""
NOT_STARTED = (126, 127)
"""How a launcher ends that could not set up a sandbox, or not start a program in it."""
LAUNCHER_SAYS = "rails-cli: "
SPARE_CPU_S = 2
"""So much later than we the system ends a process that uses too much CPU: it does not say why."""
POLITE_MS = 5
CPU_LOOK_MS = 50
QUICK_LOOK_MS = 10
"""An answer that comes so soon is heard without looking at the bot's stderr, which costs as much again."""
QUICK_LOOKS = 32
"""So many answers later it is looked at all the same."""
EXIT_LOOK_MS = 250
"""How often it is looked whether a bot has ended while others hold its output open."""
WALL_PER_CPU = 10
"""With a CPU clock: a bot that waits instead of thinking is given this many times its limit in wall time."""
RUN_MARK, WORKER_MARK = "RAILS_CLI_RUN", "RAILS_CLI_WORKER"
"""As `BOT_MARK`, for all bots of a tournament, and of a worker. Every bot has all three, so that it cannot tell by them
where it plays."""
PROGRAM = "RAILS_CLI"
"""A variable for bots that start `rails-cli engine`: how a shell runs this program, the same wherever a bot plays."""
TELLTALES = ("PWD", "OLDPWD", "_", *SECRET_VARIABLES)
"""Variables of our own that say where we were started, and by what; and what is none of a bot's business."""
PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None
"""For bots that must not outlive a server that was killed."""
_HAS_PROC = Path("/proc/self/environ").exists()


class BotLimits(msgspec.Struct, frozen=True):
    """What a bot may use; None is without limit."""

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
        str, setting("The image of the containers that --sandbox podman starts bots in.", "--sandbox-image")
    ] = ""
    user: Annotated[str, setting("Run bots as this user; only root can.", "--bot-user", "NAME")] = ""


NO_LIMITS = BotLimits()


class Stderr:
    """Keeps what a bot writes to stderr: up to a limit for each match in a file, and its last lines."""

    def __init__(self, file: Path | BinaryIO | None) -> None:
        """A path is there from now on, and open while there is something to write."""
        self.file = file
        if isinstance(file, Path):
            with suppress(OSError):  # a full disk does not end the game
                file.touch()
        self.size = 0
        """Bytes in this match."""
        self.heading = b""
        """A mark that stands before what is written next, if anything is."""
        self.last = b""
        """The end of what the process wrote."""
        self.printed = 0
        """Since the last request, in lines of stdout that are no answers."""
        self._open: BinaryIO | None = None
        self._at_line_start = True

    def write(self, chunk: bytes) -> None:
        self.last = (self.last + chunk)[-LAST_WORDS:]
        self._keep(chunk, is_line=False)

    def _keep(self, chunk: bytes, *, is_line: bool) -> None:
        """Writes to the file; a line of its own begins one. What looks like a mark of ours, and is none, is set in."""
        if self.file is not None and self.size < STDERR_LIMIT:
            heading, self.heading = self.heading, b""
            if (heading or is_line) and not self._at_line_start:
                heading, self._at_line_start = b"\n" + heading, True
            if not is_line:
                chunk = (b" " if self._at_line_start and chunk.startswith(MARKS) else b"") + chunk
                for mark in MARKS:
                    chunk = chunk.replace(b"\n" + mark, b"\n " + mark)
            self._at_line_start = chunk.endswith(b"\n")
            with suppress(OSError):
                self._opened(self.file).write(heading + chunk[: STDERR_LIMIT - self.size])
        self.size += len(chunk)

    def forget(self) -> None:
        """What was written before is not wanted, and does not count; a file on the disk keeps it."""
        self.size, self.last, self._at_line_start = 0, b"", True
        if isinstance(self.file, BytesIO):
            self.file.seek(0)
            self.file.truncate()

    def mark(self, words: str) -> None:
        """A line of our own after what was written, if anything was in this match; it does not count."""
        if self.file is not None and self.size:
            was_open = self._open is not None
            line_end = "" if self._at_line_start else "\n"
            self._at_line_start = True
            with suppress(OSError):
                self._opened(self.file).write(f"{line_end}=== {printable(words)}\n".encode())
            if not was_open:
                self.close()

    def last_lines(self) -> list[str]:
        """The end of what the process wrote, as it can be shown."""
        lines = self.last.decode(errors="replace").rstrip().splitlines()[-LAST_LINES:]
        return [printable(line.expandtabs(4))[:LONGEST_LINE] for line in lines]

    def keep_print(self, line: bytes) -> None:
        """A line of stdout that does not start with `{` is a debug print: kept, and never too many of them. Raises
        SeatLost."""
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
    """A bot that is started when it is needed, serves many games in a row, and is started again when it is lost."""

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
        """What the bot must not see in a sandbox."""
        self.cpu_clock = cpu_clock
        self.freeze = freeze
        """Whether the bot is stopped while others are to move."""
        self.wall = now
        self.now = self._cpu_s if cpu_clock else now
        self.mark = new_mark()
        self.join = Join()
        self.process: subprocess.Popen[bytes] | None = None
        self.cannot_start = ""
        """Why it could not be started the last time; empty if it could."""
        self.on_print = on_print
        self.match_until: float | None = None

    def start(self) -> bool:
        """Whether it still runs is not looked at, which takes a while: it is found out when it is sent something."""
        if self.process is not None:
            return False
        self.notes.last = b""
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
        """What the bot says besides its answers is kept up to a limit for each match."""
        self.end_if_over()
        self.read_stderr()
        self.notes.size, self.notes.last = 0, b""
        self.match_until = until

    def end_if_over(self) -> None:
        """If the bot has ended by itself, so that the next one can be started."""
        if self.process is not None and self.process.poll() is not None:
            self.end()

    def last_lines(self) -> list[str]:
        """The end of what the bot has written to its stderr so far."""
        self.read_stderr()
        return self.notes.last_lines()

    def read_stderr(self) -> None:
        """Takes what the bot has written to its stderr by now."""
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
        while self.unsent:  # its pipe is full
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
        """What comes nearly always, for less: one whole line at once. None if it is anything else, which is heard the
        usual way."""
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
        """Kills the bot and everything it started, and waits until it is gone."""
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
        """Stops the bot and all that it started, or lets them go on."""
        if self.process is not None and is_frozen != self.is_frozen:
            self.is_frozen = is_frozen
            self.tree.send_signal(signal.SIGSTOP if is_frozen else signal.SIGCONT)

    def hang_up(self) -> None:
        """Ends the bot's input, which asks it to end by itself."""
        self._freeze(is_frozen=False)
        if self.process is not None and self.process.stdin is not None:
            self.process.stdin.close()

    def close(self) -> None:
        close_all([self])

    def _wait(self, deadline: float | None, *, writing: bool) -> None:
        """Waits until something can be read (or written), and reads what is there."""
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
        """What was read becomes lines."""
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
        except OSError:  # what it said before is heard first
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
        """How the bot ended."""
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
        """Lets the bot say what it still has to say; whether it runs."""
        if self.process is None or self.process.poll() is not None:
            return False
        self.reading.poll(POLITE_MS)
        with suppress(BlockingIOError):
            if not os.read(self.stdout, READ_SIZE):
                time.sleep(POLITE_MS / 1000)
        self._read_stderr()
        return True


def command_mistake(words: Sequence[str], folder: Path) -> str | None:
    """Why a command cannot be run in a folder, as far as can be seen."""
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
    """Why a bot could not be started."""
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return f"cannot start {command[0]!r}: {reason}"


def end_words(tree: ProcessTree, code: int | None) -> str:
    """How a bot ended; without a code it still runs, but says no more."""
    if passed := tree.passed_limit():
        return passed
    if code is None:
        return "closed its end of the line"
    return f"was killed by {_signal_name(-code)}" if code < 0 else f"exited with code {code}"


def last_breath_s(tree: ProcessTree) -> float:
    return LAST_BREATH_S if tree.level is None else LAUNCHERS_BREATH_S


def not_started_words(tree: ProcessTree, code: int | None, stderr: bytes) -> str:
    """What the launcher of a sandbox says of a bot that it could not start; empty if it could."""
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
    """What to type to put a question of a log to a bot again, under the same limits and in the same environment; a
    relative command is run in a folder."""
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
    """A fault, with what the bot wrote to its stderr before it, and how to ask it again."""

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
    """A fault of a bot with this command line, or of a player inside the program; it is marked in the bot's stderr."""
    stderr, ask = [], None
    if process is not None:
        stderr = process.last_lines()
        process.notes.mark(f"action {fault.number}: {fault.code}: {fault.message}")
        if log is not None and spec is not None:
            ask = ask_command(log, fault.number, spec, limits=process.limits)
    return Failure(fault.number, fault.seat, fault.code, fault.message, stderr, ask)


def close_all(bots: Sequence[BotProcess]) -> None:
    """End of input, then a request to stop, then the end: a second each for all together."""
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


# On an event loop: asyncio is loaded by those who have one, so that a match over pipes starts without it


async def start_async(
    command: Sequence[str],
    *,
    limits: BotLimits = NO_LIMITS,
    hides: Sequence[Path] = (),
    keeps_stderr: bool = False,
) -> tuple["Process", ProcessTree]:
    """A new process of a bot. Raises OSError, NoSandbox, NoUser."""
    import asyncio

    command, how, tree = _start(command, new_mark(), limits, hides=hides)
    if not keeps_stderr:
        how["stderr"] = None
    with tree.starting():
        process = await asyncio.create_subprocess_exec(*command, limit=MAX_LINE, **how)
    tree.begin(process.pid)
    return process, tree


async def end_async(process: "Process", tree: ProcessTree) -> None:
    """Kills a bot and everything it started, and reads the rest of its output, which is open until then."""
    import asyncio

    with suppress(OSError):  # too many open files
        await asyncio.to_thread(tree.close, is_running=process.returncode is None)
    await drain(process)


async def drain(process: "Process") -> None:
    """Waits a moment for the end of a bot; it is not over before its output is read."""
    import asyncio

    assert process.stdout is not None
    with suppress(TimeoutError):
        async with asyncio.timeout(GRACE_S):
            while await process.stdout.read(MAX_LINE):
                pass
            await process.wait()


# Starting and killing


class NoUser(Exception):
    """Bots cannot be run as the user that was named."""


def user_of(name: str) -> pwd.struct_passwd | None:
    """Another user to run bots as, if one is named. Raises NoUser."""
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
    """How every bot is started: by which command, on pipes, in a session of its own, marked, limited, and not to
    outlive us; and the tree of its processes. Raises NoSandbox, NoUser."""
    level = chosen(limits.sandbox, limits.image)
    wanted = (
        (resource.RLIMIT_AS, limits.memory_bytes),
        (resource.RLIMIT_CPU, None if limits.cpu_s is None else limits.cpu_s + SPARE_CPU_S),
        (resource.RLIMIT_NOFILE, limits.open_files),
        (resource.RLIMIT_FSIZE, limits.file_bytes),
        (resource.RLIMIT_NPROC, limits.processes if level in LEVELS else None),  # it counts all of a user
    )
    rlimits = [(kind, value) for kind, value in wanted if value is not None]
    ours: Mapping[str, str] = os.environ
    if level is not None:
        hidden = tuple(str(path) for path in hides)
        sandbox = Sandbox(level, limits.network, tuple(limits.reads), hidden, limits.image)
        held = Limits(rlimits, limits.memory_bytes, limits.processes)
        command = command_in(sandbox, command, folder, held, environment)
        rlimits, environment = [], {}  # the launcher sets them for the bot
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
        if _LIBC is not None:  # a change of user would undo it
            _LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)

    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    kept = {name: value for name, value in ours.items() if name not in TELLTALES}
    marks = {name: os.environ.get(name) or new_mark() for name in (RUN_MARK, WORKER_MARK)}
    home = {} if other is None or level is not None else {"HOME": other.pw_dir, "USER": other.pw_name}
    variables = {**kept, **home, **marks, PROGRAM: program_words(), **environment, BOT_MARK: mark}
    return list(command), {**pipes, "start_new_session": True, "preexec_fn": prepare, "env": variables}, tree


@cache
def program_words() -> str:
    """This program as a shell runs it: its path beside the interpreter, or else the module."""
    entry = Path(sys.executable).with_name("rails-cli")
    return shlex.join([str(entry)] if os.access(entry, os.X_OK) else [sys.executable, "-m", "rails_cli"])


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
