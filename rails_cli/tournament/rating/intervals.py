"""Ratings with intervals, computed from a fitted model by bootstrap over seeds. Import lazily: this imports numpy.

- Games with the same seed are not independent, so seeds are resampled, never games. A block is one seed, or several
  seeds if there are very many.
- A resample is approximated by one Newton step from the fit to all games. So the resample is a sum with one term for
  each of its blocks.
- The spread of the resamples is widened by Student's t. The degrees of freedom come from the number of blocks in which
  the entrant played. If the anchor (the entrant rated 0) played in fewer blocks, they come from that number.
- If all blocks have equal results, the resamples do not differ. Then the spread is that of a rating after games
  between two equal entrants, assuming one game for each block.
- All results are rounded to `DIGITS` decimals, because BLAS and the CPU change the last bits of a sum.
"""

import math
import random
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from rails_cli.games.shared.luck import stream
from rails_cli.tournament.rating.estimates import CONFIDENCE, normal_quantile, student_quantile
from rails_cli.tournament.rating.plackett_luce import Fit, Floats
from rails_cli.tournament.rating.rating_types import ELO, Rating, Ratings, SeatEffect

Ends = tuple[float | None, float | None]

DIGITS = 6
"""Number of decimals of a result."""

_EQUAL = 1e-6  # difference in points that is only rounding error
_CANCELLED = 1e-6  # a difference with a smaller relative variance is computed directly, to avoid rounding errors
_LEAST_CHANCE = 1e-12
"""Lowest probability of which a normal quantile is taken."""


def rate_fit(fitted: Fit, anchor: str | None, resamples: int, seed: int) -> Ratings:
    """Return the rating list of a fitted model, with intervals. The rating of `anchor` is 0.

    The intervals are computed from `resamples` bootstrap resamples with the random seed `seed`.
    """
    notes = []
    if len(fitted.pools) > 1:
        pools = "; ".join(", ".join(fitted.names[entrant] for entrant in pool) for pool in fitted.pools)
        notes.append(f"no game connects these pools, so ratings compare only within each: {pools}")
    if anchor is not None and anchor not in fitted.names:
        notes.append(f"the anchor {anchor} has played no game: ratings have the mean 0")
        anchor = None
    resampler = _Resampler(max(1, fitted.model.blocks), resamples, seed)
    entrants: list[Rating] = []
    for number, pool in enumerate(fitted.pools):
        anchored = next((entrant for entrant in pool if fitted.names[entrant] == anchor), None)
        reference = _reference(fitted, pool)
        entrants += _rate_pool(fitted, number, reference, anchored, resampler)
        if anchored is None and len(reference) < len(pool):
            notes.append(f"0 is the mean of {', '.join(fitted.names[entrant] for entrant in reference)}")
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
        {
            size: round(math.exp(fitted.strengths[first_tie + tie]), DIGITS)
            for tie, size in enumerate(fitted.model.tie_sizes)
        },
        _rate_seats(fitted, resampler),
        fitted.model.rankings,
        fitted.model.groups,
        CONFIDENCE,
        notes,
    )


class _Resampler:
    """Resamples of a bootstrap: blocks of seeds, chosen at random with replacement.

    All parameters use the same resamples.
    """

    def __init__(self, blocks: int, resamples: int, seed: int) -> None:
        drawn = max(2, blocks)
        picks = (_random_numbers(f"bootstrap/{seed}", resamples * drawn) * blocks).astype(np.int64)
        cells = picks.reshape(resamples, drawn) + np.arange(resamples)[:, None] * blocks
        times = np.bincount(cells.ravel(), minlength=resamples * blocks)
        self._times = times.reshape(resamples, blocks).astype(float)
        """Matrix with the number of times that each resample (row) contains each block of seeds (column)."""
        self._chance = stream(f"equal groups/{seed}")
        self.tail = (1 - CONFIDENCE) / 2
        self._quantile = normal_quantile(1 - self.tail)

    def deviations(self, moves: Floats, supports: Sequence[int]) -> Floats:
        """Return a matrix: how far each resample (row) moves each parameter (column) from its fitted value.

        `moves` has the influence of each block of seeds (column) on each parameter (row). `supports` has the number of
        blocks in which each parameter appears. The deviations of parameters with few blocks are widened.
        """
        found: Floats = self._times @ moves.T - moves.sum(axis=1)
        spreads = _spreads(moves)
        for column, support in enumerate(supports):
            wider = student_quantile(1 - self.tail, support - 1) / self._quantile * _bessel(support)
            if spreads[column] <= _EQUAL:
                wider *= _spread_of_equals(support)
                found[:, column] = [normal_quantile(max(_LEAST_CHANCE, self._chance())) for _ in self._times]
            found[:, column] *= wider
        return found

    def half_width(self, spread: float, support: int) -> float | None:
        """Return half the width of the interval of a parameter with this `spread`.

        `support` is the number of blocks of seeds in which the parameter appears. Return None if `support` is 1,
        because one block shows no spread.
        """
        if support < 2:
            return None
        if spread <= _EQUAL:
            spread = _spread_of_equals(support)
        return self.half_width_factor(support) * spread

    def half_width_factor(self, support: int, of: int = 1) -> float:
        """Return the factor that turns the spread of a parameter into half the width of its interval.

        `support` is the number of blocks of seeds in which the parameter appears. `of` is the number of intervals that
        must all contain their true values, with the confidence of the resampler.
        """
        return student_quantile(1 - self.tail / of, support - 1) * _bessel(support)


def _random_numbers(seed: str, count: int) -> Floats:
    """Return the first `count` random numbers of `stream(seed)`. This function uses numpy, which is 20 times faster."""
    words = random.Random(seed).getstate()[1]
    generator = np.random.RandomState()
    generator.set_state(("MT19937", np.array(words[:-1], np.uint32), words[-1], 0, 0.0))
    return generator.random_sample(count)


def _bessel(support: int) -> float:
    return math.sqrt(support / (support - 1))


def _spreads(moves: Floats) -> list[float]:
    """Return the spread of each parameter: the standard deviation over infinitely many resamples.

    `moves` has the influence of each block of seeds (column) on each parameter (row). In a resample, the influences of
    its blocks are added up.
    """
    spreads: list[float] = np.sqrt(((moves - moves.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)).tolist()
    return spreads


def _spread_of_equals(games: int) -> float:
    """Return the standard deviation of a rating after `games` games between two equal entrants."""
    return ELO * math.sqrt(2 / games)


def _rate_pool(
    fitted: Fit, number: int, reference: Sequence[int], anchor: int | None, resampler: _Resampler
) -> list[Rating]:
    pool = fitted.pools[number]
    zero_at = reference if anchor is None else [anchor]
    zero = math.fsum(fitted.strengths[entrant] for entrant in zero_at) / len(zero_at)
    ratings = {entrant: ELO * (fitted.strengths[entrant] - zero) for entrant in pool}
    order = sorted(pool, key=lambda entrant: (-ratings[entrant], fitted.names[entrant]))
    support = fitted.support if anchor is None else [min(own, fitted.support[anchor]) for own in fitted.support]
    moves = _moves(fitted, zero_at)
    spreads = _spreads(moves)
    among = moves if anchor is None else _moves(fitted, pool)  # places do not depend on the anchor
    firm = [entrant for entrant in order if fitted.support[entrant] > 1]  # the others could have any place
    places = _places(fitted, order, ratings, among, resampler)
    firm_places = places if len(firm) == len(order) else _places(fitted, firm, ratings, among, resampler)
    ahead = _shares_ahead(fitted, pool, order, ratings, among, resampler)
    halves = {entrant: resampler.half_width(spreads[entrant], support[entrant]) for entrant in pool}
    ends = _all_ends(fitted, order, zero_at, ratings, halves, resampler.tail)
    return [
        Rating(
            fitted.names[entrant],
            round(ratings[entrant], DIGITS),
            _rounded(ends[entrant][0]),
            _rounded(ends[entrant][1]),
            fitted.model.games[entrant],
            fitted.model.groups_of[entrant],
            number,
            *places[entrant],
            ahead.get(entrant),
            firm_places.get(entrant),
        )
        for entrant in order
    ]


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, DIGITS)


def _moves(fitted: Fit, zero_at: Sequence[int]) -> Floats:
    """Return a matrix: how much each block of seeds (column) changes each rating (row).

    The entrants `zero_at` define the zero of the scale. Their mean rating stays 0.
    """
    influence = fitted.influence[: len(fitted.names)]
    moves: Floats = ELO * (influence - influence[zero_at].mean(axis=0))
    return moves


def _reference(fitted: Fit, pool: Sequence[int]) -> list[int]:
    """Return the entrants of `pool` whose mean rating is set to 0. Used if `pool` does not contain the anchor.

    These are the largest set of entrants in which each was ahead of or tied with every other one, directly or through
    others. If the largest set has only one entrant, return the whole pool.
    """
    is_mutual = (fitted.reach & fitted.reach.T).tolist()
    sets: list[list[int]] = []
    seen: set[int] = set()
    for one in pool:
        if one not in seen:
            sets.append([other for other in pool if is_mutual[one][other]])
            seen.update(sets[-1])
    largest = max(sets, key=len)
    return largest if len(largest) > 1 else list(pool)


def _all_ends(
    fitted: Fit,
    order: Sequence[int],
    zero_at: Sequence[int],
    ratings: dict[int, float],
    halves: dict[int, float | None],
    tail: float,
) -> dict[int, Ends]:
    """Return a mapping from each entrant in `order` to the ends of its interval. Entrants are indices.

    - `zero_at` has the entrants whose mean rating is 0.
    - `halves` maps an entrant to half the width of its interval, or to None if the width is unknown.
    - `tail` is the probability beyond each end.

    An entrant that never lost to an opponent gets an interval that does not start below the opponent's interval. An
    entrant that never beat an opponent gets an interval that does not end above the opponent's interval.
    """
    reach = fitted.reach.tolist()
    ends = {entrant: _ends(fitted, entrant, zero_at, ratings, halves[entrant], tail) for entrant in order}
    for entrant in reversed(order):  # lowest rated first
        if halves[entrant] is not None and ends[entrant][1] is None:
            beaten = [other for other in _met(fitted, entrant) if not reach[other][entrant]]
            lows = [low for low in (ends[entrant][0], *(ends[other][0] for other in beaten)) if low is not None]
            ends[entrant] = min(ratings[entrant], max(lows)) if lows else None, None
    for entrant in order:
        if halves[entrant] is not None and ends[entrant][0] is None:
            ahead = [other for other in _met(fitted, entrant) if not reach[entrant][other]]
            highs = [high for high in (ends[entrant][1], *(ends[other][1] for other in ahead)) if high is not None]
            ends[entrant] = None, max(ratings[entrant], min(highs)) if highs else None
    return ends


def _met(fitted: Fit, entrant: int) -> set[int]:
    """Return `entrant`, and all entrants with a game that has the same seed as a game of `entrant`."""
    return {other for group in fitted.model.members if entrant in group for other in group}


def _ends(
    fitted: Fit, entrant: int, zero_at: Sequence[int], ratings: dict[int, float], half: float | None, tail: float
) -> Ends:
    """Return the ends of the interval of `entrant`. An end is None if the interval is unbounded on this side.

    `half` is half the width of the interval, or None if it is unknown. `tail` is the probability beyond each end.
    `zero_at` has the entrants whose mean rating is 0.
    """
    rating, reach = ratings[entrant], fitted.reach
    if list(zero_at) == [entrant]:
        return rating, rating
    if half is None:
        return None, None
    is_above, is_below = not reach[zero_at, entrant].all(), not reach[entrant, zero_at].all()
    if is_above and is_below:
        return None, None
    if not is_above and not is_below:
        return rating - half, rating + half
    base = zero_at[0]
    level = [one for one in ratings if one in zero_at or (reach[one, base] and reach[base, one])]
    if is_above:
        limit = _limit(fitted, entrant, [one for one in level if not reach[one, entrant]], ratings, tail, 1)
        return None if limit is None else min(rating, limit), None
    limit = _limit(fitted, entrant, [one for one in level if not reach[entrant, one]], ratings, tail, -1)
    return None, None if limit is None else max(rating, limit)


def _limit(
    fitted: Fit, entrant: int, others: Sequence[int], ratings: dict[int, float], tail: float, sign: int
) -> float | None:
    """Return a limit of the rating of `entrant`, or None if `entrant` and `others` never met.

    - If `sign` is 1, `entrant` always beat `others`, and the result is a lower limit.
    - If `sign` is -1, `entrant` always lost to `others`, and the result is an upper limit.

    An entrant rated at the limit would have such results with the probability `tail`.
    """
    met = [[other for other in others if other in members] for members in fitted.model.members if entrant in members]
    groups = sum(1 for there in met if there)
    if groups == 0:
        return None
    levels = [math.fsum(ratings[other] for other in there) / len(there) for there in met if there]
    chance = tail ** (1 / groups)
    return math.fsum(levels) / groups + sign * ELO * math.log(chance / (1 - chance))


def _places(
    fitted: Fit, order: Sequence[int], ratings: dict[int, float], moves: Floats, resampler: _Resampler
) -> dict[int, tuple[int, int]]:
    """Return a mapping from each entrant in `order` to its best and worst possible place.

    At its best place, only the entrants that are certainly better are ahead of it. At its worst place, only the
    entrants that are certainly worse are behind it. The order of two entrants is certain under two conditions:
    - The interval of the difference between their ratings excludes 0. All these intervals of an entrant contain the
      true differences at the same time with the confidence of the resampler.
    - The better entrant did not always win against the other, or there are so many blocks that equal entrants would
      hardly get such results. The second condition is needed because all resamples are alike if one entrant always won.

    `moves` has the influence of each block of seeds (column) on each rating (row).
    """
    if len(order) < 2:
        return dict.fromkeys(order, (1, 1))
    own = np.array([fitted.support[entrant] for entrant in order])
    supports = np.minimum(own[:, None], own)
    spreads = _spreads_of_differences(moves[list(order)])
    halves, is_shown = np.full(supports.shape, math.inf), fitted.model.ahead[np.ix_(order, order)].T
    for support in np.unique(supports[supports > 1]).tolist():
        here = supports == support
        spread = np.where(spreads[here] <= _EQUAL, _spread_of_equals(support), spreads[here])
        halves[here] = resampler.half_width_factor(support, len(order) - 1) * spread
        if 0.5**support < resampler.tail:
            is_shown = is_shown | here
    points = np.array([ratings[entrant] for entrant in order])
    is_apart = np.triu(is_shown & (points[:, None] - points > halves), 1)
    ahead, behind = is_apart.sum(axis=0).tolist(), is_apart.sum(axis=1).tolist()
    return {entrant: (1 + ahead[at], len(order) - behind[at]) for at, entrant in enumerate(order)}


def _spreads_of_differences(moves: Floats) -> Floats:
    """Return a matrix: the standard deviation of the difference between each two parameters, over all resamples.

    `moves` has the influence of each block of seeds (column) on each parameter (row).
    """
    centred = moves - moves.mean(axis=1, keepdims=True)
    products = centred @ centred.T
    sums = np.diag(products)[:, None] + np.diag(products)
    squares = sums - 2 * products
    for one, other in np.argwhere(squares <= _CANCELLED * sums):
        squares[one, other] = ((centred[one] - centred[other]) ** 2).sum()
    spreads: Floats = np.sqrt(squares)
    return spreads


def _shares_ahead(
    fitted: Fit,
    pool: Sequence[int],
    order: Sequence[int],
    ratings: dict[int, float],
    moves: Floats,
    resampler: _Resampler,
) -> dict[int, float]:
    """Return a mapping from each entrant in `order` to the share of resamples that rate it above the next entrant.

    An entrant is left out if it or the next entrant played in only one block of seeds. `moves` has the influence of
    each block (column) on each rating (row).
    """
    firm = [entrant for entrant in pool if fitted.support[entrant] > 1]
    deviations = resampler.deviations(moves[firm], [fitted.support[entrant] for entrant in firm])
    resampled = {entrant: ratings[entrant] + deviations[:, column] for column, entrant in enumerate(firm)}
    return {
        entrant: float((resampled[entrant] - resampled[behind] > _EQUAL).mean())
        for entrant, behind in pairwise(order)
        if entrant in resampled and behind in resampled
    }


def _rate_seats(fitted: Fit, resampler: _Resampler) -> list[SeatEffect]:
    first = len(fitted.names) + len(fitted.model.tie_sizes)
    effects = []
    for table in sorted({table for table, _ in fitted.model.seats}):
        own = [first + number for number, (where, _) in enumerate(fitted.model.seats) if where == table]
        zero = math.fsum(fitted.strengths[parameter] for parameter in own) / len(own)
        influence = fitted.influence[own]
        spreads = _spreads(ELO * (influence - influence.mean(axis=0)))
        for parameter, spread in zip(own, spreads, strict=True):
            effect = ELO * (fitted.strengths[parameter] - zero)
            half = resampler.half_width(spread, fitted.support[parameter])
            ends = (None, None) if half is None else (_rounded(effect - half), _rounded(effect + half))
            effects.append(SeatEffect(table, fitted.model.seats[parameter - first][1], round(effect, DIGITS), *ends))
    return effects
