"""Random bids and builds for random openings, and estimates of the final result, shared by the railway games."""

from collections.abc import Sequence
from typing import Any

from rails_cli.games.openings import Chance, likely
from rails_cli.games.railways.players import Estimates
from rails_cli.protocol.common import Bid, BidRange, Pass

OPENING_RAISE = 0.6  # upper limit of the first bid, as a fraction of the share's worth
CHEAP, DEAR = 0.65, 1.2  # price / worth at which passing is least likely, and certain
RELUCTANCE = 0.25  # probability of passing at a price of CHEAP
LARGEST_RAISE = 4


def drawn_bid(legal: Sequence[Any], worth: float, is_first: bool, chance: Chance) -> Bid | Pass:
    """Return a random bid for a share, or a pass.

    `worth` is the estimated value of the share in dollars. `is_first` is true if no seat has bid yet. If so, the result
    is always a bid. If not, a pass becomes more likely as the price rises.
    """
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
    estimates: Estimates, legal: Sequence[Any], chance: Chance, *, only: str | None = None, least: float = 0.0
) -> Any:
    """Return a random build that starts an expansion worth more than `least` dollars, or None if there is none.

    If `only` is given, consider only the company with this id.
    """
    worth = {(company, place): gain for gain, company, place in estimates.expansions(only) if gain > least}
    choices = []
    for entry in legal:
        gain = worth.get((getattr(entry, "company", ""), getattr(entry, "hex", "")))
        if gain is not None:
            choices.append((gain, entry))
    return likely(choices, chance) if choices else None


def prospects_of(estimates: Estimates, growth: float, share: float) -> list[float]:
    """Return, by seat, the estimated final cash in dollars.

    It is the sum of three parts: the current cash, `growth` times the expected dividends of the seat's shares, and
    `share` dollars for each share.
    """
    return [
        player.cash + growth * estimates.worth_of_shares(seat) + share * sum(player.shares.values())
        for seat, player in enumerate(estimates.view.players)
    ]
