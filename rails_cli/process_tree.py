"""All processes of one bot: found wherever they moved, measured together, limited, and killed together."""

import ctypes
import os
import select
import signal
import struct
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple

from rails_cli.match.seats import READ_SIZE
from rails_cli.sandbox import Level

BOT_MARK = "RAILS_CLI_BOT"
"""Environment variable of a bot and its processes, by which they are found."""
GRACE_S = 1.0
"""Seconds that a bot has to exit on its own."""
PODMAN_S = 10.0
"""Seconds that the launcher of a container has to remove it."""
LOOKS = 3
MOST_STOPS = 20
"""Most attempts to stop processes that others continue again."""
LOOK_S = 0.1
"""Seconds between checks of a bot's limits."""
SELDOM = 10
"""Slower checks are made only once in this many."""
MEMORY_FILES = ("/memfd:", "/dev/shm/")
LAUNCHERS: dict[Level | None, int] = {"bubblewrap": 3, "podman": 2}
"""Number of launcher processes between this process and a bot, by sandbox."""
UTIME, CUTIME, STARTED, RSS = 11, 13, 19, 21
"""Indices in /proc/PID/stat after the name. The first two are user times, each followed by the system time."""
PERF_EVENT_OPEN = {"x86_64": 298, "aarch64": 241, "riscv64": 241}
SOFTWARE, TASK_CLOCK, EVENT_BYTES, PERF_CLOEXEC = 1, 1, 64, 8
INHERIT, NOT_THE_SYSTEM = 1 << 1, 1 << 5 | 1 << 6
"""Flags of perf events: include processes started later, and exclude kernel events, which may be restricted."""
_HAS_PROC = Path("/proc/self/environ").exists()
_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")


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
        self.began = _all_are_seen()
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
        found = _measured(pid)
        self._started = "" if found is None else found.started
        if self.group is not None and not self.group.has(pid):
            self.group.close(patience_s=0.0)  # nobody is in it
            self.group = None
        if self.group is None and self._is_metered:
            self.meter = CpuMeter.of(pid)
        if self.is_limited:
            WATCH.add(self)

    def close(self, *, is_running: bool) -> None:
        """Kill everything. `is_running` says whether the first process was not waited for, so that its pid is valid."""
        WATCH.remove(self)
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
                _ask_launcher(self.pid)
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
        for _ in range(MOST_STOPS if number == signal.SIGSTOP else 1):
            found = {self.pid}
            with suppress(OSError):  # too many open files
                found |= self.pids(is_thorough=self.level == "podman")
            running = [one for one in sorted(found) if number != signal.SIGSTOP or not _is_stopped(one)]
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
        """Return the processes that carry its mark."""
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
            found = _measured(pid)
            if found is not None:
                self._own_cpu[pid, found.started] = found.own_s
                used += found.own_s + found.waited_for_s
        metered = 0.0 if self.meter is None else self.meter.cpu_s()
        self._cpu_seen = max(self._cpu_seen, used, sum(self._own_cpu.values()), metered)
        return self._cpu_seen

    def memory(self, pids: Iterable[int] | None = None) -> int:
        """Return the bytes in memory of its processes. Shared memory is divided among those that share it."""
        found = self._own_pids() if pids is None else pids
        resident = {pid: measured.rss for pid in found if (measured := _measured(pid)) is not None}
        used = sum(resident.values())
        if len(resident) == 1 or used < (self.memory_bytes or 0):  # shared memory is slower to determine
            return used
        return sum(_pss(pid, rss) for pid, rss in resident.items())

    def look(self) -> None:
        """Kill the bot if it has exceeded a limit."""
        with self._looking:
            self._looks += 1
            if not self._is_over and not self.passed and self._is_there():
                self.passed = self._passed(is_thorough=self._looks % SELDOM == 1)
                if self.passed:
                    self.kill(is_running=True)

    def _is_there(self) -> bool:
        """Return whether the first process is still the one that was started."""
        found = _measured(self.pid)
        return found is not None and found.started == self._started

    def _passed(self, *, is_thorough: bool) -> str:
        pids = self._own_pids(is_thorough=is_thorough)
        if self.processes is not None and len(pids) > self.processes:
            return f"had {len(pids)} processes at once; its limit is {self.processes}"
        if self.memory_bytes is not None:
            used = self.memory(pids) + (_in_open_files(pids) if is_thorough else 0)
            if used > self.memory_bytes:
                where = f" in {len(pids)} processes" if len(pids) > 1 else ""
                return f"used {_size(used)} of memory{where}; its limit is {_size(self.memory_bytes)}"
        if self.cpu_limit_s is not None and (seconds := self.cpu_s()) > self.cpu_limit_s:
            return f"used {seconds:.1f} s of CPU time in all its processes; its limit is {self.cpu_limit_s} s"
        return ""

    def _own_pids(self, *, is_thorough: bool = True) -> set[int]:
        """Return the processes without those of the sandbox, which are the outermost."""
        found = self.pids(is_thorough=is_thorough)
        many = LAUNCHERS.get(self.level, 0)
        return found.difference([self.pid, *descendants(self.pid)][:many]) if many else found


class Watch:
    """A thread that checks bots with limits while there are any, also while others are to move."""

    def __init__(self) -> None:
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
                    tree.look()
            time.sleep(LOOK_S)


WATCH = Watch()


class ControlGroup:
    """A control group (cgroup v2) for one bot, if the system allows one.

    It counts the CPU time of all its processes, limits memory and processes if it can, and kills all at once.
    """

    def __init__(self, folder: str, memory_bytes: int | None) -> None:
        self.folder = folder
        self.memory_bytes = memory_bytes

    @classmethod
    def make(cls, mark: str, memory_bytes: int | None, processes: int | None) -> "ControlGroup | None":
        home = _home()
        if home is None:
            return None
        group = cls(f"{home}/rails-cli-{os.getpid()}-{mark}", memory_bytes)
        try:
            os.mkdir(group.folder)
        except OSError:
            return None
        if memory_bytes is not None:
            group.write("memory.max", memory_bytes)
            group.write("memory.swap.max", 0)
            group.write("memory.oom.group", 1)
        if processes is not None:
            group.write("pids.max", processes + max(LAUNCHERS.values()))
        return group

    def write(self, name: str, value: int) -> None:
        """Write a control file. Errors are ignored, because the group may not have it."""
        with suppress(OSError):
            file = os.open(f"{self.folder}/{name}", os.O_WRONLY)
            try:
                os.write(file, str(value).encode())
            finally:
                os.close(file)

    def enter(self) -> None:
        self.write("cgroup.procs", 0)

    def has(self, pid: int) -> bool:
        return pid in self.pids() or self.cpu_s() > 0

    def pids(self) -> set[int]:
        try:
            return {int(pid) for pid in _read_whole(f"{self.folder}/cgroup.procs").split()}
        except OSError:
            return set()

    def cpu_s(self) -> float:
        return self._counts("cpu.stat").get(b"usage_usec", 0) / 1_000_000

    def passed(self) -> str:
        """Say whether the kernel killed it for exceeding its memory. Empty if not."""
        if self.memory_bytes is None or not self._counts("memory.events").get(b"oom_kill"):
            return ""
        return f"used up its memory; its limit is {_size(self.memory_bytes)}"

    def kill(self) -> None:
        self.write("cgroup.kill", 1)

    def close(self, patience_s: float = GRACE_S) -> None:
        """Remove the group, waiting up to `patience_s` seconds for killed processes to disappear."""
        until = time.monotonic() + patience_s
        while True:
            try:
                os.rmdir(self.folder)
            except FileNotFoundError:
                return
            except OSError:
                if time.monotonic() < until:
                    time.sleep(0.001)
                    continue
            return

    def _counts(self, name: str) -> dict[bytes, int]:
        with suppress(OSError, ValueError):
            lines = _read_whole(f"{self.folder}/{name}").splitlines()
            return {words[0]: int(words[1]) for line in lines if len(words := line.split()) == 2}
        return {}


@cache
def _home() -> str | None:
    """Return the folder in which control groups can be created, or None.

    The parent of our own group is preferred, because more controllers are available there.
    """
    try:
        own = next(line[3:] for line in _read_whole("/proc/self/cgroup").decode().splitlines() if line[:3] == "0::")
        mounts = [line.split(" ") for line in _read_whole("/proc/self/mountinfo").decode().splitlines()]
        root, place = next((words[3], words[4]) for words in mounts if words[words.index("-") + 1] == "cgroup2")
    except (OSError, StopIteration, ValueError):
        return None
    ours = os.path.normpath(f"{place}/{os.path.relpath(own, root)}")
    for home in dict.fromkeys((os.path.dirname(ours) if ours != place else ours, ours)):
        trial = f"{home}/rails-cli-{os.getpid()}-trial"
        with suppress(OSError):
            _sweep(home)
            os.mkdir(trial)
            os.rmdir(trial)
            if os.access(f"{home}/cgroup.procs", os.W_OK):
                return home
    return None


def _sweep(home: str) -> None:
    """Remove leftover groups of programs that were killed."""
    for name in os.listdir(home):
        owner = name.split("-")[2:3] if name.startswith("rails-cli-") else []
        if owner and not os.path.exists(f"/proc/{owner[0]}"):
            with suppress(OSError):  # not empty
                os.rmdir(f"{home}/{name}")


class CpuMeter:
    """A perf event that counts the CPU time of a process and all its later descendants.

    It includes descendants that are never waited for. Requires `kernel.perf_event_paranoid` of 2 or less, or root.
    """

    def __init__(self, counter: int) -> None:
        self.counter = counter

    @classmethod
    def of(cls, pid: int) -> "CpuMeter | None":
        call = PERF_EVENT_OPEN.get(os.uname().machine) if sys.platform == "linux" else None
        if call is None:
            return None
        event = struct.pack("IIQQQQQ16x", SOFTWARE, EVENT_BYTES, TASK_CLOCK, 0, 0, 0, INHERIT | NOT_THE_SYSTEM)
        counter = ctypes.CDLL(None).syscall(call, event, pid, -1, -1, PERF_CLOEXEC)
        return None if counter < 0 else cls(counter)

    def cpu_s(self) -> float:
        try:
            return int.from_bytes(os.read(self.counter, 8), sys.byteorder) / 1e9
        except OSError:
            return 0.0

    def close(self) -> None:
        os.close(self.counter)


# Resource usage


class Measured(NamedTuple):
    """Resource usage of a process."""

    own_s: float
    """CPU seconds used by the process itself."""
    waited_for_s: float
    """CPU seconds of children that it has waited for."""
    rss: int
    started: str
    """Start time, which distinguishes processes that reuse a pid."""


def _measured(pid: int) -> Measured | None:
    """Return the usage of a process, or None if it is gone."""
    if _HAS_PROC:
        try:
            fields = _read_whole(f"/proc/{pid}/stat").rpartition(b")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            return None
        own, waited_for = (sum(map(int, fields[first : first + 2])) / _TICKS for first in (UTIME, CUTIME))
        return Measured(own, waited_for, int(fields[RSS]) * _PAGE, fields[STARTED].decode())
    import psutil

    with suppress(psutil.Error):
        process = psutil.Process(pid)
        times = process.cpu_times()
        waited_for = times.children_user + times.children_system
        return Measured(times.user + times.system, waited_for, process.memory_info().rss, str(process.create_time()))
    return None


def _pss(pid: int, rss: int) -> int:
    """Return the bytes in memory. Shared memory counts proportionally if the system reports it, else fully."""
    with suppress(OSError, ValueError):
        for line in _read_whole(f"/proc/{pid}/smaps_rollup").splitlines():
            if line.startswith(b"Pss:"):
                return int(line.split()[1]) * 1024
    return rss


def _in_open_files(pids: Iterable[int]) -> int:
    """Return the bytes of open files in memory (memfd or /dev/shm).

    Mapped parts are subtracted, because they are already counted for the processes. 0 if the system does not report it.
    """
    sizes: dict[tuple[int, int], int] = {}
    mapped = 0
    for pid in pids:
        with suppress(OSError, ValueError):  # it is gone, or not readable
            mapped += int(_read_whole(f"/proc/{pid}/statm").split()[2]) * _PAGE
            for number in os.listdir(f"/proc/{pid}/fd"):
                with suppress(FileNotFoundError):
                    place = f"/proc/{pid}/fd/{number}"
                    if os.readlink(place).startswith(MEMORY_FILES):
                        found = os.stat(place)
                        sizes[found.st_dev, found.st_ino] = found.st_blocks * 512
    return max(0, sum(sizes.values()) - mapped)


def _size(number: int) -> str:
    return f"{number / 2**20:,.0f} MB"


# Finding and killing


def _is_stopped(pid: int) -> bool:
    """Return whether a process is stopped, or has ended."""
    if not _HAS_PROC:
        return False
    try:
        return _read_whole(f"/proc/{pid}/stat").rpartition(b")")[2].split()[0] in (b"T", b"t", b"Z", b"X")
    except (OSError, IndexError):
        return True


def _ask_launcher(pid: int) -> None:
    with suppress(OSError):
        os.kill(pid, signal.SIGUSR1)
        launcher = os.pidfd_open(pid)
        select.select([launcher], [], [], PODMAN_S)
        os.close(launcher)


def descendants(pid: int) -> list[int]:
    """Return the children of a process and their descendants, without detached ones."""
    tasks = f"/proc/{pid}/task"
    if os.path.exists(f"{tasks}/{pid}/children"):  # psutil reads all processes of the machine instead
        return _descendants_of_tasks(tasks)
    import psutil

    with suppress(psutil.Error):
        return [child.pid for child in psutil.Process(pid).children(recursive=True)]
    return []


def _descendants_of_tasks(tasks: str) -> list[int]:
    found: list[int] = []
    with suppress(FileNotFoundError, ProcessLookupError):
        for task in os.listdir(tasks):
            for child in _read_whole(f"{tasks}/{task}/children").split():
                found += (int(child), *_descendants_of_tasks(f"/proc/{int(child)}/task"))
    return found


_first_seen: dict[tuple[str, int], float] = {}
"""Time at which a process was first seen, by pid and inode of its folder in /proc. The pair is never reused."""


def _seen() -> list[tuple[str, float]]:
    """Return all pids and the time at which each was first seen, which is never before its start."""
    global _first_seen
    with os.scandir("/proc") as there:
        found = [(entry.name, entry.inode()) for entry in there if entry.name.isdigit()]
    now, known = time.monotonic(), _first_seen
    _first_seen = seen = {one: known.get(one, now) for one in found}
    return [(name, first) for (name, _), first in seen.items()]


def _all_are_seen() -> float:
    """Return a time before which all current processes have been seen."""
    if _HAS_PROC:
        with suppress(OSError):  # too many open files
            _seen()
    return time.monotonic()


def marked_processes(mark: str, variable: str = BOT_MARK, *, since: float = 0.0) -> list[int]:
    """Return the processes with a mark in their environment: a bot and all that it started, wherever they moved.

    Processes first seen before `since` are skipped, because reading many environments is slow.
    """
    if _HAS_PROC:
        entry = f"\0{variable}={mark}\0".encode()
        return [int(name) for name, first in _seen() if first >= since and entry in _environment(name)]
    import psutil

    found = []
    for process in psutil.process_iter():
        try:
            if process.environ().get(variable) == mark:
                found.append(process.pid)
        except psutil.Error:
            continue
    return found


def _environment(pid: str) -> bytes:
    """Return the environment from the kernel. psutil is many times slower for all processes."""
    try:
        return b"\0" + _read_whole(f"/proc/{pid}/environ")
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return b""


def _read_whole(path: str) -> bytes:
    """Read a kernel file without the overhead of `open`, because many are read at the end of each bot."""
    file = os.open(path, os.O_RDONLY)
    try:
        found = b""
        while chunk := os.read(file, READ_SIZE):
            found += chunk
        return found
    finally:
        os.close(file)


def kill_marked(mark: str, variable: str = BOT_MARK, *, since: float = 0.0) -> None:
    """Kill all processes with a mark. Repeat for processes started meanwhile, until none is found twice in a row."""
    was_quiet = False
    for _ in range(LOOKS):
        found = marked_processes(mark, variable, since=since)
        for pid in found:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        if was_quiet and not found:
            return
        was_quiet = not found
