"""Clocks for tests: time passes when the test says so, and not while the machine works."""

from pathlib import Path

FAR_AHEAD_S = 1e9
"""Later than any reading of the real clock, so that what waits for a real process never finds its time over."""


class StepClock:
    """A clock that is `step_s` later at each reading, and that `advance` moves on."""

    def __init__(self, step_s: float = 0.0) -> None:
        self.step_s = step_s
        self.elapsed_s = 0.0

    def __call__(self) -> float:
        self.elapsed_s += self.step_s
        return FAR_AHEAD_S + self.elapsed_s

    def advance(self, seconds: float) -> None:
        self.elapsed_s += seconds


class FileClock:
    """A clock that other processes move on: it shows `step_s` for each byte they have appended to `file`."""

    def __init__(self, file: Path, step_s: float) -> None:
        file.touch()
        self.file = file
        self.step_s = step_s

    @property
    def elapsed_s(self) -> float:
        return self.step_s * self.file.stat().st_size

    def __call__(self) -> float:
        return FAR_AHEAD_S + self.elapsed_s
