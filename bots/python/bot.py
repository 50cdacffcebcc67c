"""A bot for rails-cli: answers every request with a random legal action."""

import json
import random
import sys
from typing import Any


def decide(request: dict[str, Any]) -> int:
    """Return the index in request["legal"] of the action to play. Replace the random choice with your own."""
    return random.randrange(len(request["legal"]))


for line in sys.stdin.buffer:
    message = json.loads(line)
    if message["type"] == "start":
        random.seed(message.get("seed"))
    elif message["type"] == "request":
        answer = {"type": "action", "number": message["number"], "choice": decide(message)}
        print(json.dumps(answer), flush=True)
