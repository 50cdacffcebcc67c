"""How messages are delivered to a bot in a check, and what was observed of the bot."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import msgspec


@dataclass(frozen=True)
class Delivery:
    """The way in which lines are delivered to a bot."""

    rewrite: Callable[[bytes], bytes] | None = None
    """Function that rewrites a message in another valid form."""
    before: bytes = b""
    """A line inserted before every message."""
    split: Callable[[bytes], list[bytes]] | None = None
    """Function that splits a line into pieces, which are delivered separately with pauses."""
    together: bool = False
    """Whether messages before a request are delivered in one write with the request."""
    refuse: bool = False
    """Whether the very first answer is rejected."""
    repeat: bool = False
    """Whether every request is sent again after its answer."""
    pause_s: float = 0.003
    """Seconds to wait after each piece of a line."""
    wake_s: float = 0.0
    """Seconds to wait after the start of a process, so that it already reads when the first piece arrives."""


PLAIN = Delivery()


class Slip(NamedTuple):
    """A mistake of the bot that `CheckedBot` corrected, such as a wrong request number."""

    code: str
    line: str
    words: str
    number: int | None
    """Number of the request at which the bot made the mistake."""
    kind: str


def transcribed(sign: str, line: bytes) -> bytes:
    """Return a line of a transcript. `sign` is > for lines to the bot, < for lines from it, # for headings."""
    return f"{sign} ".encode() + line.rstrip(b"\n") + b"\n"


@dataclass
class Observations:
    """What was observed of a bot over all its processes, with one example of each mistake."""

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
    """Memory of one process in bytes after each of several consecutive matches."""
    growth_bytes: float | None = None
    """Growth of memory in bytes per answer, without the first matches. None if not measured."""

    @property
    def has_answered(self) -> bool:
        return bool(self.first_ms)


def kind_of(types: Sequence[str]) -> str:
    """Return the kind of a decision: the different types of its legal entries, joined by slashes."""
    return "/".join(dict.fromkeys(types))


def as_object(line: bytes) -> dict[str, Any]:
    """Return the JSON object in a line, or an empty dict if there is none."""
    try:
        message = msgspec.json.decode(line)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        return {}
    return message if isinstance(message, dict) else {}


def shown(line: bytes, limit: int = 120) -> str:
    """Return a line as printable text, shortened to `limit` characters."""
    text = line.decode(errors="replace").strip()
    text = "".join(letter if letter.isprintable() else "?" for letter in text)
    return text if len(text) <= limit else f"{text[:limit]}..."
