"""How many groups, games and minutes a question will take, from what a pilot has shown. Estimates, not promises."""

import math
from collections.abc import Callable, Sequence
from itertools import pairwise

import msgspec

from rails_cli.tournament.estimates import CONFIDENCE, normal_part, normal_quantile
from rails_cli.tournament.model import Played
from rails_cli.tournament.plackett_luce import Fit
from rails_cli.tournament.ratings import ELO, Gap, gap
from rails_cli.tournament.sequential import (
    REACH,
    Better,
    TopSettled,
    boundary,
    difference,
    least_groups,
    pair_chance,
    stake_on,
)

_MOST_GROUPS = 10**9
_OVERSHOOT = 0.583  # how far a walk steps beyond a boundary on average, in standard deviations of a step


class Pace(msgspec.Struct, frozen=True):
    """How fast games are played."""

    games_per_group: float
    games_per_s: float


class Forecast(msgspec.Struct, frozen=True):
    """What a question will take on average, and what will be enough nine times in ten."""

    groups: int
    games: int
    minutes: float
    groups_90: int
    games_90: int
    minutes_90: float


def elo_margin(points: float) -> float:
    """By how much more often than every second time one comes in ahead who is rated so many points higher."""
    return 1 / (1 + math.exp(-points / ELO)) - 0.5


def forecast_better(variance: float, rule: Better, pace: Pace) -> Forecast:
    """For the sequential test, if X is as good as asked or no better at all, whichever takes longer.

    In between the two it takes about twice as long. `variance` is that of the groups' differences.
    """
    reach = REACH[rule.measure]
    worst = (0.0, 0.0)
    for loss, chance in ((reach, rule.alpha), (reach - rule.by, rule.beta)):
        stake = stake_on(rule.by, variance, loss)
        growth = stake * rule.by - stake * stake * (variance + rule.by**2) / 2
        spread = stake * stake * variance
        goal = -math.log(chance) + _OVERSHOOT * math.sqrt(spread)
        worst = max(worst, (goal / growth, _passage(goal, growth, spread, 0.9)))
    return _forecast(*worst, pace)


def forecast_fixed(variance: float, rule: Better, pace: Pace) -> Forecast:
    """For a test of the same question with a number of groups that is fixed beforehand, for comparison."""
    quantiles = normal_quantile(1 - rule.alpha) + normal_quantile(1 - rule.beta)
    groups = variance * (quantiles / rule.by) ** 2
    return _forecast(groups, groups, pace)


def forecast_interval(
    error: float, groups: int, half_width: float, pace: Pace, confidence: float = CONFIDENCE
) -> Forecast:
    """For an interval of plus and minus `half_width`, if a pilot of `groups` left the standard error `error`."""
    wanted = groups * (normal_quantile(0.5 + confidence / 2) * error / half_width) ** 2
    return _forecast(wanted, wanted, pace)


def forecast_top(fitted: Fit, rule: TopSettled, pace: Pace) -> Forecast | None:
    """For the order of the top, if the gaps are those of the pilot; nothing if two have no gap or were never compared.

    Groups are counted over the whole tournament, with the pilot's share of them for each entrant.
    """
    names = fitted.order()
    chance = pair_chance(rule, len(names))
    mean, nine_in_ten = 0.0, 0.0
    for first, second in list(pairwise(names))[: rule.top]:
        ahead = gap(fitted, first, second)
        if ahead is None or ahead.points <= 0 or ahead.groups < 2:
            return None
        share = ahead.groups / len(fitted.model.blocks)
        mean = max(mean, _groups_apart(ahead, chance, 0.0) / share)
        nine_in_ten = max(nine_in_ten, _groups_apart(ahead, chance, normal_quantile(0.9)) / share)
    return _forecast(mean, nine_in_ten, pace)


def _groups_apart(ahead: Gap, chance: float, bad_luck: float) -> int:
    """Groups until a gap is beyond doubt, if it comes out smaller by so many standard errors."""
    deviation = ahead.error * math.sqrt(ahead.groups)

    def is_enough(groups: int) -> bool:
        return ahead.points > (boundary(groups, chance) + bad_luck) * deviation / math.sqrt(groups)

    least = least_groups(chance)
    return least if ahead.is_open else max(least, _least(is_enough))


def spread_of(groups: Sequence[Sequence[Played]], rule: Better) -> tuple[float, float]:
    """The mean and the variance of the groups' differences in a pilot."""
    values = [value for group in groups if (value := difference(group, rule)) is not None]
    if len(values) < 2:
        raise ValueError(f"a pilot needs at least 2 groups that tell about {rule.entrant}, got {len(values)}")
    mean = math.fsum(values) / len(values)
    return mean, math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1)


def _forecast(groups: float, groups_90: float, pace: Pace) -> Forecast:
    whole, whole_90 = math.ceil(groups), math.ceil(max(groups, groups_90))
    games, games_90 = math.ceil(whole * pace.games_per_group), math.ceil(whole_90 * pace.games_per_group)
    per_minute = 60 * pace.games_per_s
    return Forecast(whole, games, games / per_minute, whole_90, games_90, games_90 / per_minute)


def _passage(goal: float, growth: float, spread: float, part: float) -> float:
    """When a walk with this drift and variance per step has passed the goal with the chance `part`."""

    def passed(steps: float) -> float:
        width = math.sqrt(spread * steps)
        late = 2 * growth * goal / spread
        tail = normal_part((-growth * steps - goal) / width)
        return normal_part((growth * steps - goal) / width) + (
            math.exp(late) * tail if late < 700 and tail > 0 else 0.0
        )

    if spread <= 0:
        return goal / growth
    low, high = 0.0, goal / growth
    while passed(high) < part:
        low, high = high, 2 * high
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if passed(middle) >= part else (middle, high)
    return high


def _least(is_enough: Callable[[int], bool]) -> int:
    """The least number for which it is enough, if it stays enough beyond."""
    low, high = 1, 2
    while not is_enough(high):
        if high >= _MOST_GROUPS:
            return high
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high
