"""What the worths of a share say of an answer in its auction: by how much another one can have been better or worse.

A search looks a few bids ahead, the worths look to the end of the auction. Only what both see is held against a bidder,
so that no answer is called a mistake by more than the worths that are told beside it.
"""

from collections.abc import Sequence
from math import exp
from typing import Any, NamedTuple

from protocol.common import Bid
from rails_cli.core.money import added
from rails_cli.games.payoff import LEAST_SPREAD, payoffs_of
from rails_cli.search.outcome import Tried

IN_HAND = 2
"""What a dollar in hand is worth at most, while there are shares to be bought with it."""


class Lot(NamedTuple):
    """A share as one bidder sees it who is asked."""

    seat: int
    worths: Sequence[int | None]
    """By seat; None for who is out."""
    least: int
    """The lowest bid."""
    spread: float
    """By how much what the seats may expect can be wrong."""

    @property
    def worth(self) -> int:
        return self.worths[self.seat] or 0

    @property
    def rival(self) -> int:
        """The other seat to which the share is worth most."""
        return max(self._others, key=lambda seat: self.worths[seat] or 0)

    @property
    def next_worth(self) -> int:
        """What the share is worth to the rival."""
        return max(self.worths[seat] or 0 for seat in self._others)

    @property
    def _others(self) -> list[int]:
        return [seat for seat in range(len(self.worths)) if seat != self.seat]


class Gain(NamedTuple):
    """Dollars that another answer can bring the bidder, and dollars that it can make the rival pay."""

    own: int
    dearer: int


def gain(action: Any, other: Any, lot: Lot) -> Gain | None:
    """By how much the worths say that another answer is better than an action; None if they do not say that it is.

    A higher bid is not better, for who bids can still raise; a lower one is if it leaves the price below what the share
    is worth, or all rivals behind. A bid is better than a pass up to what the share is worth.
    """
    if type(action) is not Bid:
        if type(other) is not Bid or other.amount > lot.worth:
            return None
        found = Gain(
            max(0, lot.worth - max(lot.least, lot.next_worth + 1)),
            max(0, min(lot.worth, lot.next_worth) - (lot.least - 1)) if lot.next_worth >= lot.least else 0,
        )
        return found if any(found) else None
    saved = action.amount - lot.worth
    if type(other) is Bid:
        if other.amount >= action.amount:
            return None
        saved = max(saved, action.amount - max(other.amount, lot.next_worth + 1))
    return Gain(saved, 0) if saved > 0 else None


def compared(own: Tried, action: Any, tried: Tried, other: Any, lot: Lot) -> tuple[Tried, Tried] | None:
    """An answer and another one, no further apart than the worths say; None if they do not tell the two apart."""
    better, worse = gain(action, other, lot), gain(other, action, lot)
    is_better = tried.payoffs[lot.seat] > own.payoffs[lot.seat]
    if better and is_better:
        return _raised(own, tried, better, lot), tried
    if worse and not is_better:
        return own, _raised(tried, own, worse, lot)
    if better or worse:
        return own, own._replace(run=tried.run, visits=tried.visits)
    return None


def _raised(tried: Tried, above: Tried, most: Gain, lot: Lot) -> Tried:
    """An answer that is worse than another, but no more than the worths say."""
    seat = lot.seat
    lowest = min(
        _with_more(above.chances, seat, -most.own, lot.spread),
        _with_more(above.chances, lot.rival, most.dearer, lot.spread),
        key=lambda chances: chances[seat],
    )
    chances = lowest if lowest[seat] > tried.chances[seat] else tried.chances
    money = tried.money.copy()
    money[seat] = max(money[seat], above.money[seat] - most.own)
    if (chances, money) == (tried.chances, tried.money):
        return tried
    return tried._replace(payoffs=payoffs_of(money, chances), chances=chances, money=money)


def _with_more(chances: Sequence[float], seat: int, money: int, spread: float) -> list[float]:
    """The chances of winning if a seat had so much more in hand."""
    factor = exp(IN_HAND * money / max(spread, LEAST_SPREAD))
    weights = [chance * factor if one == seat else chance for one, chance in enumerate(chances)]
    total = added(weights)
    return [weight / total for weight in weights]
