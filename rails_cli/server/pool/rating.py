"""Ratings of the pool: the tournament ratings of the last games, and the history of each entrant's rating.

The first anchor (a built-in player) has rating 0. A rating interval says how exactly the difference between a rating
and the mean of all ratings is known. The difference from the anchor would be less exact, because the anchor may play
rarely. A rating is provisional and has no place in the standings until its interval is narrow and the entrant has
played enough games.
"""

import gc
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from rails_cli.basics.files import replace_file
from rails_cli.protocol.lines import UNDECODABLE
from rails_cli.protocol.pool_api import RatingPoint
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
"""Width of a rating interval, in rating points, above which the rating is provisional."""
FEWEST = 10
"""Number of games below which a rating is provisional."""
RATINGS_FILE = "ratings.json"
"""Name of the file with the rating history, in the folder of the results."""
EVERY_S = 300.0
"""Minimum number of seconds between two stored points of an entrant's rating curve."""
MOST_POINTS = 240
"""Maximum number of stored points of a rating curve. If there are more, every second of the older points is removed."""
MOST_CHANGES = 1000
"""Maximum number of latest games for which the changes of the ratings are stored."""

_BLOCKS = 250  # the half width of an interval is off by 5%, in exchange for a third of the time
_RESAMPLES = 2  # resamples only affect ranges of places, which are not used here


class PoolStanding(msgspec.Struct, frozen=True):
    """The rating and the place of an entrant in the standings of the pool."""

    entrant: str
    rating: float | None
    """Rating in points. None if no game connects the entrant with the first anchor, a built-in player rated 0."""
    low: float | None
    high: float | None
    """Upper end of the rating interval in points. `low` is the lower end. An end is None if it cannot be estimated."""
    is_provisional: bool
    place: int | None = None
    """Place in the standings. None for entrants that are provisional, and for anchors (built-in players)."""


def standings(
    games: Iterable[PlayedGame], entrants: Iterable[str], *, anchors: Sequence[str], window: int = WINDOW
) -> list[PoolStanding]:
    """Return the standings: rated entrants best first, then provisional entrants, then entrants without a rating.

    `games` are in the order in which they ended. The last `window` games count. `anchors` are the built-in players. The
    first of them has rating 0.
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
    """Return a mapping from name to rating, for all entrants connected with `anchor` by the games `valid`.

    `anchor` is the built-in player whose rating is 0. If `anchor` has not played, rate the largest set of entrants that
    are connected by games. Their mean rating is 0.
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
) -> tuple[list[PoolStanding], list[PlayedGame]]:
    """Return the standings and the latest MOST_CHANGES games, from the results in `folder`. This is slow.

    See `standings` for the other parameters. Raise StoreError if the results cannot be read.
    """
    gc.disable()  # saves a quarter of the time, and the objects made here have no reference cycles
    try:
        with Store(folder) as store:
            games = [listed.played for listed in store.games(last_groups=window)]
        return standings(games, entrants, anchors=anchors, window=window), games[-MOST_CHANGES:]
    finally:
        gc.enable()


# Ratings over time


class StoredRatings(msgspec.Struct):
    """Content of the file with the rating history: the last standings, and the rating curves of all entrants."""

    rated_at: float = 0.0
    """Unix timestamp of the standings. 0 if there are no standings yet."""
    standings: list[PoolStanding] = []
    points: dict[str, list[RatingPoint]] = {}
    """Mapping from entrant name to the points of the entrant's rating curve, oldest first."""
    changes: dict[str, dict[str, tuple[float | None, float | None]]] | None = None
    """Changes of ratings by the latest games, oldest game first.

    The id of a game is mapped to another mapping: from the name of each entrant to its ratings before and after the
    game. None in files of earlier versions.
    """


class RatingHistory:
    """The last standings and the rating curves of all entrants, stored in a file."""

    def __init__(self, file: Path) -> None:
        """Read the history from `file`. If `file` cannot be read, start without a history."""
        self._file = file
        try:
            self._stored = msgspec.json.decode(file.read_bytes(), type=StoredRatings)
        except (OSError, *UNDECODABLE):
            self._stored = StoredRatings()
        self.standings = {row.entrant: row for row in self._stored.standings}

    @property
    def rated_at(self) -> float | None:
        """Unix timestamp of the last standings. None if there are no standings yet."""
        return self._stored.rated_at or None

    def of(self, entrant: str) -> list[RatingPoint]:
        """Return the points of an entrant's rating curve, including the rating in the last standings."""
        points, row = self._stored.points.get(entrant, []), self.standings.get(entrant)
        if row is None or row.rating is None or (points and points[-1].at >= self._stored.rated_at):
            return points
        return [*points, _point(self._stored.rated_at, row, row.rating)]

    def change(self, game: str, entrant: str) -> tuple[float | None, float | None]:
        """Return the rating of `entrant` before and after the game `game`. Both are None if they are not stored."""
        return (self._stored.changes or {}).get(game, {}).get(entrant, (None, None))

    def add(self, rows: list[PoolStanding], at: float, latest: Sequence[PlayedGame] = ()) -> None:
        """Store the standings `rows`, computed at the Unix timestamp `at`. Raise OSError if they cannot be written.

        `latest` are the latest rated games. Some of them may be rated for the first time. For these, store how the
        ratings have changed.
        """
        stored = self._stored
        self._add_changes(rows, latest)
        stored.rated_at, stored.standings = at, rows
        self.standings = {row.entrant: row for row in rows}
        for row in rows:
            points = stored.points.setdefault(row.entrant, [])
            if row.rating is None or (points and at - points[-1].at < EVERY_S):
                continue
            points.append(_point(at, row, row.rating))
            if len(points) > MOST_POINTS:
                points[:-1] = points[:-1:2]
        replace_file(self._file, msgspec.json.encode(stored))

    def _add_changes(self, rows: Sequence[PoolStanding], latest: Sequence[PlayedGame]) -> None:
        stored, after = self._stored, {row.entrant: _rounded(row) for row in rows}
        if stored.changes is None and stored.standings:  # it is not known which of the games are new
            stored.changes = {game.group: {} for game in latest}
        changes = stored.changes = stored.changes or {}
        for game in latest:
            if game.group not in changes:
                changes[game.group] = {
                    name: (_rounded(self.standings.get(name)), after.get(name)) for name in game.seating
                }
        for game_id in list(changes)[:-MOST_CHANGES]:
            del changes[game_id]


def _rounded(row: PoolStanding | None) -> float | None:
    return None if row is None or row.rating is None else round(row.rating, 1)


def _point(at: float, row: PoolStanding, rating: float) -> RatingPoint:
    low, high = (None if end is None else round(end, 1) for end in (row.low, row.high))
    return RatingPoint(round(at), round(rating, 1), low, high)
