"""Players that use only the list of legal actions: `random` chooses uniformly, and `busy` seldom passes."""

from collections.abc import Callable, Sequence
from typing import Any

from rails_cli.games.game import pass_entry
from rails_cli.protocol.common import Bid, BidRange

Choose = Callable[[Sequence[Any], Callable[[], float]], Any]


def choose_random(legal: Sequence[Any], chance: Callable[[], float]) -> Any:
    """Return a uniformly random action from the list of legal actions. For a range of bids, also choose the amount."""
    entry = legal[int(chance() * len(legal))]
    if type(entry) is BidRange:
        return Bid(entry.min + int(chance() * (entry.max - entry.min + 1)))
    return entry


def choose_busy(legal: Sequence[Any], chance: Callable[[], float]) -> Any:
    """Return a random action from the list of legal actions, seldom a pass.

    A bid is at most $2 above the lowest bid.
    """
    first = legal[0]
    if type(first) is BidRange:
        if chance() < 1 / 3:
            return legal[-1]
        return Bid(min(first.max, first.min + int(chance() * 3)))
    if len(legal) > 1 and pass_entry(legal) is not None:
        if chance() < 0.1:
            return legal[-1]
        return legal[int(chance() * (len(legal) - 1))]
    return legal[int(chance() * len(legal))]


POLICIES: dict[str, Choose] = {"random": choose_random, "busy": choose_busy}
