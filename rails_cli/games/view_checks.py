"""What every `imagine` asks of a view, which may come from anybody: seats of a table, and numbers within reason."""

from collections.abc import Callable, Collection, Iterable
from functools import wraps
from typing import Any, TypeVar

from protocol.log import Seed
from rails_cli.core.auction import next_bidder
from rails_cli.core.hexgrid import mask_of

StateT = TypeVar("StateT")

MOST_MONEY = 10_000_000
"""More than anybody can have on any board."""


def refusing(imagine: Callable[[Any, Any, Seed], StateT]) -> Callable[[Any, Any, Seed], StateT]:
    """The same, and ValueError for names that the board does not have and for parts that are missing."""

    @wraps(imagine)
    def checked(view: Any, board: Any, seed: Seed) -> StateT:
        try:
            return imagine(view, board, seed)
        except LookupError as error:
            raise ValueError(f"this is not a view of a position on this board: {error}") from None

    return checked


def check_seats(view: Any, allowed: Collection[int], named: Iterable[int | None]) -> None:
    """Raises ValueError unless the players are those of a table, and all seats that are named, or None, are there."""
    seats = len(view.players)
    if seats not in allowed or any(player.seat != seat for seat, player in enumerate(view.players)):
        raise ValueError(f"these are not the seats of a table: {[player.seat for player in view.players[:20]]}")
    asked = None if view.question is None else view.question.seat
    for seat in (view.seat, asked, *named):
        if seat is not None and not 0 <= seat < seats:
            raise ValueError(f"there is no seat {seat}")


def check_auction(view: Any, asks: str) -> None:
    """Raises ValueError unless bids, which are called so, are asked for in auctions and nothing else, of one who is in
    and not the leader, who is in, too."""
    auction, question = view.auction, view.question
    if question is None:
        return
    if (auction is not None) != (question.asks == asks):
        raise ValueError("bids are asked for in auctions, and nothing else")
    if auction is not None:
        check_amounts("bid", (auction.minimum,))
        if question.seat not in auction.still_in or auction.leader not in (None, *auction.still_in):
            raise ValueError("who is asked for a bid, and who has made the last one, is in the auction")
        if question.seat == auction.leader:
            raise ValueError(f"seat {question.seat} has made the last bid, and is asked for another")
        if auction.leader is None:
            return
        if view.players[auction.leader].cash < auction.minimum - 1:
            raise ValueError(f"seat {auction.leader} has bid more than it has")
        if next_bidder(mask_of(auction.still_in), auction.leader, len(view.players)) != question.seat:
            raise ValueError(f"seat {question.seat} is not the next to bid after seat {auction.leader}")


def check_amounts(what: str, amounts: Iterable[int | None], most: int = MOST_MONEY, least: int = 0) -> None:
    """Raises ValueError for a number that cannot be."""
    for amount in amounts:
        if amount is not None and not least <= amount <= most:
            raise ValueError(f"{what}: {amount} is not between {least} and {most}")


def check_each(what: str, amounts: Iterable[int], most: Iterable[int]) -> None:
    """The same where each has its own limit."""
    for amount, limit in zip(amounts, most, strict=True):
        check_amounts(what, (amount,), limit)


def check_once(what: str, names: Collection[str]) -> None:
    """Raises ValueError if something is in two places."""
    if len(set(names)) < len(names):
        raise ValueError(f"{what}: some are in more than one place")
