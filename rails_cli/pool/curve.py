"""How ratings went over time: a point now and then for each entrant, in a file that stays small."""

from pathlib import Path

import msgspec

from protocol.pool_api import RatingPoint
from rails_cli.files import write_new
from rails_cli.pool.rating import PoolStanding

CURVE = "ratings.json"
"""In the folder of the results."""
EVERY_S = 300.0
"""Between two points."""
MOST = 240
"""Points of an entrant; if there would be more, every other of the older ones goes."""


class Kept(msgspec.Struct):
    """What the file holds: the last standings, and how it came to them."""

    rated_at: float = 0.0
    standings: list[PoolStanding] = []
    points: dict[str, msgspec.Raw] = {}
    """By entrant, each a list that is read when it is asked for."""


_DECODER = msgspec.json.Decoder(Kept)
_POINTS = msgspec.json.Decoder(list[RatingPoint])


class Curve:
    """The last standings and all points, kept over restarts."""

    def __init__(self, file: Path) -> None:
        """A file that cannot be read is begun anew: all that matters is in the results."""
        self._file = file
        try:
            self._kept = _DECODER.decode(file.read_bytes())
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            self._kept = Kept()
        self.standings = {row.entrant: row for row in self._kept.standings}

    @property
    def rated_at(self) -> float | None:
        """When the last standings were worked out, as Unix time in seconds."""
        return self._kept.rated_at or None

    def _points(self, entrant: str) -> list[RatingPoint]:
        kept = self._kept.points.get(entrant)
        try:
            return [] if kept is None else _POINTS.decode(kept)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return []

    def of(self, entrant: str) -> list[RatingPoint]:
        """Where it stood, the last time included."""
        points, row = self._points(entrant), self.standings.get(entrant)
        if row is None or row.rating is None or (points and points[-1].at >= self._kept.rated_at):
            return points
        return [*points, _point(self._kept.rated_at, row, row.rating)]

    def add(self, rows: list[PoolStanding], at: float) -> None:
        """New standings. Raises OSError if they cannot be written down."""
        kept = self._kept
        kept.rated_at, kept.standings = at, rows
        self.standings = {row.entrant: row for row in rows}
        for row in rows:
            points = self._points(row.entrant)
            if row.rating is None or (points and at - points[-1].at < EVERY_S):
                continue
            points.append(_point(at, row, row.rating))
            if len(points) > MOST:
                points[:-1] = points[:-1:2]
            kept.points[row.entrant] = msgspec.Raw(msgspec.json.encode(points))
        write_new(self._file, msgspec.json.encode(kept))


def _point(at: float, row: PoolStanding, rating: float) -> RatingPoint:
    low, high = (None if end is None else round(end, 1) for end in (row.low, row.high))
    return RatingPoint(round(at), round(rating, 1), low, high)
