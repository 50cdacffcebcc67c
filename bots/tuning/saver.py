"""A bot for The Last Spike with a parameter: it plays the cheapest piece, and buys land if enough cash is left."""

import json
import os
import sys
from typing import Any

RESERVE = int(os.environ.get("RESERVE", "50000"))
"""Dollars that the bot keeps when it buys land. The default is too high on purpose, so that the bot almost never buys
and tuning can improve it.
"""


def decide(request: dict[str, Any]) -> int:
    """Return the index in request["legal"] of the action to play."""
    legal = request["legal"]
    kind = legal[0]["type"]
    if kind == "play":
        return min(range(len(legal)), key=lambda choice: legal[choice]["cost"])
    if kind == "buy":
        offers = [choice for choice, entry in enumerate(legal) if entry["type"] == "buy"]
        cheapest = min(offers, key=lambda choice: legal[choice]["cost"])
        if request["view"]["players"][request["seat"]]["cash"] - legal[cheapest]["cost"] >= RESERVE:
            return cheapest
    return request["default"]


for line in sys.stdin.buffer:
    message = json.loads(line)
    if message["type"] == "request":
        answer = {"type": "action", "number": message["number"], "choice": decide(message)}
        print(json.dumps(answer), flush=True)
