"""Upper bounds of what a bid or pass can lose, derived from what the auctioned share is worth to each seat.

A search looks only a few bids ahead, so its estimate of a loss may be too large. The worths cover the whole auction.
Therefore a loss found by the search is limited to the largest loss that agrees with the worths.
"""

from collections.abc import Sequence
from math import exp
from typing import Any, NamedTuple

from rails_cli.games.evaluation import Evaluation
from rails_cli.games.payoff import LEAST_SPREAD, payoffs_of
from rails_cli.games.shared.money import added
from rails_cli.players.search.outcome import Tried
from rails_cli.protocol.common import Bid, BidRange

IN_HAND = 2
"""Upper bound of the worth of one dollar in hand during an auction, in dollars at the end of the game."""


class Lot(NamedTuple):
    """A share that is auctioned, with the values that decide what the bidder in `seat` should do."""

    seat: int
    worths: list[int | None]
    """Worth of the share to each seat, in dollars. None for seats that have passed."""
    least: int
    """Lowest legal bid, in dollars."""
    spread: float
    """Likely error of the estimates in `worths`, in dollars. Used to convert money to chances of winning."""

    @property
    def worth(self) -> int:
        return self.worths[self.seat] or 0

    @property
    def rival(self) -> int:
        """The seat, other than the bidder, to which the share is worth most."""
        return max(self._others, key=lambda seat: self.worths[seat] or 0)

    @property
    def next_worth(self) -> int:
        """The highest worth of the share to any seat other than the bidder, in dollars."""
        return max(self.worths[seat] or 0 for seat in self._others)

    @property
    def _others(self) -> list[int]:
        return [seat for seat in range(len(self.worths)) if seat != self.seat]


def is_auction(legal: Sequence[Any]) -> bool:
    return any(type(entry) is BidRange for entry in legal)


def least_bid(legal: Sequence[Any]) -> int:
    return min(entry.min for entry in legal if type(entry) is BidRange)


def lot_in(evaluation: Evaluation[Any, Any], state: Any, board: Any, legal: Sequence[Any]) -> Lot | None:
    """Return the share that is auctioned in the position `state`, for the seat to move.

    `legal` is the list of legal actions in this position. Return None if there is no auction, or if the evaluation
    cannot estimate what the share is worth.
    """
    if evaluation.limits is None or not is_auction(legal):
        return None
    worths = [None if limit < 0 else limit for limit in evaluation.limits(state, board)]
    return Lot(state.pending.seat, worths, least_bid(legal), evaluation.spread(state, board))


class Gain(NamedTuple):
    """Upper bounds of the effect of making a better bid or pass instead of another one, in dollars.

    `own` is what the bidder gains. `dearer` is the additional amount that another seat pays for the share.
    """

    own: int
    dearer: int


def gain(action: Any, other: Any, lot: Lot) -> Gain | None:
    """Return by how much the bid or pass `other` is better than `action`, or None if `other` is not better.

    Only the worths in `lot` decide. A higher bid is not better, because the bidder can still raise. A lower bid is
    better if `action` bids more than the worth, or if the lower bid also beats all rivals. A bid up to the worth of the
    share is better than a pass.
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
    """Return the search results of `action` and `other`, two bids or passes, corrected so that they agree with `lot`.

    `own` is the search result of `action`, and `tried` that of `other`. If their difference is larger than the worths
    in `lot` allow, the worse result is raised. If the search prefers the wrong action according to the worths, both
    results are made equal. Return None if neither action is better according to the worths.
    """
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
    """Return `tried`, the search result of a bid or pass, raised if it is worse than `above` by more than `most`.

    `above` is the search result of a better bid or pass. `most` is the most that the bidder of `lot` can gain by making
    that bid or pass instead.
    """
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
    """Return the chance of winning of each seat if `seat` had `money` more dollars in hand.

    `chances` are the chances without this money. `spread` is the likely error in dollars of the estimated worths.
    """
    factor = exp(IN_HAND * money / max(spread, LEAST_SPREAD))
    weights = [chance * factor if one == seat else chance for one, chance in enumerate(chances)]
    total = added(weights)
    return [weight / total for weight in weights]
