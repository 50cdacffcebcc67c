"""What the openings of railways have in common: how chance bids and expands, and what seats may expect."""

from collections.abc import Sequence
from typing import Any

from protocol.common import Bid, BidRange, Pass
from rails_cli.games.openings import Chance, likely
from rails_cli.games.railways.players import Outlook

OPENING_RAISE = 0.6  # the first bid is at most this part of what the share is worth
CHEAP, DEAR = 0.65, 1.2  # prices of a share as parts of its worth
RELUCTANCE = 0.25  # the chance to pass on a cheap share; on a dear one everybody does
LARGEST_RAISE = 4


def drawn_bid(legal: Sequence[Any], worth: float, is_first: bool, chance: Chance) -> Bid | Pass:
    """A bid for a share of some worth, or a pass: the likelier, the dearer it gets. The first to bid does not pass."""
    entry = legal[0]
    assert type(entry) is BidRange
    worth = max(worth, 1.0)
    if is_first:
        reach = int(OPENING_RAISE * worth) - entry.min
    else:
        dearness = (entry.min / worth - CHEAP) / (DEAR - CHEAP)
        if chance() < RELUCTANCE + (1 - RELUCTANCE) * dearness:
            return Pass()
        reach = min(LARGEST_RAISE, int(worth) - entry.min)
    return Bid(min(entry.max, entry.min + int(chance() * (1 + max(reach, 0)))))


def drawn_build(
    outlook: Outlook, legal: Sequence[Any], chance: Chance, *, only: str | None = None, least: float = 0.0
) -> Any:
    """Towards the best that one of the companies can reach, if that is worth more than `least`; or None."""
    worth = {(company, place): gain for gain, company, place in outlook.expansions(only) if gain > least}
    choices = []
    for entry in legal:
        gain = worth.get((getattr(entry, "company", ""), getattr(entry, "hex", "")))
        if gain is not None:
            choices.append((gain, entry))
    return likely(choices, chance) if choices else None


def prospects_of(outlook: Outlook, growth: float, share: float) -> list[float]:
    """By seat, cash, what the shares will earn as they are, times `growth`, and some more for each of them."""
    return [
        player.cash + growth * outlook.worth_of_shares(seat) + share * sum(player.shares.values())
        for seat, player in enumerate(outlook.view.players)
    ]
