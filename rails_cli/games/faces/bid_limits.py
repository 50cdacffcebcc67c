"""Automatic bids up to a limit: the next bid, and sentences about the end of the bidding."""

from collections.abc import Sequence
from typing import Any

from rails_cli.games.faces.auctions import Auction
from rails_cli.games.faces.phrases import dollars
from rails_cli.protocol.common import Bid, BidRange


def bid_range(legal: Sequence[Any]) -> BidRange | None:
    """Return the entry of `legal`, the list of legal actions, that allows bids, or None if no bid is allowed."""
    return next((entry for entry in legal if type(entry) is BidRange), None)


def next_bid(legal: Sequence[Any], limit: int) -> Bid | None:
    """Return the lowest legal bid. Return None if that bid is above `limit`, or if no bid is legal.

    `legal` is the list of legal actions.
    """
    bids = bid_range(legal)
    return None if bids is None or bids.min > limit else Bid(bids.min)


def outcome_words(auction: Auction, seat: int, names: Sequence[str]) -> str:
    """Return a sentence, without a full stop, with the buyer and the price of an ended auction.

    The player in `seat` is called "You".
    """
    if auction.buyer is None or auction.price is None:
        return f"Nobody bought the {auction.company} share"
    who = "You" if auction.buyer == seat else names[auction.buyer]
    return f"{who} won the {auction.company} share for {dollars(auction.price)}"


def limit_words(auction: Auction, seat: int, names: Sequence[str], limit: int, least: int) -> str:
    """Return a sentence that says why the automatic bids of `seat` have ended.

    Either the auction has ended, or the lowest bid `least` is above `limit`.
    """
    if auction.end is not None:
        return f"{outcome_words(auction, seat, names)} (your limit: {dollars(limit)})."
    made = [(bidder, amount) for bidder, amount, _ in auction.bids if amount is not None]
    if not made:
        return f"The lowest bid is {dollars(least)}, above your limit of {dollars(limit)}."
    bidder, amount = made[-1]
    above = "" if amount > limit else f". The next bid is {dollars(least)}"
    return f"{names[bidder]} bid {dollars(amount)}{above}, above your limit of {dollars(limit)}."
