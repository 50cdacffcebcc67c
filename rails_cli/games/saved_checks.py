"""What every `load` asks of a saved position, which may come from anybody: the rules do not look again."""

from collections.abc import Iterator, Sequence

import msgspec

from rails_cli.core.auction import NOBODY, next_bidder
from rails_cli.core.hexgrid import beside
from rails_cli.games.view_checks import MOST_MONEY


def refuse(mistakes: Iterator[str]) -> None:
    """Raises msgspec.ValidationError with the first mistake, if there is one; the others may follow from it."""
    mistake = next(mistakes, None)
    if mistake is not None:
        raise msgspec.ValidationError(f"this is not a position on this board: {mistake}")


def money_mistakes(money: Sequence[int]) -> Iterator[str]:
    """All but the bank have something or nothing, and the bank has handed it out."""
    *accounts, bank = money
    if any(not 0 <= amount <= MOST_MONEY for amount in accounts):
        yield f"an account is below 0, or above {MOST_MONEY:,}"
    if bank != -sum(accounts):
        yield "the accounts and the bank do not add up to 0"


def auction_mistakes(
    money: Sequence[int], seats: int, *, seat: int, leader: int, minimum: int, still_in: int
) -> Iterator[str]:
    """Who is asked for a bid is in the auction, can pay it, and has not made the last bid; who has, can pay that."""
    if still_in not in range(1 << seats) or not still_in >> seat & 1:
        yield f"seat {seat} is asked for a bid, and is not in the auction"
    elif leader not in range(NOBODY, seats) or seat == leader or (leader != NOBODY and not still_in >> leader & 1):
        yield f"seat {leader} cannot have made the last bid"
    elif leader != NOBODY and next_bidder(still_in, leader, seats) != seat:
        yield f"seat {seat} is not the next to bid after seat {leader}"
    if not 0 <= minimum <= money[seat]:
        yield f"a bid of {minimum}, which seat {seat} cannot pay"
    if leader in range(seats) and money[leader] < minimum - 1:
        yield f"seat {leader} has bid more than it has"


def is_joined(track: int, begin: int, around: Sequence[int]) -> bool:
    """Whether all hexes of a mask are joined to where it begins; `around` has the mask of neighbours of each."""
    joined, before = begin & track, 0
    while joined != before:
        before, joined = joined, joined | beside(around, joined) & track
    return joined == track
