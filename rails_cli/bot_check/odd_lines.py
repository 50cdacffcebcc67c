"""Odd but lawful ways to write a line, and to cut it into pieces."""

import json
from typing import Any

import msgspec

from rails_cli.bot_check.checked_bot import as_object

PADDING = 600_000


def with_new_fields(line: bytes) -> bytes:
    """A field that does not exist yet, in all places where one may be added; entries of `legal` are left alone, since
    bots send them back."""
    message = as_object(line)
    news = {"deep": [1, None, True, "text"]}
    for inner in (message, message.get("view"), message.get("clock"), message.get("board"), *message.get("events", [])):
        if isinstance(inner, dict):
            inner["new_field"] = news
    return msgspec.json.encode(message) + b"\n"


def with_new_events(line: bytes) -> bytes:
    """Events of a type that does not exist yet, before and after the true ones."""
    message = as_object(line)
    if "events" in message:
        news = {"type": "weather_changed", "sky": "grey", "wind": [3, "NW"]}
        message["events"] = [news, *message["events"], news]
    return msgspec.json.encode(message) + b"\n"


def with_padding(line: bytes) -> bytes:
    """A long request: by a field that does not exist yet."""
    message = as_object(line)
    if message["type"] != "request":
        return line
    return msgspec.json.encode({**message, "padding": "x" * PADDING}) + b"\n"


def with_spaces(line: bytes) -> bytes:
    """A long request: by white space."""
    return line.replace(b"{", b"{" + b" " * PADDING, 1) if as_object(line)["type"] == "request" else line


def laid_out(line: bytes) -> bytes:
    """All keys in backward order, white space between the parts, letters escaped."""
    return json.dumps(_backwards(as_object(line)), separators=(" ,\t", " :  ")).encode() + b" \n"


def _backwards(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _backwards(inner) for key, inner in reversed(value.items())}
    if isinstance(value, list):
        return [_backwards(inner) for inner in value]
    return value


def crumbs(line: bytes) -> list[bytes]:
    """The first and last bytes one by one, the rest in a few pieces."""
    head, tail = range(len(line))[:8], range(len(line))[8:][-4:]
    return _cut(line, [*head, *range(len(line))[8 : -4 : max(1, len(line) // 6)], *tail])


def split_letters(line: bytes) -> list[bytes]:
    """Cut inside every letter that has more than one byte."""
    return _cut(line, [0, *(place for place, byte in enumerate(line) if byte & 0xC0 == 0x80)])


def _cut(line: bytes, places: list[int]) -> list[bytes]:
    return [line[start:end] for start, end in zip(places, [*places[1:], len(line)], strict=True)]
