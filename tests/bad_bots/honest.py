"""A bot without faults, and the functions that the other bots share."""

import sys
from _json import make_scanner  # importing all of json would take most of the start-up time

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing typing would take long, too
    from collections.abc import Iterator
    from typing import Any


class _DecoderOptions:
    strict = True
    object_hook = object_pairs_hook = None
    parse_float, parse_int, parse_constant = float, int, float


_scan: "Any" = make_scanner(_DecoderOptions)  # type: ignore[arg-type]


def read(line: str) -> "dict[str, Any]":
    """Return the message in `line`."""
    message: dict[str, Any] = _scan(line, 0)[0]
    return message


def requests() -> "Iterator[dict[str, Any]]":
    """Yield the requests from standard input."""
    for line in sys.stdin:
        message = read(line)
        if message["type"] == "request":
            yield message


def questions() -> "Iterator[dict[str, Any]]":
    """Yield each request once, and again each time an answer to the request is rejected."""
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
    """Send an answer to `request`.

    At every third request, the answer is the first entry of the list of legal actions. Otherwise it is the default
    action.
    """
    choose(request["number"], 0 if request["number"] % 3 == 0 else request["default"])


if __name__ == "__main__":
    for request in requests():
        answer(request)
