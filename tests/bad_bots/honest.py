"""A bot that does nothing wrong, and what the others are made from."""

import sys
from _json import make_scanner  # tests start it a thousand times, and most of that would be for the rest of json

TYPE_CHECKING = False
if TYPE_CHECKING:  # the same holds of typing
    from collections.abc import Iterator
    from typing import Any


class _How:
    strict = True
    object_hook = object_pairs_hook = None
    parse_float, parse_int, parse_constant = float, int, float


_scan: "Any" = make_scanner(_How)  # type: ignore[arg-type]


def read(line: str) -> "dict[str, Any]":
    """The message that a line is."""
    message: dict[str, Any] = _scan(line, 0)[0]
    return message


def requests() -> "Iterator[dict[str, Any]]":
    """The requests, one after another."""
    for line in sys.stdin:
        message = read(line)
        if message["type"] == "request":
            yield message


def questions() -> "Iterator[dict[str, Any]]":
    """The requests, each once more for every answer that was rejected."""
    request: dict[str, Any] = {}
    for line in sys.stdin:
        message = read(line)
        if message["type"] == "request":
            request = message
        if message["type"] in ("request", "rejected"):
            yield request


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def choose(number: int, choice: int) -> None:
    say(f'{{"type": "action", "number": {number}, "choice": {choice}}}')


def answer(request: "dict[str, Any]") -> None:
    """Takes the first entry of the legal list every third time, else the mildest."""
    choose(request["number"], 0 if request["number"] % 3 == 0 else request["default"])


if __name__ == "__main__":
    for request in requests():
        answer(request)
