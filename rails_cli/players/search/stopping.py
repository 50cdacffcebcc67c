"""Early stopping of a search, when more looks would rarely change the chosen run, and then only to a similar one.

The clock is not used, so that the same number of looks gives the same answer.
"""

from collections.abc import Callable, Collection, Sequence
from math import sqrt
from typing import Final

from rails_cli.games.shared.money import added
from rails_cli.players.search.outcome import Candidate

ASKED_EVERY: Final = 8
"""Number of looks (search iterations) between two checks whether a search may stop."""
MANY: Final = 8
"""Number of runs for which a search uses its whole budget. With fewer runs it uses less, e.g. 3/8 of it for three."""
AT_LEAST: Final = 1 / 3
"""Fraction of the budget after which a search may stop because one run is well ahead."""
LEAD: Final = 0.005
"""Lead in payoff needed to stop when half of the budget is used. The needed lead falls with what remains."""
FEWEST: Final = 16
"""Minimum number of positions before a run can be clearly better."""
ERRORS: Final = 4.0
"""Number of standard errors by which a run must be better to be clearly better."""
FIRST_ERRORS: Final = 0.5
"""Like ERRORS, for the run that seemed best at first.

It is smaller because the other runs need a much larger lead.
"""

Left = Callable[[int], float]
"""Function from the number of looks (search iterations) done to the number remaining."""


def is_enough(candidates: Collection[Candidate], seat: int, done: int, left: float) -> bool:
    """Return whether `seat` can stop after `done` looks with `left` remaining. A look is one visit to one candidate."""
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
    """Return whether one run is clearly better than all others, from the payoffs of each run in the same positions.

    `payoffs[0]` is the run that seemed best at first. The test is made only after 16, 32, 64, ... positions.
    """
    count = len(payoffs[0])
    if count < FEWEST or count & count - 1:  # testing too often would stop at a random fluctuation
        return False
    best = max(payoffs, key=added)
    errors = FIRST_ERRORS if best is payoffs[0] else ERRORS
    return all(others is best or _lead(best, others) >= errors * doubt_of(best, others) for others in payoffs)


def doubt_of(payoffs: Sequence[float], others: Sequence[float]) -> float:
    """Return the standard error of the mean payoff difference between two runs in the same positions."""
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
