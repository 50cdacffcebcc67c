"""When a search may stop before its budget is spent, as what is to come would not change which run is chosen."""

from collections.abc import Callable, Collection, Sequence
from math import sqrt
from typing import NamedTuple

from rails_cli.search.one_ply import NEARLY
from rails_cli.search.outcome import Candidate

ASKED_EVERY = 8
"""After so many looks each it is asked anew whether a search may stop."""
FEWEST = 16
"""Of fewer positions nothing is clear."""
ERRORS = 4.0
"""A run is clearly better than another if it is so by this many standard errors."""


class Stopping(NamedTuple):
    """How many looks are still to come, after so many; and by how much, at most, the payoffs that they bring may differ
    from those before, on average: payoffs are from 0 to 1, so that with 1 what is chosen is certain. Where all runs are
    looked at in the same positions, less means that it is enough if one is clearly the best so far."""

    left: Callable[[int], float]
    swing: float = 1.0


def is_settled(candidates: Collection[Candidate], seat: int, left: float, swing: float) -> bool:
    """Whether a seat will choose the same run whatever so many looks bring, each of which is one visit to one run.

    As far as this allows, the best run stays among those that are compared (`best_first`), and each of the others is
    left out there or stays worse by more than `NEARLY`.
    """
    most = max([candidate.visits for candidate in candidates])
    if left >= most:
        return False
    best: Candidate | None = None
    for candidate in candidates:
        if 2 * candidate.visits >= most and (best is None or candidate.mean(seat) > best.mean(seat)):
            best = candidate
    assert best is not None
    least = best.total[seat] + left * max(0.0, best.mean(seat) - swing)
    enough = (1.0 - NEARLY) * least / (best.visits + left)
    for candidate in candidates:
        if candidate is best:
            continue
        visits = candidate.visits + left
        if visits > 2 * best.visits:
            return False
        if 2 * visits >= best.visits:
            if not candidate.visits:
                return False
            each = min(1.0, candidate.mean(seat) + swing)
            if candidate.total[seat] + left * each >= enough * visits:
                return False
    return True


def is_clear(payoffs: Sequence[Sequence[float]]) -> bool:
    """Whether one run is clearly better than each of the others, by its payoffs in the same positions; asked when there
    are 16 of them, 32, 64 and so on."""
    count = len(payoffs[0])
    if count < FEWEST or count & count - 1:  # asked again and again, chance would have its way
        return False
    best = max(payoffs, key=sum)
    return all(others is best or _lead(best, others) >= ERRORS * doubt_of(best, others) for others in payoffs)


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
    return (sum(payoffs) - sum(others)) / len(payoffs)
