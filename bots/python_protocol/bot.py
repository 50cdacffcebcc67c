"""A bot that uses `rails_cli.bot`, the kit for Python bots.

The bot bids the minimum or passes, and otherwise plays random legal actions.
"""

from typing import Any

from rails_cli.bot import Bot, Decision, Request, run
from rails_cli.protocol.common import Bid, BidRange


class MyBot(Bot):
    """A bot that plays one match. To improve the bot, add methods like `decide_build`, or `decide` for all requests."""

    def decide_bid(self, bids: list[BidRange]) -> Decision:
        return self.random.choice([Bid(bids[0].min), None])

    def otherwise(self, request: Request[Any, Any, Any]) -> Decision:
        return self.random.randrange(len(request.legal))


if __name__ == "__main__":
    run(MyBot)
