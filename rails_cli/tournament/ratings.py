"""Ratings of multi-player games: Plackett-Luce with ties, fitted to all games at once, with intervals by bootstrap.

A ranking is read from the top: out of those left, one entrant, or several tied, is chosen next. A set of k tied entrants
weighs `delta_k` times the geometric mean of their strengths (Davidson-Luce): the only treatment of ties that is a proper
likelihood, keeps Luce's odds between any two, and leaves the problem concave, so that there is one best fit.

Laws kept here:
- Everything is summed from whole counts in sorted order: the same games give the same bits, in whatever order they come.
- Each parameter carries the weight of one game against an average opponent, half won and half lost. It keeps the rating
  of one who always wins finite, and fades as games are added.
- The resampled unit is the seed group. A resample is one Newton step from the full fit, which makes it a sum over groups.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import combinations
from operator import itemgetter

import msgspec

from rails_cli.core.luck import stream
from rails_cli.tournament.estimates import CONFIDENCE, normal_quantile, student_quantile

ELO = 400 / math.log(10)
RESAMPLES = 1000
MAX_BLOCKS = 1000  # beyond, groups are resampled in blocks; blocks of independent groups are independent

_MAX_STEPS = 200
_TOLERANCE = 1e-10

Stage = tuple[tuple[int, ...], tuple[int, ...]]
"""A choice: the items left, and those of them that come next."""


class Ranking(msgspec.Struct, frozen=True):
    """A game as far as ratings see it."""

    group: str
    """The seed group."""
    entrants: tuple[str, ...]
    """By seat."""
    ranks: tuple[int, ...]
    """By seat; 1 is best, ties share a rank."""
    table: str = ""
    """Where seats mean the same: a game with its number of players."""


class Rating(msgspec.Struct, frozen=True):
    """The strength of an entrant on the scale of Elo: 400 points are odds of ten to one to come in ahead."""

    name: str
    rating: float
    low: float | None
    high: float | None
    """An end is missing if the games set no limit on that side: it never lost to the others, or never won, or there
    are too few groups."""
    games: int
    groups: int
    pool: int
    """Ratings are comparable within a pool only: between pools there was no game, not even through others."""
    best_place: int
    worst_place: int
    """The range of its places in the pool over the resamples, as wide as the interval's confidence."""
    ahead: float | None
    """The share of resamples in which it stays ahead of the next in its pool."""


class SeatEffect(msgspec.Struct, frozen=True):
    """What a seat is worth, in points of the ratings; the seats of a table have the mean 0."""

    table: str
    seat: int
    effect: float
    low: float | None
    high: float | None


class Ratings(msgspec.Struct, frozen=True):
    """A rating list: pools one after the other, the best first."""

    entrants: list[Rating]
    pools: list[list[str]]
    anchor: str | None
    ties: dict[int, float]
    """By the number of tied entrants the weight of such a tie against a single one of equal strength."""
    seats: list[SeatEffect]
    games: int
    groups: int
    confidence: float
    notes: list[str]


class Gap(msgspec.Struct, frozen=True):
    """How far one entrant is rated ahead of another."""

    points: float
    error: float
    """The standard error, by groups."""
    groups: int
    """How many independent groups (or blocks) speak for it: those of the entrant who has fewer."""
    is_open: bool
    """Whether the games set no limit: one never lost to the other, not even through others."""
    is_comparable: bool


class Fit:
    """The best fit to some games, and what each block of groups adds to it."""

    def __init__(self, model: "_Model", strengths: list[float], influence: list[list[float]]) -> None:
        self.names = model.names
        self.games = model.games
        self.groups = model.groups
        self.members = model.members
        self.tie_sizes = model.tie_sizes
        self.seats = model.seats
        self.blocks = len(model.blocks)
        self.strengths = strengths
        """By parameter: entrants, tie sizes, seats; natural logarithms."""
        self.influence = influence
        """By parameter and block: how much the block moves the parameter."""
        self.support = model.support
        """By parameter: how many blocks it appears in."""
        self.reach = model.reach
        """By entrant: the set of those it has beaten or tied, also through others, as bits."""
        self.pools = model.pools

    def pool_of(self, entrant: int) -> int:
        return next(number for number, pool in enumerate(self.pools) if entrant in pool)

    def reaches(self, one: int, other: int) -> bool:
        return one == other or bool(self.reach[one] >> other & 1)

    def gap(self, first: str, second: str) -> Gap:
        """How far the first is ahead of the second."""
        one, other = self.names.index(first), self.names.index(second)
        groups = min(self.support[one], self.support[other])
        column = [a - b for a, b in zip(self.influence[one], self.influence[other], strict=True)]
        return Gap(
            ELO * (self.strengths[one] - self.strengths[other]),
            ELO * _standard_error(column, groups),
            groups,
            not (self.reaches(one, other) and self.reaches(other, one)),
            self.pool_of(one) == self.pool_of(other),
        )


class _Model:
    """The games as counts of choices. Parameters are numbered: entrants, then tie sizes, then seats."""

    def __init__(self, rankings: Sequence[Ranking], with_seats: bool) -> None:
        self.names = sorted({name for ranking in rankings for name in ranking.entrants})
        number = {name: index for index, name in enumerate(self.names)}
        seats = {(ranking.table, seat) for ranking in rankings for seat in range(len(ranking.ranks))}
        self.seats = sorted(seats) if with_seats else []
        seat_number = {seat: index + 1 for index, seat in enumerate(self.seats)}
        self.radix = len(self.seats) + 1
        known: dict[tuple[tuple[str, ...], tuple[int, ...], str], list[Stage]] = {}
        by_group: dict[str, Counter[Stage]] = {}
        games = [0] * len(self.names)
        members: dict[str, set[int]] = {}
        for ranking in rankings:
            key = (ranking.entrants, ranking.ranks, ranking.table)
            stages = known.get(key)
            if stages is None:
                items = [
                    number[name] * self.radix + seat_number.get((ranking.table, seat), 0)
                    for seat, name in enumerate(ranking.entrants)
                ]
                stages = known[key] = _stages(items, ranking.ranks)
            by_group.setdefault(ranking.group, Counter()).update(stages)
            present = {number[name] for name in ranking.entrants}
            members.setdefault(ranking.group, set()).update(present)
            for entrant in present:
                games[entrant] += 1
        self.games = games
        self.members = [sorted(members[group]) for group in sorted(members)]
        self.groups = len(by_group)
        self.blocks = _blocks([by_group[group] for group in sorted(by_group)])
        total: Counter[Stage] = Counter()
        for block in self.blocks:
            total.update(block)
        self.stages = sorted(total.items())
        self.tie_sizes = sorted({len(chosen) for (_, chosen), _ in self.stages if len(chosen) > 1})
        self.size = len(self.names) + len(self.tie_sizes) + len(self.seats)
        choices: Counter[tuple[int, ...]] = Counter()
        for (left, _), count in self.stages:
            choices[left] += count
        self.choices = sorted(choices.items())
        self.chosen = [0.0] * self.size
        for (_, chosen), count in self.stages:
            self._add_chosen(self.chosen, chosen, count)
        self.support = self._support()
        self.reach = self._reach()
        self.pools = self._pools()

    def parameters_of(self, item: int) -> tuple[int, ...]:
        entrant, seat = divmod(item, self.radix)
        if seat == 0:
            return (entrant,)
        return (entrant, len(self.names) + len(self.tie_sizes) + seat - 1)

    def _add_chosen(self, vector: list[float], chosen: tuple[int, ...], count: int) -> None:
        part = count / len(chosen)
        for item in chosen:
            for parameter in self.parameters_of(item):
                vector[parameter] += part
        if len(chosen) > 1:
            vector[self.tie_parameter(len(chosen))] += count

    def tie_parameter(self, size: int) -> int:
        return len(self.names) + self.tie_sizes.index(size)

    def moments(self, strengths: list[float], left: tuple[int, ...]) -> "_Moments":
        """What a choice among these items is expected to show."""
        coordinates = [self.parameters_of(item) for item in left]
        values = [sum([strengths[parameter] for parameter in place]) for place in coordinates]
        top = max(values)
        sizes = tuple(size for size in self.tie_sizes if size <= len(left))
        weights: list[float] = []
        alternatives = _alternatives(len(left), sizes)
        for members, tie in alternatives:
            if tie < 0:
                weights.append(math.exp(values[members[0]] - top))
            else:
                value = sum([values[member] for member in members]) / len(members)
                weights.append(math.exp(value - top + strengths[len(self.names) + tie]))
        whole = sum(weights)
        first = [0.0] * (len(left) + len(sizes))
        second = [[0.0] * len(first) for _ in first]
        for (members, tie), weight in zip(alternatives, weights, strict=True):
            chance = weight / whole
            if tie < 0:
                member = members[0]
                first[member] += chance
                second[member][member] += chance
                continue
            part = chance / len(members)
            place = len(left) + tie
            first[place] += chance
            second[place][place] += chance
            for member in members:
                first[member] += part
                second[member][place] += part
                second[place][member] += part
                row = second[member]
                for other in members:
                    row[other] += part / len(members)
        coordinates += [(len(self.names) + tie,) for tie in range(len(sizes))]
        return _Moments(top + math.log(whole), coordinates, first, second)

    def evaluate(self, strengths: list[float]) -> tuple[float, list[float], list[list[float]]]:
        """The logarithm of the likelihood with the prior's weight, its gradient, and the negative of its Hessian."""
        value = math.fsum(count * strength for count, strength in zip(self.chosen, strengths, strict=True))
        gradient = list(self.chosen)
        hessian = [[0.0] * self.size for _ in range(self.size)]
        for left, count in self.choices:
            moments = self.moments(strengths, left)
            value -= count * moments.log_weight
            for place, mean, row in zip(moments.coordinates, moments.first, moments.second, strict=True):
                for parameter in place:
                    gradient[parameter] -= count * mean
                for other, other_mean, product in zip(moments.coordinates, moments.first, row, strict=True):
                    covariance = count * (product - mean * other_mean)
                    for parameter in place:
                        target = hessian[parameter]
                        for other_parameter in other:
                            target[other_parameter] += covariance
        for parameter, strength in enumerate(strengths):
            chance = 1 / (1 + math.exp(-strength))
            value += 0.5 * (math.log(chance) + math.log(1 - chance))
            gradient[parameter] += 0.5 - chance
            hessian[parameter][parameter] += chance * (1 - chance)
        return value, gradient, hessian

    def scores(self, strengths: list[float]) -> list[dict[int, float]]:
        """By block its part of the gradient, for the parameters that appear in it."""
        expected = {left: self.moments(strengths, left) for left, _ in self.choices}
        scores = []
        for block in self.blocks:
            score: dict[int, float] = {}
            for (left, chosen), count in sorted(block.items()):
                moments = expected[left]
                for place, mean in zip(moments.coordinates, moments.first, strict=True):
                    for parameter in place:
                        score[parameter] = score.get(parameter, 0.0) - count * mean
                part = count / len(chosen)
                for item in chosen:
                    for parameter in self.parameters_of(item):
                        score[parameter] += part
                if len(chosen) > 1:
                    score[self.tie_parameter(len(chosen))] += count
            scores.append(score)
        return scores

    def _support(self) -> list[int]:
        support = [0] * self.size
        for block in self.blocks:
            found = {parameter for left, _ in block for item in left for parameter in self.parameters_of(item)}
            for parameter in found:
                support[parameter] += 1
        return support

    def _reach(self) -> list[int]:
        reach = [0] * len(self.names)
        for (left, chosen), _ in self.stages:
            everyone = 0
            for item in left:
                everyone |= 1 << item // self.radix
            for item in chosen:
                reach[item // self.radix] |= everyone
        for middle in range(len(reach)):
            for entrant, found in enumerate(reach):
                if found >> middle & 1:
                    reach[entrant] |= reach[middle]
        return reach

    def _pools(self) -> list[list[int]]:
        pools: list[set[int]] = []
        for members in self.members:
            joined = set(members)
            apart = []
            for pool in pools:
                if pool & joined:
                    joined |= pool
                else:
                    apart.append(pool)
            pools = [*apart, joined]
        return sorted((sorted(pool) for pool in pools), key=lambda pool: (-len(pool), pool))


class _Moments(msgspec.Struct, frozen=True):
    """First and second moments of a choice, by place in the list of items left, then by tie size."""

    log_weight: float
    coordinates: list[tuple[int, ...]]
    """By place the parameters that it stands for."""
    first: list[float]
    second: list[list[float]]


def fit(rankings: Iterable[Ranking], with_seats: bool = False) -> Fit:
    """The strengths that explain all rankings best, by Newton's method; the problem is concave."""
    model = _Model(list(rankings), with_seats)
    strengths = [0.0] * model.size
    value, gradient, hessian = model.evaluate(strengths)
    for _ in range(_MAX_STEPS):
        step = _solve(_factor(hessian), gradient)
        scale = 1.0
        while True:
            tried = [strength + scale * change for strength, change in zip(strengths, step, strict=True)]
            outcome = model.evaluate(tried)
            if outcome[0] >= value - 1e-9 * abs(value) or scale < 1e-6:
                break
            scale /= 2
        strengths = tried
        value, gradient, hessian = outcome
        if max(map(abs, step), default=0.0) < _TOLERANCE:
            break
    inverse = _inverse(hessian)
    influence = [[0.0] * len(model.blocks) for _ in strengths]
    for block, score in enumerate(model.scores(strengths)):
        entries = list(score.items())
        for column, row in zip(influence, inverse, strict=True):
            column[block] = sum([row[parameter] * part for parameter, part in entries])
    return Fit(model, strengths, influence)


def rate(
    fitted: Fit,
    anchor: str | None = None,
    anchor_rating: float = 0.0,
    resamples: int = RESAMPLES,
    seed: int = 0,
    confidence: float = CONFIDENCE,
) -> Ratings:
    """The rating list of a fit. The anchor has the rating given; without one, and in other pools, the mean is 0."""
    resampler = _Resampler(fitted.blocks, resamples, seed, confidence)
    notes = []
    if len(fitted.pools) > 1:
        notes.append(
            "ratings are comparable only within each of these pools, between which no game was played: "
            + "; ".join(", ".join(fitted.names[entrant] for entrant in pool) for pool in fitted.pools)
        )
    if anchor is not None and anchor not in fitted.names:
        notes.append(f"the anchor {anchor} has played no game; ratings have the mean 0")
        anchor = None
    anchored = None if anchor is None else fitted.names.index(anchor)
    entrants: list[Rating] = []
    for number, pool in enumerate(fitted.pools):
        here = anchored if anchored in pool else None
        rated = _rate_pool(fitted, number, here, anchor_rating if here is not None else 0.0, resampler)
        entrants += rated
        for entrant in rated:
            if (entrant.low is None) != (entrant.high is None):
                side = "lost to" if entrant.high is None else "come in ahead of"
                notes.append(f"{entrant.name} has never {side} the others: its rating is a guess beyond the end given")
    first_tie = len(fitted.names)
    return Ratings(
        entrants,
        [[fitted.names[entrant] for entrant in pool] for pool in fitted.pools],
        anchor,
        {size: math.exp(fitted.strengths[first_tie + index]) for index, size in enumerate(fitted.tie_sizes)},
        _rate_seats(fitted, resampler),
        sum(fitted_games(fitted)),
        fitted.groups,
        confidence,
        notes,
    )


def fitted_games(fitted: Fit) -> list[int]:
    return fitted.games


def _rate_pool(
    fitted: Fit, number: int, anchor: int | None, anchor_rating: float, resampler: "_Resampler"
) -> list[Rating]:
    pool = fitted.pools[number]
    if anchor is None:
        zero = math.fsum(fitted.strengths[entrant] for entrant in pool) / len(pool)
    else:
        zero = fitted.strengths[anchor]
    ratings = {entrant: anchor_rating + ELO * (fitted.strengths[entrant] - zero) for entrant in pool}
    yardstick = [anchor] if anchor is not None else _yardstick(fitted, pool)
    base = _mean_column([fitted.influence[entrant] for entrant in yardstick])
    draws: dict[int, list[float]] = {}
    for entrant in pool:
        column = [ELO * (own - other) for own, other in zip(fitted.influence[entrant], base, strict=True)]
        draws[entrant] = resampler.draws(ratings[entrant], column, fitted.support[entrant])
    order = sorted(pool, key=lambda entrant: (-ratings[entrant], fitted.names[entrant]))
    places = _places(order, draws)
    rated = []
    for index, entrant in enumerate(order):
        low, high = _ends(fitted, entrant, yardstick, ratings, draws[entrant], resampler)
        next_one = order[index + 1] if index + 1 < len(order) else None
        ordered = sorted(places[entrant])
        rated.append(
            Rating(
                fitted.names[entrant],
                ratings[entrant],
                low,
                high,
                fitted.games[entrant],
                sum(entrant in members for members in fitted.members),
                number,
                ordered[resampler.lowest],
                ordered[resampler.highest],
                None if next_one is None else _share_ahead(draws[entrant], draws[next_one]),
            )
        )
    return rated


def _ends(
    fitted: Fit,
    entrant: int,
    yardstick: list[int],
    ratings: dict[int, float],
    draws: list[float],
    resampler: "_Resampler",
) -> tuple[float | None, float | None]:
    """The ends of an entrant's interval; none on a side where the games set no limit."""
    if fitted.support[entrant] < 2:
        return None, None
    others = yardstick if len(yardstick) > 1 or yardstick[0] != entrant else fitted.pools[fitted.pool_of(entrant)]
    if yardstick == [entrant]:
        return ratings[entrant], ratings[entrant]
    is_open_above = not all(fitted.reaches(other, entrant) for other in others)
    is_open_below = not all(fitted.reaches(entrant, other) for other in others)
    if is_open_above and is_open_below:
        return None, None
    if is_open_above or is_open_below:
        bound = _bound(fitted, entrant, others, ratings, resampler.tail, 1 if is_open_above else -1)
        return (bound, None) if is_open_above else (None, bound)
    half = resampler.quantile * _deviation(draws)
    return ratings[entrant] - half, ratings[entrant] + half
