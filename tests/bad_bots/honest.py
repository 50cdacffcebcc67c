"""A bot that does nothing wrong, and what the others are made from."""

import json
import sys
from typing import Any


def requests() -> Any:
    """The requests, one after another."""
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "request":
            yield message


def questions() -> Any:
    """The requests, each once more for every answer that was rejected."""
    request: Any = None
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "request":
            request = message
        if message["type"] in ("request", "rejected"):
            yield request


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def answer(request: dict[str, Any]) -> None:
    """Takes the first entry of the legal list every third time, else the mildest."""
    choice = 0 if request["number"] % 3 == 0 else request["default"]
    say(json.dumps({"type": "action", "number": request["number"], "choice": choice}))


if __name__ == "__main__":
    for request in requests():
        answer(request)
