"""Plackett-Luce model with ties, fitted to all rankings at once. Imports numpy, so import this module lazily.

A ranking is read from the top. At each step, one or several tied entrants are chosen among the remaining entrants. A
set of k tied entrants has the weight `delta_k` times the geometric mean of their strengths (Davidson-Luce). If two
entrants do not tie, the odds between them are the ratio of their strengths, as without ties in the model. The
log-likelihood is concave, so there is one best fit.

Invariants:

- Counts are integers and are added in sorted order: the same games give the same bits, in any order.
- Strengths are rounded to `DIGITS` decimals, because BLAS and the CPU change the last bits of a result.
- Each parameter has a normal prior around 0 with standard deviation 3 (521 Elo points). The prior weighs less than half
  a game between two equals. It keeps all strengths finite, even that of an entrant that always wins. Its influence
  fades as games are added.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rails_cli.tournament.rating.rating_types import MAX_BLOCKS, PRIOR, Ranking

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

DIGITS = 10
"""Number of decimals of a strength."""

_MAX_STEPS = 200
"""Maximum number of Newton steps."""
_LONGEST_STEP = 4.0
"""Maximum change of a parameter in one Newton step."""
_TOLERANCE = 1e-8  # largest change of a parameter in the last step
_MAX_CELLS = 2_000_000  # maximum size of an array with one covariance matrix per row


class Choices(NamedTuple):
    """All choices that were made from the same number of remaining entrants.

    A ranking is a series of choices. Each choice takes one of several options: the entrant that comes next, or several
    entrants that are tied for the next rank. The remaining entrants are those that were not ranked before the choice.
    Two sets of remaining entrants are different if the entrants or their seats differ. The log-weight of an option is
    the sum of its features, each multiplied by its parameter.
    """

    features: Floats
    """Matrix with a row for each option and a column for each feature. An element is the value of the feature.

    An option of k tied entrants has the value 1 / k for each of these entrants and for their seats. It has the value 1
    for the tie size k.
    """
    parameters: Ints
    """Matrix with a row for each set of remaining entrants and a column for each feature.

    An element is the index of the parameter by which the feature is multiplied.
    """
    counts: Ints
    """For each set of remaining entrants, the number of choices that were made from this set."""
    events: Ints
    """Matrix with one column per distinct choice, and four rows.

    The rows are: block (a set of seeds), set of remaining entrants, option, and number of times that this choice was
    made.
    """

    def chances(self, strengths: Floats) -> tuple[Floats, Floats]:
        """Return the log of the total weight of each set of remaining entrants, and the probabilities of its options.

        These are two arrays. The first has an element for each set, the second a row for each set.
        """
        log_weights = strengths[self.parameters] @ self.features.T
        largest = log_weights.max(axis=1)
        weights = np.exp(log_weights - largest[:, None])
        totals = weights.sum(axis=1)
        return largest + np.log(totals), weights / totals[:, None]


class Fit:
    """The strengths that fit the games best, and the influence of each block on the strengths.

    A block is a set of seeds (see `Model`).
    """

    def __init__(self, model: "Model", strengths: Floats, influence: Floats) -> None:
        self.model = model
        self.names = model.names
        self.strengths: list[float] = np.round(strengths, DIGITS).tolist()
        """Natural logarithm of the strength of each parameter. Parameters are entrants, then tie sizes, then seats."""
        self.influence = influence
        """Matrix: change of each parameter (row) caused by each block of seeds (column).

        The changes are exact to first order at the best fit.
        """
        self.support = model.support()
        """Number of blocks (sets of seeds) in which each parameter appears."""
        self.pools = model.pools()
        """Disjoint sets of entrants (as indices). Entrants in the same set met, directly or through others."""
        self.reach = model.reach()
        """Matrix: whether the row's entrant was ahead of or tied with the column's entrant, directly or indirectly."""

    def order(self) -> list[str]:
        strengths = dict(zip(self.names, self.strengths, strict=False))
        return sorted(self.names, key=lambda name: (-strengths[name], name))


class Model:
    """Counts of the choices in all rankings. A choice says which of the remaining entrants come next in a ranking.

    The parameters are numbered: first entrants, then tie sizes, then seats. An item is an entrant in a seat. A block is
    a set of seeds.
    """

    def __init__(self, rankings: Sequence[Ranking], with_seats: bool, most_blocks: int = MAX_BLOCKS) -> None:
        self.names = sorted({name for ranking in rankings for name in ranking.entrants})
        tables = {(ranking.table, len(ranking.ranks)) for ranking in rankings} if with_seats else set()
        self.seats = sorted({(table, seat) for table, seats in tables for seat in range(seats)})
        self.rankings = len(rankings)
        self.games = [0] * len(self.names)
        self.ahead: Bools = np.zeros((len(self.names), len(self.names)), bool)
        """Matrix: whether the entrant of the row was ahead of or tied with the entrant of the column in a game."""
        groups = {group: number for number, group in enumerate(sorted({ranking.group for ranking in rankings}))}
        self.groups = len(groups)
        self.blocks = min(self.groups, most_blocks)
        self._most_blocks = most_blocks
        self._radix = len(self.seats) + 1  # item = entrant * radix + seat, with seat 0 if seats are not modelled
        self._block_items: set[tuple[int, int]] = set()
        by_size: dict[int, list[Ranking]] = defaultdict(list)
        members: set[tuple[int, int]] = set()
        for ranking in rankings:
            by_size[len(ranking.ranks)].append(ranking)
        found: dict[int, list[tuple[Ints, Ints, Bools]]] = defaultdict(list)
        for _, games in sorted(by_size.items()):
            members |= self._read(games, groups, found)
        self.members: list[list[int]] = [[] for _ in groups]
        """For each seed, the indices of the entrants that played games with this seed."""
        self.groups_of = [0] * len(self.names)
        """For each entrant, the number of seeds with which it played."""
        for number, entrant in sorted(members):
            self.members[number].append(entrant)
            self.groups_of[entrant] += 1
        sizes = {int(size) for some in found.values() for *_, chosen in some for size in np.unique(chosen.sum(axis=1))}
        self.tie_sizes = sorted(sizes - {1})
        self.size = len(self.names) + len(self.tie_sizes) + len(self.seats)
        self.choices = [self._choices(left, found[left]) for left in sorted(found)]
        self.observed = np.zeros(self.size)
        """For each parameter, how often its entrant, tie size or seat was chosen.

        In a tie of k entrants, each of them and each of their seats counts 1/k.
        """
        for choices in self.choices:
            _, rows, options, times = choices.events
            self._add(self.observed, choices.parameters[rows], choices.features[options] * times[:, None])

    def _read(
        self, games: Sequence[Ranking], groups: dict[str, int], found: dict[int, list[tuple[Ints, Ints, Bools]]]
    ) -> set[tuple[int, int]]:
        """Add the choices in `games` to `found`. Return all pairs of a seed and an entrant that played it.

        All `games` have the same number of players. A pair has the number of the seed and the index of the entrant.
        `groups` maps the key of a seed to its number. `found` maps the number of remaining entrants to tuples of three
        arrays:
        - the block of each choice (a block is a set of seeds),
        - the remaining items (an item is an entrant in a seat),
        - for each remaining item, whether it was chosen.
        """
        numbers = {name: number for number, name in enumerate(self.names)}
        first_seat = {table: number for number, (table, seat) in enumerate(self.seats, 1) if seat == 0}
        players = len(games[0].ranks)
        entrants = np.array([[numbers[name] for name in game.entrants] for game in games])
        group = np.array([groups[game.group] for game in games])
        ranks = np.array([game.ranks for game in games])
        items = entrants * self._radix
        if self.seats:
            items += np.array([first_seat[game.table] for game in games])[:, None] + np.arange(players)
        order = np.lexsort((ranks, items))  # by item, equal items by rank
        items, ranks = np.take_along_axis(items, order, axis=1), np.take_along_axis(ranks, order, axis=1)
        entrants, blocks = items // self._radix, group % self._most_blocks
        is_first = np.insert(entrants[:, 1:] != entrants[:, :-1], 0, True, axis=1)
        for number, times in enumerate(np.bincount(entrants[is_first], minlength=len(self.names)).tolist()):
            self.games[number] += times
        members = _distinct_pairs(group, entrants)
        if players == 1:
            return members
        self._block_items |= _distinct_pairs(blocks, items)
        for one, other in combinations(range(players), 2):
            for upper, lower in ((one, other), (other, one)):
                is_ahead = ranks[:, upper] <= ranks[:, lower]
                self.ahead[entrants[is_ahead, upper], entrants[is_ahead, lower]] = True
        for rank in np.unique(ranks):
            is_left, is_chosen = ranks >= rank, ranks == rank
            left = np.where(is_chosen.any(axis=1), is_left.sum(axis=1), 0)
            for number in range(2, players + 1):
                rows = left == number
                if rows.any():
                    own = is_left[rows]
                    parts = items[rows][own].reshape(-1, number), is_chosen[rows][own].reshape(-1, number)
                    found[number].append((blocks[rows], *parts))
        return members

    def _choices(self, left: int, found: Sequence[tuple[Ints, Ints, Bools]]) -> Choices:
        """Return the choices in `found` with their counts.

        Each choice was made when `left` entrants were not yet ranked.
        """
        blocks, items, chosen = (np.concatenate(parts) for parts in zip(*found, strict=True))
        options = [members for size in (1, *self.tie_sizes) for members in combinations(range(left), size)]
        shares, ties = np.zeros((len(options), left)), np.zeros((len(options), len(self.tie_sizes)))
        for option, members in enumerate(options):
            shares[option, members] = 1 / len(members)
            if len(members) > 1:
                ties[option, self.tie_sizes.index(len(members))] = 1
        by_mask = {sum(1 << member for member in members): option for option, members in enumerate(options)}
        masks, positions = np.unique(chosen @ (1 << np.arange(left)), return_inverse=True)
        option_of_mask = np.array([by_mask[mask] for mask in masks.tolist()])
        row = np.zeros(len(items), np.int64)
        for column in items.T:  # number the distinct rows in sorted order
            _, row = np.unique(row * (column.max() + 1) + column, return_inverse=True)
        _, firsts, counts = np.unique(row, return_index=True, return_counts=True)
        distinct = items[firsts]
        tie_parameters = np.arange(len(self.names), len(self.names) + len(self.tie_sizes))
        parameters = [distinct // self._radix, np.broadcast_to(tie_parameters, (len(distinct), len(tie_parameters)))]
        features = [shares, ties]
        if self.seats:
            parameters.append(len(self.names) + len(self.tie_sizes) - 1 + distinct % self._radix)
            features.append(shares)
        keys, times = np.unique(
            (blocks * len(distinct) + row) * len(options) + option_of_mask[positions], return_counts=True
        )
        rows, chosen_options = np.divmod(keys, len(options))
        events = np.stack((*np.divmod(rows, len(distinct)), chosen_options, times))
        return Choices(np.hstack(features), np.hstack(parameters), counts, events)

    @staticmethod
    def _add(total: Floats, places: Ints, values: Floats) -> None:
        """Add each of `values` to the element of `total` at the index given in `places`. Indices may repeat."""
        total += np.bincount(places.ravel(), values.ravel(), len(total))

    def evaluate(self, strengths: Floats) -> tuple[float, Floats, Floats]:
        """Return the log-posterior of `strengths`, its gradient, and its negative Hessian."""
        value = float(strengths @ self.observed) - float(strengths @ strengths) / (2 * PRIOR**2)
        gradient = self.observed - strengths / PRIOR**2
        hessian = np.zeros(self.size**2)
        for choices in self.choices:
            features, parameters = choices.features, choices.parameters
            log_weights, chances = choices.chances(strengths)
            value -= float(log_weights @ choices.counts)
            weighted = chances * choices.counts[:, None]
            means = chances @ features
            self._add(gradient, parameters, -means * choices.counts[:, None])
            width = features.shape[1]
            products = (features[:, :, None] * features[:, None, :]).reshape(len(features), -1)
            step = max(1, _MAX_CELLS // width**2)
            for rows in (slice(first, first + step) for first in range(0, len(parameters), step)):
                own, mean = parameters[rows], means[rows]
                covariances = (weighted[rows] @ products).reshape(-1, width, width)
                covariances -= mean[:, :, None] * (mean * choices.counts[rows, None])[:, None, :]
                self._add(hessian, own[:, :, None] * self.size + own[:, None, :], covariances)
        hessian[:: self.size + 1] += 1 / PRIOR**2
        return value, gradient, hessian.reshape(self.size, self.size)

    def scores(self, strengths: Floats) -> Floats:
        """Return a matrix: how much each block of seeds (row) adds to the gradient for each parameter (column)."""
        scores = np.zeros(self.blocks * self.size)
        for choices in self.choices:
            means = choices.chances(strengths)[1] @ choices.features
            blocks, rows, options, times = choices.events
            places = choices.parameters[rows] + blocks[:, None] * self.size
            self._add(scores, places, (choices.features[options] - means[rows]) * times[:, None])
        return scores.reshape(self.blocks, self.size)

    def support(self) -> list[int]:
        """Return, for each parameter, the number of blocks (sets of seeds) in which the parameter appears."""
        seats = len(self.names) + len(self.tie_sizes) - 1
        found = {(block, item // self._radix) for block, item in self._block_items}
        if self.seats:
            found |= {(block, seats + item % self._radix) for block, item in self._block_items}
        for choices in self.choices:
            blocks, rows, options, _ = choices.events
            is_used = choices.features[options] > 0
            is_used &= (len(self.names) <= choices.parameters[rows]) & (choices.parameters[rows] <= seats)
            event, feature = np.nonzero(is_used)
            found |= set(zip(blocks[event].tolist(), choices.parameters[rows[event], feature].tolist(), strict=True))
        support = [0] * self.size
        for _, parameter in found:
            support[parameter] += 1
        return support

    def reach(self) -> Bools:
        """Return a matrix: whether one entrant (row) was ahead of or tied with another (column).

        This may be indirect: A was ahead of B in one game, and B was ahead of C in another game, so A counts as ahead
        of C.
        """
        reach = self.ahead | np.eye(len(self.names), dtype=bool)
        for middle in range(len(reach)):
            reach |= reach[:, middle, None] & reach[middle]
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


def _distinct_pairs(rows: Ints, values: Ints) -> set[tuple[int, int]]:
    """Return all different pairs of an element of `rows` and a value in the same row of the matrix `values`."""
    radix = int(values.max()) + 1
    return {divmod(key, radix) for key in np.unique(rows[:, None] * radix + values).tolist()}


def fit(rankings: Iterable[Ranking], with_seats: bool = False, most_blocks: int = MAX_BLOCKS) -> Fit:
    """Fit the model to all rankings by Newton's method.

    If `with_seats`, the model has a parameter for the advantage of each seat. `most_blocks` limits the number of blocks
    of seeds. With fewer blocks, the fit takes less time but shows the spread less precisely.
    """
    model = Model(list(rankings), with_seats, most_blocks)
    strengths = np.zeros(model.size)
    value, gradient, hessian = model.evaluate(strengths)
    for _ in range(_MAX_STEPS):
        step = np.linalg.solve(hessian, gradient)
        longest = float(np.abs(step).max(initial=0.0))
        if longest < _TOLERANCE:
            strengths = strengths + step
            break
        scale = min(1.0, _LONGEST_STEP / longest)
        while True:
            tried = strengths + scale * step
            outcome = model.evaluate(tried)
            if outcome[0] >= value - 1e-12 * abs(value) or scale < 1e-3:
                break
            scale /= 2
        strengths = tried
        value, gradient, hessian = outcome
    influence = np.linalg.solve(hessian, model.scores(strengths).T).astype(np.float64)
    return Fit(model, strengths, influence)
