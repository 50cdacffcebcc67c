"""Ratings over time: a point for each entrant every few minutes, in a file whose size is bounded."""

from pathlib import Path

import msgspec

from rails_cli.basics.files import replace_file
from rails_cli.protocol.pool_api import RatingPoint
from rails_cli.server.pool.rating import PoolStanding

RATINGS_FILE = "ratings.json"
"""Name of the file, inside the folder of the results."""
EVERY_S = 300.0
"""Least seconds between two points of an entrant."""
MOST_POINTS = 240
"""Most points kept per entrant. Beyond, every second one of the older points is removed."""


class StoredRatings(msgspec.Struct):
    """Content of the file: the last standings and the points so far."""

    rated_at: float = 0.0
    standings: list[PoolStanding] = []
    points: dict[str, msgspec.Raw] = {}
    """Lists of points by entrant, decoded on demand."""


_DECODER = msgspec.json.Decoder(StoredRatings)
_POINTS = msgspec.json.Decoder(list[RatingPoint])


class RatingHistory:
    """The last standings and all points, persistent over restarts."""

    def __init__(self, file: Path) -> None:
        """Read `file`. If it cannot be read, start empty, because the results have everything that matters."""
        self._file = file
        try:
            self._stored = _DECODER.decode(file.read_bytes())
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            self._stored = StoredRatings()
        self.standings = {row.entrant: row for row in self._stored.standings}

    @property
    def rated_at(self) -> float | None:
        """Unix time in seconds of the last standings, or None."""
        return self._stored.rated_at or None

    def _points(self, entrant: str) -> list[RatingPoint]:
        encoded = self._stored.points.get(entrant)
        try:
            return [] if encoded is None else _POINTS.decode(encoded)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return []

    def of(self, entrant: str) -> list[RatingPoint]:
        """Return the rating points of an entrant, including the one of the last standings."""
        points, row = self._points(entrant), self.standings.get(entrant)
        if row is None or row.rating is None or (points and points[-1].at >= self._stored.rated_at):
            return points
        return [*points, _point(self._stored.rated_at, row, row.rating)]

    def add(self, rows: list[PoolStanding], at: float) -> None:
        """Store new standings. Raise OSError if they cannot be written."""
        stored = self._stored
        stored.rated_at, stored.standings = at, rows
        self.standings = {row.entrant: row for row in rows}
        for row in rows:
            points = self._points(row.entrant)
            if row.rating is None or (points and at - points[-1].at < EVERY_S):
                continue
            points.append(_point(at, row, row.rating))
            if len(points) > MOST_POINTS:
                points[:-1] = points[:-1:2]
            stored.points[row.entrant] = msgspec.Raw(msgspec.json.encode(points))
        replace_file(self._file, msgspec.json.encode(stored))


def _point(at: float, row: PoolStanding, rating: float) -> RatingPoint:
    low, high = (None if end is None else round(end, 1) for end in (row.low, row.high))
    return RatingPoint(round(at), round(rating, 1), low, high)
