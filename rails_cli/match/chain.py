"""The lines of a log as they are written: a running hash goes along, and the result seals all that stands before it."""

from collections.abc import Sequence
from hashlib import sha256
from typing import Any

import msgspec

from protocol.log import ResultLine

_ENCODER = msgspec.json.Encoder()


class Chain:
    """Writes a log that starts, or goes on after the lines of which `update` tells."""

    def __init__(self) -> None:
        self._hash = sha256()

    @property
    def head(self) -> str:
        """The SHA-256 of all that was written so far; of a whole log it is that of its file."""
        return self._hash.hexdigest()

    def update(self, content: bytes) -> None:
        """What stands in the log already."""
        self._hash.update(content)

    def line(self, message: Any) -> bytes:
        """A message as the next line."""
        if type(message) is ResultLine:
            message = msgspec.structs.replace(message, chain=self.head)
        content = _ENCODER.encode(message) + b"\n"
        self._hash.update(content)
        return content

    def lines(self, messages: Sequence[Any]) -> bytes:
        """Many messages as the next lines; a result can only be the last."""
        content = _ENCODER.encode_lines(messages[:-1])
        self._hash.update(content)
        return content + self.line(messages[-1])


def log_of(messages: Sequence[Any]) -> bytes:
    """A whole log."""
    return Chain().lines(messages)
