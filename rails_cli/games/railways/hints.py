"""What the greedy bots of railways think of a share in an auction."""

from typing import Any

from protocol.common import Bid, BidRange, Pass
from rails_cli.games.decision import Decision


def limit(decision: Decision, outlook: Any) -> str:
    """Up to where the bot would go."""
    entry = decision.legal[0]
    company = decision.view.auction.company
    if type(entry) is not BidRange:
        return "It cannot bid."
    highest = 0
    for amount in range(entry.min, entry.max + 1):
        if outlook.bid([BidRange(amount, amount), Pass()]) != Bid(amount):
            break
        highest = amount
    dividends = f"about {outlook.dividends:.1f}" if isinstance(outlook.dividends, float) else str(outlook.dividends)
    if not highest:
        return f"With {dividends} dividends to come it thinks a {company} share earns less than ${entry.min}."
    return f"With {dividends} dividends to come it would go up to ${highest} for a {company} share."


def expansion(worth: float) -> str:
    return f"It thinks the way it has in mind is worth about ${worth:.0f} until the end."
