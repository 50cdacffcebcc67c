"""Rating lists: strengths on the Elo scale, anchored, with intervals by bootstrap over seed groups.

The games of a group are not independent, so groups are resampled, never games. A resample is one Newton step from the
fit to all games, so it is a sum over groups. Its spread is widened by Student's t for the number of groups of the
entrant or its anchor, whichever is less. Equal groups do not show that there is no spread: each then counts as one game
between equals.
"""

import math
from collections.abc import Sequence
from itertools import combinations
from operator import itemgetter

import msgspec

from rails_cli.games.shared.luck import stream
from rails_cli.tournament.estimates import CONFIDENCE, normal_quantile, student_quantile
from rails_cli.tournament.plackett_luce import Fit

Ends = tuple[float | None, float | None]

ELO = 400 / math.log(10)
RESAMPLES = 1000

_EQUAL = 1e-6  # spread between groups, in points, that is only rounding error
_LEAST_CHANCE = 1e-12


class Rating(msgspec.Struct, frozen=True):
    """The strength of an entrant. A difference of 400 points means odds of ten to one to finish ahead."""

    name: str
    rating: float
    low: float | None
    high: float | None
    """`low` and `high` are the ends of the interval. They are None if the games set no limit.

    That is the case if it never lost or never won, or if it or the anchor has played in one group only.
    """
    games: int
    groups: int
    pool: int
    """Number of its pool. Ratings compare only within a pool, because no games connect different pools."""
    best_place: int
    worst_place: int
    """`best_place` to `worst_place`: range of its possible places in its pool, with the confidence of the interval.

    It covers all places after one group.
    """
    ahead: float | None
    """Share of resamples in which it is ahead of the next in its pool.

    None for the last one, or if one of the two has only one group.
    """
    range_among: tuple[int, int] | None
    """Range of its places among those of its pool with more than one group. None if it has only one."""


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


def rate(
    fitted: Fit,
    anchor: str | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
    confidence: float = CONFIDENCE,
) -> Ratings:
    """Return the rating list of a fit. The anchor has the rating 0. Without one, and in other pools, the mean is 0.

    Entrants that never lost to the others, or never beat them, are left out of that mean: their distance is unknown.
    """
    notes = []
    if len(fitted.pools) > 1:
        pools = "; ".join(", ".join(fitted.names[entrant] for entrant in pool) for pool in fitted.pools)
        notes.append(f"no game connects these pools, so ratings compare only within each: {pools}")
    if anchor is not None and anchor not in fitted.names:
        notes.append(f"the anchor {anchor} has played no game: ratings have the mean 0")
        anchor = None
    resampler = _Resampler(len(fitted.model.blocks), resamples, seed, confidence)
    entrants: list[Rating] = []
    for number, pool in enumerate(fitted.pools):
        anchored = next((entrant for entrant in pool if fitted.names[entrant] == anchor), None)
        entrants += _rate_pool(fitted, number, anchored, resampler)
        yardstick = _yardstick(fitted, pool)
        if anchored is None and len(yardstick) < len(pool):
            notes.append(f"0 is the mean of {', '.join(fitted.names[entrant] for entrant in yardstick)}")
    for entrant in entrants:
        if entrant.high is None and entrant.low is not None:
            notes.append(f"{entrant.name} never lost to the others: only the lower end of its rating is meaningful")
        elif entrant.low is None and entrant.high is not None:
            notes.append(f"{entrant.name} never beat the others: only the upper end of its rating is meaningful")
    first_tie = len(fitted.names)
    return Ratings(
        entrants,
        [[fitted.names[entrant] for entrant in pool] for pool in fitted.pools],
        anchor,
        {size: math.exp(fitted.strengths[first_tie + tie]) for tie, size in enumerate(fitted.model.tie_sizes)},
        _rate_seats(fitted, resampler),
        fitted.model.rankings,
        fitted.model.groups,
        confidence,
        notes,
    )


class _Resampler:
    """Draws blocks with replacement. All parameters use the same draws, so that differences are meaningful."""

    def __init__(self, blocks: int, resamples: int, seed: int, confidence: float) -> None:
        chance = stream(f"bootstrap/{seed}")
        self._picks = [itemgetter(*[int(chance() * blocks) for _ in range(max(2, blocks))]) for _ in range(resamples)]
        self._chance = stream(f"equal groups/{seed}")
        self.tail = (1 - confidence) / 2
        self._quantile = normal_quantile(1 - self.tail)

    def draws(self, moves: list[float], support: int) -> list[float]:
        """Return the deviation of a parameter in each resample, widened if it appears in few blocks.

        A single block does not show the spread, so the deviations are infinite.
        """
        if support < 2:
            return [math.inf if number % 2 else -math.inf for number in range(len(self._picks))]
        wider = self._wider(support)
        if _spread(moves) <= _EQUAL:
            wide = wider * _spread_of_equals(support)
            return [wide * normal_quantile(max(_LEAST_CHANCE, self._chance())) for _ in self._picks]
        total = sum(moves)
        return [wider * (sum(pick(moves)) - total) for pick in self._picks]

    def half_width(self, moves: list[float], support: int, of: int = 1) -> float | None:
        """Return half the width of an interval, or None if there is a single block.

        With `of` > 1, that many intervals hold simultaneously.
        """
        if support < 2:
            return None
        spread = _spread(moves)
        if spread <= _EQUAL:
            spread = _spread_of_equals(support)
        return student_quantile(1 - self.tail / of, support - 1) * math.sqrt(support / (support - 1)) * spread

    def _wider(self, support: int) -> float:
        return student_quantile(1 - self.tail, support - 1) / self._quantile * math.sqrt(support / (support - 1))


def _spread(moves: list[float]) -> float:
    """Return the standard deviation over infinitely many resamples."""
    mean = math.fsum(moves) / len(moves)
    return math.sqrt(math.fsum((move - mean) ** 2 for move in moves))


def _spread_of_equals(games: int) -> float:
    """Return the standard deviation of a rating after this many games between two equals."""
    return ELO * math.sqrt(2 / games)


def _rate_pool(fitted: Fit, number: int, anchor: int | None, resampler: _Resampler) -> list[Rating]:
    pool = fitted.pools[number]
    yardstick = _yardstick(fitted, pool) if anchor is None else [anchor]
    zero = math.fsum(fitted.strengths[entrant] for entrant in yardstick) / len(yardstick)
    ratings = {entrant: ELO * (fitted.strengths[entrant] - zero) for entrant in pool}
    order = sorted(pool, key=lambda entrant: (-ratings[entrant], fitted.names[entrant]))
    support = fitted.support if anchor is None else [min(own, fitted.support[anchor]) for own in fitted.support]
    moves = _moves(fitted, pool, yardstick)
    among = moves if anchor is None else _moves(fitted, pool, pool)  # places do not depend on the anchor
    resampled = {
        entrant: [ratings[entrant] + draw for draw in resampler.draws(among[entrant], fitted.support[entrant])]
        for entrant in pool
    }
    places = _places(fitted, order, ratings, among, resampler)
    firm = [entrant for entrant in order if fitted.support[entrant] > 1]  # the others could have any place
    firm_places = places if len(firm) == len(order) else _places(fitted, firm, ratings, among, resampler)
    halves = {entrant: resampler.half_width(moves[entrant], support[entrant]) for entrant in pool}
    ends = _all_ends(fitted, order, yardstick, ratings, halves, resampler.tail)
    rated = []
    for place, entrant in enumerate(order):
        low, high = ends[entrant]
        best, worst = places[entrant]
        behind = order[place + 1] if place + 1 < len(order) else None
        rated.append(
            Rating(
                fitted.names[entrant],
                ratings[entrant],
                low,
                high,
                fitted.model.games[entrant],
                fitted.model.groups_of[entrant],
                number,
                best,
                worst,
                _share_ahead(resampled[entrant], resampled[behind]) if entrant in firm and behind in firm else None,
                firm_places[entrant] if entrant in firm else None,
            )
        )
    return rated


def _moves(fitted: Fit, pool: Sequence[int], yardstick: Sequence[int]) -> dict[int, list[float]]:
    """Return by entrant how far each block moves its rating relative to the mean of the entrants in `yardstick`."""
    drift = [
        math.fsum(moves) / len(yardstick) for moves in zip(*[fitted.influence[one] for one in yardstick], strict=True)
    ]
    return {
        entrant: [ELO * (own - common) for own, common in zip(fitted.influence[entrant], drift, strict=True)]
        for entrant in pool
    }


def _yardstick(fitted: Fit, pool: Sequence[int]) -> list[int]:
    """Return the entrants whose mean is 0: the largest set in which everyone reaches everyone."""
    sets = [
        [other for other in pool if fitted.reaches(one, other) and fitted.reaches(other, one)]
        for one in pool
        if not any(fitted.reaches(one, other) and fitted.reaches(other, one) for other in pool if other < one)
    ]
    largest = max(sets, key=len)
    return largest if len(largest) > 1 else list(pool)


def _all_ends(
    fitted: Fit,
    order: Sequence[int],
    yardstick: Sequence[int],
    ratings: dict[int, float],
    halves: dict[int, float | None],
    tail: float,
) -> dict[int, Ends]:
    """Return the ends of all intervals.

    The interval of an entrant that never lost to another does not start below the other's. One that never won does not
    end above it.
    """
    ends = {entrant: _ends(fitted, entrant, yardstick, ratings, halves[entrant], tail) for entrant in order}
    for entrant in reversed(order):  # lowest rated first
        if halves[entrant] is not None and ends[entrant][1] is None:
            beaten = [other for other in _met(fitted, entrant) if not fitted.reaches(other, entrant)]
            lows = [low for low in (ends[entrant][0], *(ends[other][0] for other in beaten)) if low is not None]
            ends[entrant] = min(ratings[entrant], max(lows)) if lows else None, None
    for entrant in order:
        if halves[entrant] is not None and ends[entrant][0] is None:
            ahead = [other for other in _met(fitted, entrant) if not fitted.reaches(entrant, other)]
            highs = [high for high in (ends[entrant][1], *(ends[other][1] for other in ahead)) if high is not None]
            ends[entrant] = None, max(ratings[entrant], min(highs)) if highs else None
    return ends


def _met(fitted: Fit, entrant: int) -> set[int]:
    """Return all entrants that played in a group with it, including itself."""
    return {other for group in fitted.model.members if entrant in group for other in group}


def _ends(
    fitted: Fit,
    entrant: int,
    yardstick: Sequence[int],
    ratings: dict[int, float],
    half: float | None,
    tail: float,
) -> Ends:
    """Return the ends of an entrant's interval, as far as the games set limits."""
    rating = ratings[entrant]
    if list(yardstick) == [entrant]:
        return rating, rating
    if half is None:
        return None, None
    below = [other for other in yardstick if not fitted.reaches(other, entrant)]
    above = [other for other in yardstick if not fitted.reaches(entrant, other)]
    if below and above:
        return None, None
    base = yardstick[0]
    level = [one for one in ratings if one in yardstick or (fitted.reaches(one, base) and fitted.reaches(base, one))]
    if below:
        others = [one for one in level if not fitted.reaches(one, entrant)]
        limit = _limit(fitted, entrant, others, ratings, tail, 1)
        return None if limit is None else min(rating, limit), None
    if above:
        others = [one for one in level if not fitted.reaches(entrant, one)]
        limit = _limit(fitted, entrant, others, ratings, tail, -1)
        return None, None if limit is None else max(rating, limit)
    return rating - half, rating + half


def _limit(
    fitted: Fit, entrant: int, others: Sequence[int], ratings: dict[int, float], tail: float, sign: int
) -> float | None:
    """Return how close an entrant that always won (sign 1) or always lost (sign -1) may be to `others`.

    If they met in g groups, always with the same outcome, its probability p is at least the one with p**g = `tail`.
    Return None if they never met.
    """
    met = [[other for other in others if other in members] for members in fitted.model.members if entrant in members]
    groups = sum(1 for there in met if there)
    if groups == 0:
        return None
    levels = [math.fsum(ratings[other] for other in there) / len(there) for there in met if there]
    chance = tail ** (1 / groups)
    return math.fsum(levels) / groups + sign * ELO * math.log(chance / (1 - chance))


def _places(
    fitted: Fit,
    order: Sequence[int],
    ratings: dict[int, float],
    moves: dict[int, list[float]],
    resampler: _Resampler,
) -> dict[int, tuple[int, int]]:
    """Return the best and the worst place of each entrant.

    Two are apart if the interval of their difference excludes 0. It is wide enough for all differences of an entrant
    simultaneously. If one was never behind the other, there must be enough groups to exclude chance between equals: few
    equal groups hardly show a spread.
    """
    ahead, behind = dict.fromkeys(order, 0), dict.fromkeys(order, 0)
    for better, worse in combinations(order, 2):
        difference = [one - other for one, other in zip(moves[better], moves[worse], strict=True)]
        support = min(fitted.support[better], fitted.support[worse])
        half = resampler.half_width(difference, support, len(order) - 1)
        is_shown = fitted.model.ahead[worse] >> better & 1 or 0.5**support < resampler.tail
        if is_shown and half is not None and ratings[better] - ratings[worse] > half:
            behind[better] += 1
            ahead[worse] += 1
    return {entrant: (1 + ahead[entrant], len(order) - behind[entrant]) for entrant in order}


def _share_ahead(one: Sequence[float], other: Sequence[float]) -> float:
    return sum(a > b for a, b in zip(one, other, strict=True)) / len(one)


def _rate_seats(fitted: Fit, resampler: _Resampler) -> list[SeatEffect]:
    first = len(fitted.names) + len(fitted.model.tie_sizes)
    effects = []
    for table in sorted({table for table, _ in fitted.model.seats}):
        own = [first + number for number, (where, _) in enumerate(fitted.model.seats) if where == table]
        zero = math.fsum(fitted.strengths[parameter] for parameter in own) / len(own)
        drift = [math.fsum(moves) / len(own) for moves in zip(*[fitted.influence[one] for one in own], strict=True)]
        for parameter in own:
            moves = [ELO * (move - common) for move, common in zip(fitted.influence[parameter], drift, strict=True)]
            effect = ELO * (fitted.strengths[parameter] - zero)
            support = fitted.support[parameter]
            half = resampler.half_width(moves, support)
            low, high = (None, None) if half is None else (effect - half, effect + half)
            effects.append(SeatEffect(table, fitted.model.seats[parameter - first][1], effect, low, high))
    return effects
