"""All processes of one bot: measured together, limited, and killed together."""

import os
import select
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress

from rails_cli.programs.control_group import LAUNCHERS, ControlGroup
from rails_cli.programs.finding import descendants, is_stopped, kill_marked, marked_processes, note_all_processes
from rails_cli.programs.sandbox import Level
from rails_cli.programs.usage import CpuMeter, megabytes, open_file_bytes, process_usage, proportional_bytes

GRACE_S = 1.0
"""Seconds that a bot has to exit on its own."""
PODMAN_S = 10.0
"""Seconds that the launcher of a container has to remove it."""
MAX_STOP_ATTEMPTS = 20
"""Most attempts to stop processes that others continue again."""
POLL_S = 0.1
"""Seconds between checks of a bot's limits."""
SELDOM = 10
"""Slower checks are made only once in this many."""


class ProcessTree:
    """The processes of one bot, from its start to its end."""

    def __init__(
        self,
        mark: str,
        level: Level | None = None,
        *,
        memory_bytes: int | None = None,
        cpu_s: int | None = None,
        processes: int | None = None,
        counts_cpu: bool = False,
    ) -> None:
        """Prepare the tree. The limits are for all processes together."""
        self.mark = mark
        self.level = level
        self.memory_bytes = memory_bytes
        self.cpu_limit_s = cpu_s
        self.processes = processes
        self.is_limited = any(limit is not None for limit in (memory_bytes, cpu_s, processes))
        has_group = (self.is_limited or counts_cpu) and level != "podman"  # a container has its own
        self.group = ControlGroup.make(mark, memory_bytes, processes) if has_group else None
        self.meter: CpuMeter | None = None
        """CPU counter, used if there is no control group."""
        self._is_metered = has_group and (cpu_s is not None or counts_cpu)
        self.began = note_all_processes()
        """Time after which processes of the bot are first seen. Processes seen earlier do not belong to it."""
        self.pid = 0
        self.passed = ""
        """Which limit it exceeded, as text. Empty if none."""
        self._started = ""
        self._looking = threading.Lock()
        self._is_over = False
        self._looks = 0
        self._cpu_seen = 0.0
        self._own_cpu: dict[tuple[int, str], float] = {}
        """CPU seconds of each process so far, by pid and start time."""

    def enter(self) -> None:
        """Enter the control group. Called in the new process before it becomes the bot."""
        if self.group is not None:
            self.group.enter()

    @contextmanager
    def starting(self) -> Iterator[None]:
        """Remove the control group if starting the process in the context fails."""
        try:
            yield
        except BaseException:
            if self.group is not None:
                self.group.close()
            raise

    def begin(self, pid: int) -> None:
        """Record that the bot runs as process `pid` or below it, and start watching its limits."""
        self.pid = pid
        found = process_usage(pid)
        self._started = "" if found is None else found.started
        if self.group is not None and not self.group.has(pid):
            self.group.close(patience_s=0.0)  # nobody is in it
            self.group = None
        if self.group is None and self._is_metered:
            self.meter = CpuMeter.of(pid)
        if self.is_limited:
            LIMIT_WATCHER.add(self)

    def close(self, *, is_running: bool) -> None:
        """Kill everything. `is_running` says whether the first process was not waited for, so that its pid is valid."""
        LIMIT_WATCHER.remove(self)
        with self._looking:
            self._is_over = True
        self.kill(is_running=is_running)
        if self.group is not None:
            self.passed = self.passed_limit()
            self.group.close()
        with self._looking:
            if self.meter is not None:
                self._cpu_seen = max(self._cpu_seen, self.meter.cpu_s())
                self.meter.close()
                self.meter = None

    def passed_limit(self) -> str:
        """Return which limit ended it, as text. Empty if none."""
        return self.passed or ("" if self.group is None else self.group.passed())

    def kill(self, *, is_running: bool) -> None:
        """Kill the bot if it still runs, with its process group, children and all processes with its mark.

        The launcher of a container is asked first to remove it.
        """
        children = []
        if is_running:
            if self.level == "podman":
                _remove_container(self.pid)
            with suppress(OSError):  # too many open files
                children = descendants(self.pid)
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)
        if self.group is not None:
            self.group.kill()
        for child in children:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(child, signal.SIGKILL)
        kill_marked(self.mark, since=self.began)

    def send_signal(self, number: int) -> None:
        """Send a signal to all processes. SIGSTOP is repeated for processes started or continued meanwhile."""
        for _ in range(MAX_STOP_ATTEMPTS if number == signal.SIGSTOP else 1):
            found = {self.pid}
            with suppress(OSError):  # too many open files
                found |= self.pids(is_thorough=self.level == "podman")
            running = [one for one in sorted(found) if number != signal.SIGSTOP or not is_stopped(one)]
            if not running:
                return
            for one in running:
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(one, number)

    def pids(self, *, is_thorough: bool = True) -> set[int]:
        """Return the running processes. Without a sandbox, detached ones are found by their mark, which is slower."""
        if self.group is not None:
            return self.group.pids()
        found = {self.pid, *descendants(self.pid)}
        if is_thorough and self.level in (None, "podman"):
            found |= {*self.marked()}
        return found

    def marked(self) -> list[int]:
        """Return the pids of processes that have the mark of this bot in their environment."""
        return marked_processes(self.mark, since=self.began)

    def cpu_s(self) -> float:
        """Return the CPU seconds of all processes so far.

        Without a control group or a meter, processes that ended between checks without being waited for are missing.
        """
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
        """Return the bytes in memory of its processes. Shared memory is divided among those that share it."""
        found = self._own_pids() if pids is None else pids
        resident = {pid: usage.rss for pid in found if (usage := process_usage(pid)) is not None}
        used = sum(resident.values())
        if len(resident) == 1 or used < (self.memory_bytes or 0):  # shared memory is slower to determine
            return used
        return sum(proportional_bytes(pid, rss) for pid, rss in resident.items())

    def check_limits(self) -> None:
        """Kill the bot if it has exceeded a limit."""
        with self._looking:
            self._looks += 1
            if not self._is_over and not self.passed and self._is_there():
                self.passed = self._passed(is_thorough=self._looks % SELDOM == 1)
                if self.passed:
                    self.kill(is_running=True)

    def _is_there(self) -> bool:
        """Return whether the first process is still the one that was started."""
        found = process_usage(self.pid)
        return found is not None and found.started == self._started

    def _passed(self, *, is_thorough: bool) -> str:
        pids = self._own_pids(is_thorough=is_thorough)
        if self.processes is not None and len(pids) > self.processes:
            return f"had {len(pids)} processes at once; its limit is {self.processes}"
        if self.memory_bytes is not None:
            used = self.memory(pids) + (open_file_bytes(pids) if is_thorough else 0)
            if used > self.memory_bytes:
                where = f" in {len(pids)} processes" if len(pids) > 1 else ""
                return f"used {megabytes(used)} of memory{where}; its limit is {megabytes(self.memory_bytes)}"
        if self.cpu_limit_s is not None and (seconds := self.cpu_s()) > self.cpu_limit_s:
            return f"used {seconds:.1f} s of CPU time in all its processes; its limit is {self.cpu_limit_s} s"
        return ""

    def _own_pids(self, *, is_thorough: bool = True) -> set[int]:
        """Return the processes without those of the sandbox, which are the outermost."""
        found = self.pids(is_thorough=is_thorough)
        many = LAUNCHERS.get(self.level, 0)
        return found.difference([self.pid, *descendants(self.pid)][:many]) if many else found


def _remove_container(pid: int) -> None:
    """Ask the launcher `pid` of a container to remove it, and wait until it exits."""
    with suppress(OSError):
        os.kill(pid, signal.SIGUSR1)
        launcher = os.pidfd_open(pid)
        select.select([launcher], [], [], PODMAN_S)
        os.close(launcher)


class LimitWatcher:
    """A thread that checks bots with limits while there are any, also while others are to move."""

    def __init__(self, wait: Callable[[float], None] = time.sleep) -> None:
        """`wait` waits for some seconds between two checks."""
        self.wait = wait
        self.trees: list[ProcessTree] = []
        self.lock = threading.Lock()
        """Never held while waiting, because an event loop takes it too."""
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
