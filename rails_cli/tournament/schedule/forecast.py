"""Forecasts of the number of seed groups (games with one seed), games and minutes until a stopping rule is met.

A forecast is computed from the games of a pilot: a tournament that was played before.
"""

import math
from collections.abc import Iterable, Sequence
from itertools import cycle, islice, pairwise

import msgspec

from rails_cli.tournament.model import PlayedGame
from rails_cli.tournament.rating.estimates import CONFIDENCE, normal_part, normal_quantile, student_quantile
from rails_cli.tournament.rating.ratings import order_by_strength
from rails_cli.tournament.rating.standings import by_seed, rankings_of
from rails_cli.tournament.schedule.stopping_rules import (
    REACH,
    STAKES,
    Better,
    Evidence,
    TopSettled,
    differences,
    mean_square,
    money_needed,
    pair_differences,
    stake_on,
    weigh,
)

_OVERSHOOT = 0.583  # mean overshoot of a random walk beyond a boundary, in standard deviations of a step
_SURE = 0.9
"""Probability that a comparison ends no later than the later of its two forecasts."""


class Pace(msgspec.Struct, frozen=True):
    """The speed at which games are played."""

    games_per_group: float
    games_per_s: float


class Forecast(msgspec.Struct, frozen=True):
    """Expected number of seed groups, games and minutes until a stopping rule is met.

    The numbers that end in `_90` are enough with probability 0.9. They are None if the pilot has too few games.
    """

    groups: int
    games: int
    minutes: float
    groups_90: int | None
    games_90: int | None
    minutes_90: float | None


def forecast_better(variance: float, rule: Better, pace: Pace) -> Forecast:
    """Forecast the length of a comparison of two entrants. Return the longer of two forecasts.

    The first forecast assumes a true difference of `rule.by`, the second a true difference of 0. If the true difference
    is between these values, the comparison takes about twice as long. `variance` is the variance of the difference per
    seed.
    """
    reach, square = REACH[rule.measure], variance + rule.by**2
    worst = (0.0, 0.0)
    for loss, chance in ((reach, rule.alpha), (reach - rule.by, rule.beta)):
        assumed = square
        for _ in range(2):  # the stake depends on the square known halfway, which depends on the duration
            stake = stake_on(rule.by, assumed, loss)
            growth = stake * rule.by - stake * stake * square / 2
            spread = stake * stake * variance
            goal = -math.log(chance) + _OVERSHOOT * math.sqrt(spread)  # on average the other stake gains the same
            seeds = goal / growth / 2
            assumed = mean_square(seeds, seeds * square, reach)
        worst = max(worst, (goal / growth, _passage(goal, growth, spread, _SURE)))
    return _forecast(*worst, pace)


def forecast_alike(games: Iterable[PlayedGame], rule: Better, pace: Pace, most: int) -> Forecast | None:
    """Forecast the length of a comparison of two entrants, if later results are like those of `games`.

    `games` are from a pilot, a short tournament played before. Return None if the comparison does not end within `most`
    seeds.
    """
    evidence = Evidence()
    for value in islice(cycle(differences(games, rule)), most):
        evidence = weigh(rule, evidence, [value])
        if evidence.answer:
            return _forecast(evidence.seeds, evidence.seeds, pace)
    return None


def forecast_fixed(variance: float, rule: Better, pace: Pace) -> Forecast:
    """Forecast the length of a comparison by a simpler test, whose number of seeds is fixed before the first game.

    Users can compare this forecast with the forecast of the test that is used. `variance` is the variance of the
    difference per seed.
    """
    quantiles = normal_quantile(1 - rule.alpha) + normal_quantile(1 - rule.beta)
    groups = variance * (quantiles / rule.by) ** 2
    return _forecast(groups, groups, pace)


def forecast_interval(error: float, groups: int, half_width: float, pace: Pace) -> Forecast:
    """Forecast the number of games after which a confidence interval is narrow enough.

    The interval may reach at most `half_width` to either side. The pilot, a short tournament played before, had
    `groups` seed groups and the standard error `error`. `pace` is the speed at which games are played.
    """
    wanted = groups * (normal_quantile(0.5 + CONFIDENCE / 2) * error / half_width) ** 2
    rest = 2 / (9 * max(1, groups - 1))
    square = (1 - rest + normal_quantile(1 - _SURE) * math.sqrt(rest)) ** 3  # 10% quantile of estimated/true variance
    return _forecast(wanted, wanted / square, pace)


def forecast_top(games: Iterable[PlayedGame], rule: TopSettled, pace: Pace) -> Forecast | None:
    """Forecast the number of games after which the order of the best entrants is known.

    The forecast assumes that later results are like those of `games`, from a short tournament played before. It
    compares each of the best entrants with the next one, and the last of them with all others. Return None in two
    cases:
    - Two compared entrants played fewer than 2 seeds.
    - In the games of two compared entrants, the higher rated one was not ahead on average.
    """
    pilot = list(games)
    names = order_by_strength(rankings_of(pilot))
    goal = money_needed(rule, len(names)) + math.log(len(STAKES))
    seeds = by_seed(pilot).values()
    values: dict[tuple[str, str], list[float]] = {}
    for group in seeds:
        for first, second, value in pair_differences(group):
            values.setdefault((first, second), []).append(value)
            values.setdefault((second, first), []).append(-value)
    top = names[: rule.top]
    mean, nine_in_ten = 0.0, 0.0
    for pair in (*pairwise(top), *((top[-1], other) for other in names[rule.top :])):
        own = values.get(pair, ())
        if len(own) < 2 or math.fsum(own) <= 0:
            return None
        likely, at_most = _seeds_until_sure(own, goal)
        mean = max(mean, likely * len(seeds) / len(own))
        nine_in_ten = max(nine_in_ten, at_most * len(seeds) / len(own))
    return _forecast(mean, nine_in_ten, pace)


def _seeds_until_sure(values: Sequence[float], goal: float) -> tuple[float, float]:
    """Return two numbers of seeds that a betting test needs: the mean, and the number that is enough in 90% of cases.

    The test ends when the logarithm of the bettor's money reaches `goal`. The module `stopping_rules` describes the
    bets. `values` are the differences per seed.
    """
    number = len(values)
    mean = math.fsum(values) / number
    variance = math.fsum((value - mean) ** 2 for value in values) / (number - 1)
    likely = goal / _growth(values, 0.0)
    error = math.sqrt(variance * (1 / number + 1 / likely))
    growth = _growth(values, student_quantile(_SURE, number - 1) * error)
    return likely, goal / growth if growth > 0 else math.inf


def _growth(values: Sequence[float], less: float) -> float:
    """Return by how much the logarithm of a bettor's money grows per seed, on average, with the best of `STAKES`.

    The module `stopping_rules` describes the bets. `values` are the differences per seed. `less` is subtracted from
    each of them before the computation.
    """
    return max(
        math.fsum(math.log1p(stake * max(-1.0, value - less)) for value in values) / len(values) for stake in STAKES
    )


def spread_of(games: Iterable[PlayedGame], rule: Better) -> tuple[float, float, int]:
    """Return the mean and the variance of the difference per seed, and the number of seeds, in `games`.

    `rule` says which entrants are compared. Raise ValueError if there are fewer than 2 seeds.
    """
    values = differences(games, rule)
    if len(values) < 2:
        raise ValueError(f"a pilot needs at least 2 seeds that tell about {rule.entrant}, got {len(values)}")
    mean = math.fsum(values) / len(values)
    return mean, math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1), len(values)


def _forecast(groups: float, groups_90: float, pace: Pace) -> Forecast:
    def taken(number: float) -> tuple[int, int, float]:
        whole = math.ceil(number)
        games = math.ceil(whole * pace.games_per_group)
        return whole, games, games / pace.games_per_s / 60

    most = taken(max(groups, groups_90)) if math.isfinite(groups_90) else (None, None, None)
    return Forecast(*taken(groups), *most)


def _passage(goal: float, growth: float, spread: float, part: float) -> float:
    """Return the number of steps after which a random walk has passed `goal` with probability `part`.

    `growth` is the drift of the walk per step, and `spread` the variance per step.
    """

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
