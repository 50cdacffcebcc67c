"""A clock that a bot in another process advances: the bot is late if it says so, never because the machine is slow."""

import time
from pathlib import Path

import psutil

from tests.support.waiting import HANG_S

WAKE_S = 0.05
"""Shortest pause of `check-bot` that lets a new process start up."""
SPEND = """
def spend(seconds):
    with open({file!r}, "a") as file:
        file.write(f"{{seconds}}\\n")
"""


class BotTimes:
    """A clock that advances by `tick_s` at each reading, by each pause, and by what bots write to `file`.

    If it is still read after `HANG_S` seconds of real time, something waits for a bot that will never advance it.
    """

    def __init__(self, file: Path, tick_s: float = 1e-5) -> None:
        self.file = file
        self.woken = Path(f"{file}.woken")
        """Processes that were alive during a pause that lets them start up."""
        for each in (file, self.woken):
            each.write_bytes(b"")
        self.tick_s = tick_s
        self._read_s = self._slept_s = self._spent_s = 0.0
        self._size = 0
        self._hung_at = time.monotonic() + HANG_S

    def now(self) -> float:
        is_hung = time.monotonic() > self._hung_at  # timing: catches hangs only
        assert not is_hung, f"still waiting at {self._read_s + self._slept_s + self._spent_s:g} s of this clock"
        self._read_s += self.tick_s
        size = self.file.stat().st_size
        if size != self._size:
            self._size, self._spent_s = size, sum(map(float, self.file.read_text().split()))
        return self._read_s + self._slept_s + self._spent_s

    def sleep(self, seconds: float) -> None:
        self._slept_s += seconds
        if seconds >= WAKE_S:
            with self.woken.open("a") as file:
                file.writelines(f"{child.pid}\n" for child in psutil.Process().children())

    def spend(self) -> str:
        """Python source of a function `spend(seconds)` for a bot, which advances this clock."""
        return SPEND.format(file=str(self.file))
