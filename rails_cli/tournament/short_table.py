"""The standings in short, for those who watch a tournament; `standings` has all of it."""

from collections import Counter
from collections.abc import Sequence

import msgspec

from rails_cli.tournament.model import Played
from rails_cli.tournament.plackett_luce import fit
from rails_cli.tournament.ratings import RESAMPLES, rate
from rails_cli.tournament.standings import in_order, is_valid, rankings_of


class Row(msgspec.Struct, frozen=True):
    """An entrant in the table."""

    place: int
    name: str
    rating: float
    low: float | None
    high: float | None
    games: int
    mean_rank: float
    win_share: float
    faults: int


def short_table(played: Sequence[Played], anchor: str | None = None, resamples: int = RESAMPLES) -> list[Row]:
    """The table of all games that are not void, best first; the same games give the same table in any order."""
    games = in_order(game for game in played if is_valid(game))
    if not games:
        return []
    ranks: dict[str, int] = {}
    wins: dict[str, float] = {}
    faults: dict[str, int] = {}
    for game in games:
        first = 1 / game.ranks.count(1)
        for name, rank, count in zip(game.seating, game.ranks, game.faults, strict=True):
            ranks[name] = ranks.get(name, 0) + rank
            faults[name] = faults.get(name, 0) + count
            if rank == 1:
                wins[name] = wins.get(name, 0.0) + first
    seats = Counter(name for game in games for name in game.seating)
    places: Counter[int] = Counter()
    rows = []
    for rating in rate(fit(rankings_of(games)), anchor, resamples=resamples).entrants:
        places[rating.pool] += 1
        name = rating.name
        rows.append(
            Row(
                places[rating.pool],
                name,
                rating.rating,
                rating.low,
                rating.high,
                rating.games,
                ranks[name] / seats[name],
                wins.get(name, 0.0) / seats[name],
                faults[name],
            )
        )
    return rows
