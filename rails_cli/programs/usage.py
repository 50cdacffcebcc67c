"""Memory and CPU time of processes."""

import ctypes
import os
import struct
import sys
from collections.abc import Iterable
from contextlib import suppress
from typing import NamedTuple

from rails_cli.programs.finding import HAS_PROC, read_whole

MEMORY_FILES = ("/memfd:", "/dev/shm/")
UTIME, CUTIME, STARTED, RSS = 11, 13, 19, 21
"""Indices of fields in /proc/PID/stat, counted from the field after the process name.

UTIME and CUTIME are the user times of the process and of its children. The field after each is the system time.
STARTED is the start time, and RSS the resident memory in pages.
"""
PERF_EVENT_OPEN = {"x86_64": 298, "aarch64": 241, "riscv64": 241}
"""Mapping from a machine architecture to the number of the system call `perf_event_open`."""
SOFTWARE, TASK_CLOCK, EVENT_BYTES, PERF_CLOEXEC = 1, 1, 64, 8
INHERIT, NOT_THE_SYSTEM = 1 << 1, 1 << 5 | 1 << 6
"""Flags of a perf event. INHERIT includes processes started later.

NOT_THE_SYSTEM excludes time in the kernel and the hypervisor, because some systems do not allow measurements of that
time.
"""
_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")


class ProcessUsage(NamedTuple):
    own_s: float
    waited_for_s: float
    """CPU seconds of ended child processes whose exit status the process has read."""
    rss: int
    started: str
    """Start time of the process as text. It distinguishes processes that had the same pid at different times."""


def process_usage(pid: int) -> ProcessUsage | None:
    """Return the CPU time and memory of a process, or None if the process has ended."""
    if HAS_PROC:
        try:
            fields = read_whole(f"/proc/{pid}/stat").rpartition(b")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            return None
        own, waited_for = (sum(map(int, fields[first : first + 2])) / _TICKS for first in (UTIME, CUTIME))
        return ProcessUsage(own, waited_for, int(fields[RSS]) * _PAGE, fields[STARTED].decode())
    import psutil

    with suppress(psutil.Error):
        process = psutil.Process(pid)
        times = process.cpu_times()
        waited_for = times.children_user + times.children_system
        return ProcessUsage(
            times.user + times.system, waited_for, process.memory_info().rss, str(process.create_time())
        )
    return None


def proportional_bytes(pid: int, rss: int) -> int:
    """Return the memory of a process in bytes. Shared memory is divided among the processes that share it.

    Return `rss`, the resident memory of the process in bytes, if the system does not report how memory is shared.
    """
    with suppress(OSError, ValueError):
        for line in read_whole(f"/proc/{pid}/smaps_rollup").splitlines():
            if line.startswith(b"Pss:"):
                return int(line.split()[1]) * 1024
    return rss


def open_file_bytes(pids: Iterable[int]) -> int:
    """Return the total size in bytes of files in memory (memfd or /dev/shm) that the processes `pids` have open.

    Mapped parts of the files are subtracted, because they already count as memory of the processes. Files that the
    system does not report are left out.
    """
    sizes: dict[tuple[int, int], int] = {}
    mapped = 0
    for pid in pids:
        with suppress(OSError, ValueError):  # the process has ended, or is not readable
            mapped += int(read_whole(f"/proc/{pid}/statm").split()[2]) * _PAGE
            for number in os.listdir(f"/proc/{pid}/fd"):
                with suppress(FileNotFoundError):
                    place = f"/proc/{pid}/fd/{number}"
                    if os.readlink(place).startswith(MEMORY_FILES):
                        found = os.stat(place)
                        sizes[found.st_dev, found.st_ino] = found.st_blocks * 512
    return max(0, sum(sizes.values()) - mapped)


def megabytes(number: int) -> str:
    return f"{number / 2**20:,.0f} MB"


class CpuMeter:
    """A perf event that counts the CPU time of a process and of all processes that it starts later.

    Processes whose exit status was never read are counted, too.
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
        return None if counter < 0 else cls(counter)  # `kernel.perf_event_paranoid` may forbid it

    def cpu_s(self) -> float:
        try:
            return int.from_bytes(os.read(self.counter, 8), sys.byteorder) / 1e9
        except OSError:
            return 0.0

    def close(self) -> None:
        os.close(self.counter)
