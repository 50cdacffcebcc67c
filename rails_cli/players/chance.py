"""Players that look at nothing but the legal list: `random` picks evenly, `busy` prefers doing things to passing."""

from collections.abc import Callable, Sequence
from typing import Any

from protocol.common import Bid, BidRange
from rails_cli.games.game import passing

Choose = Callable[[Sequence[Any], Callable[[], float]], Any]


def choose_random(legal: Sequence[Any], chance: Callable[[], float]) -> Any:
    """Any entry with equal chance; any bid of a range with equal chance."""
    entry = legal[int(chance() * len(legal))]
    if type(entry) is BidRange:
        return Bid(entry.min + int(chance() * (entry.max - entry.min + 1)))
    return entry


def choose_busy(legal: Sequence[Any], chance: Callable[[], float]) -> Any:
    """Something other than passing nine times in ten; in auctions a raise of at most 3 two times in three."""
    first = legal[0]
    if type(first) is BidRange:
        if chance() < 1 / 3:
            return legal[-1]
        return Bid(min(first.max, first.min + int(chance() * 3)))
    if len(legal) > 1 and passing(legal) is not None:
        if chance() < 0.1:
            return legal[-1]
        return legal[int(chance() * (len(legal) - 1))]
    return legal[int(chance() * len(legal))]


POLICIES: dict[str, Choose] = {"random": choose_random, "busy": choose_busy}
