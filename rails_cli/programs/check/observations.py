"""How messages are delivered to a bot under test, and what was observed of it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import msgspec


@dataclass(frozen=True)
class Delivery:
    """How lines are delivered to a bot."""

    rewrite: Callable[[bytes], bytes] | None = None
    """Rewrites a message in another valid form."""
    before: bytes = b""
    """A line inserted before every message."""
    split: Callable[[bytes], list[bytes]] | None = None
    """Splits a line into pieces, which are delivered separately with pauses."""
    together: bool = False
    """Whether messages before a request are held back and delivered with it in one write."""
    refuse: bool = False
    """Whether the very first answer is rejected."""
    repeat: bool = False
    """Whether every request is repeated after its answer."""
    pause_s: float = 0.003
    """Seconds to wait after each piece."""
    wake_s: float = 0.0
    """Seconds to wait for a new process, so that it reads when the first piece arrives."""


PLAIN = Delivery()


class Slip(NamedTuple):
    """A mistake of the bot that `CheckedBot` corrected, such as a wrong request number."""

    code: str
    line: str
    words: str
    number: int | None
    """Number of the request at which it was made."""
    kind: str


def transcribed(sign: str, line: bytes) -> bytes:
    """Return a line of a transcript: > to the bot, < from the bot, # start of a check or match."""
    return f"{sign} ".encode() + line.rstrip(b"\n") + b"\n"


@dataclass
class Observations:
    """Observations of a bot over all its processes, with one example of each mistake."""

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
    """Growth in bytes per answer, after the warm-up."""

    @property
    def has_answered(self) -> bool:
        return bool(self.first_ms)


def kind_of(types: Sequence[str]) -> str:
    """Return the kind of a decision: the types in its legal list."""
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
