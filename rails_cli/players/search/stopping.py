"""Early end of a search.

A search stops when further looks (search iterations) would rarely change the chosen sequence of moves. The clock is not
used, so that the same number of looks gives the same result.
"""

from collections.abc import Callable, Collection, Sequence
from math import sqrt
from typing import Final

from rails_cli.games.shared.money import added
from rails_cli.players.search.outcome import Candidate

ASKED_EVERY: Final = 8
"""Number of looks (search iterations) between two checks whether the search may stop early."""
MANY: Final = 8
"""Minimum number of candidate sequences of moves for which a search uses its whole budget.

With fewer candidates it uses a part of the budget, such as 3/8 of the budget for three candidates.
"""
AT_LEAST: Final = 1 / 3
"""Fraction of the budget after which a search may stop early, if one sequence of moves is well ahead."""
LEAD: Final = 0.005
"""Lead in payoff that allows a search to stop after half of its budget.

The lead is the payoff of the best sequence of moves minus that of the second best. Earlier in the search a larger lead
is needed, and later a smaller lead is enough.
"""
FEWEST: Final = 16
"""Number of positions that must be evaluated before one sequence of moves can count as clearly better than the
others.
"""
ERRORS: Final = 4.0
"""Number of standard errors by which a sequence of moves must lead to count as clearly better."""
FIRST_ERRORS: Final = 0.5
"""Number of standard errors that replaces `ERRORS` for the sequence of moves that was best in the first evaluation."""

Left = Callable[[int], float]
"""Function that returns how many looks (search iterations) remain, given the number of looks done."""


def is_enough(candidates: Collection[Candidate], seat: int, done: int, left: float) -> bool:
    """Return whether a tree search can stop early. `seat` is the seat to move.

    `done` is the number of descents so far, and `left` the number that the budget still allows.
    """
    whole = (done + left) * min(1.0, len(candidates) / MANY)
    if not AT_LEAST * whole <= done < whole:
        return done >= whole
    most = max([candidate.visits for candidate in candidates])
    best = second = 0.0
    for candidate in candidates:
        mean = candidate.mean(seat)
        if mean > best and 2 * candidate.visits >= most:
            best, second = mean, max(best, second)
        else:
            second = max(mean, second)
    return (best - second) * done >= LEAD * (whole - done)


def is_clear(payoffs: Sequence[Sequence[float]]) -> bool:
    """Return whether one sequence of moves is clearly better than all others.

    `payoffs` contains one list per sequence, with its payoffs in the same positions. The first list belongs to the
    sequence that was best in the first evaluation. The result can be true only after 16, 32, 64, ... positions.
    """
    count = len(payoffs[0])
    if count < FEWEST or count & count - 1:  # testing too often would stop at a random fluctuation
        return False
    best = max(payoffs, key=added)
    errors = FIRST_ERRORS if best is payoffs[0] else ERRORS
    return all(others is best or _lead(best, others) >= errors * doubt_of(best, others) for others in payoffs)


def doubt_of(payoffs: Sequence[float], others: Sequence[float]) -> float:
    """Return the standard error of the mean difference between two lists of payoffs, obtained in the same positions.

    Return 1 if the lists have fewer than two payoffs.
    """
    count = len(payoffs)
    if count < 2:
        return 1.0
    mean = _lead(payoffs, others)
    squares = 0.0
    for one, other in zip(payoffs, others, strict=True):
        squares += (one - other - mean) * (one - other - mean)
    return sqrt(squares / count / (count - 1))


def _lead(payoffs: Sequence[float], others: Sequence[float]) -> float:
    return (added(payoffs) - added(others)) / len(payoffs)
