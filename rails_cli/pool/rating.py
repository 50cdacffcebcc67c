"""Ratings of the pool: the tournament ratings over the last games, refreshed as often as is cheap.

The anchor has rating 0. Intervals describe the difference to the whole field: the anchor may play rarely, and its
uncertainty would otherwise be in each interval. A rating is provisional and has no place until its interval is narrow.
"""

import gc
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from rails_cli.tournament.model import PlayedGame
from rails_cli.tournament.rating.copies import distinct
from rails_cli.tournament.rating.forfeits import is_valid, without_absent
from rails_cli.tournament.rating.rating_types import Rating
from rails_cli.tournament.rating.ratings import rate
from rails_cli.tournament.rating.standings import in_order, rankings_of
from rails_cli.tournament.results.store import Store

WINDOW = 100_000
"""Number of latest games that are rated."""
SHARE = 0.02
"""Fraction of the time that fitting may take."""
EVERY_S = 5.0
"""Least seconds between two fits of the ratings, even if they are fast."""
MOST_DOUBLED = 9
"""Most times that the delay between fits of the ratings is doubled, once per consecutive failure."""
WIDEST = 250.0
"""Width of an interval, in points, above which a rating is provisional."""
FEWEST = 10
"""Number of games below which a rating is provisional."""

_BLOCKS = 250  # the half width of an interval is off by 5 %, in exchange for a third of the time
_RESAMPLES = 2  # resamples only affect ranges of places, which are not used here


class Member(msgspec.Struct, frozen=True):
    """An entrant to list in the standings."""

    name: str
    owner: str
    is_anchor: bool = False


class PoolStanding(msgspec.Struct, frozen=True):
    """The standing of an entrant."""

    entrant: str
    owner: str
    rating: float | None
    """None if no game connects it with the anchor."""
    low: float | None
    high: float | None
    """`low` and `high` are the ends of the interval. They are None if the games set no limit."""
    games: int
    """Number of games in the window."""
    place: int | None
    """Place among the entrants that are neither provisional nor anchors."""
    is_provisional: bool
    is_anchor: bool
    last_played: float | None
    """Unix time in seconds of its last game, if known."""


def standings(
    games: Iterable[PlayedGame],
    members: Sequence[Member],
    *,
    window: int = WINDOW,
    anchor: str,
    seed: int = 0,
    finished: Mapping[str, float] | None = None,
) -> list[PoolStanding]:
    """Return all members: rated ones best first, then provisional ones, then those without a rating.

    `games` are in the order in which they ended, and the last `window` count. `finished` has the end times by group.
    """
    lately = list(games)[-window:]
    valid = list(map(without_absent, distinct(in_order(filter(is_valid, lately)))))
    number: dict[str, int] = {}
    last: dict[str, float] = {}
    for game in valid:
        ended = finished.get(game.group) if finished is not None else None
        for name in game.seating:
            number[name] = number.get(name, 0) + 1
            if ended is not None:
                last[name] = max(ended, last.get(name, ended))
    found = _ratings(valid, anchor, seed)
    rows = []
    for member in members:
        one, games_of = found.get(member.name), number.get(member.name, 0)
        is_narrow = one is not None and one.low is not None and one.high is not None and one.high - one.low <= WIDEST
        rows.append(
            PoolStanding(
                member.name,
                member.owner,
                None if one is None else one.rating,
                None if one is None else one.low,
                None if one is None else one.high,
                games_of,
                None,
                not member.is_anchor and (games_of < FEWEST or not is_narrow),
                member.is_anchor,
                last.get(member.name),
            )
        )
    rows.sort(key=lambda row: (row.rating is None, row.is_provisional, -(row.rating or 0.0), row.entrant))
    placed = [row for row in rows if not row.is_provisional and not row.is_anchor and row.rating is not None]
    places = {row.entrant: place for place, row in enumerate(placed, 1)}
    return [msgspec.structs.replace(row, place=places.get(row.entrant)) for row in rows]


def _ratings(valid: Sequence[PlayedGame], anchor: str, seed: int) -> dict[str, Rating]:
    """Return the ratings by name of all that games connect with the anchor.

    If the anchor has not played, the mean of the largest connected set is 0.
    """
    if not valid:
        return {}
    rated = rate(rankings_of(valid), most_blocks=_BLOCKS, resamples=_RESAMPLES, seed=seed)
    home, zero = next(((one.pool, one.rating) for one in rated.entrants if one.name == anchor), (0, 0.0))

    def moved(value: float | None) -> float | None:
        return None if value is None else value - zero

    return {
        one.name: msgspec.structs.replace(one, rating=one.rating - zero, low=moved(one.low), high=moved(one.high))
        for one in rated.entrants
        if one.pool == home
    }


def stored_standings(
    folder: Path, members: Sequence[Member], *, window: int = WINDOW, anchor: str, seed: int = 0
) -> list[PoolStanding]:
    """Return the standings from the results in a folder. Takes seconds for many games, so run it in a separate process.

    Raises StoreError if the folder cannot be read.
    """
    has_collected = gc.isenabled()
    gc.disable()  # saves a quarter of the time, and the objects made here have no reference cycles
    try:
        with Store(folder) as store:
            listed = list(store.games(last_groups=window))
        finished = {one.group.id: one.group.finished for one in listed}
        games = (one.played for one in listed)
        return standings(games, members, window=window, anchor=anchor, seed=seed, finished=finished)
    finally:
        if has_collected:
            gc.enable()


class Refresh:
    """Decides when the ratings may be fitted again, so that fits take no more than their share of the time."""

    def __init__(self, share: float = SHARE, every_s: float = EVERY_S) -> None:
        self._share = share
        self._every_s = every_s
        self._next = 0.0
        self._started: float | None = None
        self._failures = 0
        """Number of consecutive failed fits."""

    def due(self, now: float) -> bool:
        return self._started is None and now >= self._next

    def started(self, now: float) -> None:
        self._started = now

    def ended(self, now: float, cpu_s: float, *, is_failed: bool = False) -> None:
        """Record that a fit of the ratings has ended. Each consecutive failure doubles the delay until the next one."""
        began = now if self._started is None else self._started
        self._started = None
        self._failures = self._failures + 1 if is_failed else 0
        if is_failed:
            cpu_s = cpu_s or now - began  # a lost process reports no CPU time
        every_s = self._every_s * 2 ** min(self._failures, MOST_DOUBLED)
        self._next = max(now, began + max(every_s, cpu_s / self._share))
