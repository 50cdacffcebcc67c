"""Unusual but valid ways to write a line, and to split it into pieces."""

import json
from typing import Any

import msgspec

from rails_cli.programs.check.observations import as_object

PADDING = 600_000


def with_new_fields(line: bytes) -> bytes:
    """Add an unknown field wherever one is allowed. Entries of `legal` are unchanged, because bots send them back."""
    message = as_object(line)
    news = {"deep": [1, None, True, "text"]}
    for inner in (message, message.get("view"), message.get("clock"), message.get("board"), *message.get("events", [])):
        if isinstance(inner, dict):
            inner["new_field"] = news
    return msgspec.json.encode(message) + b"\n"


def with_new_events(line: bytes) -> bytes:
    """Add events of an unknown type before and after the real ones."""
    message = as_object(line)
    if "events" in message:
        news = {"type": "weather_changed", "sky": "grey", "wind": [3, "NW"]}
        message["events"] = [news, *message["events"], news]
    return msgspec.json.encode(message) + b"\n"


def with_padding(line: bytes) -> bytes:
    """Make a request long by an unknown field."""
    message = as_object(line)
    if message["type"] != "request":
        return line
    return msgspec.json.encode({**message, "padding": "x" * PADDING}) + b"\n"


def with_spaces(line: bytes) -> bytes:
    """Make a request long by white space."""
    return line.replace(b"{", b"{" + b" " * PADDING, 1) if as_object(line)["type"] == "request" else line


def reformatted(line: bytes) -> bytes:
    """Reverse all keys, add white space, and escape non-ASCII letters."""
    return json.dumps(_backwards(as_object(line)), separators=(" ,\t", " :  ")).encode() + b" \n"


def _backwards(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _backwards(inner) for key, inner in reversed(value.items())}
    if isinstance(value, list):
        return [_backwards(inner) for inner in value]
    return value


def small_pieces(line: bytes) -> list[bytes]:
    """Split off the first and last bytes one by one, and the rest in a few pieces."""
    head, tail = range(len(line))[:8], range(len(line))[8:][-4:]
    return _cut(line, [*head, *range(len(line))[8 : -4 : max(1, len(line) // 6)], *tail])


def split_letters(line: bytes) -> list[bytes]:
    """Split inside every character of more than one byte."""
    return _cut(line, [0, *(place for place, byte in enumerate(line) if byte & 0xC0 == 0x80)])


def _cut(line: bytes, places: list[int]) -> list[bytes]:
    return [line[start:end] for start, end in zip(places, [*places[1:], len(line)], strict=True)]
