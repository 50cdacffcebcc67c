"""What players play for: mostly to win, and a little for the money itself, so that nobody who is behind gives up."""

from collections.abc import Sequence
from math import exp
from typing import Final

from rails_cli.core.money import added

WIN: Final = 0.8
"""The part of a payoff that is the chance of winning; the rest is the share of all money."""
LEAST_SPREAD: Final = 1e-6


def payoffs_of(worth: Sequence[float], chances: list[float]) -> list[float]:
    """By seat, from 0 to 1; they add up to 1."""
    least = min(worth)
    total = added(worth) - len(worth) * least if least < 0 else added(worth)
    if total <= 0:
        return chances
    base = least if least < 0 else 0.0
    return [WIN * chance + (1 - WIN) * (money - base) / total for chance, money in zip(chances, worth, strict=True)]


def winning_chances(worth: Sequence[float], spread: float) -> list[float]:
    """By seat, the chance to have most in the end; `spread` is by how much the worths may be wrong."""
    best = max(worth)
    scale = max(spread, LEAST_SPREAD)
    weights = [exp((money - best) / scale) for money in worth]
    total = added(weights)
    return [weight / total for weight in weights]


def payoff_of(seat: int, worth: Sequence[float], spread: float) -> float:
    """What one seat may expect of a position with these worths."""
    return payoffs_of(worth, winning_chances(worth, spread))[seat]
