"""Every auction of a game with its bids, read off its events."""

from collections.abc import Iterable
from typing import Any

import msgspec

OFFERED = "share_offered"
ENDED = ("share_sold", "share_unsold", "share_removed")
OCCASIONS = {"opening": "opening share", "auction": "share", "wabash": "first share"}


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


def auctions(steps: Iterable[tuple[int, list[Any]]]) -> list[Auction]:
    """The auctions in the events of each step."""
    found: list[Auction] = []
    running: Auction | None = None
    for number, events in steps:
        for event in events:
            kind = tag(event)
            if kind == OFFERED:
                running = Auction(number, event.company, OCCASIONS[event.occasion], event.minimum)
                found.append(running)
            elif running is None:
                continue
            elif kind == "bid_made":
                running.bids.append((event.seat, event.amount, number))
            elif kind == "passed":
                running.bids.append((event.seat, None, number))
            elif kind in ENDED:
                running.end = number
                if kind == "share_sold":
                    running.buyer, running.price = event.seat, event.price
                running = None
    return found


def tag(event: Any) -> str:
    return str(event.__struct_config__.tag)
