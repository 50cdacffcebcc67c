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
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import chain, combinations
from operator import itemgetter, mul, truediv

import msgspec

PRIOR = 3.0  # the standard deviation of the prior, as natural logarithm
MAX_BLOCKS = 1000  # beyond, groups are taken together in blocks; blocks of independent groups are independent

_MAX_STEPS = 200
_LONGEST_STEP = 4.0
_TOLERANCE = 1e-5  # of the last step; Newton's method squares the error

Items = tuple[int, ...]
Endings = dict[Items, dict[Items, int]]  # by the items at a table, in their order, how often which ranks came of it
Stage = tuple[int, int]  # those left, and those of them that come next, as masks of places at the table


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
    """Games as counts of choices. Parameters are numbered: entrants, then tie sizes, then seats.

    Those at a table stand in the order of their items, and a set of them is a mask of bits.
    """

    def __init__(self, rankings: Sequence[Ranking], with_seats: bool) -> None:
        self.names = sorted(set(chain.from_iterable([ranking.entrants for ranking in rankings])))
        tables = {(ranking.table, len(ranking.ranks)) for ranking in rankings} if with_seats else set()
        self.seats = sorted({(table, seat) for table, seats in tables for seat in range(seats)})
        self.radix = len(self.seats) + 1  # an item is an entrant in a seat; seat 0 where seats are left out
        self.rankings = len(rankings)
        by_group = self._read(rankings)
        self.groups = len(by_group)
        self.games = [0] * len(self.names)
        self.members: list[list[int]] = []
        """By group who has played in it."""
        self.blocks: list[dict[Items, Counter[Stage]]] = [{} for _ in range(min(len(by_group), MAX_BLOCKS))]
        """By block and table how often which choice was made."""
        for number, group in enumerate(sorted(by_group)):
            self._add(by_group[group], self.blocks[number % MAX_BLOCKS])
        total: dict[Items, Counter[Stage]] = {}
        for block in self.blocks:
            for table, stages in block.items():
                total.setdefault(table, Counter()).update(stages)
        self.tables = sorted(total.items())
        sizes = {chosen.bit_count() for _, stages in self.tables for _, chosen in stages}
        self.tie_sizes = sorted(sizes - {1})
        self.size = len(self.names) + len(self.tie_sizes) + len(self.seats)
        self.choices = [(table, *self._choices(table, stages)) for table, stages in self.tables]
        self.parameters = {item: self._parameters_of(item) for table, _ in self.tables for item in table}

    def _read(self, rankings: Sequence[Ranking]) -> dict[str, Endings]:
        """By group how often which table ended with which ranks."""
        first_item = {name: index * self.radix for index, name in enumerate(self.names)}
        seat_number = {seat: index + 1 for index, seat in enumerate(self.seats)}
        by_group: dict[str, Endings] = {}
        for ranking in rankings:
            items: Iterable[int] = map(first_item.__getitem__, ranking.entrants)
            if self.seats:
                items = [item + seat_number[ranking.table, seat] for seat, item in enumerate(items)]
            table, ranks = zip(*sorted(zip(items, ranking.ranks, strict=True)), strict=True)
            tables = by_group.get(ranking.group)
            if tables is None:
                tables = by_group[ranking.group] = {}
            counts = tables.get(table)
            if counts is None:
                counts = tables[table] = {}
            counts[ranks] = counts.get(ranks, 0) + 1
        return by_group

    def _add(self, group: Endings, block: dict[Items, Counter[Stage]]) -> None:
        """Takes in the games of a group."""
        members: set[int] = set()
        for table, endings in group.items():
            present = {item // self.radix for item in table}
            members |= present
            games = sum(endings.values())
            for entrant in present:
                self.games[entrant] += games
            if len(table) > 1:
                counts = block.setdefault(table, Counter())
                for ranks, count in endings.items():
                    for stage in _stages(ranks):
                        counts[stage] += count
        self.members.append(sorted(members))

    def _parameters_of(self, item: int) -> tuple[int, ...]:
        entrant, seat = divmod(item, self.radix)
        if seat == 0:
            return (entrant,)
        return (entrant, len(self.names) + len(self.tie_sizes) + seat - 1)

    def _choices(self, table: Items, stages: Counter[Stage]) -> tuple["Pattern", list[int]]:
        """Among whom there were choices at a table, and how often."""
        counts: Counter[int] = Counter()
        for (left, _), count in stages.items():
            counts[left] += count
        lefts = tuple(sorted(counts))
        return _pattern(len(table), tuple(self.tie_sizes), lefts), [counts[left] for left in lefts]

    def layers(self, table: Items) -> list[list[int]]:
        """The parameters at a table: entrants by place and tie sizes, and seats by place."""
        tied = range(len(self.names), len(self.names) + len(self.tie_sizes))
        layers = [[*[item // self.radix for item in table], *tied]]
        if self.seats:
            layers.append([tied.stop + item % self.radix - 1 for item in table])
        return layers

    def observed(self, tables: Iterable[tuple[Items, Counter[Stage]]]) -> dict[int, float]:
        """By parameter how often it was chosen; a tie counts in parts."""
        found: dict[int, float] = {}
        for table, stages in tables:
            for (_, chosen), count in sorted(stages.items()):
                members = _members(chosen)
                for place in members:
                    for parameter in self.parameters[table[place]]:
                        found[parameter] = found.get(parameter, 0.0) + count / len(members)
                if len(members) > 1:
                    tied = len(self.names) + self.tie_sizes.index(len(members))
                    found[tied] = found.get(tied, 0.0) + count
        return found

    def start(self) -> list[float]:
        """Close to the best fit: strengths by how often each came in ahead, with ties as frequent as they were."""
        start = [0.0] * self.size
        ahead, behind = [1.0] * len(self.names), [1.0] * len(self.names)
        tied, expected = dict.fromkeys(self.tie_sizes, 0.0), dict.fromkeys(self.tie_sizes, 0.0)
        for table, stages in self.tables:
            entrants = [item // self.radix for item in table]
            for (left, chosen), count in stages.items():
                first, others = _members(chosen), _members(left ^ chosen)
                for place in first:
                    ahead[entrants[place]] += count * len(others)
                for place in others:
                    behind[entrants[place]] += count * len(first)
                if tied:
                    number = len(first) + len(others)
                    for size in self.tie_sizes:
                        expected[size] += count * math.comb(number, size) / number
                        tied[size] += count * (len(first) == size)
        for entrant, (won, lost) in enumerate(zip(ahead, behind, strict=True)):
            start[entrant] = math.log(won / lost)
        for tie, size in enumerate(self.tie_sizes, len(self.names)):
            start[tie] = math.log(tied[size] / expected[size])
        return start

    def weights(self, strengths: list[float]) -> "Weights":
        return Weights(
            {item: sum([strengths[one] for one in own]) for item, own in self.parameters.items()},
            [(size, math.exp(strengths[len(self.names) + tie])) for tie, size in enumerate(self.tie_sizes)],
        )

    def evaluate(
        self, strengths: list[float], observed: dict[int, float]
    ) -> tuple[float, list[float], list[list[float]]]:
        """The logarithm of the likelihood with the prior, its gradient, the lower triangle of its negative Hessian."""
        value = math.fsum(strengths[parameter] * count for parameter, count in observed.items())
        gradient = [observed.get(parameter, 0.0) for parameter in range(self.size)]
        hessian = [[0.0] * self.size for _ in range(self.size)]
        weights = self.weights(strengths)
        for table, pattern, counts in self.choices:
            log_weight, first, lower = weights.moments(table, pattern, counts)
            value -= log_weight
            layers = self.layers(table)
            for parameter, mean, row in zip(layers[0], first, lower, strict=True):
                gradient[parameter] -= mean
                own = hessian[parameter]
                for other, covariance in zip(layers[0], row, strict=False):
                    own[other] += covariance
            if len({*layers[0]}) < len(layers[0]):  # somebody sits there twice: both halves of the triangle are its own
                for one, parameter in enumerate(layers[0]):
                    for other in range(one):
                        if layers[0][other] == parameter:
                            hessian[parameter][parameter] += lower[one][other]
            for layer in layers[1:]:
                for one, parameter in enumerate(layer):
                    gradient[parameter] -= first[one]
                    for other, entrant in enumerate(layers[0]):
                        hessian[parameter][entrant] += lower[max(one, other)][min(one, other)]
                    for other, seat in enumerate(layer):
                        if seat <= parameter:
                            hessian[parameter][seat] += lower[max(one, other)][min(one, other)]
        for parameter, strength in enumerate(strengths):
            value -= strength * strength / (2 * PRIOR**2)
            gradient[parameter] -= strength / PRIOR**2
            hessian[parameter][parameter] += 1 / PRIOR**2
        return value, gradient, hessian

    def scores(self, strengths: list[float]) -> list[dict[int, float]]:
        """By block its part of the gradient: what it shows less what was expected."""
        weights = self.weights(strengths)
        scores = []
        for block in self.blocks:
            tables = sorted(block.items())
            score = self.observed(tables)
            for table, stages in tables:
                means = weights.means(table, *self._choices(table, stages))
                for layer in self.layers(table):
                    for parameter, mean in zip(layer, means, strict=False):
                        score[parameter] = score.get(parameter, 0.0) - mean
            scores.append(score)
        return scores

    def support(self) -> list[int]:
        support = [0] * self.size
        for block in self.blocks:
            items = {item for table in block for item in table}
            found = {parameter for item in items for parameter in self.parameters[item]}
            sizes = {chosen.bit_count() for stages in block.values() for _, chosen in stages}
            found.update(len(self.names) + tie for tie, size in enumerate(self.tie_sizes) if size in sizes)
            for parameter in found:
                support[parameter] += 1
        return support

    def reach(self) -> list[int]:
        """By entrant those it came in ahead of or tied with, also through others; as bits."""
        reach = [0] * len(self.names)
        for table, stages in self.tables:
            bits = [1 << item // self.radix for item in table]
            for left, chosen in stages:
                everyone = 0
                for place in _members(left):
                    everyone |= bits[place]
                for place in _members(chosen):
                    reach[table[place] // self.radix] |= everyone
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


class Weights:
    """What is expected of choices at tables, given the strengths of items and the weights of ties by their size."""

    def __init__(self, values: dict[int, float], ties: Sequence[tuple[int, float]]) -> None:
        self.ties = ties
        self.sizes = tuple(size for size, _ in ties)
        self.single = {item: math.exp(value) for item, value in values.items()}
        self.roots = [{item: math.exp(value / size) for item, value in values.items()} for size in self.sizes]

    def _weigh(self, table: Items) -> tuple[list[float], list[float]]:
        """The weights of all that may come next at a table, and the part of each of those who are tied."""
        whole = [self.single[item] for item in table]
        each = whole.copy()
        for (size, delta), known in zip(self.ties, self.roots, strict=True):
            roots = [known[item] for item in table]
            for members in _subsets(len(table), size):
                weight = delta * math.prod([roots[member] for member in members])
                whole.append(weight)
                each.append(weight / size)
        return whole, each

    def means(self, table: Items, pattern: "Pattern", counts: list[int]) -> list[float]:
        """By place and tie size how often it is chosen, on average over all choices together."""
        whole, each = self._weigh(table)
        shares = [count / sum(inside(whole)) for inside, count in zip(pattern.inside, counts, strict=True)]
        return pattern.means(whole, each, pattern.chances(shares))

    def moments(
        self, table: Items, pattern: "Pattern", counts: list[int]
    ) -> tuple[float, list[float], list[list[float]]]:
        """The logarithm of the weight, the means, the lower triangle of the covariances, summed over all choices."""
        whole, each = self._weigh(table)
        totals = [sum(inside(whole)) for inside in pattern.inside]
        log_weight = sum(map(mul, counts, map(math.log, totals)))
        shares = list(map(truediv, counts, totals))
        chances = pattern.chances(shares)
        first = pattern.means(whole, each, chances)
        lower = pattern.products(whole, each, list(map(truediv, shares, totals)))
        for row, weight, chance in zip(lower, whole[: len(table)], chances, strict=False):
            row[-1] += weight * chance
        for one, (tie, members) in enumerate(_ties(len(table), self.sizes), len(table)):
            together, part = chances[one] * whole[one], chances[one] * each[one]
            lower[tie][tie] += together
            for number, member in enumerate(members):
                lower[tie][member] += part
                for other in members[: number + 1]:
                    lower[member][other] += part / len(members)
        return log_weight, first, lower


class Pattern:
    """Which choices were made at a table, among whom, by the numbers of what may come next: first each alone, then the
    sets that may be tied. Sums over all these choices are taken at once."""

    def __init__(self, seats: int, sizes: Items, lefts: Items) -> None:
        self.seats = seats
        ties = _ties(seats, sizes)
        masks = [1 << place for place in range(seats)]
        masks += [sum(1 << member for member in members) for _, members in ties]
        inside = [[one for one, mask in enumerate(masks) if mask & left == mask] for left in lefts]
        self.inside = [_picks(own) for own in inside]
        """By choice what may come next."""
        self._with = [_picks([at for at, own in enumerate(inside) if one in own]) for one in range(len(masks))]
        """By what may come next the choices in which it may."""
        self._with_both = [
            [_picks([at for at, own in enumerate(inside) if one in own and other in own]) for other in range(one + 1)]
            for one in range(seats)
        ]
        """By two places the choices that have both."""
        self._sets = [[one for one, mask in enumerate(masks) if mask >> place & 1] for place in range(seats)]
        self._sets += [
            [one for one, (own, _) in enumerate(ties, seats) if own == tie] for tie in range(seats, seats + len(sizes))
        ]
        """By place and tie size what it is part of."""
        self._parts = [[_picks([one for one in own if one in there]) for there in inside] for own in self._sets]
        """The same by choice."""

    def chances(self, shares: list[float]) -> list[float]:
        """By what may come next how often it does for each bit of its weight."""
        return [sum(among(shares)) for among in self._with]

    def means(self, whole: list[float], each: list[float], chances: list[float]) -> list[float]:
        """By place and tie size how often it is chosen."""
        if len(self._sets) == self.seats:
            return list(map(mul, whole, chances))
        parts, sets = list(map(mul, each, chances)), list(map(mul, whole, chances))
        return [
            sum([(parts if place < self.seats else sets)[one] for one in own]) for place, own in enumerate(self._sets)
        ]

    def products(self, whole: list[float], each: list[float], scales: list[float]) -> list[list[float]]:
        """By two places or tie sizes the negative sum of the products of their means, as a lower triangle."""
        if len(self._sets) == self.seats:
            return [
                [-one * other * sum(both(scales)) for other, both in zip(whole, row, strict=False)]
                for one, row in zip(whole, self._with_both, strict=True)
            ]
        parts = [
            [sum(pick(each if place < self.seats else whole)) for pick in own] for place, own in enumerate(self._parts)
        ]
        scaled = [list(map(mul, scales, own)) for own in parts]
        return [[-sum(map(mul, own, parts[other])) for other in range(one + 1)] for one, own in enumerate(scaled)]


_pattern = lru_cache(maxsize=10_000)(Pattern)


def _picks(numbers: Sequence[int]) -> Callable[[Sequence[float]], Sequence[float]]:
    """Takes the values with these numbers out of a list."""
    if len(numbers) > 1:
        return itemgetter(*numbers)
    if not numbers:
        return lambda values: ()
    (only,) = numbers
    return lambda values: (values[only],)


@lru_cache(maxsize=256)
def _ties(seats: int, sizes: Items) -> list[tuple[int, Items]]:
    """The sets that may be tied at a table, each with the number of its size, which comes after the places."""
    return [(tie, members) for tie, size in enumerate(sizes, seats) for members in _subsets(seats, size)]


def fit(rankings: Iterable[Ranking], with_seats: bool = False) -> Fit:
    """The best fit to all rankings, by Newton's method."""
    model = Model(list(rankings), with_seats)
    observed = model.observed(model.tables)
    strengths = model.start()
    value, gradient, hessian = model.evaluate(strengths, observed)
    for _ in range(_MAX_STEPS):
        step = _solve(_factor(hessian), gradient)
        longest = max(map(abs, step), default=0.0)
        if longest < _TOLERANCE:
            strengths = [strength + change for strength, change in zip(strengths, step, strict=True)]
            break
        scale = min(1.0, _LONGEST_STEP / longest)
        while True:
            tried = [strength + scale * change for strength, change in zip(strengths, step, strict=True)]
            outcome = model.evaluate(tried, observed)
            if outcome[0] >= value - 1e-12 * abs(value) or scale < 1e-3:
                break
            scale /= 2
        strengths = tried
        value, gradient, hessian = outcome
    inverse = _inverse(hessian)
    influence = [[0.0] * len(model.blocks) for _ in strengths]
    for block, score in enumerate(model.scores(strengths)):
        pick, parts = _picks(list(score)), list(score.values())
        for column, row in zip(influence, inverse, strict=True):
            column[block] = sum(map(mul, pick(row), parts))
    return Fit(model, strengths, influence)


@lru_cache(maxsize=10_000)
def _stages(ranks: Items) -> tuple[Stage, ...]:
    """The choices that a ranking is made of; the last one left is no choice."""
    stages = []
    left = (1 << len(ranks)) - 1
    for rank in sorted(set(ranks)):
        if left.bit_count() < 2:
            break
        chosen = sum(1 << place for place, own in enumerate(ranks) if own == rank)
        stages.append((left, chosen))
        left ^= chosen
    return tuple(stages)


@lru_cache(maxsize=256)
def _members(mask: int) -> Items:
    return tuple(place for place in range(mask.bit_length()) if mask >> place & 1)


@lru_cache(maxsize=256)
def _subsets(number: int, size: int) -> list[Items]:
    return list(combinations(range(number), size))


def _factor(matrix: list[list[float]]) -> list[list[float]]:
    """Cholesky's lower triangle of a positive definite matrix, of which the lower triangle is enough."""
    lower: list[list[float]] = []
    for number, row in enumerate(matrix):
        own: list[float] = []
        for above, value in zip(lower, row, strict=False):
            own.append((value - sum(map(mul, own, above))) / above[-1])
        own.append(math.sqrt(row[number] - sum(map(mul, own, own))))
        lower.append(own)
    return lower


def _solve(lower: list[list[float]], vector: Sequence[float]) -> list[float]:
    middle: list[float] = []
    for row, value in zip(lower, vector, strict=True):
        middle.append((value - sum(map(mul, row, middle))) / row[-1])
    return _solve_upper(_columns(lower), middle)


def _solve_upper(columns: list[list[float]], vector: Sequence[float]) -> list[float]:
    """By the columns of a lower triangle, each from below."""
    solution: list[float] = []  # from below, too
    for column, value in zip(columns, reversed(vector), strict=True):
        solution.append((value - sum(map(mul, column, solution))) / column[-1])
    solution.reverse()
    return solution


def _columns(lower: list[list[float]]) -> list[list[float]]:
    """The columns of a lower triangle, the last first, each from below."""
    size = len(lower)
    return [[lower[row][column] for row in range(size - 1, column - 1, -1)] for column in range(size - 1, -1, -1)]


def _inverse(matrix: list[list[float]]) -> list[list[float]]:
    lower = _factor(matrix)
    columns, size = _columns(lower), len(lower)
    inverse = []
    for number in range(size):
        middle = [0.0] * number
        for row in lower[number:]:
            middle.append((float(len(middle) == number) - sum(map(mul, row, middle))) / row[-1])
        inverse.append(_solve_upper(columns, middle))
    return inverse
