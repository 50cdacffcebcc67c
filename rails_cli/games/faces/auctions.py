"""Record of one auction in a finished or running game."""

import msgspec


class Auction(msgspec.Struct, gc=False):
    """One auction of a share in a game. `buyer` and `price` are None while nobody has bought the share."""

    start: int
    """Number of the step in which the share was offered."""
    company: str
    what: str
    """Description of the share."""
    minimum: int
    bids: list[tuple[int, int | None, int]] = []
    """Each bid as (seat, amount or None for a pass, number of the step)."""
    end: int | None = None
    """Number of the step in which the auction ended, or None while it runs."""
    buyer: int | None = None
    price: int | None = None
