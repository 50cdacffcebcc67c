"""Data types of rating lists, and the defaults of the rating functions."""

import msgspec

RESAMPLES = 1000
MAX_BLOCKS = 1000
"""Number of independent blocks of seed groups. More groups are combined into this many blocks."""


class Ranking(msgspec.Struct, frozen=True):
    """A game as the rating model uses it."""

    group: str
    """Id of the seed group."""
    entrants: tuple[str, ...]
    """Names by seat."""
    ranks: tuple[int, ...]
    """Ranks by seat. 1 is best, ties share a rank."""
    table: str = ""
    """Key of tables whose seats are comparable: a game with its number of players."""


class Rating(msgspec.Struct, frozen=True):
    """The strength of an entrant. A difference of 400 points means odds of ten to one to finish ahead."""

    name: str
    rating: float
    low: float | None
    high: float | None
    """`low` and `high` are the ends of the interval. They are None if the games set no limit.

    This happens if the entrant never lost or never won, or if the entrant or the anchor played in one group only.
    """
    games: int
    groups: int
    pool: int
    """Number of the entrant's pool. Ratings compare only within a pool, because no games connect different pools."""
    best_place: int
    worst_place: int
    """`best_place` to `worst_place`: range of the entrant's places in its pool, with the confidence of the interval.

    After one group, the range covers all places.
    """
    ahead: float | None
    """Share of resamples in which the entrant is ahead of the next entrant in its pool.

    None for the last entrant, or if one of the two entrants has only one group.
    """
    range_among: tuple[int, int] | None
    """Range of places among the entrants of the pool with more than one group. None for an entrant with only one."""


class SeatEffect(msgspec.Struct, frozen=True):
    """Advantage of a seat in rating points. The mean over the seats of a table is 0."""

    table: str
    seat: int
    effect: float
    low: float | None
    high: float | None


class Ratings(msgspec.Struct, frozen=True):
    """A rating list, pool by pool, best first."""

    entrants: list[Rating]
    pools: list[list[str]]
    anchor: str | None
    ties: dict[int, float]
    """Weight of a tie by number of tied entrants, relative to one entrant of the same strength."""
    seats: list[SeatEffect]
    games: int
    groups: int
    confidence: float
    notes: list[str]
    """Warnings about comparing the ratings."""
