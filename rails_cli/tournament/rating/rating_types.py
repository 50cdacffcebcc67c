"""Data types of rating lists, and the defaults of the rating functions."""

import math

import msgspec

ELO = 400 / math.log(10)
"""Rating points per unit of the natural logarithm of a strength.

A difference of 400 points means odds of ten to one.
"""
PRIOR = 3.0
"""Standard deviation of the prior distribution of the natural logarithm of a strength."""
RESAMPLES = 1000
"""Default number of bootstrap samples."""
MAX_BLOCKS = 1000
"""Maximum number of blocks for the bootstrap, which is a resampling method. Several seeds form one block if needed."""


class Ranking(msgspec.Struct, frozen=True):
    """The result of a game in the form that the rating model uses."""

    group: str
    """Key of the random seed of the game. Games with the same key are not independent."""
    entrants: tuple[str, ...]
    ranks: tuple[int, ...]
    """Rank of each seat. 1 is best. Tied seats have the same rank."""
    table: str = ""
    """Name of the setting (game, options and number of players). Seats are compared only within a setting."""


class Rating(msgspec.Struct, frozen=True):
    """The rating of an entrant. At a difference of 400 points, the odds to finish ahead are ten to one.

    `groups` is the number of different seeds with which the entrant played.
    """

    name: str
    rating: float
    low: float | None
    high: float | None
    """`low` and `high` are the ends of the interval. An end is None if the games set no limit.

    This happens if the entrant never lost or never won, or if it or the anchor (rated 0) played only one seed.
    """
    games: int
    groups: int
    pool: int
    """Index of the pool of the entrant. A pool is a set of entrants connected by games.

    Ratings can be compared only within a pool.
    """
    best_place: int
    worst_place: int
    """`best_place` to `worst_place` is the range of possible places of the entrant in its pool.

    The range has the same confidence as the interval. It covers all places if the entrant played only one seed.
    """
    ahead: float | None
    """Share of bootstrap resamples in which the entrant is rated above the entrant in the next place of its pool.

    None for the last entrant of the pool, or if one of the two entrants played only one seed.
    """
    range_among: tuple[int, int] | None
    """Best and worst possible place among the entrants of the pool that played more than one seed.

    None if the entrant itself played only one seed.
    """


class SeatEffect(msgspec.Struct, frozen=True):
    """Advantage of a seat in rating points. The mean over the seats of a setting (game and number of players) is 0."""

    table: str
    seat: int
    effect: float
    low: float | None
    high: float | None


class Ratings(msgspec.Struct, frozen=True):
    """A rating list, sorted by pool (entrants connected by games). Within a pool, the best entrant is first.

    `groups` is the number of different seeds. `confidence` is the confidence level of the intervals, from 0 to 1.
    """

    entrants: list[Rating]
    pools: list[list[str]]
    anchor: str | None
    ties: dict[int, float]
    """Mapping from a number k to the weight of a tie of k entrants in the fitted model.

    The weight compares two chances when k equal entrants play. One is that all of them tie, the other that a certain
    one of them is alone in first place. With a weight of 1, the chances are equal.
    """
    seats: list[SeatEffect]
    games: int
    groups: int
    confidence: float
    notes: list[str]
    """Sentences that warn of ratings that cannot be compared, or only with caution."""
