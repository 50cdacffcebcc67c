"""Plackett-Luce with ties, fitted to all rankings at once.

A ranking is read from the top: out of those left, one entrant, or several tied, come next. A set of k tied entrants
weighs `delta_k` times the geometric mean of their strengths (Davidson-Luce): a proper likelihood of ties that keeps the
odds between any two and leaves the problem concave, so that there is one best fit.

Laws kept here:
- Everything is summed from whole counts in sorted order: the same games give the same bits, in any order.
- Each parameter is held by a normal prior around 0 of standard deviation 3 (521 points of Elo), which weighs less than
  half a game between two equals. It keeps the strength of one who always wins finite, and fades as games are added.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import combinations

import msgspec

PRIOR = 3.0  # the standard deviation of the prior, as natural logarithm
MAX_BLOCKS = 1000  # beyond, groups are taken together in blocks; blocks of independent groups are independent

_MAX_STEPS = 200
_LONGEST_STEP = 4.0
_TOLERANCE = 1e-6  # of the last step; Newton's method squares the error

Items = tuple[int, ...]
Stage = tuple[Items, Items]  # those left, and those of them that come next


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


class Fit:
    """The strengths that explain some games best, and how much each block of groups moves them."""

    def __init__(self, model: "Model", strengths: list[float], influence: list[list[float]]) -> None:
        self.model = model
        self.names = model.names
        self.strengths = strengths
        """By parameter, as natural logarithms: entrants, tie sizes, seats."""
        self.influence = influence
        """By parameter and block: what the block adds to the parameter, seen from the best fit."""
        self.support = model.support()
        """By parameter: how many blocks it appears in."""
        self.pools = model.pools()
        """Entrants who met, directly or through others."""
        self._reach = model.reach()

    def order(self) -> list[str]:
        """The names, the strongest first."""
        return sorted(self.names, key=lambda name: (-self.strengths[self.names.index(name)], name))

    def reaches(self, one: int, other: int) -> bool:
        """Whether one was ahead of the other or tied with it, or was so with somebody who was, and so on."""
        return one == other or bool(self._reach[one] >> other & 1)


class Model:
    """Games as counts of choices. Parameters are numbered: entrants, then tie sizes, then seats."""

    def __init__(self, rankings: Sequence[Ranking], with_seats: bool) -> None:
        self.names = sorted({name for ranking in rankings for name in ranking.entrants})
        places = {(ranking.table, seat) for ranking in rankings for seat in range(len(ranking.ranks))}
        self.seats = sorted(places) if with_seats else []
        self.radix = len(self.seats) + 1  # an item is an entrant in a seat; seat 0 where seats are left out
        self.rankings = len(rankings)
        self.games = [0] * len(self.names)
        stages_by_group = self._read(rankings)
        self.groups = len(stages_by_group)
        self.blocks = _blocks([stages_by_group[group] for group in sorted(stages_by_group)])
        total: Counter[Stage] = Counter()
        for block in self.blocks:
            total.update(block)
        self.stages = sorted(total.items())
        self.tie_sizes = sorted({len(chosen) for (_, chosen), _ in self.stages if len(chosen) > 1})
        self.size = len(self.names) + len(self.tie_sizes) + len(self.seats)
        items = {item for (left, _), _ in self.stages for item in left}
        self.places = {item: self._parameters_of(item) for item in sorted(items)}
        choices: Counter[Items] = Counter()
        for (left, _), count in self.stages:
            choices[left] += count
        self.choices = sorted(choices.items())

    def _read(self, rankings: Sequence[Ranking]) -> dict[str, Counter[Stage]]:
        number = {name: index for index, name in enumerate(self.names)}
        seat_number = {seat: index + 1 for index, seat in enumerate(self.seats)}
        known: dict[tuple[tuple[str, ...], tuple[int, ...], str], list[Stage]] = {}
        members: dict[str, set[int]] = {}
        stages_by_group: dict[str, Counter[Stage]] = {}
        for ranking in rankings:
            entrants = [number[name] for name in ranking.entrants]
            key = (ranking.entrants, ranking.ranks, ranking.table)
            stages = known.get(key)
            if stages is None:
                items = [
                    entrant * self.radix + seat_number.get((ranking.table, seat), 0)
                    for seat, entrant in enumerate(entrants)
                ]
                stages = known[key] = _stages(items, ranking.ranks)
            if ranking.group not in members:
                members[ranking.group] = set()
                stages_by_group[ranking.group] = Counter()
            stages_by_group[ranking.group].update(stages)
            members[ranking.group].update(entrants)
            for entrant in set(entrants):
                self.games[entrant] += 1
        self.members = [sorted(members[group]) for group in sorted(members)]
        return stages_by_group

    def _parameters_of(self, item: int) -> tuple[int, ...]:
        entrant, seat = divmod(item, self.radix)
        if seat == 0:
            return (entrant,)
        return (entrant, len(self.names) + len(self.tie_sizes) + seat - 1)

    def expect(self, strengths: list[float], left: Items) -> "Expectation":
        """What a choice among these items shows on average."""
        number = len(left)
        places = [self.places[item] for item in left]
        values = [sum([strengths[parameter] for parameter in place]) for place in places]
        top = max(values)
        sizes = [size for size in self.tie_sizes if size <= number]
        first = [math.exp(value - top) for value in values]  # weights, until divided by the whole
        whole = sum(first)
        second = [[0.0] * (number + len(sizes)) for _ in range(number + len(sizes))]
        for place, weight in enumerate(first):
            second[place][place] = weight
        for tied, size in enumerate(sizes, number):
            parameter = len(self.names) + tied - number
            places.append((parameter,))
            delta = math.exp(strengths[parameter])
            roots = [math.exp((value - top) / size) for value in values]
            total = 0.0
            for members in _subsets(number, size):
                weight = delta * math.prod([roots[member] for member in members])
                total += weight
                part = weight / size
                for member in members:
                    row = second[member]
                    row[tied] += part
                    for other in members:
                        row[other] += part / size
            for member in range(number):
                first[member] += second[member][tied]
                second[tied][member] = second[member][tied]
            first.append(total)
            second[tied][tied] = total
            whole += total
        first = [weight / whole for weight in first]
        second = [[weight / whole for weight in row] for row in second]
        return Expectation(top + math.log(whole), places, first, second)

    def observed(self, stages: Iterable[tuple[Stage, int]]) -> dict[int, float]:
        """By parameter how often it was chosen; a tie counts in parts."""
        found: dict[int, float] = {}
        for (_, chosen), count in stages:
            for item in chosen:
                for parameter in self.places[item]:
                    found[parameter] = found.get(parameter, 0.0) + count / len(chosen)
            if len(chosen) > 1:
                tied = len(self.names) + self.tie_sizes.index(len(chosen))
                found[tied] = found.get(tied, 0.0) + count
        return found

    def evaluate(
        self, strengths: list[float], observed: dict[int, float]
    ) -> tuple[float, list[float], list[list[float]]]:
        """The logarithm of the likelihood with the prior, its gradient, its negative Hessian."""
        value = math.fsum(strengths[parameter] * count for parameter, count in observed.items())
        gradient = [observed.get(parameter, 0.0) for parameter in range(self.size)]
        hessian = [[0.0] * self.size for _ in range(self.size)]
        for left, count in self.choices:
            expected = self.expect(strengths, left)
            value -= count * expected.log_weight
            for place, mean, products in zip(expected.places, expected.first, expected.second, strict=True):
                shared = [
                    count * (product - mean * other) for product, other in zip(products, expected.first, strict=True)
                ]
                for parameter in place:
                    gradient[parameter] -= count * mean
                    row = hessian[parameter]
                    for other_place, covariance in zip(expected.places, shared, strict=True):
                        for other in other_place:
                            row[other] += covariance
        for parameter, strength in enumerate(strengths):
            value -= strength * strength / (2 * PRIOR**2)
            gradient[parameter] -= strength / PRIOR**2
            hessian[parameter][parameter] += 1 / PRIOR**2
        return value, gradient, hessian

    def scores(self, strengths: list[float]) -> list[dict[int, float]]:
        """By block its part of the gradient: what it shows less what was expected."""
        expectations = {left: self.expect(strengths, left) for left, _ in self.choices}
        scores = []
        for block in self.blocks:
            stages = sorted(block.items())
            score = self.observed(stages)
            for (left, _), count in stages:
                expected = expectations[left]
                for place, mean in zip(expected.places, expected.first, strict=True):
                    for parameter in place:
                        score[parameter] = score.get(parameter, 0.0) - count * mean
            scores.append(score)
        return scores

    def support(self) -> list[int]:
        support = [0] * self.size
        for block in self.blocks:
            items = {item for left, _ in block for item in left}
            for parameter in {parameter for item in items for parameter in self.places[item]}:
                support[parameter] += 1
        return support

    def reach(self) -> list[int]:
        """By entrant those it came in ahead of or tied with, also through others; as bits."""
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

    def pools(self) -> list[list[int]]:
        pools: list[set[int]] = []
        for members in sorted({tuple(members) for members in self.members}):
            joined = set(members)
            apart = []
            for pool in pools:
                if pool & joined:
                    joined |= pool
                else:
                    apart.append(pool)
            pools = [*apart, joined]
        return sorted((sorted(pool) for pool in pools), key=lambda pool: (-len(pool), pool))


class Expectation(msgspec.Struct, frozen=True):
    """The moments of a choice, by place: the items left, then the tie sizes."""

    log_weight: float
    places: list[tuple[int, ...]]
    """The parameters that a place stands for."""
    first: list[float]
    second: list[list[float]]


def fit(rankings: Iterable[Ranking], with_seats: bool = False) -> Fit:
    """The best fit to all rankings, by Newton's method."""
    model = Model(list(rankings), with_seats)
    observed = model.observed(model.stages)
    strengths = [0.0] * model.size
    value, gradient, hessian = model.evaluate(strengths, observed)
    for _ in range(_MAX_STEPS):
        step = _solve(_factor(hessian), gradient)
        longest = max(map(abs, step), default=0.0)
        scale = min(1.0, _LONGEST_STEP / longest) if longest else 1.0
        while True:
            tried = [strength + scale * change for strength, change in zip(strengths, step, strict=True)]
            outcome = model.evaluate(tried, observed)
            if outcome[0] >= value - 1e-12 * abs(value) or scale < 1e-3:
                break
            scale /= 2
        strengths = tried
        value, gradient, hessian = outcome
        if longest < _TOLERANCE:
            break
    inverse = _inverse(hessian)
    influence = [[0.0] * len(model.blocks) for _ in strengths]
    for block, score in enumerate(model.scores(strengths)):
        parts = list(score.items())
        for column, row in zip(influence, inverse, strict=True):
            column[block] = sum([row[parameter] * part for parameter, part in parts])
    return Fit(model, strengths, influence)


def _stages(items: Sequence[int], ranks: Sequence[int]) -> list[Stage]:
    """The choices that a ranking is made of; the last one left is no choice."""
    stages = []
    left = sorted(items)
    for rank in sorted(set(ranks)):
        if len(left) < 2:
            break
        chosen = sorted(item for item, own in zip(items, ranks, strict=True) if own == rank)
        stages.append((tuple(left), tuple(chosen)))
        for item in chosen:
            left.remove(item)
    return stages


def _blocks(groups: list[Counter[Stage]]) -> list[Counter[Stage]]:
    if len(groups) <= MAX_BLOCKS:
        return groups
    blocks: list[Counter[Stage]] = [Counter() for _ in range(MAX_BLOCKS)]
    for number, group in enumerate(groups):
        blocks[number % MAX_BLOCKS].update(group)
    return blocks


@lru_cache(maxsize=256)
def _subsets(number: int, size: int) -> list[tuple[int, ...]]:
    return list(combinations(range(number), size))


def _factor(matrix: list[list[float]]) -> list[list[float]]:
    """Cholesky's lower triangle of a positive definite matrix."""
    lower: list[list[float]] = []
    for number, row in enumerate(matrix):
        own: list[float] = []
        for column in range(number):
            above = lower[column]
            own.append((row[column] - sum([a * b for a, b in zip(own, above, strict=False)])) / above[column])
        own.append(math.sqrt(row[number] - sum([part * part for part in own])))
        lower.append(own)
    return lower


def _solve(lower: list[list[float]], vector: Sequence[float]) -> list[float]:
    middle: list[float] = []
    for row, value in zip(lower, vector, strict=True):
        middle.append((value - sum([a * b for a, b in zip(row, middle, strict=False)])) / row[-1])
    solution = [0.0] * len(lower)
    for number in range(len(lower) - 1, -1, -1):
        row = lower[number]
        solution[number] = middle[number] / row[number]
        for column in range(number):
            middle[column] -= row[column] * solution[number]
    return solution


def _inverse(matrix: list[list[float]]) -> list[list[float]]:
    lower = _factor(matrix)
    size = len(matrix)
    return [_solve(lower, [float(row == column) for row in range(size)]) for column in range(size)]
