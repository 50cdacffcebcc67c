"""When a search may stop before its budget is spent: what is to come would rarely change which run is chosen, and then
for one that is hardly better. The clock has no say in it, so that the same looks give the same answer."""

from collections.abc import Callable, Collection, Sequence
from math import sqrt
from typing import Final

from rails_cli.core.money import added
from rails_cli.search.outcome import Candidate

ASKED_EVERY: Final = 8
"""After so many looks each it is asked anew whether a search may stop."""
MANY: Final = 8
"""With fewer runs to choose from a search takes less of its budget: for three of them three eighths."""
AT_LEAST: Final = 1 / 3
"""The part of what it takes at most after which a search may stop as one run is well ahead."""
LEAD: Final = 0.005
"""By how much the best run is well ahead when half is done; the lead that is needed goes down with what is left."""
FEWEST: Final = 16
"""Of fewer positions nothing is clear."""
ERRORS: Final = 4.0
"""A run is clearly better than another if it is so by this many standard errors."""
FIRST_ERRORS: Final = 0.5
"""The run that seemed best at first sight need not be better than others by more, as they have to be by much more."""

Left = Callable[[int], float]
"""How many looks are still to come, after so many."""


def is_enough(candidates: Collection[Candidate], seat: int, done: int, left: float) -> bool:
    """Whether a seat need not go on after so many looks, with so many left, each of which is one visit to one run."""
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
    """Whether one run is clearly better than each of the others, by its payoffs in the same positions; asked when there
    are 16 of them, 32, 64 and so on. The first is the one that seemed best at first sight."""
    count = len(payoffs[0])
    if count < FEWEST or count & count - 1:  # asked again and again, chance would have its way
        return False
    best = max(payoffs, key=added)
    errors = FIRST_ERRORS if best is payoffs[0] else ERRORS
    return all(others is best or _lead(best, others) >= errors * doubt_of(best, others) for others in payoffs)


def doubt_of(payoffs: Sequence[float], others: Sequence[float]) -> float:
    """The standard error of how much more one run brings than another in the same positions."""
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
