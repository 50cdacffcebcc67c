"""How the ratings came about: fitted again and again to ever more seed groups, in the order of the schedule."""

from collections.abc import Sequence

import msgspec

from rails_cli.tournament.model import Played
from rails_cli.tournament.plackett_luce import fit
from rails_cli.tournament.ratings import Rating, rate
from rails_cli.tournament.standings import in_order, is_valid, rankings_of

STATIONS = 12
_RESAMPLES = 300


class Station(msgspec.Struct, frozen=True):
    """The ratings after so many seed groups."""

    groups: int
    games: int
    ratings: dict[str, Rating]


def make_course(games: Sequence[Played], anchor: str | None, stations: int = STATIONS) -> list[Station]:
    """The ratings at evenly spaced stations, the last of them after all groups; `games` come as in the schedule."""
    groups: dict[str, list[Played]] = {}
    for game in games:
        if is_valid(game):
            groups.setdefault(game.group, []).append(game)
    played = list(groups.values())
    course = []
    for number in _spaced(len(played), stations):
        known = in_order(game for group in played[:number] for game in group)
        rated = rate(fit(rankings_of(known)), anchor, resamples=_RESAMPLES)
        course.append(Station(number, len(known), {rating.name: rating for rating in rated.entrants}))
    return course


def _spaced(last: int, stations: int) -> list[int]:
    """Up to so many numbers, evenly spaced, from the second to the last: one group says nothing of the spread."""
    steps = min(stations, last - 1)
    if steps < 1:
        return []
    return sorted({last - round((last - 2) * step / steps) for step in range(steps)})
