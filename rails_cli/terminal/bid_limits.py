"""Examples of bids, and the command `bid up to 20`, which starts automatic bids. Each automatic bid is as low as
possible.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from rails_cli.games.decision import Decision
from rails_cli.games.faces import bid_limits
from rails_cli.games.faces.auctions import Auction
from rails_cli.games.faces.choices import why
from rails_cli.games.faces.phrases import dollars, listed
from rails_cli.games.faces.vocabulary import whole_number
from rails_cli.protocol.common import Bid, BidRange
from rails_cli.terminal.reading import Unclear

WORDS = ["bid", "up", "to"]
RAISE, LIMIT_RAISE = 5, 10
"""Amounts of the examples in `other_bids`, as dollars above the lowest bid: a bid, and a limit for automatic bids."""


def bid_range(decision: Decision) -> BidRange | None:
    return bid_limits.bid_range(decision.legal)


def other_bids(decision: Decision) -> str:
    """Return a sentence with examples of bids that are not among the numbered choices. Empty if there are none."""
    bids = bid_range(decision)
    if bids is None or bids.min == bids.max:
        return ""
    amount, limit = (min(bids.min + more, bids.max) for more in (RAISE, LIMIT_RAISE))
    return f"Other bids: bid {amount} (at most {bids.max}), or in steps: bid up to {limit}."


def limit_in(line: str, decision: Decision) -> int | None:
    """Return the limit, in dollars, of a line `bid up to LIMIT`. Return None for other lines.

    Raise Unclear if LIMIT is missing or is not a legal bid.
    """
    words = line.lower().split()
    bids = bid_range(decision)
    if words[:3] != WORDS or bids is None:
        return None
    most = whole_number(words[3]) if len(words) == 4 else None
    if most is None:
        raise Unclear(f"Bid up to how much? ${bids.min} to ${bids.max}.")
    if not bids.min <= most <= bids.max:
        raise Unclear(why(decision, ["bid", str(most)]))
    return most


@dataclass
class BidLimit:
    """The limit of a person for automatic bids in one auction. `most` is the highest bid allowed, and `bids` are the
    automatic bids so far, all in dollars.
    """

    auction: int
    """Number of the auction in the game, counted from 1."""
    most: int
    bids: list[int] = field(default_factory=list)


class BidLimits:
    """The bid limits of the people at this terminal, at most one per seat."""

    def __init__(self) -> None:
        self._limits: dict[int, BidLimit] = {}

    def forget(self) -> None:
        self._limits = {}

    def begin(self, decision: Decision, events: Sequence[Any], most: int) -> Bid:
        """Set the limit `most`, in dollars, for the current auction. Return the first automatic bid.

        `events` are all events of the game so far.
        """
        bids = bid_range(decision)
        assert bids is not None
        auctions = decision.face.auctions([(0, events)])
        self._limits[decision.seat] = BidLimit(len(auctions), most, [bids.min])
        return Bid(bids.min)

    def continue_bidding(self, decision: Decision, events: Sequence[Any]) -> tuple[Bid | None, list[str]]:
        """Return the next automatic bid, and lines to show. The bid is None if the person must decide.

        When the automatic bids end, the lines describe all of them. There are no lines while automatic bids continue,
        or if the person has set no limit. `events` are all events of the game so far.
        """
        limit = self._limits.get(decision.seat)
        if limit is None:
            return None, []
        auctions = decision.face.auctions([(0, events)])
        auction = auctions[limit.auction - 1] if 0 < limit.auction <= len(auctions) else None
        is_open = auction is not None and auction.end is None and limit.auction == len(auctions)
        has_last_bid = auction is not None and (decision.seat, limit.bids[-1]) in [bid[:2] for bid in auction.bids]
        bid = bid_limits.next_bid(decision.legal, limit.most) if is_open and has_last_bid else None
        if bid is not None:
            limit.bids.append(bid.amount)
            return bid, []
        del self._limits[decision.seat]
        return None, [_outcome(decision, auction, limit, has_last_bid)]


def _outcome(decision: Decision, auction: Auction | None, limit: BidLimit, has_last_bid: bool) -> str:
    """Return sentences about the automatic bids and why they ended: a higher bid, or the end of the auction.

    `has_last_bid` says whether the events of the game contain the last automatic bid. `auction` is None if the events
    no longer contain the auction.
    """
    bids = bid_range(decision)
    made = f"You bid {listed([*map(dollars, limit.bids)])}."
    if auction is None or (auction.end is None and (bids is None or not has_last_bid)):
        return made
    least = 0 if bids is None else bids.min
    words = bid_limits.limit_words(auction, decision.seat, decision.names, limit.most, least)
    return words if auction.buyer == decision.seat else f"{made} {words}"
