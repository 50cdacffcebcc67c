"""Record of one auction in a finished or running game."""

import msgspec


class Auction(msgspec.Struct, gc=False):
    """One auction with its bids. A bid is (seat, amount or None for a pass, number of the step)."""

    start: int
    company: str
    what: str
    minimum: int
    bids: list[tuple[int, int | None, int]] = []
    end: int | None = None
    buyer: int | None = None
    price: int | None = None
