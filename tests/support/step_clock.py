"""Clocks for tests that do not depend on real time. A test, a reading of the clock or another process advances them."""

from pathlib import Path

FAR_AHEAD_S = 1e9
"""First reading of these clocks in seconds, later than any reading of the real clock.

If a deadline is computed from such a reading, the real clock never reaches it. So waiting for a real process never
times out.
"""


class StepClock:
    """A clock that advances by `step_s` at each reading, and when `advance` is called."""

    def __init__(self, step_s: float = 0.0) -> None:
        self.step_s = step_s
        self.elapsed_s = 0.0

    def __call__(self) -> float:
        self.elapsed_s += self.step_s
        return FAR_AHEAD_S + self.elapsed_s

    def advance(self, seconds: float) -> None:
        self.elapsed_s += seconds


class FileClock:
    """A clock that other processes advance: by `step_s` for each byte that they append to `file`."""

    def __init__(self, file: Path, step_s: float) -> None:
        file.touch()
        self.file = file
        self.step_s = step_s

    @property
    def elapsed_s(self) -> float:
        return self.step_s * self.file.stat().st_size

    def __call__(self) -> float:
        return FAR_AHEAD_S + self.elapsed_s
