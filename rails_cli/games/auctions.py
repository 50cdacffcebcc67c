"""An auction of a game that has been played, with its bids."""

import msgspec


class Auction(msgspec.Struct, gc=False):
    """One auction: a bid is its seat, its amount (null for a pass) and the step it was made at."""

    start: int
    company: str
    what: str
    minimum: int
    bids: list[tuple[int, int | None, int]] = []
    end: int | None = None
    buyer: int | None = None
    price: int | None = None
