"""Plackett-Luce model with ties, fitted to all rankings at once.

A ranking is read from the top: out of those left, one entrant or several tied entrants come next. A set of k tied
entrants has the weight `delta_k` times the geometric mean of their strengths (Davidson-Luce). This is a proper
likelihood of ties that keeps the odds between any two. The problem stays concave, so there is one best fit.

Invariants:

- Everything is summed from whole counts in sorted order: the same games give the same bits, in any order.
- Each parameter has a normal prior around 0 with standard deviation 3 (521 Elo points), which weighs less than half a
  game between two equals. It keeps the strength of an entrant that always wins finite, and fades as games are added.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import chain, combinations
from operator import add, le, mul, truediv
from typing import NamedTuple

import msgspec

PRIOR = 3.0  # standard deviation of the prior, on the natural logarithmic scale
MAX_BLOCKS = 1000  # more groups are combined into this many blocks, which are independent too

_MAX_STEPS = 200
_LONGEST_STEP = 4.0
_TOLERANCE = 1e-5  # of the last step, because Newton's method squares the error

Items = tuple[int, ...]
Seen = dict[int, int]  # counts by mask of places at a table: masks of those left, and ~masks of those chosen
Endings = dict[Items, tuple[list[int], list[int]]]  # by table: the items of its games and their ranks, concatenated
Column = Sequence[float]  # one number per table


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


class Fit:
    """The strengths that fit the games best, and the influence of each block of groups on them."""

    def __init__(self, model: "Model", strengths: list[float], influence: list[list[float]]) -> None:
        self.model = model
        self.names = model.names
        self.strengths = strengths
        """Natural logarithms by parameter: entrants, tie sizes, seats."""
        self.influence = influence
        """By parameter and block: the change of the parameter caused by the block, to first order at the best fit."""
        self.support = model.support()
        """By parameter: number of blocks in which it appears."""
        self.pools = model.pools()
        """Sets of entrants that met, directly or through others."""
        self._reach = model.reach()

    def order(self) -> list[str]:
        """Return the names, strongest first."""
        return sorted(self.names, key=lambda name: (-self.strengths[self.names.index(name)], name))

    def reaches(self, one: int, other: int) -> bool:
        """Return whether `one` was ahead of or tied with `other`, directly or through a chain of others."""
        return one == other or bool(self._reach[one] >> other & 1)


class Model:
    """The games as counts of choices. A ranking is a series of choices: who comes next among those left.

    Parameters are numbered: entrants, then tie sizes, then seats. The items at a table are sorted, and a set of them is
    a bit mask.
    """

    def __init__(self, rankings: Sequence[Ranking], with_seats: bool, most_blocks: int = MAX_BLOCKS) -> None:
        self.names = sorted(set(chain.from_iterable([ranking.entrants for ranking in rankings])))
        tables = {(ranking.table, len(ranking.ranks)) for ranking in rankings} if with_seats else set()
        self.seats = sorted({(table, seat) for table, seats in tables for seat in range(seats)})
        self.radix = len(self.seats) + 1  # an item is an entrant in a seat, with seat 0 if seats are not modelled
        self.rankings = len(rankings)
        by_group = self._read(rankings)
        self.groups = len(by_group)
        self.games = [0] * len(self.names)
        self.members: list[list[int]] = []
        """Entrants of each group."""
        self.groups_of = [0] * len(self.names)
        """Number of groups by entrant."""
        self.ahead = [0] * len(self.names)
        """Bit mask, by entrant, of those it was ahead of or tied with."""
        self.blocks: list[dict[Items, Seen]] = [{} for _ in range(min(len(by_group), most_blocks))]
        """Counts of the choices, by block and table."""
        for number, group in enumerate(sorted(by_group)):
            self._add(by_group[group], self.blocks[number % most_blocks])
        total: dict[Items, Counter[int]] = {}
        for block in self.blocks:
            for table, seen in block.items():
                total.setdefault(table, Counter()).update(seen)
        self.tie_sizes = sorted({size for seen in total.values() for size in _sizes(seen)} - {1})
        self.size = len(self.names) + len(self.tie_sizes) + len(self.seats)
        self.batches = self._batches(sorted(total.items()))
        self.items = sorted({item for table in total for item in table})
        self.observed = [0.0] * self.size
        """How often each parameter was chosen. A tie of k counts 1/k for each member."""
        for batch in self.batches:
            for column, parameters in batch.slots:
                for parameter, count in zip(parameters, batch.shown[column], strict=True):
                    self.observed[parameter] += count

    def _read(self, rankings: Sequence[Ranking]) -> dict[str, Endings]:
        """Return the games by group and table."""
        first_item = {name: index * self.radix for index, name in enumerate(self.names)}
        seat_number = {seat: index + 1 for index, seat in enumerate(self.seats)}
        by_group: dict[str, Endings] = {}
        for ranking in rankings:
            items = [first_item[name] for name in ranking.entrants]
            if self.seats:
                items = [item + seat_number[ranking.table, seat] for seat, item in enumerate(items)]
            tables = by_group.get(ranking.group)
            if tables is None:
                tables = by_group[ranking.group] = {}
            table = tuple(sorted(items))
            games = tables.get(table)
            if games is None:
                games = tables[table] = ([], [])
            games[0].extend(items)
            games[1].extend(ranking.ranks)
        return by_group

    def _add(self, group: Endings, block: dict[Items, Seen]) -> None:
        """Add the games of a group to `block`."""
        members: set[int] = set()
        for table, (items, ranks) in group.items():
            entrants = [item // self.radix for item in table]
            members.update(entrants)
            games = len(items) // len(table)
            for entrant in set(entrants):
                self.games[entrant] += games
            if len(table) == 1:
                continue
            order = sorted(range(len(items)), key=items.__getitem__)  # item by item, game by game
            columns = _by_place(table, games, [ranks[number] for number in order])
            for one, other in combinations(range(len(table)), 2):
                if any(map(le, columns[one], columns[other])):
                    self.ahead[entrants[one]] |= 1 << entrants[other]
                if any(map(le, columns[other], columns[one])):
                    self.ahead[entrants[other]] |= 1 << entrants[one]
            seen = Counter(chain.from_iterable(map(_choices, zip(*columns, strict=True))))
            block[table] = seen + Counter(block[table]) if table in block else seen
        self.members.append(sorted(members))
        for entrant in members:
            self.groups_of[entrant] += 1

    def _batches(self, tables: Sequence[tuple[Items, Seen]]) -> list["Batch"]:
        """Group tables with the same choices into batches.

        If most tables of a size share most choices, batch them all.
        """
        parts = math.lcm(*self.tie_sizes)  # integer counts, so that the sum does not depend on the order
        own = [tuple(sorted([left for left in seen if left > 0])) for _, seen in tables]
        by_size: dict[int, list[Items]] = {}
        for (table, _), lefts in zip(tables, own, strict=True):
            by_size.setdefault(len(table), []).append(lefts)
        every = {seats: tuple(sorted(set().union(*some))) for seats, some in by_size.items()}
        alike = {seats for seats, some in by_size.items() if len(every[seats]) * len(some) < 2 * sum(map(len, some))}
        found: dict[tuple[int, Items], list[tuple[int, Items, list[int], list[float]]]] = {}
        for number, ((table, seen), lefts) in enumerate(zip(tables, own, strict=True)):
            if len(table) in alike:
                lefts = every[len(table)]
            shown = [0] * (len(table) + len(self.tie_sizes))
            for chosen, count in seen.items():
                if chosen < 0:
                    members = _members(~chosen)
                    for place in members:
                        shown[place] += count * parts // len(members)
                    if len(members) > 1:
                        shown[len(table) + self.tie_sizes.index(len(members))] += count * parts
            found.setdefault((len(table), lefts), []).append(
                (number, table, [seen.get(left, 0) for left in lefts], [count / parts for count in shown])
            )
        return [self._batch(seats, lefts, rows) for (seats, lefts), rows in sorted(found.items())]

    def _batch(self, seats: int, lefts: Items, rows: Sequence[tuple[int, Items, list[int], list[float]]]) -> "Batch":
        numbers, tables, counts, shown = zip(*rows, strict=True)
        places: list[Items] = list(zip(*tables, strict=True))
        sizes = tuple(size for size in self.tie_sizes if size <= seats)
        slots = [(place, [item // self.radix for item in items]) for place, items in enumerate(places)]
        slots += [(seats + tie, [len(self.names) + tie] * len(rows)) for tie in range(len(sizes))]
        if self.seats:
            before = len(self.names) + len(self.tie_sizes) - 1
            slots += [(place, [before + item % self.radix for item in items]) for place, items in enumerate(places)]
        columns = [list(zip(*some, strict=True)) for some in (counts, shown)]
        return Batch(_pattern(seats, sizes, lefts), numbers, places, slots, *columns)

    def start(self) -> list[float]:
        """Return a starting point close to the best fit.

        Strengths compare how often each was chosen with a uniform choice. Tie weights match the frequency of ties.
        """
        start = [0.0] * self.size
        asked, even = [0.0] * len(self.names), [0.0] * len(self.names)
        expected = [0.0] * len(self.tie_sizes)
        for batch in self.batches:
            numbers = batch.pattern.numbers
            evenly = [[count / number for count in one] for number, one in zip(numbers, batch.counts, strict=True)]
            columns = batch.pattern.chances(batch.counts), batch.pattern.chances(evenly)
            for items, counts, chances in zip(batch.places, *columns, strict=False):
                for item, count, chance in zip(items, counts, chances, strict=True):
                    asked[item // self.radix] += count
                    even[item // self.radix] += chance
            for tie, size in enumerate(self.tie_sizes):
                for number, column in zip(numbers, evenly, strict=True):
                    expected[tie] += math.comb(number, size) * sum(column)
        for entrant, (times, chance) in enumerate(zip(asked, even, strict=True)):
            if times:
                chosen = self.observed[entrant]
                start[entrant] = math.log((chosen + 1) / (times - chosen + 1) * (times - chance) / chance)
        for tie, often in enumerate(expected, len(self.names)):
            start[tie] = math.log(self.observed[tie] / often)
        return start

    def weights(self, strengths: list[float]) -> "Weights":
        entrants, seats = len(self.names), len(self.names) + len(self.tie_sizes) - 1
        values = {}
        for item in self.items:
            entrant, seat = divmod(item, self.radix)
            values[item] = strengths[entrant] + strengths[seats + seat] if seat else strengths[entrant]
        return Weights(values, [(size, math.exp(strengths[entrants + tie])) for tie, size in enumerate(self.tie_sizes)])

    def evaluate(self, strengths: list[float]) -> tuple[float, list[float], list[list[float]]]:
        """Return the log-posterior, its gradient, and the lower triangle of its negative Hessian."""
        value = math.fsum(map(mul, strengths, self.observed))
        gradient = self.observed.copy()
        hessian = [[0.0] * self.size for _ in range(self.size)]
        weights = self.weights(strengths)
        for batch in self.batches:
            log_weight, first, lower = weights.moments(batch)
            value -= log_weight
            for number, (one, parameters) in enumerate(batch.slots):
                for parameter, mean, variance in zip(parameters, first[one], lower[one][one], strict=True):
                    gradient[parameter] -= mean
                    hessian[parameter][parameter] += variance
                for other, others in batch.slots[:number]:
                    covariances = lower[max(one, other)][min(one, other)]
                    for parameter, also, covariance in zip(parameters, others, covariances, strict=True):
                        if parameter > also:
                            hessian[parameter][also] += covariance
                        elif parameter < also:
                            hessian[also][parameter] += covariance
                        else:  # an entrant has two seats: both halves of the covariance are its own
                            hessian[parameter][parameter] += 2 * covariance
        for parameter, strength in enumerate(strengths):
            value -= strength * strength / (2 * PRIOR**2)
            gradient[parameter] -= strength / PRIOR**2
            hessian[parameter][parameter] += 1 / PRIOR**2
        return value, gradient, hessian

    def scores(self, strengths: list[float]) -> list[dict[int, float]]:
        """Return the gradient contribution of each block: observed less expected choices."""
        weights = self.weights(strengths)
        scores: list[dict[int, float]] = [{} for _ in self.blocks]
        owners = [score for score, block in zip(scores, self.blocks, strict=True) for _ in block]
        for batch in self._batches([row for block in self.blocks for row in sorted(block.items())]):
            means, own = weights.means(batch), [owners[number] for number in batch.numbers]
            for column, parameters in batch.slots:
                for score, parameter, count, mean in zip(
                    own, parameters, batch.shown[column], means[column], strict=True
                ):
                    score[parameter] = score.get(parameter, 0.0) + count - mean
        return scores

    def support(self) -> list[int]:
        support = [0] * self.size
        seats = len(self.names) + len(self.tie_sizes) - 1
        for block in self.blocks:
            items = {item for table in block for item in table}
            sizes = {size for seen in block.values() for size in _sizes(seen)}
            found = {item // self.radix for item in items}
            found.update(seats + item % self.radix for item in items if self.seats)
            found.update(len(self.names) + tie for tie, size in enumerate(self.tie_sizes) if size in sizes)
            for parameter in found:
                support[parameter] += 1
        return support

    def reach(self) -> list[int]:
        """Return a bit mask, by entrant, of those it was ahead of or tied with, directly or through others."""
        reach = self.ahead.copy()
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
    """Expected choices at tables, given the strengths of items and the weights of ties by size."""

    def __init__(self, values: dict[int, float], ties: Sequence[tuple[int, float]]) -> None:
        self.ties = ties
        self.sizes = tuple(size for size, _ in ties)
        self.single = {item: math.exp(value) for item, value in values.items()}
        self.roots = [{item: math.exp(value / size) for item, value in values.items()} for size in self.sizes]

    def _weigh(self, batch: "Batch") -> tuple[list[Column], list[Column]]:
        """Return the weights of all possible next choices at the tables, and the share of each tied member."""
        whole: list[Column] = [[self.single[item] for item in items] for items in batch.places]
        each = whole.copy()
        for (size, delta), known in zip(self.ties, self.roots, strict=True):
            roots = [[known[item] for item in items] for items in batch.places]
            for members in _subsets(len(batch.places), size):
                weight = [delta * math.prod(row) for row in zip(*[roots[member] for member in members], strict=True)]
                whole.append(weight)
                each.append([one / size for one in weight])
        return whole, each

    def means(self, batch: "Batch") -> list[Column]:
        """Return the expected number of times each place and tie size is chosen, summed over all choices."""
        whole, each = self._weigh(batch)
        totals = batch.pattern.totals(whole)
        shares = [list(map(truediv, counts, total)) for counts, total in zip(batch.counts, totals, strict=True)]
        return batch.pattern.means(whole, each, batch.pattern.chances(shares))

    def moments(self, batch: "Batch") -> tuple[float, list[Column], list[list[Column]]]:
        """Return the log-weight of all tables, the means, and the lower triangle of the covariances.

        All are summed over all choices.
        """
        pattern, seats = batch.pattern, len(batch.places)
        whole, each = self._weigh(batch)
        totals = pattern.totals(whole)
        log_weights = [
            sum(map(mul, own, map(math.log, total))) for own, total in zip(batch.counts, totals, strict=True)
        ]
        shares = [list(map(truediv, counts, total)) for counts, total in zip(batch.counts, totals, strict=True)]
        chances = pattern.chances(shares)
        first = pattern.means(whole, each, chances)
        scales = [list(map(truediv, share, total)) for share, total in zip(shares, totals, strict=True)]
        lower = pattern.products(whole, each, scales)
        for row, weight, chance in zip(lower, whole[:seats], chances, strict=False):
            row[-1] = _added([row[-1], _multiplied(weight, chance)])
        for one, (tie, members) in enumerate(_ties(seats, self.sizes), seats):
            lower[tie][tie] = _added([lower[tie][tie], _multiplied(chances[one], whole[one])])
            part = _multiplied(chances[one], each[one])
            share = [value / len(members) for value in part]
            for number, member in enumerate(members):
                lower[tie][member] = _added([lower[tie][member], part])
                for other in members[: number + 1]:
                    lower[member][other] = _added([lower[member][other], share])
        return math.fsum(log_weights), first, lower


class Batch(NamedTuple):
    """Tables with the same set of choices, stored as columns with one row per table."""

    pattern: "Pattern"
    numbers: Items
    """Index of each table in the input."""
    places: list[Items]
    """Items at each place, as a column with one entry per table."""
    slots: list[tuple[int, list[int]]]
    """Parameters as columns, each with the index of its place or tie size: entrants, tie sizes, seats."""
    counts: list[Items]
    """How often each choice was made, as a column per choice."""
    shown: list[tuple[float, ...]]
    """How often each place and tie size was chosen, as columns."""


class Pattern:
    """The choices made at a table. Each is a set of places left, with the options to pick from it.

    Options are numbered: first each place alone, then the sets that may be tied. Sums over all choices are computed for
    all tables of a batch at once.
    """

    def __init__(self, seats: int, sizes: Items, lefts: Items) -> None:
        self.seats = seats
        self.numbers = [left.bit_count() for left in lefts]
        """Number of places left, by choice."""
        ties = _ties(seats, sizes)
        masks = [1 << place for place in range(seats)]
        masks += [sum(1 << member for member in members) for _, members in ties]
        self._inside = [[one for one, mask in enumerate(masks) if mask & left == mask] for left in lefts]
        """Possible options, by choice."""
        self._with = [[at for at, own in enumerate(self._inside) if one in own] for one in range(len(masks))]
        """Choices in which an option is possible, by option."""
        self._with_both = [
            [[at for at in self._with[one] if at in self._with[other]] for other in range(one + 1)]
            for one in range(seats)
        ]
        """Choices in which both places are left, by pair of places."""
        self._sets = [[one for one, mask in enumerate(masks) if mask >> place & 1] for place in range(seats)]
        self._sets += [
            [one for one, (own, _) in enumerate(ties, seats) if own == tie] for tie in range(seats, seats + len(sizes))
        ]
        """Options that contain a place, by place, then options with a tie size, by tie size."""
        self._parts = [
            [(at, there) for at, own in enumerate(self._inside) if (there := [one for one in parts if one in own])]
            for parts in self._sets
        ]
        """The options in `_sets`, split by choice."""

    def totals(self, whole: list[Column]) -> list[Column]:
        """Return the total weight of the options of each choice."""
        return [_added([whole[one] for one in inside]) for inside in self._inside]

    def chances(self, shares: Sequence[Column]) -> list[Column]:
        """Return, for each option, the sum of `shares` over the choices in which it is possible."""
        return [_added([shares[at] for at in among]) for among in self._with]

    def means(self, whole: list[Column], each: list[Column], chances: list[Column]) -> list[Column]:
        """Return the expected number of times each place and tie size is chosen."""
        sets = list(map(_multiplied, whole, chances))
        if len(self._sets) == self.seats:
            return sets
        parts = list(map(_multiplied, each, chances))
        return [
            _added([(parts if place < self.seats else sets)[one] for one in own])
            for place, own in enumerate(self._sets)
        ]

    def products(self, whole: list[Column], each: list[Column], scales: Sequence[Column]) -> list[list[Column]]:
        """Return the negative sums of the products of the means of two places or tie sizes, as a lower triangle."""
        less = [[-value for value in scale] for scale in scales]
        if len(self._sets) == self.seats:
            return [
                [
                    _multiplied(_multiplied(one, other), _added([less[at] for at in both]))
                    for other, both in zip(whole, row, strict=False)
                ]
                for one, row in zip(whole, self._with_both, strict=True)
            ]
        means = [
            {at: _added([(each if place < self.seats else whole)[one] for one in there]) for at, there in parts}
            for place, parts in enumerate(self._parts)
        ]
        scaled = [{at: _multiplied(less[at], mean) for at, mean in own.items()} for own in means]
        return [
            [
                _added([_multiplied(mean, means[other][at]) for at, mean in own.items() if at in means[other]])
                for other in range(one + 1)
            ]
            for one, own in enumerate(scaled)
        ]


def _added(columns: Sequence[Column]) -> Column:
    """Return the sum of some columns, row by row."""
    if len(columns) > 2:
        return list(map(sum, zip(*columns, strict=True)))
    return list(map(add, *columns)) if len(columns) == 2 else columns[0]


def _multiplied(one: Iterable[float], other: Iterable[float]) -> Column:
    return list(map(mul, one, other))


_pattern = lru_cache(maxsize=10_000)(Pattern)


@lru_cache(maxsize=256)
def _ties(seats: int, sizes: Items) -> list[tuple[int, Items]]:
    """Return the sets that may be tied at a table, each with the index of its tie size, which follows the places."""
    return [(tie, members) for tie, size in enumerate(sizes, seats) for members in _subsets(seats, size)]


def fit(rankings: Iterable[Ranking], with_seats: bool = False, most_blocks: int = MAX_BLOCKS) -> Fit:
    """Fit all rankings by Newton's method.

    Fewer blocks (`most_blocks`) take less time but show the spread less precisely.
    """
    model = Model(list(rankings), with_seats, most_blocks)
    strengths = model.start()
    value, gradient, hessian = model.evaluate(strengths)
    for _ in range(_MAX_STEPS):
        step = _solve(_factor(hessian), gradient)
        longest = max(map(abs, step), default=0.0)
        if longest < _TOLERANCE:
            strengths = [strength + change for strength, change in zip(strengths, step, strict=True)]
            break
        scale = min(1.0, _LONGEST_STEP / longest)
        while True:
            tried = [strength + scale * change for strength, change in zip(strengths, step, strict=True)]
            outcome = model.evaluate(tried)
            if outcome[0] >= value - 1e-12 * abs(value) or scale < 1e-3:
                break
            scale /= 2
        strengths = tried
        value, gradient, hessian = outcome
    inverse = _inverse(hessian)
    influence = [[0.0] * len(model.blocks) for _ in strengths]
    for block, score in enumerate(model.scores(strengths)):
        rows: Iterable[Sequence[float]]
        if 4 * len(score) > len(strengths):  # full rows with zeros are faster here, because the inverse is symmetric
            parts, rows = [score.get(parameter, 0.0) for parameter in range(len(strengths))], inverse
        else:
            parts, rows = list(score.values()), zip(*[inverse[parameter] for parameter in score], strict=True)
        for column, row in zip(influence, rows, strict=False):
            column[block] = sum(map(mul, row, parts))
    return Fit(model, strengths, influence)


@lru_cache(maxsize=10_000)
def _choices(ranks: Items) -> Items:
    """Return the choices of a ranking as pairs of a mask of those left and ~mask of those chosen.

    The last place alone is not a choice.
    """
    choices = []
    left = (1 << len(ranks)) - 1
    for rank in sorted(set(ranks)):
        if left.bit_count() < 2:
            break
        chosen = sum(1 << place for place, own in enumerate(ranks) if own == rank)
        choices += [left, ~chosen]
        left ^= chosen
    return tuple(choices)


def _sizes(seen: Seen) -> list[int]:
    """Return the number of places chosen at once, for each chosen set in `seen`."""
    return [(~chosen).bit_count() for chosen in seen if chosen < 0]


def _by_place(table: Items, games: int, ranks: list[int]) -> list[list[int]]:
    """Split the ranks of `games` games by place at the table. The input is sorted by item, then by game."""
    columns = []
    for place, item in enumerate(table):
        first, times = table.index(item), table.count(item)
        columns.append(ranks[first * games + place - first : (first + times) * games : times])
    return columns


@lru_cache(maxsize=256)
def _members(mask: int) -> Items:
    return tuple(place for place in range(mask.bit_length()) if mask >> place & 1)


@lru_cache(maxsize=256)
def _subsets(number: int, size: int) -> list[Items]:
    return list(combinations(range(number), size))


def _factor(matrix: list[list[float]]) -> list[list[float]]:
    """Return the lower Cholesky factor of a positive definite matrix. Only its lower triangle is read."""
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
    """Solve L^T x = `vector`, given the columns of the lower triangle L in the order of `_columns`."""
    solution: list[float] = []  # last component first
    for column, value in zip(columns, reversed(vector), strict=True):
        solution.append((value - sum(map(mul, column, solution))) / column[-1])
    solution.reverse()
    return solution


def _columns(lower: list[list[float]]) -> list[list[float]]:
    """Return the columns of a lower triangle, last column first, each from the bottom up."""
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
