"""A bot for rails-cli with its kit for Python: bids low or not at all, and plays random legal actions."""

import secrets
from typing import Any

from rails_cli.bot import Bot, Decision, Request, run
from rails_cli.protocol.common import Bid, BidRange


class MyBot(Bot):
    """Plays one match. Make it clever here: write `decide_build` and so on, or `decide` for everything."""

    def decide_bid(self, bids: list[BidRange]) -> Decision:
        return secrets.choice([Bid(bids[0].min), None])

    def otherwise(self, request: Request[Any, Any, Any]) -> Decision:
        return secrets.randbelow(len(request.legal))


if __name__ == "__main__":
    run(MyBot)
