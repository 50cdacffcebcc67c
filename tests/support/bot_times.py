"""A clock advanced by bots in other processes, so that a slow machine never makes a bot late."""

import time
from pathlib import Path

import psutil

from tests.support.waiting import HANG_S

WAKE_S = 0.05
"""Minimum length in seconds of the pauses in which `check-bot` waits for a bot process to start.

All other pauses of `check-bot` are shorter.
"""
SPEND = """
def spend(seconds):
    with open({file!r}, "a") as file:
        file.write(f"{{seconds}}\\n")
"""


class BotTimes:
    """A simulated clock for `check-bot` and for the bots that it runs.

    The clock advances:

    - by `tick_s` at each reading.
    - by each number of seconds that a bot appends to `file`.
    - by the duration of each `sleep`, which returns at once.

    A bot that hangs does not advance the clock. So a reading fails if the test has taken more than `HANG_S` real
    seconds.
    """

    def __init__(self, file: Path, tick_s: float = 1e-5) -> None:
        self.file = file
        self.woken = Path(f"{file}.woken")
        """File with the ids of the child processes that were running during a pause of at least `WAKE_S` seconds."""
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
        """Return Python source of a function `spend(seconds)` with which a bot advances this clock."""
        return SPEND.format(file=str(self.file))
