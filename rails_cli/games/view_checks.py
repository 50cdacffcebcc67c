"""Validation of views before `Game.imagine` builds positions from them. Views may come from untrusted clients."""

from collections.abc import Callable, Collection, Iterable
from functools import wraps
from typing import Any, TypeVar

from rails_cli.games.shared.auction import next_bidder
from rails_cli.games.shared.hexgrid import mask_of
from rails_cli.protocol.log import Seed

StateT = TypeVar("StateT")

MOST_MONEY = 10_000_000
"""Largest amount of money in dollars that is accepted in a view, for all boards."""


def with_value_errors(imagine: Callable[[Any, Any, Seed], StateT]) -> Callable[[Any, Any, Seed], StateT]:
    """Return a version of the function `imagine` that raises ValueError wherever `imagine` would raise LookupError."""

    @wraps(imagine)
    def checked(view: Any, board: Any, seed: Seed) -> StateT:
        try:
            return imagine(view, board, seed)
        except LookupError as error:
            raise ValueError(f"this is not a view of a position on this board: {error}") from None

    return checked


def check_seats(view: Any, allowed: Collection[int], named: Iterable[int | None]) -> None:
    """Raise ValueError unless the players have the seats 0, 1 and so on, and their number is in `allowed`.

    Also raise ValueError if a seat in `named` does not exist. None is ignored.
    """
    seats = len(view.players)
    if seats not in allowed or any(player.seat != seat for seat, player in enumerate(view.players)):
        raise ValueError(f"these are not the seats of a table: {[player.seat for player in view.players[:20]]}")
    asked = None if view.question is None else view.question.seat
    for seat in (view.seat, asked, *named):
        if seat is not None and not 0 <= seat < seats:
            raise ValueError(f"there is no seat {seat}")


def check_auction(view: Any, asks: str) -> None:
    """Raise ValueError if the auction in `view` is inconsistent.

    `asks` is the value of the field `asks` in a question that asks for a bid.

    - There must be an auction if the pending question asks for a bid, and only then.
    - The asked seat must be the next bidder. It must not be the leader.
    - Neither the asked seat nor the leader may have passed.
    """
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
    """Raise ValueError if an amount is not between `least` and `most`. Ignore None. The message starts with `what`."""
    for amount in amounts:
        if amount is not None and not least <= amount <= most:
            raise ValueError(f"{what}: {amount} is not between {least} and {most}")


def check_each(what: str, amounts: Iterable[int], most: Iterable[int]) -> None:
    """Raise ValueError if an amount is negative or above the limit at the same index of `most`.

    The message starts with `what`.
    """
    for amount, limit in zip(amounts, most, strict=True):
        check_amounts(what, (amount,), limit)


def check_once(what: str, names: Collection[str]) -> None:
    if len(set(names)) < len(names):
        raise ValueError(f"{what}: some are in more than one place")
