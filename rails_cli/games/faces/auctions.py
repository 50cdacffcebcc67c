"""The record of one auction in a finished or running game."""

import msgspec


class Auction(msgspec.Struct, gc=False):
    """One auction of a share in a game. `buyer` and `price` are None unless a player has bought the share."""

    start: int
    """Number of the step in which the share was offered. The caller numbers the steps of a game."""
    company: str
    what: str
    """Kind of share, such as "opening share"."""
    minimum: int
    bids: list[tuple[int, int | None, int]] = []
    """All bids and passes, each as a tuple: seat, amount (None for a pass), and number of the step of the game."""
    end: int | None = None
    """Number of the step of the game in which the auction ended, or None while the auction is running."""
    buyer: int | None = None
    price: int | None = None
