"""The evidence about a comparison of two entrants: figures with their bounds, and text. All outputs use it."""

import math
from collections.abc import Sequence
from itertools import cycle
from typing import Literal

import msgspec

from rails_cli.games.faces.phrases import count_phrase
from rails_cli.tournament.rating.estimates import Estimate, Sums, normal_part
from rails_cli.tournament.schedule.answer import per_cent
from rails_cli.tournament.schedule.stopping_rules import REACH, Better, Evidence, Measure, verdict_of, weigh
from rails_cli.tournament.words import between, signed

_MOST_SEEDS = 5_000  # seeds up to which the end of a comparison is extrapolated


class ShownEvidence(msgspec.Struct, frozen=True, kw_only=True):
    """The evidence about a `Better` rule after the last complete cycle of seed groups (games with one seed).

    In a cycle, every setting and table is played equally often (see `Format.cycle`).
    """

    entrant: str
    than: str | None
    """Name of the other entrant. None means all opponents."""
    measure: Measure
    by: float
    answer: Literal["", "better", "not_better"]
    """Answer of the rule. Empty as long as the rule is undecided."""
    text: str
    for_better: float
    """Evidence that `entrant` is better: the log of a bettor's money (see `Evidence.for_better`).

    At `for_better_bound`, the answer is `better`.
    """
    for_better_bound: float
    for_not_better: float
    """Evidence that `entrant` is not better by `by`. At `for_not_better_bound`, the answer is `not_better`."""
    for_not_better_bound: float
    difference: Estimate | None
    """Mean difference per seed in `measure`, with a 95% interval. None before the first seed."""
    ahead: float | None
    """Probability that the true difference is above 0. None with fewer than 2 seeds."""
    groups: int
    """Number of seed groups on which the evidence is based.

    Copies and seed groups without a result are left out.
    """
    games: int
    """Number of games with a result on which the evidence is based."""
    groups_left: int | None
    """Estimated number of seed groups until the answer. None if unknown.

    The estimate assumes that later results are like those so far.
    """
    games_left: int | None
    is_over: bool = False
    """Whether the tournament ended without an answer, and further games could not give an answer."""

    def __str__(self) -> str:
        parts = [
            f"evidence for better {_factor(self.for_better)} of {math.exp(self.for_better_bound):,.0f} needed",
            f"against {_factor(self.for_not_better)} of {math.exp(self.for_not_better_bound):,.0f}",
        ]
        if self.difference is not None:
            low, high = self.difference.low, self.difference.high
            interval = "" if low is None and high is None else f" ({between(low, high, '+.3f')})"
            parts.append(f"difference {signed(self.difference.mean, '+.3f')}{interval}")
        if self.ahead is not None:
            parts.append(f"ahead with a chance of {per_cent(self.ahead)}%")
        parts.append(f"{count_phrase(self.games, 'game')} in {count_phrase(self.groups, 'seed group')}")
        if self.games_left is not None:
            parts.append(f"about {self.games_left:,} games left")
        elif not self.answer and not self.is_over:
            parts.append("number of games left not known")
        return f"{self.text}: {', '.join(parts)}"


def _factor(log: float) -> str:
    """Return text with the number whose natural logarithm is `log`, rounded down.

    Because of the rounding, a number below a bound is not shown as equal to the bound.
    """
    factor = math.exp(log)
    return f"{math.floor(factor + 1e-9):,}" if factor >= 10 else f"{math.floor(10 * factor + 1e-9) / 10:.1f}"


def shown_evidence(
    rule: Better,
    evidence: Evidence,
    cycles: Sequence[Sequence[float]],
    groups: int,
    games: int,
    counting: tuple[int, int] | None = None,
) -> ShownEvidence:
    """Return the evidence about `rule` in the form that all outputs show.

    - `cycles` has a list for each cycle so far (see `Format.cycle`): the differences per seed.
    - `evidence` was computed from `cycles`.
    - `groups` and `games` count the seed groups, and the games with a result, in these cycles.
    - `counting` has smaller numbers of seed groups and games, which are shown instead of `groups` and `games`. These
      numbers do not include seed groups without a result or copies of other seed groups. None means no such numbers.
    """
    verdict = verdict_of(rule, evidence, groups)
    values = [value for one in cycles for value in one]
    sums = Sums()
    for number, value in enumerate(values):
        sums.add(str(number), value)
    reach = REACH[rule.measure]
    left = None if evidence.answer else _cycles_left(rule, evidence, cycles)
    groups_left = None if left is None else math.ceil(left * groups / len(cycles))
    return ShownEvidence(
        entrant=rule.entrant,
        than=rule.than,
        measure=rule.measure,
        by=rule.by,
        answer=evidence.answer,
        text=verdict.text,
        for_better=verdict.figures["for_better"],
        for_better_bound=verdict.figures["for_better_needed"],
        for_not_better=verdict.figures["for_not_better"],
        for_not_better_bound=verdict.figures["for_not_better_needed"],
        difference=sums.mean(-reach, reach) if values else None,
        ahead=chance_ahead(values),
        groups=groups if counting is None else counting[0],
        games=games if counting is None else counting[1],
        groups_left=groups_left,
        games_left=None if groups_left is None else math.ceil(groups_left * games / groups),
    )


def at_the_end(evidence: Sequence[ShownEvidence], why: str | None) -> list[ShownEvidence]:
    """Return `evidence` as it is shown at the end of the tournament.

    `why` is the reason for the end, or None before the end. After the ends `void`, `copies` and `suspended`, more games
    could not decide the rules. Then `is_over` is set, and the estimated numbers of seed groups and games left become
    None. In all other cases, `evidence` is returned unchanged.
    """
    if why not in ("void", "copies", "suspended"):
        return list(evidence)
    return [msgspec.structs.replace(one, groups_left=None, games_left=None, is_over=True) for one in evidence]


def chance_ahead(values: Sequence[float]) -> float | None:
    """Return the probability that the true mean of `values`, the differences per seed, is above 0.

    Student's t is turned into a normal variable (Wallace 1959). If all values are equal, there is no t. Then the values
    count as tosses of a coin with unknown bias that all had the same result. Return None for fewer than 2 values.
    """
    number = len(values)
    if number < 2:
        return None
    mean = math.fsum(values) / number
    freedom = number - 1
    variance = math.fsum((value - mean) ** 2 for value in values) / freedom
    if variance <= 1e-18:
        tail = 0.5 if mean == 0 else 0.5 ** (number + 1)
        return 1 - tail if mean > 0 else tail
    t = mean / math.sqrt(variance / number)
    z = math.sqrt(freedom * math.log1p(t * t / freedom)) * (8 * freedom + 1) / (8 * freedom + 3)
    return normal_part(math.copysign(z, t))


def _cycles_left(rule: Better, evidence: Evidence, cycles: Sequence[Sequence[float]]) -> int | None:
    """Return the number of cycles (see `Format.cycle`) until the rule has an answer, if the results so far repeat.

    Return None if the rule has no answer after `_MOST_SEEDS` seeds, or if fewer than 2 cycles have results.
    """
    filled = sum(map(bool, cycles))
    if filled < 2:
        return None
    seeds = 0
    for number, values in enumerate(cycle(cycles), 1):
        evidence = weigh(rule, evidence, values)
        seeds += len(values)
        if evidence.answer:
            return number
        if seeds >= _MOST_SEEDS:
            return None
    return None
