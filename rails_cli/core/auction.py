"""Bidding round the table: what may be bid, who is asked next, and how it ends. Seats still in are a bitmask."""

from collections.abc import Sequence
from typing import Final

NOBODY: Final = -1
READY_BIDS: Final = 1_000
"""The moves of so many bids, from $0 on, are made in advance."""


def legal_bids(ready: list[int], minimum: int, most: int, to_pass: int) -> list[int]:
    """The moves that bid from `minimum` to `most`, and then to pass; `ready` are those of the first READY_BIDS bids."""
    if most < READY_BIDS:
        legal = ready[minimum : most + 1]
    else:
        legal = list(range(ready[0] + minimum, ready[0] + most + 1))
    legal.append(to_pass)
    return legal


def next_bidder(still_in: int, seat: int, seats: int) -> int:
    """The first seat of the mask `still_in` clockwise after `seat`; `seat` itself if it is the only one."""
    seat += 1
    if seat == seats:
        seat = 0
    while not still_in >> seat & 1:
        seat += 1
        if seat == seats:
            seat = 0
    return seat


def is_only(still_in: int, seat: int) -> bool:
    """Whether `seat` is the last one left in the auction."""
    return still_in == 1 << seat


def outcome(limits: Sequence[int], still_in: int, leader: int, minimum: int) -> tuple[int, int]:
    """Who wins at what price if each seat goes up to its limit: $1 above the next; NOBODY and 0 if nobody bids.

    The leader (NOBODY before the first bid) has bid $1 below the minimum. Of equals it wins, or else the first seat.
    """
    winner, second = leader, minimum - 1
    best = minimum - 1 if leader == NOBODY else max(limits[leader], minimum - 1)
    for seat, limit in enumerate(limits):
        if still_in >> seat & 1 and seat != leader:
            if limit > best:
                winner, best, second = seat, limit, best
            elif limit > second:
                second = limit
    if winner == NOBODY:
        return NOBODY, 0
    return winner, second if winner == leader and second < minimum else min(best, second + 1)
