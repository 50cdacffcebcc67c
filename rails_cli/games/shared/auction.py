"""Auctions in which seats bid in clockwise order: legal bids, next bidder, result. Masks have a bit for each seat."""

from collections.abc import Sequence
from typing import Final

NOBODY: Final = -1
READY_BIDS: Final = 1_000
"""Number of bids whose moves are computed in advance: those of $0, $1 and so on. A move is the number of an action."""


def legal_bids(ready: list[int], minimum: int, most: int, to_pass: int) -> list[int]:
    """Return the moves that bid `minimum` to `most` dollars, and the pass.

    `ready` has the moves that bid $0, $1 and so on. `to_pass` is the move that passes.
    """
    if most < READY_BIDS:
        legal = ready[minimum : most + 1]
    else:
        legal = list(range(ready[0] + minimum, ready[0] + most + 1))
    legal.append(to_pass)
    return legal


def next_bidder(still_in: int, seat: int, seats: int) -> int:
    """Return the next seat clockwise after `seat` in the mask `still_in`, or `seat` if the mask has no other seat."""
    seat += 1
    if seat == seats:
        seat = 0
    while not still_in >> seat & 1:
        seat += 1
        if seat == seats:
            seat = 0
    return seat


def is_only(still_in: int, seat: int) -> bool:
    return still_in == 1 << seat


def outcome(limits: Sequence[int], still_in: int, leader: int, minimum: int) -> tuple[int, int]:
    """Return the buyer and the price if each seat bids up to its limit.

    `limits` has the limit of each seat. Only seats in the mask `still_in` may bid. `leader` is the seat whose bid of
    `minimum - 1` is the highest so far, or NOBODY before the first bid.

    - If no other seat would bid `minimum`, the leader buys for `minimum - 1`. Without a leader, return (NOBODY, 0).
    - Otherwise the seat with the highest limit buys. If several seats have this limit, the leader buys if it is one of
      them, or else the seat with the lowest number. The price is $1 above the second-highest limit, but at least
      `minimum` and at most the buyer's limit.
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
