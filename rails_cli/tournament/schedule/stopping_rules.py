"""Stopping rules: pure functions of the finished seed groups (games with one seed) in schedule order.

Only finished seed groups before the first unfinished one count. So the verdict does not depend on how games were
distributed over workers, and checking more often does not change it.

The tests of `Better` and `TopSettled` bet on the games of each seed. A bettor stakes part of their money on "X is
better". If X is not better, the bettor gains nothing on average, for any distribution of results. So the money grows by
the factor 1 / alpha with probability at most alpha, no matter how often it is checked (Ville's inequality).

Seeds are independent, but their means differ between settings and tables. In a cycle, each setting and table is played
equally often. So all seeds of a cycle get the same stake, fixed in advance, and the money is checked after the cycle.
If the mean over the cycle is at most 0, the product of the factors has mean at most 1. This holds because the geometric
mean is at most the arithmetic mean.

Money may be divided over several stakes, because a mean of such products has the same property.

- `Better` puts half of the money on a stake for the difference `by`. For small differences this is Wald's
  sequential test, without a known distribution. The other half has a larger stake as soon as the results so far show a
  larger difference, so it finds clear differences quickly.
- `TopSettled` looks for any difference between any two entrants, so it divides the money equally over its stakes.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, repeat
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from rails_cli.games.game import win_share
from rails_cli.tournament.model import PlayedGame
from rails_cli.tournament.rating.forfeits import is_valid, without_absent
from rails_cli.tournament.rating.ratings import order_by_strength
from rails_cli.tournament.rating.standings import beaten_share, by_seed, rankings_of, score_share

Measure = Literal["ahead", "beaten", "wins", "score"]
"""The quantity by which two entrants X and Y are compared.

`ahead`: share of their common games in which X finishes ahead of Y, minus one half. This quantity cannot be used if
X and Y never meet. `beaten`: share of opponents beaten. `wins`: share of games won. `score`: share of the points of a
game.
"""
Chance = Annotated[float, Meta(gt=0, lt=0.5)]

STAKES = (0.05, 0.1, 0.2, 0.4, 0.8)  # fractions of the money that the largest difference can cost

REACH = {"ahead": 0.5, "beaten": 1.0, "wins": 1.0, "score": 1.0}  # largest possible difference of each measure
_STAKE = 0.98  # largest fraction of the money that one seed may cost
_STANDARD_ERRORS = 1.5  # by which the difference that a stake follows is below the mean so far; found by simulation
_PRIOR_SEEDS = 0.25  # weight, in seeds, of the mean square assumed at the start


class FixedGames(msgspec.Struct, frozen=True, tag="games", forbid_unknown_fields=True):
    """Stopping rule: stop after `games` games with a result.

    A seed group that has begun is played to its end.
    """

    games: Annotated[int, Meta(ge=1)]


class TimeBudget(msgspec.Struct, frozen=True, tag="time", forbid_unknown_fields=True):
    """Stopping rule: start no seed group after `seconds` seconds of play."""

    seconds: Annotated[float, Meta(gt=0)]


class TokenBudget(msgspec.Struct, frozen=True, tag="tokens", forbid_unknown_fields=True):
    """Stopping rule: stop when bots have reported `tokens` tokens.

    A seed group that has begun is played to its end.
    """

    tokens: Annotated[int, Meta(ge=1)]


class Better(msgspec.Struct, frozen=True, tag="better", forbid_unknown_fields=True):
    """Stopping rule: stop when it is known whether `entrant` is better than `than`, over all settings and tables.

    There are two error probabilities. If `entrant` is not better, the probability of the answer `better` is at most
    `alpha`. If `entrant` is better by `by` or more, the probability of the answer `not_better` is at most `beta`.
    """

    entrant: str
    than: str | None = None
    """Name of the entrant to compare with. None means all opponents that `entrant` meets."""
    by: Annotated[float, Meta(gt=0, lt=0.5)] = 0.05
    measure: Measure = "ahead"
    alpha: Chance = 0.05
    beta: Chance = 0.05


class TopSettled(msgspec.Struct, frozen=True, tag="top", forbid_unknown_fields=True):
    """Stopping rule: stop when the order of the best `top` entrants is known.

    The order is wrong with probability at most `alpha`. One of two entrants is ahead if it finishes ahead more often in
    their common games. If the two never meet, the entrant that beats more opponents is ahead. If A is ahead of B and B
    of C, A is ahead of C.
    """

    top: Annotated[int, Meta(ge=1)]
    alpha: Chance = 0.05


Rule = FixedGames | TimeBudget | TokenBudget | Better | TopSettled


class Verdict(msgspec.Struct, frozen=True):
    """The result of evaluating a stopping rule: whether the tournament ends, and the answer of the rule.

    `answer` is one of these:
    - Empty: the tournament continues.
    - `better` or `not_better`: the answer of a `Better` rule.
    - `settled`: the answer of a `TopSettled` rule.
    - `reached`: enough games are played, enough tokens are used, or no rule can be met any more.
    """

    is_over: bool
    answer: Literal["", "reached", "better", "not_better", "settled"]
    groups: int
    """Number of seed groups, counted from the first, on which the verdict is based."""
    text: str
    figures: dict[str, float] = {}


class Evidence(msgspec.Struct, frozen=True):
    """Evidence about a `Better` rule: sums of the differences per seed, and the money of two imaginary bettors.

    One bettor bets that `entrant` is better, the other that it is not. Much money is strong evidence for a bet.
    The docstring of the module explains the bets.
    """

    seeds: int = 0
    total: float = 0.0
    squares: float = 0.0
    better_bets: tuple[float, ...] = (0.0, 0.0)
    """Log of the money of the bettor on "`entrant` is better", for each of two stakes. 0 before the first bet."""
    not_better_bets: tuple[float, ...] = (0.0, 0.0)
    """Log of the money of the bettor on "not better by `by`", for each of two stakes. 0 before the first bet."""
    answer: Literal["", "better", "not_better"] = ""

    @property
    def for_better(self) -> float:
        """Log of the money of a bettor whose bet is "`entrant` is better".

        At `log(1 / alpha)`, the answer is `better`.
        """
        return log_mean(self.better_bets, (0.5, 0.5))

    @property
    def for_not_better(self) -> float:
        """Log of the money of a bettor whose bet is "not better by `by`".

        At `log(1 / beta)`, the answer is `not_better`.
        """
        return log_mean(self.not_better_bets, (0.5, 0.5))


def log_mean(logs: Sequence[float], weights: Iterable[float]) -> float:
    """Return the log of the weighted mean of numbers. `logs` are the logs of the numbers. The sum of `weights` is 1."""
    most = max(logs)
    return most + math.log(math.fsum(weight * math.exp(one - most) for one, weight in zip(logs, weights, strict=True)))


# Whether X is better than Y


def differences(games: Iterable[PlayedGame], rule: Better) -> list[float]:
    """Return, for each seed, the lead of `rule.entrant` over `rule.than` in the measure of the rule.

    If `rule.than` is None, compare with all opponents. Seeds without games to compare are left out.
    """
    found = (_difference(group, rule) for group in by_seed(games).values())
    return [value for value in found if value is not None]


def _difference(group: Iterable[PlayedGame], rule: Better) -> float | None:
    own: list[float] = []
    rivals: list[float] = []
    for game in map(without_absent, filter(is_valid, group)):
        if rule.than is None and rule.entrant not in game.seating:
            continue
        mine = [seat for seat, name in enumerate(game.seating) if name == rule.entrant]
        theirs = [
            seat
            for seat, name in enumerate(game.seating)
            if (name == rule.than if rule.than is not None else name != rule.entrant)
        ]
        if rule.measure == "ahead":
            own += [_ahead(game.ranks, one, other) for one in mine for other in theirs]
            rivals += [0.5 for _ in mine for _ in theirs]
        else:
            own += [_value(game, seat, rule.measure) for seat in mine]
            rivals += [_value(game, seat, rule.measure) for seat in theirs]
    if not own or not rivals:
        return None
    return math.fsum(own) / len(own) - math.fsum(rivals) / len(rivals)


def _ahead(ranks: Sequence[int], one: int, other: int) -> float:
    return 1.0 if ranks[one] < ranks[other] else 0.5 if ranks[one] == ranks[other] else 0.0


def _value(game: PlayedGame, seat: int, measure: Measure) -> float:
    if measure == "beaten":
        return beaten_share(game.ranks, seat)
    if measure == "wins":
        return win_share(game.ranks, seat)
    return score_share(game.scores, seat)


def weigh(rule: Better, evidence: Evidence, values: Sequence[float]) -> Evidence:
    """Return `evidence` with the results of one more cycle (see `Format.cycle`) added.

    `values` are the differences per seed in that cycle, from `differences`. If `evidence` already has an answer, return
    `evidence` unchanged.
    """
    if evidence.answer:
        return evidence
    reach, by, seeds = REACH[rule.measure], rule.by, evidence.seeds
    gains = [by - value for value in values]
    counter_squares = by * by * seeds - 2 * by * evidence.total + evidence.squares
    stakes = _stakes(by, seeds, evidence.total, evidence.squares, reach, reach)
    counter_stakes = _stakes(by, seeds, by * seeds - evidence.total, counter_squares, reach, reach - by)
    after = Evidence(
        seeds + len(values),
        evidence.total + math.fsum(values),
        evidence.squares + math.fsum(value * value for value in values),
        tuple(map(_growth, evidence.better_bets, stakes, repeat(values))),
        tuple(map(_growth, evidence.not_better_bets, counter_stakes, repeat(gains))),
    )
    if after.for_better >= -math.log(rule.alpha):
        return msgspec.structs.replace(after, answer="better")
    if after.for_not_better >= -math.log(rule.beta):
        return msgspec.structs.replace(after, answer="not_better")
    return after


def _growth(money: float, stake: float, values: Iterable[float]) -> float:
    """Return the log of the money after bets on `values`, which are the differences of several seeds.

    `money` is the log of the money before. All bets have the same `stake`.
    """
    return money + math.fsum(math.log1p(stake * value) for value in values)


def _stakes(by: float, seeds: int, total: float, squares: float, reach: float, loss: float) -> tuple[float, float]:
    """Return the stakes of two bets for the next cycle.

    The first stake is best for a mean difference of `by`. The second is best for the difference that the results show:
    some standard errors below the mean difference so far, but at least `by`.

    - `seeds` is the number of differences so far, `total` is their sum, and `squares` is the sum of their squares.
    - `reach` is the largest possible difference.
    - `loss` is the largest difference that can go against the bettor.
    """
    square, weight = mean_square(seeds, squares, reach), seeds + _PRIOR_SEEDS
    mean = total / weight
    shown = mean - _STANDARD_ERRORS * math.sqrt(max(0.0, square - mean * mean) / weight)
    return stake_on(by, square, loss), stake_on(max(by, shown), square, loss)


def stake_on(difference: float, square: float, loss: float) -> float:
    """Return the stake with which a bettor's money grows fastest if the mean difference is `difference`.

    A bet with the stake s on a seed with the difference d multiplies the money by 1 + s * d. `square` is the mean of
    d². `loss` is the largest possible value of -d. The stake is limited, so that no seed can cost all the money.
    """
    return min(difference / square, _STAKE / loss)


def mean_square(seeds: float, squares: float, reach: float) -> float:
    """Return an estimate of the mean square of a difference per seed, from which stakes are computed.

    `squares` is the sum of squares of `seeds` differences. `reach` is the largest possible difference. The estimate
    starts at the largest possible square, so the first stakes are small.
    """
    return (reach * reach * _PRIOR_SEEDS + squares) / (_PRIOR_SEEDS + seeds)


def verdict_of(rule: Better, evidence: Evidence, groups: int) -> Verdict:
    """Return the verdict of a `Better` rule from its evidence after `groups` seed groups."""
    rival = rule.than or "the field"
    if evidence.answer == "better":
        text = f"{rule.entrant} is better than {rival}"
    elif evidence.answer == "not_better":
        text = f"{rule.entrant} is not better than {rival} by {rule.by:g}"
    else:
        text = f"not known yet whether {rule.entrant} is better than {rival} by {rule.by:g}"
    figures = {
        "mean": evidence.total / evidence.seeds if evidence.seeds else 0.0,
        "for_better": evidence.for_better,
        "for_better_needed": -math.log(rule.alpha),
        "for_not_better": evidence.for_not_better,
        "for_not_better_needed": -math.log(rule.beta),
    }
    return Verdict(bool(evidence.answer), evidence.answer, groups, text, figures)


# Order of the best


class PairEvidence:
    """Evidence about the order of entrants, for a `TopSettled` rule.

    For each ordered pair of entrants, an imaginary bettor bets that the first is ahead of the second. `money` maps the
    pair to a list: the log of the bettor's money for each stake in `STAKES`. The docstring of the module explains the
    bets.
    """

    def __init__(self) -> None:
        self.money: dict[tuple[str, str], list[float]] = {}
        self.suspended: set[str] = set()
        """Names of the entrants that were absent from a game because of a suspension."""

    def add(self, games: Sequence[PlayedGame]) -> None:
        """Add the evidence from the games of one cycle (see `Format.cycle`)."""
        self.suspended.update(game.seating[seat] for game in games for seat in game.absent)
        for group in by_seed(games).values():
            for first, second, value in pair_differences(group):
                for pair, own in (((first, second), value), ((second, first), -value)):
                    known = self.money.get(pair) or [0.0] * len(STAKES)
                    self.money[pair] = [
                        money + math.log1p(stake * own) for money, stake in zip(known, STAKES, strict=True)
                    ]

    def ahead(self, needed: float) -> dict[str, set[str]]:
        """Return a mapping from each entrant to the entrants that are behind it, directly or through others.

        `needed` is the log of the money that a bettor needs to show that one entrant is ahead of another.
        """
        sure: dict[str, set[str]] = {}
        for (first, second), money in self.money.items():
            if log_mean(money, repeat(1 / len(STAKES), len(STAKES))) >= needed:
                sure.setdefault(first, set()).add(second)
        for middle in sure:
            for others in sure.values():
                if middle in others:
                    others |= sure[middle]
        return sure


def pair_differences(group: Sequence[PlayedGame]) -> Iterator[tuple[str, str, float]]:
    """Yield each pair of entrants in the games of one seed, and the lead of the first over the second, from -1 to 1.

    The lead of two entrants that met is the share of their games in which the first finished ahead, minus the share for
    the second. If they did not meet, the lead is the difference of their shares of opponents beaten.
    """
    ahead: dict[tuple[str, str], list[float]] = {}
    games = list(map(without_absent, filter(is_valid, group)))
    for game in games:
        for (one, name), (other, rival) in combinations(enumerate(game.seating), 2):
            if name != rival:
                value = 2 * _ahead(game.ranks, one, other) - 1
                pair, own = ((name, rival), value) if name < rival else ((rival, name), -value)
                ahead.setdefault(pair, []).append(own)
    pairs = list(combinations(sorted({name for game in games for name in game.seating}), 2))
    means: dict[str, float] = {}
    if len(ahead) < len(pairs):  # rarely needed, and slower than the rest of the function
        beaten: dict[str, list[float]] = {}
        for game in games:
            for seat, name in enumerate(game.seating):
                beaten.setdefault(name, []).append(beaten_share(game.ranks, seat))
        means = {name: math.fsum(values) / len(values) for name, values in beaten.items()}
    for pair in pairs:
        values = ahead.get(pair)
        yield *pair, math.fsum(values) / len(values) if values else means[pair[0]] - means[pair[1]]


def money_needed(rule: TopSettled, entrants: int) -> float:
    """Return the log of the money that a bettor needs to show that one entrant is ahead of another.

    The docstring of the module explains the bets. The error probability `rule.alpha` is divided equally among all
    ordered pairs of entrants.
    """
    return math.log(max(1, entrants * (entrants - 1)) / rule.alpha)


def judge_top(
    rule: TopSettled, pairs: PairEvidence, groups: Sequence[Sequence[PlayedGame]], entrants: Sequence[str]
) -> Verdict:
    """Return the verdict of a `TopSettled` rule.

    `groups` has the games of each seed group so far. Suspended entrants are left out of the order.
    """
    known = {name for pair in pairs.money for name in pair}
    ahead = pairs.ahead(money_needed(rule, len(known.union(entrants))))
    order: list[str] = []
    left = sorted(set(entrants) - pairs.suspended)
    while (left or not order) and len(order) < rule.top:
        best = [name for name in left if ahead.get(name, set()).issuperset(other for other in left if other != name)]
        if not best:
            return Verdict(False, "", len(groups), f"not settled yet: number {len(order) + 1}")
        order.append(best[0])
        left.remove(best[0])
    rated = order_by_strength(ranking for group in groups for ranking in rankings_of(group))
    if [name for name in rated if name in order] != order:
        return Verdict(False, "", len(groups), "not settled yet: the ratings give another order")
    return Verdict(True, "settled", len(groups), f"the order is settled: {', '.join(order)}")
