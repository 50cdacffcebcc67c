"""The payoff that players maximise: mostly the chance of winning, plus a part for the seat's fraction of all money.

Because of this part, players that cannot win still have a reason to play well.
"""

from collections.abc import Sequence
from math import exp
from typing import Final

from rails_cli.games.shared.money import added

WIN: Final = 0.8
"""Weight of the chance of winning in a payoff. The remaining weight is for the seat's fraction of all money."""
LEAST_SPREAD: Final = 1e-6


def payoffs_of(worth: Sequence[float], chances: list[float]) -> list[float]:
    """Return the payoff of each seat. Payoffs add up to 1.

    `worth` has the worth of each seat in dollars, and `chances` the chance of each seat to win.
    """
    least = min(worth)
    total = added(worth) - len(worth) * least if least < 0 else added(worth)
    if total <= 0:
        return chances
    base = least if least < 0 else 0.0
    return [WIN * chance + (1 - WIN) * (money - base) / total for chance, money in zip(chances, worth, strict=True)]


def winning_chances(worth: Sequence[float], spread: float) -> list[float]:
    """Return each seat's chance to have the most money. `spread` is the likely error of `worth` in dollars."""
    best = max(worth)
    scale = max(spread, LEAST_SPREAD)
    weights = [exp((money - best) / scale) for money in worth]
    total = added(weights)
    return [weight / total for weight in weights]


def payoff_of(seat: int, worth: Sequence[float], spread: float) -> float:
    """Return the expected payoff of one seat. `spread` is the likely error of `worth` in dollars."""
    return payoffs_of(worth, winning_chances(worth, spread))[seat]
