"""Auctions of shares with their bids, and what shares last sold for: read off the events."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from protocol.live_view import AuctionShown
from rails_cli.games.auctions import Auction
from rails_cli.games.game import WireBoard
from rails_cli.games.phrases import printable
from rails_cli.games.railways.companies import letters, paints

OFFERED = "share_offered"
SOLD = "share_sold"
ENDED = (SOLD, "share_unsold", "share_removed")
OCCASIONS = {"opening": "opening share", "auction": "share"}


def auctions(steps: Iterable[tuple[int, Sequence[Any]]], occasions: Mapping[str, str] = OCCASIONS) -> list[Auction]:
    """The auctions in the events of each step; `occasions` say what is sold."""
    found: list[Auction] = []
    running: Auction | None = None
    for number, events in steps:
        for event in events:
            kind = tag(event)
            if kind == OFFERED:
                running = Auction(number, event.company, occasions[event.occasion], event.minimum)
                found.append(running)
            elif running is None:
                continue
            elif kind == "bid_made":
                running.bids.append((event.seat, event.amount, number))
            elif kind == "passed":
                running.bids.append((event.seat, None, number))
            elif kind in ENDED:
                running.end = number
                if kind == SOLD:
                    running.buyer, running.price = event.seat, event.price
                running = None
    return found


def bidding(
    board: WireBoard, view: Any, history: Sequence[Any], occasions: Mapping[str, str] = OCCASIONS
) -> AuctionShown | None:
    """The auction in progress with its bids."""
    running = view.auction
    if running is None:
        return None
    start = next(number for number in reversed(range(len(history))) if tag(history[number]) == OFFERED)
    (offered,) = auctions([(start, history[start:])], occasions)
    company = running.company
    return AuctionShown(
        company=printable(company),
        what=offered.what,
        paint=paints(board)[company],
        letter=letters(view)[company],
        minimum=running.minimum,
        bids=[(seat, amount) for seat, amount, _ in offered.bids],
        leader=running.leader,
        bid=running.bid,
        still_in=running.still_in,
    )


def last_prices(events: Iterable[Any]) -> dict[str, int]:
    """What the companies' shares sold for last."""
    return {event.company: event.price for event in events if tag(event) == SOLD}


def tag(event: Any) -> str:
    return str(event.__struct_config__.tag)
