"""The latest ratings of the pool, and the schedule of rating runs, in which a worker process computes all ratings.

The frequency of rating runs is limited to save CPU time.
"""

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from rails_cli.server.pool.rating import RATINGS_FILE, RatingHistory
from rails_cli.server.pool.worker import RateTask, RunTask, TaskResult

CPU_SHARE = 0.02
"""Fraction of the time of one core that computing the ratings may take."""
EVERY_S = 5.0
"""Minimum number of seconds between the starts of two rating runs, which compute all ratings."""
MOST_DOUBLED = 9
"""Each consecutive failure of a rating run doubles the delay until the next run, but at most this number of times."""


class LatestRatings:
    """The latest ratings of all entrants. They are restored after a restart."""

    def __init__(
        self, folder: Path, anchors: list[str], run: RunTask, now: Callable[[], float], wall: Callable[[], float]
    ) -> None:
        self._folder = folder
        self._anchors = anchors
        self._run = run
        self._now = now
        self._wall = wall
        self._schedule = RunSchedule()
        before = RatingHistory(folder / RATINGS_FILE)
        self.by_entrant = before.standings
        self.rated_at = before.rated_at
        """Unix timestamp of the last successful rating run. None before the first run."""
        self.cpu_s = 0.0
        """CPU seconds of all rating runs since the server started."""
        self._games: int | None = None
        """Number of stored games at the last successful rating run since the server started. None before such a run."""

    def rating_of(self, name: str) -> float | None:
        standing = self.by_entrant.get(name)
        return None if standing is None else standing.rating

    def refresh(self, games: int, entrants: Iterable[str]) -> None:
        """Start a rating run, which computes the ratings of `entrants`, if it is due and there are new games.

        `games` is the number of stored games. There are new games if this number has changed since the last run.
        """
        if games in (0, self._games) or not self._schedule.due(self._now()):
            return
        self._schedule.started(self._now())
        self._run(RateTask(str(self._folder), list(entrants), self._anchors), partial(self._finished, games))

    def _finished(self, games: int, result: TaskResult) -> None:
        self._schedule.ended(self._now(), result.cpu_s, is_failed=result.failure is not None)
        self.cpu_s += result.cpu_s
        if result.standings is not None:
            self._games = games
            self.rated_at = self._wall()
            self.by_entrant = {row.entrant: row for row in result.standings}


class RunSchedule:
    """Schedule of rating runs, each of which computes all ratings. It limits the share of CPU time used by the runs."""

    def __init__(self, share: float = CPU_SHARE, every_s: float = EVERY_S) -> None:
        self._share = share
        self._every_s = every_s
        self._next = 0.0
        self._started: float | None = None
        self._failures = 0
        """Number of consecutive failed rating runs."""

    def due(self, now: float) -> bool:
        return self._started is None and now >= self._next

    def started(self, now: float) -> None:
        self._started = now

    def ended(self, now: float, cpu_s: float, *, is_failed: bool = False) -> None:
        """Record the end of a rating run, which took `cpu_s` seconds of CPU time and failed if `is_failed`.

        Each consecutive failure doubles the delay until the next attempt.
        """
        began = now if self._started is None else self._started
        self._started = None
        self._failures = self._failures + 1 if is_failed else 0
        if is_failed:
            cpu_s = cpu_s or now - began  # a lost process reports no CPU time
        every_s = self._every_s * 2 ** min(self._failures, MOST_DOUBLED)
        self._next = max(now, began + max(every_s, cpu_s / self._share))
