"""All processes of one bot, which are measured, limited and killed together."""

import os
import select
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress

from rails_cli.games.shared.text import printable
from rails_cli.programs.control_group import LAUNCHERS, ControlGroup
from rails_cli.programs.finding import descendants, is_stopped, kill_marked, marked_processes, note_all_processes
from rails_cli.programs.limits import NO_LIMITS, BotLimits
from rails_cli.programs.sandbox import Level
from rails_cli.programs.usage import CpuMeter, megabytes, open_file_bytes, process_usage, proportional_bytes

GRACE_S = 1.0
"""Seconds that a bot has to exit after it was asked to."""
PODMAN_S = 10.0
"""Seconds that the launcher of a container has to remove the container."""
STARTED = b"pid "
"""Text that the launcher of a container writes before the pid of the first process in the container."""
MAX_STOP_ATTEMPTS = 20
"""Maximum number of attempts to stop all processes of a bot. Processes may be continued or started meanwhile."""
POLL_S = 0.1
"""Seconds between checks of a bot's limits."""
SELDOM = 10
"""Every n-th check of a bot's limits also makes slow measurements, where n is this number."""


@contextmanager
def _interrupts_deferred() -> Iterator[None]:
    """Delay KeyboardInterrupt until the end of the `with` block, if a signal arrives inside the block.

    While a process forks, Python ignores exceptions raised by signal handlers, so the signal would have no effect.
    """
    received: list[int] = []
    deferred = []
    if threading.current_thread() is threading.main_thread():
        numbers = (signal.SIGINT, signal.SIGTERM)
        deferred = [number for number in numbers if signal.getsignal(number) is signal.default_int_handler]
    for number in deferred:
        signal.signal(number, lambda number, frame: received.append(number))
    try:
        yield
    finally:
        for number in deferred:
            signal.signal(number, signal.default_int_handler)
        if received:
            raise KeyboardInterrupt


class ReportPipe:
    """A pipe to which the launcher of a sandbox writes why it failed, or the first pid in a container."""

    def __init__(self) -> None:
        self.reader, self.writer = os.pipe()
        os.set_blocking(self.reader, False)
        self.message = b""
        self._open = {self.reader, self.writer}

    def read(self) -> str:
        """Return why the launcher could not start the bot, as printable text. Empty if the bot was started."""
        self._read()
        return "" if self.message.startswith(STARTED) else printable(self.message.decode(errors="replace"))

    def container_pid(self) -> int | None:
        """Return the pid of the first process in the bot's container. None if the bot has not been started there."""
        self._read()
        return int(self.message.removeprefix(STARTED)) if self.message.startswith(STARTED) else None

    def _read(self) -> None:
        if self.reader in self._open:
            with suppress(BlockingIOError):
                self.message += os.read(self.reader, select.PIPE_BUF)

    def close_writer(self) -> None:
        self._close(self.writer)

    def close(self) -> None:
        """Read what the launcher has written, and close both ends of the pipe. `read` still returns the message."""
        self._read()
        self._close(self.writer)
        self._close(self.reader)

    def _close(self, end: int) -> None:
        if end in self._open:
            self._open.remove(end)
            os.close(end)


class ProcessTree:
    """All processes of one bot: its first process, child processes, and detached processes."""

    def __init__(
        self,
        mark: str,
        level: Level | None = None,
        limits: BotLimits = NO_LIMITS,
        *,
        counts_cpu: bool = False,
        now: Callable[[], float] = time.monotonic,
        report: ReportPipe | None = None,
    ) -> None:
        """Prepare for the start of the bot. `mark` identifies its processes, and `level` is the kind of its sandbox.

        `limits` apply to all processes together. If `counts_cpu`, the CPU time is measured even if it is not limited.
        `now` reads the clock in seconds. `report` is the pipe of the launcher of the sandbox.
        """
        self.mark = mark
        self.level = level
        self.limits = limits
        self.is_limited = (limits.memory_bytes, limits.cpu_s, limits.processes) != (None, None, None)
        has_group = (self.is_limited or counts_cpu) and level != "podman"  # a container has its own control group
        self.group = ControlGroup.make(mark, limits.memory_bytes, limits.processes) if has_group else None
        self.meter: CpuMeter | None = None
        """CPU counter, used if there is no control group."""
        self._is_metered = limits.cpu_s is not None or counts_cpu
        self._container: tuple[int, str] | None = None
        """Pid and start time of the first process in the bot's container."""
        self.began = note_all_processes()
        """Time of preparation. Processes that were first seen before this time do not belong to the bot."""
        self.pid = 0
        self.now = now
        self._report = report
        self.exceeded = ""
        """Message about the limit that the bot exceeded. Empty if it exceeded none."""
        self._started = ""
        self._looking = threading.Lock()
        self._is_over = False
        self._looks = 0
        self._cpu_seen = 0.0
        self._own_cpu: dict[tuple[int, str], float] = {}
        """Mapping from the pid and start time of a process to the CPU seconds that it has used so far."""

    def enter(self) -> None:
        """Move this process to the bot's control group. Called in the new process before it executes the bot."""
        if self.group is not None:
            self.group.enter()

    @contextmanager
    def starting(self) -> Iterator[None]:
        """Return a context manager in whose `with` block the bot is started and `begin` is called.

        A signal during the block raises KeyboardInterrupt only after the block.
        """
        with _interrupts_deferred():
            try:
                yield
            except BaseException:
                if self.group is not None:
                    self.group.close()
                if self._report is not None:
                    self._report.close()
                raise
            if self._report is not None:
                self._report.close_writer()

    def begin(self, pid: int) -> None:
        """Record `pid`, the first process of the bot, and start to check the bot's limits."""
        self.pid = pid
        found = process_usage(pid)
        self._started = "" if found is None else found.started
        if self.group is not None and not self.group.has(pid):
            self.group.close(patience_s=0.0)  # it has no processes
            self.group = None
        if self.group is None and self._is_metered and self.level != "podman":
            self.meter = CpuMeter.of(pid)
        if self.is_limited:
            LIMIT_WATCHER.add(self)

    def close(self, *, is_running: bool) -> None:
        """Kill all processes of the bot, end its measurements, and remove its control group.

        `is_running` is false if the exit status of the first process has already been read.
        """
        LIMIT_WATCHER.remove(self)
        with self._looking:
            self._is_over = True
        self.kill(is_running=is_running)
        if self.group is not None:
            self.exceeded = self.limit_message()
            self.group.close(now=self.now)
        if self._report is not None:
            self._report.close()
        with self._looking:
            if self.meter is not None:
                self._cpu_seen = max(self._cpu_seen, self.meter.cpu_s())
                self.meter.close()
                self.meter = None

    def launcher_message(self) -> str:
        """Return why the launcher of the sandbox could not start the bot. Empty if the bot was started."""
        return "" if self._report is None else self._report.read()

    def limit_message(self) -> str:
        """Return a message about the limit for which the bot was killed. Empty if there is no such limit."""
        return self.exceeded or ("" if self.group is None else self.group.limit_message())

    def kill(self, *, is_running: bool) -> None:
        """Kill all processes of the bot. `is_running` says whether the first process is known to be running."""
        children = []
        if self.level == "podman":
            if is_running:
                self._remove_container()
            first = self._first_in_container()
            children = [] if first is None else [first]  # the kernel then kills all processes in the container
        elif is_running:
            with suppress(OSError):  # too many open files
                children = descendants(self.pid)
        if is_running:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)
        if self.group is not None:
            self.group.kill()
        for child in children:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(child, signal.SIGKILL)
        kill_marked(self.mark, since=self.began)

    def _remove_container(self) -> None:
        """Ask the launcher to remove the bot's container, and wait up to PODMAN_S seconds until the launcher exits."""
        with suppress(OSError):
            until = self.now() + PODMAN_S
            os.kill(self.pid, signal.SIGUSR1)
            launcher = os.pidfd_open(self.pid)
            while self.now() < until and not select.select([launcher], [], [], POLL_S)[0]:
                pass
            os.close(launcher)

    def send_signal(self, number: int) -> None:
        """Send a signal to all processes of the bot. Repeat SIGSTOP for processes started or continued meanwhile."""
        for _ in range(MAX_STOP_ATTEMPTS if number == signal.SIGSTOP else 1):
            found = {self.pid} if self.level != "podman" else set()  # the launcher must be able to remove a container
            with suppress(OSError):  # too many open files
                found |= self.pids(is_thorough=False)
            running = [one for one in sorted(found) if number != signal.SIGSTOP or not is_stopped(one)]
            if not running:
                return
            for one in running:
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(one, number)

    def pids(self, *, is_thorough: bool = True) -> set[int]:
        """Return the pids of the bot's running processes.

        Include detached processes if `is_thorough`, which is slower.
        """
        if self.group is not None:
            return self.group.pids()
        if self.level == "podman":
            first = self._first_in_container()
            return set() if first is None else {first, *descendants(first)}
        found = {self.pid, *descendants(self.pid)}
        if is_thorough and self.level is None:
            found |= {*self.marked()}
        return found

    def _first_in_container(self) -> int | None:
        """Return the pid of the first process in the bot's container, or None if this process is not running.

        In the first call that finds the process, start to count its CPU time.
        """
        pid = None if self._report is None else self._report.container_pid()
        found = None if pid is None else process_usage(pid)
        if pid is None or found is None:
            return None
        if self._container is None:
            self._container = (pid, found.started)
            self.meter = CpuMeter.of(pid) if self._is_metered else None
        return pid if self._container == (pid, found.started) else None  # the pid may be reused

    def marked(self) -> list[int]:
        """Return the pids of processes that have the mark of this bot in their environment."""
        return marked_processes(self.mark, since=self.began)

    def cpu_s(self) -> float:
        """Return the CPU seconds used by all processes of the bot so far."""
        if self.group is not None:
            self._cpu_seen = max(self._cpu_seen, self.group.cpu_s())
            return self._cpu_seen
        used = 0.0
        for pid in self.pids():
            found = process_usage(pid)
            if found is not None:
                self._own_cpu[pid, found.started] = found.own_s
                used += found.own_s + found.waited_for_s
        metered = 0.0 if self.meter is None else self.meter.cpu_s()
        self._cpu_seen = max(self._cpu_seen, used, sum(self._own_cpu.values()), metered)
        return self._cpu_seen

    def memory(self, pids: Iterable[int] | None = None) -> int:
        """Return the memory used by all processes of the bot (or by `pids`), in bytes.

        Memory that several processes share is counted once, which is slow to measure. If the sum over all processes is
        below the memory limit, return this sum instead, which counts shared memory several times.
        """
        found = self._own_pids() if pids is None else pids
        resident = {pid: usage.rss for pid in found if (usage := process_usage(pid)) is not None}
        used = sum(resident.values())
        if len(resident) == 1 or used < (self.limits.memory_bytes or 0):  # it is slower to count shared memory once
            return used
        return sum(proportional_bytes(pid, rss) for pid, rss in resident.items())

    def check_limits(self) -> None:
        with self._looking:
            self._looks += 1
            first = process_usage(self.pid)
            is_same = first is not None and first.started == self._started  # the pid may be reused
            if not self._is_over and not self.exceeded and is_same:
                self.exceeded = self._exceeded_limit(is_thorough=self._looks % SELDOM == 1)
                if self.exceeded:
                    self.kill(is_running=True)

    def _exceeded_limit(self, *, is_thorough: bool) -> str:
        pids, limits = self._own_pids(is_thorough=is_thorough), self.limits
        if limits.processes is not None and len(pids) > limits.processes:
            return f"had {len(pids)} processes at once; its limit is {limits.processes}"
        if limits.memory_bytes is not None:
            used = self.memory(pids) + (open_file_bytes(pids) if is_thorough else 0)
            if used > limits.memory_bytes:
                where = f" in {len(pids)} processes" if len(pids) > 1 else ""
                return f"used {megabytes(used)} of memory{where}; its limit is {megabytes(limits.memory_bytes)}"
        if limits.cpu_s is not None and (seconds := self.cpu_s()) > limits.cpu_s:
            return f"used {seconds:.1f} s of CPU time in all its processes; its limit is {limits.cpu_s} s"
        return ""

    def _own_pids(self, *, is_thorough: bool = True) -> set[int]:
        """Return the pids of the bot's running processes, without the launchers of its sandbox (see LAUNCHERS)."""
        found = self.pids(is_thorough=is_thorough)
        many = LAUNCHERS.get(self.level, 0)
        return found.difference([self.pid, *descendants(self.pid)][:many]) if many else found


class LimitWatcher:
    """A thread that checks the limits of all bots. It runs only while bots with limits are running."""

    def __init__(self, wait: Callable[[float], None] = time.sleep) -> None:
        """Prepare the thread without starting it. `wait` pauses for a number of seconds between two checks."""
        self.wait = wait
        self.trees: list[ProcessTree] = []
        self.lock = threading.Lock()
        """Lock for access to `trees`.

        It is not held during a check, because an event loop must not wait for a check.
        """
        self.process = 0
        self.is_running = False

    def add(self, tree: ProcessTree) -> None:
        with self.lock:
            if self.process != os.getpid():  # after a fork there is no thread
                self.process, self.trees, self.is_running = os.getpid(), [], False
            self.trees.append(tree)
            if not self.is_running:
                self.is_running = True
                threading.Thread(target=self._run, name="limits of bots", daemon=True).start()

    def remove(self, tree: ProcessTree) -> None:
        with self.lock:
            if tree in self.trees:
                self.trees.remove(tree)

    def _run(self) -> None:
        while True:
            with self.lock:
                trees = list(self.trees)
                if not trees:
                    self.is_running = False
                    return
            for tree in trees:
                with suppress(OSError):  # too many open files
                    tree.check_limits()
            self.wait(POLL_S)


LIMIT_WATCHER = LimitWatcher()
