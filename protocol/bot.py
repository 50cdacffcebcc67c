"""The loop a Python bot needs: reads the server's messages, asks for a decision at each request, writes the answers."""

import sys
from collections.abc import Callable, Iterable
from contextlib import redirect_stdout
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any, BinaryIO, TypeVar, get_args

import msgspec

from protocol.common import Bid, BidRange
from protocol.lines import LONGEST_WORDS, BadLine, encode
from protocol.messages import Answer, End, Join, Rejected, Request, Start, Update

T = TypeVar("T")

LONGEST_NAME = 60

Decision = msgspec.Struct | int
"""An action, an entry of the legal list (for a bid range this bids its minimum), or an index in the legal list."""


class _Kind(msgspec.Struct):
    """What every message has."""

    type: str = ""


_KIND = msgspec.json.Decoder(_Kind)
_START = msgspec.json.Decoder(Start)


def run(
    decide: Callable[[Request[Any, Any, Any], Start], Decision],
    *,
    join: Join | None = None,
    on_start: Callable[[Start], object] | None = None,
    on_update: Callable[[Update[Any]], object] | None = None,
    on_end: Callable[[End[Any]], object] | None = None,
    source: Iterable[bytes] | None = None,
    sink: BinaryIO | None = None,
) -> None:
    """Plays match after match until the input ends.

    `decide` is given each request and the start of its match, which names the game. Entries, events and view of a
    request have the types of that game: those of `protocol.last_spike`, and so on, or of a module that another package
    announces by an entry point of the group `protocol.games`.

    `join` introduces the bot, and may ask for requests without a view, or for updates. `on_start`, `on_update` and
    `on_end` are told of these messages. An answer that the server rejects is reported on standard error, and the
    default of its request is played instead. What the functions print goes to standard error, too.

    Messages and fields that this version does not know are passed over; an entry or event of a type that it does not
    know stays a dictionary. A line that cannot be read, or a match of a game that is not known here, raises BadLine.
    Lines come from standard input and answers go to standard output, unless a `source` and a `sink` are given.
    """
    lines = sys.stdin.buffer if source is None else source
    answers = sys.stdout.buffer if sink is None else sink
    start: Start | None = None
    request: Request[Any, Any, Any] | None = None
    read: Callable[[bytes], Any] | None = None

    def say(message: Any) -> None:
        answers.write(encode(message))
        answers.flush()

    with redirect_stdout(sys.stderr):
        for line in lines:
            kind = _read(line, _KIND.decode).type
            if kind == "hello" and join is not None:
                say(join)
            elif kind == "start":
                start, request = _read(line, _START.decode), None
                if on_start is not None:
                    on_start(start)
                read = match_reader(start.game)
            elif kind in ("request", "update", "rejected", "end") and start is not None and read is not None:
                message = _read(line, read)
                if isinstance(message, Request):
                    request = message
                    say(_answer(request.number, decide(request, start)))
                elif isinstance(message, Rejected):
                    print(f"rejected: {message.code}: {message.message}")
                    if request is not None and message.number == request.number:
                        say(Answer(request.number, choice=request.default))
                elif isinstance(message, Update):
                    if on_update is not None:
                        on_update(message)
                elif on_end is not None:
                    on_end(message)
            elif kind == "error":
                print(f"error: {line.decode(errors='replace').rstrip()}")


def _read(line: bytes, decode: Callable[[bytes], T]) -> T:
    try:
        return decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise BadLine("bad_line", str(error)[:LONGEST_WORDS]) from None


@cache
def match_reader(game: str) -> Callable[[bytes], Any]:
    """Reads what a server says during a match of this game. Raises BadLine for a game without a vocabulary here."""
    words: Any = _vocabulary(game)
    entries, events = _fields_by_tag(words.Entry), _fields_by_tag(words.Event)
    spoken = (
        Request[dict[str, Any], dict[str, Any], words.View] | Update[dict[str, Any]] | Rejected | End[dict[str, Any]]
    )
    decoder = msgspec.json.Decoder(spoken)

    def read(line: bytes) -> Any:
        message = decoder.decode(line)
        if isinstance(message, Rejected):
            return message
        typed = {"events": [_typed(event, events) for event in message.events]}
        if isinstance(message, Request):
            typed["legal"] = [_typed(entry, entries) for entry in message.legal]
        return msgspec.structs.replace(message, **typed)

    return read


def _vocabulary(game: str) -> Any:
    """The module with the types of a game: one beside this, or one that the package of another game announces."""
    announced = entry_points(group="protocol.games", name=game)
    try:
        words = import_module(next((point.value for point in announced), f"protocol.{game}"))
        if not hasattr(words, "Entry"):
            raise ImportError(f"{words.__name__} has no types of a game")
    except (ImportError, ValueError) as error:
        raise BadLine("bad_line", f"a match of {game[:LONGEST_NAME]!r}, a game not known here: {error}") from None
    return words


def _fields_by_tag(union: Any) -> dict[str, tuple[type[msgspec.Struct], set[str]]]:
    """The structs of a union, and their fields, by what stands in `type`."""
    kinds: tuple[type[msgspec.Struct], ...] = get_args(union)
    return {
        str(kind.__struct_config__.tag): (kind, {field.encode_name for field in msgspec.structs.fields(kind)})
        for kind in kinds
    }


def _typed(part: dict[str, Any], kinds: dict[str, tuple[type[msgspec.Struct], set[str]]]) -> Any:
    """An entry or event as its struct. Entries are also actions, which refuse what they do not know: it is left out."""
    tag = part.get("type")
    if not isinstance(tag, str) or tag not in kinds:
        return part
    kind, fields = kinds[tag]
    return msgspec.convert({name: value for name, value in part.items() if name in fields}, kind)


def _answer(number: int, decision: Decision) -> Answer[Any]:
    if isinstance(decision, int):
        return Answer(number, choice=decision)
    return Answer(number, action=Bid(decision.min) if isinstance(decision, BidRange) else decision)
