"""Search for all processes of a bot, including detached processes, in order to kill them."""

import os
import signal
import time
from contextlib import suppress
from pathlib import Path

BOT_MARK = "RAILS_CLI_BOT"
"""Environment variable whose value identifies the processes of one bot."""
MAX_SEARCHES = 3
"""Maximum number of searches for processes when all processes of a bot are killed."""
HAS_PROC = Path("/proc/self/environ").exists()
"""Whether the system has the /proc file system of Linux. Without it, psutil is used."""


def descendants(pid: int) -> list[int]:
    """Return the pids of all direct and indirect child processes of a process. Detached processes are not found."""
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
            for child in read_whole(f"{tasks}/{task}/children").split():
                found += (int(child), *_descendants_of_tasks(f"/proc/{int(child)}/task"))
    return found


_first_seen: dict[tuple[str, int], float] = {}
"""Mapping from a process to the monotonic time at which it was first seen.

A process is identified by its pid and by the inode of its folder in /proc. Such a pair is never reused.
"""


def _seen() -> list[tuple[str, float]]:
    """Return pairs: the pid of a running process, and the monotonic time at which the process was first seen."""
    global _first_seen
    with os.scandir("/proc") as there:
        found = [(entry.name, entry.inode()) for entry in there if entry.name.isdigit()]
    now, known = time.monotonic(), _first_seen
    _first_seen = seen = {one: known.get(one, now) for one in found}
    return [(name, first) for (name, _), first in seen.items()]


def note_all_processes() -> float:
    """Record all running processes as seen. Return the time, for use as `since` in `marked_processes`."""
    if HAS_PROC:
        with suppress(OSError):  # too many open files
            _seen()
    return time.monotonic()


def marked_processes(mark: str, variable: str = BOT_MARK, *, since: float = 0.0) -> list[int]:
    """Return the pids of processes whose environment variable `variable` has the value `mark`.

    These are a bot and all processes that it started. On Linux, processes first seen before `since` are skipped,
    because reading the environments of many processes is slow.
    """
    if HAS_PROC:
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
    """Return the environment of a process, read from /proc for speed. Empty if it cannot be read."""
    try:
        return b"\0" + read_whole(f"/proc/{pid}/environ")
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return b""


def read_whole(path: str) -> bytes:
    """Return the content of a file in /proc or a control group, read without a buffer, which is faster."""
    with open(path, "rb", buffering=0) as file:
        return file.readall()


def kill_marked(mark: str, variable: str = BOT_MARK, *, since: float = 0.0) -> None:
    """Kill all processes whose environment variable `variable` has the value `mark`.

    Processes may start others meanwhile, so the search is repeated until it finds nothing twice in a row, but at most
    MAX_SEARCHES times. See `marked_processes` for `since`.
    """
    was_quiet = False
    for _ in range(MAX_SEARCHES):
        found = marked_processes(mark, variable, since=since)
        for pid in found:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        if was_quiet and not found:
            return
        was_quiet = not found


def is_stopped(pid: int) -> bool:
    """Return whether a process has been stopped by a signal, or has ended. False if the system has no /proc."""
    if not HAS_PROC:
        return False
    try:
        return read_whole(f"/proc/{pid}/stat").rpartition(b")")[2].split()[0] in (b"T", b"t", b"Z", b"X")
    except (OSError, IndexError):
        return True
