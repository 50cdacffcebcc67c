"""Bidding round the table: who is asked next. Seats still in an auction are a bitmask."""


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
