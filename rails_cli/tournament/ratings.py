"""Rating lists: strengths on the scale of Elo, anchored, with intervals by bootstrap over seed groups.

The games of a group depend on each other, so groups are resampled, never games. A resample is one Newton step from the
fit to all games, which makes it a sum over groups. Its spread is widened by Student's t for the groups that an
entrant has played in, or its anchor, if these are fewer. Groups that happen to be equal do not show that there is no
spread: each then counts for one game between equals.
"""

import math
from collections.abc import Sequence
from itertools import combinations
from operator import itemgetter

import msgspec

from rails_cli.core.luck import stream
from rails_cli.tournament.estimates import CONFIDENCE, normal_quantile, student_quantile
from rails_cli.tournament.plackett_luce import Fit

Ends = tuple[float | None, float | None]

ELO = 400 / math.log(10)
RESAMPLES = 1000

_EQUAL = 1e-6  # a spread between groups, in points, that is but rounding
_LEAST_CHANCE = 1e-12


class Rating(msgspec.Struct, frozen=True):
    """The strength of an entrant: 400 points are odds of ten to one to come in ahead."""

    name: str
    rating: float
    low: float | None
    high: float | None
    """An end is missing where the games set no limit: it never lost to the others, or never won, or it or the anchor
    has played in one group only."""
    games: int
    groups: int
    pool: int
    """Ratings compare within a pool: between pools there was no game, not even through others."""
    best_place: int
    worst_place: int
    """The range of its places in the pool, as sure as the interval: between those whom it is surely behind and those
    whom it is surely ahead of. All places after one group."""
    ahead: float | None
    """The share of resamples in which it is ahead of the next of its pool; none for the last, or if one of the two has
    but one group."""
    range_among: tuple[int, int] | None
    """The range of its places among those of the pool who have played in more than one group; none if it has not."""


class SeatEffect(msgspec.Struct, frozen=True):
    """Advantage of each seat in points of the ratings; the seats of a table have the mean 0."""

    table: str
    seat: int
    effect: float
    low: float | None
    high: float | None


class Ratings(msgspec.Struct, frozen=True):
    """A rating list: pool after pool, the best first."""

    entrants: list[Rating]
    pools: list[list[str]]
    anchor: str | None
    ties: dict[int, float]
    """By the number of those tied, the weight of such a tie against that of one entrant of the same strength."""
    seats: list[SeatEffect]
    games: int
    groups: int
    confidence: float
    notes: list[str]
    """What a reader must know before comparing."""


def rate(
    fitted: Fit,
    anchor: str | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
    confidence: float = CONFIDENCE,
) -> Ratings:
    """The rating list of a fit. The anchor has the rating 0; without one, and in other pools, the mean is 0.

    Who never lost to the others, or never beat them, is left out of that mean: how far off they are is not known.
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
    """Draws blocks with replacement; the same draws for every parameter, so that differences keep their sense."""

    def __init__(self, blocks: int, resamples: int, seed: int, confidence: float) -> None:
        chance = stream(f"bootstrap/{seed}")
        self._picks = [itemgetter(*[int(chance() * blocks) for _ in range(max(2, blocks))]) for _ in range(resamples)]
        self._chance = stream(f"equal groups/{seed}")
        self.tail = (1 - confidence) / 2
        self._quantile = normal_quantile(1 - self.tail)

    def draws(self, moves: list[float], support: int) -> list[float]:
        """How far a parameter is off in each resample, widened for the few blocks it appears in.

        A single block says nothing of the spread: it may be anywhere.
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
        """Half the width of an interval, or of one of so many that shall hold together; nothing if a single block says
        nothing of the spread."""
        if support < 2:
            return None
        spread = _spread(moves)
        if spread <= _EQUAL:
            spread = _spread_of_equals(support)
        return student_quantile(1 - self.tail / of, support - 1) * math.sqrt(support / (support - 1)) * spread

    def _wider(self, support: int) -> float:
        return student_quantile(1 - self.tail, support - 1) / self._quantile * math.sqrt(support / (support - 1))


def _spread(moves: list[float]) -> float:
    """The standard deviation of an endless number of resamples."""
    mean = math.fsum(moves) / len(moves)
    return math.sqrt(math.fsum((move - mean) ** 2 for move in moves))


def _spread_of_equals(games: int) -> float:
    """The standard deviation of a rating after so many games between two equals."""
    return ELO * math.sqrt(2 / games)


def _rate_pool(fitted: Fit, number: int, anchor: int | None, resampler: _Resampler) -> list[Rating]:
    pool = fitted.pools[number]
    yardstick = _yardstick(fitted, pool) if anchor is None else [anchor]
    zero = math.fsum(fitted.strengths[entrant] for entrant in yardstick) / len(yardstick)
    ratings = {entrant: ELO * (fitted.strengths[entrant] - zero) for entrant in pool}
    order = sorted(pool, key=lambda entrant: (-ratings[entrant], fitted.names[entrant]))
    support = fitted.support if anchor is None else [min(own, fitted.support[anchor]) for own in fitted.support]
    moves = _moves(fitted, pool, yardstick)
    among = moves if anchor is None else _moves(fitted, pool, pool)  # who is where does not depend on the anchor
    resampled = {
        entrant: [ratings[entrant] + draw for draw in resampler.draws(among[entrant], fitted.support[entrant])]
        for entrant in pool
    }
    places = _places(fitted, order, ratings, among, resampler)
    firm = [entrant for entrant in order if fitted.support[entrant] > 1]  # the others may be anywhere
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
    """By entrant how far each block moves it against the mean of the yardstick."""
    drift = [
        math.fsum(moves) / len(yardstick) for moves in zip(*[fitted.influence[one] for one in yardstick], strict=True)
    ]
    return {
        entrant: [ELO * (own - common) for own, common in zip(fitted.influence[entrant], drift, strict=True)]
        for entrant in pool
    }


def _yardstick(fitted: Fit, pool: Sequence[int]) -> list[int]:
    """Those whose mean is 0: the largest set of entrants in which everybody reaches everybody."""
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
    """The ends of all intervals. One who never lost to another does not start below it, nor does one who never won end
    above the other."""
    ends = {entrant: _ends(fitted, entrant, yardstick, ratings, halves[entrant], tail) for entrant in order}
    for entrant in reversed(order):  # from below
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
    """All who have played in a group with it."""
    return {other for group in fitted.model.members if entrant in group for other in group}


def _ends(
    fitted: Fit,
    entrant: int,
    yardstick: Sequence[int],
    ratings: dict[int, float],
    half: float | None,
    tail: float,
) -> Ends:
    """The ends of an entrant's interval, as far as the games set limits."""
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
    """How close one who always won (sign 1) or always lost may be to the others; nothing if they never met.

    If they met in g groups and it never went otherwise, then groups where it does are at most so frequent that g others
    in a row still have the chance `tail`.
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
    """By entrant its best and its worst place. Two are apart if the interval of their difference, which is wide enough
    for an entrant's differences from all others together, leaves out 0. If one was never behind the other, there must
    be so many groups that this is no chance between equals: a few that go alike hardly show a spread."""
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
