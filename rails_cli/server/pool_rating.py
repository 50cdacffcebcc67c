"""The ratings of the pool on the event loop: fitted by a process beside the server, no more often than is cheap."""

from collections.abc import Callable, Sequence
from pathlib import Path

from rails_cli.pool.curve import CURVE, Curve
from rails_cli.pool.rating import Member, PoolStanding, Refresh
from rails_cli.server.pool_work import RateTask, Work

Rate = Callable[[RateTask, Callable[[Work], None]], None]


class PoolRatings:
    """The last ratings; they are as before after a restart."""

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
        """By entrant."""
        self.rated_at = before.rated_at
        """As Unix time in seconds."""
        self.cpu_s = 0.0
        """What all fits have taken since the server started."""
        self._games: int | None = None
        """That the last fit has seen."""

    def of(self, entrant: str) -> PoolStanding | None:
        return self.standings.get(entrant)

    def look(self, games: int, members: Callable[[], Sequence[Member]]) -> None:
        """Fits anew if there are games that were not seen, and it is time; `games` is how many there are."""
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
