"""The log of a game as lines of JSON."""

from collections.abc import Sequence
from typing import Any

import msgspec

_ENCODER = msgspec.json.Encoder()


def line_of(message: Any) -> bytes:
    """A message as one line of a log."""
    return _ENCODER.encode(message) + b"\n"


def log_of(messages: Sequence[Any]) -> bytes:
    """Many messages as the lines of a log."""
    return _ENCODER.encode_lines(messages)
