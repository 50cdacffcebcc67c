"""Types for ways of delivering messages to a bot in a check, and for the observed behaviour of the bot."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import msgspec

from rails_cli.protocol.lines import UNDECODABLE


@dataclass(frozen=True)
class Delivery:
    """A way of delivering lines to a bot, usual or unusual."""

    rewrite: Callable[[bytes], bytes] | None = None
    """Function that rewrites a message in another valid form. None leaves messages unchanged."""
    before: bytes = b""
    """Extra line that is sent before every message. Empty for no extra line."""
    split: Callable[[bytes], list[bytes]] | None = None
    """Function that splits a line into pieces, which are written separately with pauses. None writes whole lines."""
    together: bool = False
    """Whether a request and all messages since the previous request are sent in one write."""
    refuse: bool = False
    """Whether the first answer of the bot is rejected, as a test."""
    repeat: bool = False
    """Whether every request is sent a second time after it was answered."""
    pause_s: float = 0.003
    """Seconds between two writes of one message that is sent to the bot in several parts."""
    wake_s: float = 0.0
    """Seconds to wait after the start of a process, so that it is already reading when the first part is written."""


PLAIN = Delivery()


class Slip(NamedTuple):
    """A mistake of the bot that `CheckedBot` recorded and corrected, such as a wrong request number.

    `line` is the bot's line as printable text, and `words` say what is wrong. `kind` is the last kind of decision that
    the bot was asked for.
    """

    code: str
    line: str
    words: str
    number: int | None
    """Number of the request at which the bot made the mistake. None before the first request."""
    kind: str


def transcribed(sign: str, line: bytes) -> bytes:
    """Return `line` for a transcript. `sign` is `>` for lines to the bot, `<` for its output, `#` for headings."""
    return f"{sign} ".encode() + line.rstrip(b"\n") + b"\n"


@dataclass
class Observations:
    """Observations of all processes of a bot. For each kind of mistake, only the first example is stored.

    `transcript` stores a line (see `transcribed`). `first_ms` has the time of the first answer of each process, and
    `answer_ms` the times of later answers. `joins` is the number of `join` messages. `most_stderr` is the largest
    number of bytes that were written to stderr in a match. The fields from `bad_join` to `print_line` are examples of
    the bot's lines, or empty.
    """

    transcript: Callable[[str, bytes], None]
    first_ms: list[float] = field(default_factory=list)
    answer_ms: list[float] = field(default_factory=list)
    joins: int = 0
    bad_join: str = ""
    strange_line: str = ""
    wrong_number: str = ""
    second_answer: str = ""
    print_line: str = ""
    ignores_rejections: bool = False
    most_stderr: int = 0
    memory_bytes: list[int] = field(default_factory=list)
    """Memory in bytes of one process after each of several consecutive matches."""
    growth_bytes: float | None = None
    """Memory growth in bytes per answer, measured after the first matches. None if not measured."""

    @property
    def has_answered(self) -> bool:
        return bool(self.first_ms)


def kind_of(types: Sequence[str]) -> str:
    """Return the name of a kind of decision: the different types of its legal entries, joined by slashes."""
    return "/".join(dict.fromkeys(types))


def as_object(line: bytes) -> dict[str, Any]:
    """Decode a line and return its JSON object. Return an empty dict if the line is anything else."""
    try:
        message = msgspec.json.decode(line)
    except UNDECODABLE:
        return {}
    return message if isinstance(message, dict) else {}


def shown(line: bytes, limit: int = 120) -> str:
    """Return a line as printable text. Longer lines are cut after `limit` characters."""
    text = line.decode(errors="replace").strip()
    text = "".join(letter if letter.isprintable() else "?" for letter in text)
    return text if len(text) <= limit else f"{text[:limit]}..."
