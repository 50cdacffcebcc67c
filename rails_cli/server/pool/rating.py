"""Ratings of the pool: the tournament ratings over the last games.

The first anchor has rating 0. Intervals describe the difference to the whole field: the anchor may play rarely, and its
uncertainty would otherwise be in each interval. A rating is provisional and has no place until its interval is narrow.
"""

import gc
from collections import Counter
from collections.abc import Iterable, Sequence
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
WIDEST = 250.0
"""Width of an interval, in points, above which a rating is provisional."""
FEWEST = 10
"""Number of games below which a rating is provisional."""

_BLOCKS = 250  # the half width of an interval is off by 5 %, in exchange for a third of the time
_RESAMPLES = 2  # resamples only affect ranges of places, which are not used here


class PoolStanding(msgspec.Struct, frozen=True):
    """The standing of an entrant."""

    entrant: str
    rating: float | None
    """None if no game connects it with the anchor."""
    low: float | None
    high: float | None
    """`low` and `high` are the ends of the interval. They are None if the games set no limit."""
    is_provisional: bool
    place: int | None = None
    """Place among the entrants that are neither provisional nor anchors."""


def standings(
    games: Iterable[PlayedGame], entrants: Iterable[str], *, anchors: Sequence[str], window: int = WINDOW
) -> list[PoolStanding]:
    """Return all entrants: rated ones best first, then provisional ones, then those without a rating.

    `games` are in the order in which they ended, and the last `window` count. The first of `anchors` has rating 0.
    """
    valid = list(map(without_absent, distinct(in_order(filter(is_valid, list(games)[-window:])))))
    number = Counter(name for game in valid for name in game.seating)
    ratings = _ratings(valid, anchors[0])
    rows = []
    for name in entrants:
        rated = ratings.get(name)
        rating, low, high = (None, None, None) if rated is None else (rated.rating, rated.low, rated.high)
        is_narrow = low is not None and high is not None and high - low <= WIDEST
        is_provisional = name not in anchors and (number[name] < FEWEST or not is_narrow)
        rows.append(PoolStanding(name, rating, low, high, is_provisional))
    rows.sort(key=lambda row: (row.rating is None, row.is_provisional, -(row.rating or 0.0), row.entrant))
    placed = [row.entrant for row in rows if not row.is_provisional and row.entrant not in anchors]
    places = {name: place for place, name in enumerate(placed, 1)}
    return [msgspec.structs.replace(row, place=places.get(row.entrant)) for row in rows]


def _ratings(valid: Sequence[PlayedGame], anchor: str) -> dict[str, Rating]:
    """Return the ratings by name of all that games connect with the anchor.

    If the anchor has not played, the mean of the largest connected set is 0.
    """
    if not valid:
        return {}
    rated = rate(rankings_of(valid), most_blocks=_BLOCKS, resamples=_RESAMPLES, seed=0)
    home, zero = next(((one.pool, one.rating) for one in rated.entrants if one.name == anchor), (0, 0.0))

    def moved(value: float | None) -> float | None:
        return None if value is None else value - zero

    return {
        one.name: msgspec.structs.replace(one, rating=one.rating - zero, low=moved(one.low), high=moved(one.high))
        for one in rated.entrants
        if one.pool == home
    }


def stored_standings(
    folder: Path, entrants: Iterable[str], *, anchors: Sequence[str], window: int = WINDOW
) -> list[PoolStanding]:
    """Return the standings from the results in a folder. Takes seconds for many games, so run it in a separate process.

    Raise StoreError if the folder cannot be read.
    """
    gc.disable()  # saves a quarter of the time, and the objects made here have no reference cycles
    try:
        with Store(folder) as store:
            games = [listed.played for listed in store.games(last_groups=window)]
        return standings(games, entrants, anchors=anchors, window=window)
    finally:
        gc.enable()
