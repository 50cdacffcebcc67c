"""Control groups (cgroup v2), in which the Linux kernel counts and limits the resources of all processes of a bot."""

import os
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache

from rails_cli.programs.finding import read_whole
from rails_cli.programs.sandbox import Level
from rails_cli.programs.usage import megabytes

REMOVAL_S = 1.0
"""Seconds to wait until the killed processes of a control group have disappeared."""
REMOVAL_POLL_S = 0.001
"""Seconds between two attempts to remove a control group."""
LAUNCHERS: dict[Level | None, int] = {"bubblewrap": 3}
"""Mapping from the kind of a sandbox to the number of launchers among the processes that are found for a bot.

A launcher sets up the sandbox, and then runs between this process and the bot. It does not count as a process of the
bot. For kinds of sandboxes that are not listed, no launcher is found.
"""


class ControlGroup:
    """The control group of one bot. It counts CPU time, limits memory and processes, and can kill all processes."""

    def __init__(self, folder: str, memory_bytes: int | None) -> None:
        self.folder = folder
        self.memory_bytes = memory_bytes

    @classmethod
    def make(cls, mark: str, memory_bytes: int | None, processes: int | None) -> "ControlGroup | None":
        home = _parent()
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
        """Write `value` to the control file `name`. Ignore errors, because not every control group has every file."""
        with suppress(OSError), open(f"{self.folder}/{name}", "wb", buffering=0) as file:
            file.write(str(value).encode())

    def enter(self) -> None:
        self.write("cgroup.procs", 0)

    def has(self, pid: int) -> bool:
        return pid in self.pids() or self.cpu_s() > 0

    def pids(self) -> set[int]:
        try:
            return {int(pid) for pid in read_whole(f"{self.folder}/cgroup.procs").split()}
        except OSError:
            return set()

    def cpu_s(self) -> float:
        return self._counts("cpu.stat").get(b"usage_usec", 0) / 1_000_000

    def limit_message(self) -> str:
        """Return a message if the kernel killed the bot because of its memory limit. Empty otherwise."""
        if self.memory_bytes is None or not self._counts("memory.events").get(b"oom_kill"):
            return ""
        return f"used up its memory; its limit is {megabytes(self.memory_bytes)}"

    def kill(self) -> None:
        self.write("cgroup.kill", 1)

    def close(
        self,
        patience_s: float = REMOVAL_S,
        now: Callable[[], float] = time.monotonic,
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        """Remove the control group. Wait up to `patience_s` seconds for killed processes to disappear.

        `now` reads the clock in seconds, and `wait` pauses for a number of seconds.
        """
        until = now() + patience_s
        while True:
            try:
                os.rmdir(self.folder)
            except FileNotFoundError:
                return
            except OSError:
                if now() < until:
                    wait(REMOVAL_POLL_S)
                    continue
            return

    def _counts(self, name: str) -> dict[bytes, int]:
        with suppress(OSError, ValueError):
            lines = read_whole(f"{self.folder}/{name}").splitlines()
            return {words[0]: int(words[1]) for line in lines if len(words := line.split()) == 2}
        return {}


@cache
def _parent() -> str | None:
    """Return the folder in which control groups can be created. None if there is no such folder.

    The parent folder of this process's control group is tried first, then the folder of this control group.
    """
    try:
        own = next(line[3:] for line in read_whole("/proc/self/cgroup").decode().splitlines() if line[:3] == "0::")
        mounts = [line.split(" ") for line in read_whole("/proc/self/mountinfo").decode().splitlines()]
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
    """Remove control groups in the folder `home` that were left behind by killed instances of this program."""
    for name in os.listdir(home):
        owner = name.split("-")[2:3] if name.startswith("rails-cli-") else []
        if owner and not os.path.exists(f"/proc/{owner[0]}"):
            with suppress(OSError):  # not empty
                os.rmdir(f"{home}/{name}")
