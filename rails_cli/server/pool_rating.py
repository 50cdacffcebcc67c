"""The ratings of the pool. A separate process computes them, with limited frequency to save CPU time."""

from collections.abc import Callable, Sequence
from pathlib import Path

from rails_cli.pool.curve import CURVE, Curve
from rails_cli.pool.rating import Member, PoolStanding, Refresh
from rails_cli.server.pool_work import RateTask, Work

Rate = Callable[[RateTask, Callable[[Work], None]], None]


class PoolRatings:
    """The latest ratings. They are restored after a restart."""

    def __init__(
        self, folder: Path, anchor: str | None, rate: Rate, now: Callable[[], float], wall: Callable[[], float]
    ) -> None:
        self._folder = folder
        self._anchor = anchor
        self._rate = rate
        self._now = now
        self._wall = wall
        self._refresh = Refresh()
        before = Curve(folder / CURVE)
        self.standings = before.standings
        """Standings by entrant."""
        self.rated_at = before.rated_at
        """Unix timestamp of the last rating run."""
        self.cpu_s = 0.0
        """CPU seconds of all rating runs since the server started."""
        self._games: int | None = None
        """Number of games in the last rating run."""

    def of(self, entrant: str) -> PoolStanding | None:
        return self.standings.get(entrant)

    def look(self, games: int, members: Callable[[], Sequence[Member]]) -> None:
        """Start a rating run if there are new games and one is due. `games` is the current number of games."""
        if self._anchor is None or games in (0, self._games) or not self._refresh.due(self._now()):
            return
        self._refresh.started(self._now())

        def then(work: Work) -> None:
            self._refresh.ended(self._now(), work.cpu_s, is_failed=work.failure is not None)
            self.cpu_s += work.cpu_s
            if work.standings is not None:
                self._games = games
                self.rated_at = self._wall()
                self.standings = {row.entrant: row for row in work.standings}

        self._rate(RateTask(str(self._folder), list(members()), self._anchor), then)
