"""A bot for rails-cli with the typed messages of its `protocol` package: answers with a random legal action."""

import secrets
from typing import Any

from protocol.bot import run
from protocol.messages import Request, Start


def decide(request: Request[Any, Any, Any], start: Start) -> int:
    """The index in request.legal of the action to play, or an action. Make it clever here."""
    return secrets.randbelow(len(request.legal))


run(decide)
