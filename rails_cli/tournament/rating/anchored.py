"""The rating of one entrant against opponents with fixed ratings.

The model is Plackett-Luce with only one parameter: the strength of the entrant. A ranking is read from the top. At each
step, the chance of an entrant to come next is proportional to its strength. Only the steps up to the place of the rated
entrant depend on the parameter. A tie counts as half a game ahead and half a game behind.

The standard error is the larger of two estimates. One comes from the model, the other from the differences between
seeds, because games with the same seed are not independent.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import msgspec

from rails_cli.tournament.model import PlayedGame
from rails_cli.tournament.rating.estimates import CONFIDENCE, student_quantile
from rails_cli.tournament.rating.forfeits import is_valid, without_absent
from rails_cli.tournament.rating.rating_types import ELO, PRIOR
from rails_cli.tournament.rating.standings import by_seed

_STEPS = 60
"""Maximum number of Newton steps."""
_LONGEST_STEP = 2.0
"""Maximum change of a strength in one Newton step."""
_TOLERANCE = 1e-9
"""Change of a strength below which the iteration ends."""
_DIGITS = 6
"""Number of decimals of a result."""


class Place(NamedTuple):
    """The place of an entrant in one game, with the ratings of the opponents."""

    ahead: tuple[float, ...]
    """Ratings of the opponents that finished ahead, in the order of their ranks."""
    behind: tuple[float, ...]
    """Ratings of the opponents that finished behind, sorted."""


class AnchoredRating(msgspec.Struct, frozen=True):
    """The rating of an entrant on the scale of its opponents."""

    rating: float
    error: float
    """Standard error of `rating` in points. The ratings of the opponents are taken as exact."""
    games: int
    groups: int
    """Number of different seeds with which the rated games were played."""
    has_won: bool
    """Whether the entrant finished ahead of an opponent in any game."""
    has_lost: bool
    """Whether the entrant finished behind an opponent in any game."""


class MeanRating(msgspec.Struct, frozen=True):
    """The mean of several ratings, with its 95% interval."""

    rating: float
    low: float
    high: float

    @property
    def half_width(self) -> float:
        return (self.high - self.low) / 2


def anchored_rating(games: Iterable[PlayedGame], entrant: str, ratings: Mapping[str, float]) -> AnchoredRating | None:
    """Rate `entrant` by its games against opponents with fixed `ratings`. Return None if no game has a result."""
    seeds = [
        tuple(sorted(place for game in group for place in _places(without_absent(game), entrant, ratings)))
        for group in by_seed(filter(is_valid, games)).values()
    ]
    counted = tuple(sorted(filter(None, seeds)))
    return _rated(counted) if counted else None


def mean_rating(ratings: Sequence[AnchoredRating]) -> MeanRating:
    """Return the mean of `ratings`, with its interval. The ratings must come from different games."""
    mean = math.fsum(one.rating for one in ratings) / len(ratings)
    error = math.sqrt(math.fsum(one.error**2 for one in ratings)) / len(ratings)
    freedom = max(1, sum(one.groups - 1 for one in ratings))
    half = student_quantile((1 + CONFIDENCE) / 2, freedom) * error
    return MeanRating(round(mean, _DIGITS), round(mean - half, _DIGITS), round(mean + half, _DIGITS))


def _places(game: PlayedGame, entrant: str, ratings: Mapping[str, float]) -> list[Place]:
    """Return the place of `entrant` in a game, as two equally weighted halves of the game.

    Without a tie, both halves are equal. In a tie, the entrant is ahead of the tied opponents in the first half, and
    behind them in the second. Return an empty list if `entrant` did not play, or played without opponents. `ratings`
    maps the name of an opponent to its rating.
    """
    if entrant not in game.seating or len(game.seating) < 2:
        return []
    own = game.ranks[game.seating.index(entrant)]
    others = sorted(
        (rank, -ratings[name]) for name, rank in zip(game.seating, game.ranks, strict=True) if name != entrant
    )
    found = []
    for is_ahead in (True, False):
        ahead = [-points for rank, points in others if rank < own or (rank == own and not is_ahead)]
        behind = sorted(-points for rank, points in others if rank > own or (rank == own and is_ahead))
        found.append(Place(tuple(ahead), tuple(behind)))
    return found


@lru_cache(maxsize=4096)
def _rated(seeds: tuple[tuple[Place, ...], ...]) -> AnchoredRating:
    """Return the rating of an entrant from its places.

    `seeds` has a tuple for each seed: the places of the entrant in the games with this seed. Every game has two places,
    each of which counts as half a game.
    """
    strength = 0.0
    for _ in range(_STEPS):
        slopes = [_slope(strength, place) for places in seeds for place in places]
        slope = math.fsum(one for one, _ in slopes) / 2 - strength / PRIOR**2
        curvature = math.fsum(one for _, one in slopes) / 2 + 1 / PRIOR**2
        step = max(-_LONGEST_STEP, min(_LONGEST_STEP, slope / curvature))
        strength += step
        if abs(step) < _TOLERANCE:
            break
    by_seed_squares = math.fsum(
        (math.fsum(_slope(strength, place)[0] for place in places) / 2) ** 2 for places in seeds
    )
    variance = 1 / curvature
    if len(seeds) > 1:
        variance = max(variance, by_seed_squares / curvature**2 * len(seeds) / (len(seeds) - 1))
    every = [place for places in seeds for place in places]
    return AnchoredRating(
        round(ELO * strength, _DIGITS),
        round(ELO * math.sqrt(variance), _DIGITS),
        len(every) // 2,
        len(seeds),
        any(place.behind for place in every),
        any(place.ahead for place in every),
    )


def _slope(strength: float, place: Place) -> tuple[float, float]:
    """Return the first and the negative second derivative of the log-likelihood of `place` by `strength`."""
    left = math.fsum(math.exp(points / ELO) for points in place.ahead + place.behind)
    own = math.exp(strength)
    slope = curvature = 0.0
    for points in place.ahead:
        chance = own / (own + left)
        slope -= chance
        curvature += chance * (1 - chance)
        left -= math.exp(points / ELO)
    if place.behind:
        chance = own / (own + math.fsum(math.exp(points / ELO) for points in place.behind))
        slope += 1 - chance
        curvature += chance * (1 - chance)
    return slope, curvature
