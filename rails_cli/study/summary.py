"""Statistics of simulated games: lengths, endings, money, seats and actions, with 95% intervals."""

import math
from collections import Counter
from collections.abc import Sequence
from statistics import fmean
from typing import Any

from rails_cli.games.game import win_share
from rails_cli.study.simulate import Playout

Z_95 = 1.96
"""Half the width of a 95% confidence interval, in standard errors."""
QUANTILES = ((0.1, "p10"), (0.5, "median"), (0.9, "p90"))
"""Quantiles of a summary, each with its name."""


def summarise(played: Sequence[Playout]) -> dict[str, Any]:
    """Return all statistics of simulated games as JSON-compatible data. The same games give the same data."""
    first = played[0]
    reasons = Counter(reason for game in played for reason in game.end_reasons)
    actions: Counter[str] = Counter()
    for game in played:
        actions.update(game.actions)
    summary: dict[str, Any] = {
        "games": len(played),
        "decisions": sum(game.decisions for game in played),
        "length": spread([game.decisions for game in played]),
        "end_reasons": dict(sorted(reasons.items())),
        "actions": dict(sorted(actions.items())),
        "final_cash": {
            "all": spread([score for game in played for score in game.scores]),
            "winner": spread([max(game.scores) for game in played]),
            "margin": spread([_margin(game.scores) for game in played]),
        },
        "seats": [seat_record(played, seat) for seat in range(len(first.scores))],
    }
    for name, values in first.figures.items():
        if isinstance(values, dict):
            keys = dict.fromkeys(key for game in played for key in game.figures[name])
            summary[f"final_{name}"] = {
                key: spread([game.figures[name][key] for game in played if key in game.figures[name]]) for key in keys
            }
        elif name != "cash":
            summary[f"final_{name}"] = {"all": spread([value for game in played for value in game.figures[name]])}
    return summary


def seat_record(played: Sequence[Playout], seat: int) -> dict[str, float | None]:
    """Return the share of wins, mean rank and mean cash of a seat, each with half the width of its 95% interval."""
    wins = [win_share(game.ranks, seat) for game in played]
    ranks = [game.ranks[seat] for game in played]
    return {
        "seat": seat,
        "win_share": _rounded(fmean(wins)),
        "win_share_95": _wilson_half_width(wins),
        "mean_rank": _rounded(fmean(ranks)),
        "mean_rank_95": _half_width(ranks),
        "mean_cash": _rounded(fmean([game.scores[seat] for game in played])),
        "mean_cash_95": _half_width([game.scores[seat] for game in played]),
    }


def spread(values: Sequence[int]) -> dict[str, float]:
    """Return the mean, standard deviation, minimum, maximum and quantiles of `values`."""
    ordered = sorted(values)
    row: dict[str, float] = {"mean": _rounded(fmean(ordered)), "sd": _rounded(_deviation(ordered)), "min": ordered[0]}
    for part, name in QUANTILES:
        row[name] = ordered[min(len(ordered) - 1, int(part * len(ordered)))]
    return {**row, "max": ordered[-1]}


def _margin(scores: Sequence[int]) -> int:
    best, second = sorted(scores)[:-3:-1]
    return best - second


def _deviation(values: Sequence[float]) -> float:
    if len(values) < 2:
        return 0.0
    mean = fmean(values)
    return math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1))


def _half_width(values: Sequence[float]) -> float | None:
    """Return half the width of the 95% interval of a mean, or None for a single value."""
    return _rounded(Z_95 * _deviation(values) / math.sqrt(len(values))) if len(values) > 1 else None


def _wilson_half_width(shares: Sequence[float]) -> float | None:
    if len(shares) < 2:
        return None
    low, high = wilson(shares)
    return _rounded((high - low) / 2)


def wilson(shares: Sequence[float]) -> tuple[float, float]:
    """Return the lower and upper end of Wilson's 95% confidence interval of the mean of `shares`.

    `shares` has the part of the win that a seat got in each game, from 0 to 1. The width of the interval is never 0,
    even if the seat won no game.
    """
    games, mean = len(shares), fmean(shares)
    root = math.sqrt(mean * (1 - mean) / games + (Z_95 / (2 * games)) ** 2)
    middle = mean + Z_95**2 / (2 * games)
    return (middle - Z_95 * root) / (1 + Z_95**2 / games), (middle + Z_95 * root) / (1 + Z_95**2 / games)


def _rounded(value: float) -> float:
    return round(value, 4)
