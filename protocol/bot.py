"""Framework for Python bots: the base class `Bot`, and the loop that reads messages and writes answers."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from functools import cache, cached_property
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, BinaryIO, Generic, TypeVar, get_args

import msgspec

from rails_cli.protocol.common import Bid, BidRange
from rails_cli.protocol.lines import (
    LONGEST_WORDS,
    LOOKING_INTO_TYPES,
    BadLine,
    decoding_problem,
    encode,
    with_whole_numbers,
)
from rails_cli.protocol.messages import Answer, End, Join, Rejected, Request, Start, Update

if TYPE_CHECKING:
    from random import Random

    from typing_extensions import TypeVar as TypeVarWithDefault

    EntryT = TypeVarWithDefault("EntryT", default=Any)
    EventT = TypeVarWithDefault("EventT", default=Any)
    ViewT = TypeVarWithDefault("ViewT", default=Any)
    BoardT = TypeVarWithDefault("BoardT", default=Any)

    class _Typed(Generic[EntryT, EventT, ViewT, BoardT]):
        """Base class of `Bot` that only type checkers see. Its parameters are the types of a game."""
else:
    EntryT = EventT = ViewT = BoardT = Any

    class _Typed:
        """Base class of `Bot` at run time, without type parameters. Before Python 3.13, type variables have no
        defaults.
        """

        def __class_getitem__(cls, types):
            return cls


T = TypeVar("T")

LONGEST_NAME = 60
"""Maximum number of characters of an unknown game name in an error message."""

Decision = msgspec.Struct | int | None
"""The answer of a bot. It is one of these:
- an action
- an entry of the list of legal actions (a range of bids stands for its lowest bid)
- an index in this list
- None for the default action
"""


def _say(words: str) -> None:
    """Print `words` on standard error. Only the first LONGEST_WORDS characters are printed, and `?` replaces
    unprintable ones.
    """
    shown = "".join(character if character.isprintable() else "?" for character in words[:LONGEST_WORDS])
    print(shown, file=sys.stderr)


class Bot(_Typed[EntryT, EventT, ViewT, BoardT]):
    """Base class of bots. An instance plays one match, and a subclass makes the decisions.

    Override `decide` to answer every request. Or write a method for each type of legal entry, named `decide_` and the
    type. Legal entries are the elements of the list of legal actions in a request. Such a method gets the legal entries
    of its type and returns a decision:

        def decide_bid(self, bids: list[BidRange]) -> Decision: ...

    Likewise, a method named `on_` and the type of an event is called with each event of that type. For type checkers,
    name the types of a game as in `Bot[Entry, Event, View, Board]`, from a module such as
    `rails_cli.protocol.last_spike`. A type that is not named is `Any`.
    """

    request: Request[EntryT, EventT, ViewT]
    """The open request, or the last request if none is open."""
    info: Any = None
    """Note to send with the next answer. None for no note. `decide` may set it. The note appears in the log and is
    never sent to other seats.
    """
    event_seat: int | None = None
    """Seat to which the current event was sent, while `handle_event` processes the event. None for events of an
    `update` or `end` message.
    """

    def __init__(self, start: Start) -> None:
        self.start = start
        """Start message of the match: game, players, options, clock, board and seat."""

    @cached_property
    def board(self) -> BoardT:
        """Return the board of the match as an instance of the game's `Board` type.

        The board never changes during a match. Raise ValueError if the bot asked the server to leave the board out.
        """
        if self.start.board is None:
            raise ValueError("this bot asked for matches without a board; it has to know it")
        kind: Any = getattr(vocabulary(self.start.game), "Board", Any)
        with LOOKING_INTO_TYPES:
            board: BoardT = msgspec.convert(self.start.board, kind)
        return board

    @cached_property
    def random(self) -> "Random":
        """Return a random number generator, seeded with `start.seed`.

        With the same seed, a bot that uses only this generator makes the same random choices again.
        """
        from random import Random  # slow import, not needed by every bot

        return Random(self.start.seed)

    @property
    def view(self) -> ViewT:
        """Return the view of the open request: the position as its seat sees it. Raise ValueError if the bot asked
        the server to leave views out.
        """
        view = self.request.view
        if view is None:
            raise ValueError("this bot asked for requests without a view; its position is its own to keep")
        return view

    def decide(self, request: Request[EntryT, EventT, ViewT]) -> Decision:
        """Return the answer to `request`.

        Call the method `decide_TYPE` of the bot. TYPE is the first type in the list of legal actions for which the bot
        has such a method. Without any such method, call `otherwise`.
        """
        for kind in dict.fromkeys(map(kind_of, request.legal)):
            method: Callable[[list[EntryT]], Decision] | None = getattr(self, f"decide_{kind}", None)
            if method is not None:
                return method([entry for entry in request.legal if kind_of(entry) == kind])
        return self.otherwise(request)

    def otherwise(self, request: Request[EntryT, EventT, ViewT]) -> Decision:
        """Return the answer to a request for which the bot has no `decide_TYPE` method.

        Unless overridden, return None, which stands for the default action.
        """
        return None

    def handle_event(self, event: EventT) -> None:
        """Process one event. Call the method `on_TYPE` of the bot, if it exists, where TYPE is the type of the event.

        This method is called for every event, in order, before `decide`. A bot that plays several seats (`start.seat`
        is None) gets each event once for each of its seats. The seat is in `event_seat`.
        """
        method: Callable[[EventT], object] | None = getattr(self, f"on_{kind_of(event)}", None)
        if method is not None:
            method(event)

    def updated(self, update: Update[EventT]) -> None:
        """Process an `update` message, which contains new events. Called only if `join` asked for updates."""

    def rejected(self, rejection: Rejected) -> Decision:
        """Return another answer after the server rejected the last answer.

        Unless overridden, return None, which stands for the default action.
        """
        return None

    def ended(self, end: End[EventT]) -> None:
        """Process the `end` message of the match."""


class _Kind(msgspec.Struct):
    """The fields of a message that decide how the message is processed. `match` is the name of the match. `at_once` is
    the number of simultaneous matches in a `hello`.
    """

    type: str = ""
    match: Any = None
    at_once: Any = None


_KIND = msgspec.json.Decoder(_Kind)
_START = msgspec.json.Decoder(Start)


class Conversation:
    """The bot's side of the protocol. It only turns received lines into messages to send, and does no input or output
    itself.

    Matches are played one after another, each with a new bot. If `at_once` in the `hello` of the server is more than 1,
    several matches are played at the same time. Unknown messages and fields are ignored. Legal entries and events of an
    unknown type stay dictionaries. BadLine is raised for a line that cannot be decoded, and for a match of an unknown
    game.
    """

    def __init__(self, make: Callable[[Start], Bot[Any, Any, Any]], join: Join | None = None) -> None:
        """`make` creates the bot for a match from its start message. `join`, if given, is sent in answer to `hello`."""
        self.make = make
        self.join = join
        self.bot: Bot[Any, Any, Any] | None = None
        """Bot of the current match, or of the last match if none is running. None before the first match, and if `make`
        raised an exception. While there is no bot, default actions are played.
        """
        self._asked: Request[Any, Any, Any] | None = None
        """Last request received in the current match. None before the first request."""
        self._open: Request[Any, Any, Any] | None = None
        """Request that must be answered after the server's last line. None if the last line needs no answer."""
        self._read: Callable[[bytes], Any] | None = None
        self._at_once: dict[str, Conversation] | None = None
        """Conversations about simultaneous matches, by match name. None if matches are played one at a time."""
        self._latest: Conversation | None = None
        """Conversation of the match in the server's last line, if several matches are played at once. Otherwise None.
        """

    def hear(self, line: bytes) -> Join | Answer[Any] | None:
        """Process a line from the server. Return the message to send, or None if there is nothing to send.

        An exception of the bot is raised to the caller. The caller can then call `default` to get an answer to send.
        """
        self._open = self._latest = None
        message = _read(line, _KIND.decode)
        if message.type == "hello":
            is_many = isinstance(message.at_once, int) and message.at_once > 1
            self._at_once = {} if is_many else None
        if self._at_once is not None and isinstance(message.match, str):
            return self._hear_of(message, line, self._at_once)
        return self._hear(message.type, line)

    def _hear_of(self, message: _Kind, line: bytes, at_once: dict[str, "Conversation"]) -> Answer[Any] | None:
        """Process a line about one of several simultaneous matches. Return an answer, or None if none is needed.

        `message` contains the type of the line and the name of its match, which are decoded already. `at_once` maps the
        name of each match to its conversation. The returned answer contains the name of its match.
        """
        if message.type == "start":
            at_once[message.match] = Conversation(self.make)
        talk = self._latest = at_once.get(message.match)
        if talk is None:
            return None
        if message.type == "end":
            del at_once[message.match]
        answer: Any
        try:
            answer = talk._hear(message.type, line)
        finally:
            self.bot = talk.bot
        return None if answer is None else msgspec.structs.replace(answer, match=message.match)

    def _hear(self, kind: str, line: bytes) -> Join | Answer[Any] | None:
        self._open = None
        if kind == "hello":
            return self.join
        if kind == "start":
            start = _read(line, lambda line: _START.decode(with_whole_numbers(line)))
            self.bot = self._asked = self._read = None  # an exception below must leave no state of the last match
            self._read = match_reader(start.game)
            self.bot = self.make(start)
        elif kind in ("request", "update", "rejected", "end") and self._read is not None:
            return self._heard(_read(line, self._read))
        elif kind == "error":
            _say(f"error: {line.decode(errors='replace').rstrip()}")
        return None

    def default(self) -> Answer[Any] | None:
        """Return an answer with the default action, for use after the bot raised an exception.

        Return None if the last line needs no answer.
        """
        talk = self._latest or self
        asked = talk._open
        if asked is None:
            return None
        return Answer(asked.number, choice=asked.default, match=None if talk is self else asked.match)

    def _heard(self, message: Any) -> Answer[Any] | None:
        bot, last = self.bot, self._asked
        if isinstance(message, Rejected):
            _say(f"rejected: {message.code}: {message.message}")
            if last is None or last.number != message.number:
                return None
            self._open = last
            return self.default() if bot is None else _answer(bot, last, bot.rejected(message))
        if isinstance(message, Request):
            self._asked = self._open = message
        if bot is None:
            return self.default()
        is_new = True
        bot.event_seat = None
        if isinstance(message, Request):
            is_new = last is None or last.number != message.number
            bot.request = message
            bot.event_seat = message.seat
            bot.info = None
        if is_new:  # a repeated request repeats its events
            for event in message.events:
                bot.handle_event(event)
        if isinstance(message, Request):
            return _answer(bot, message, bot.decide(message))
        if isinstance(message, Update):
            bot.updated(message)
        else:
            bot.ended(message)
        return None


def converse(talk: Conversation, source: Iterable[bytes] | None = None, sink: BinaryIO | None = None) -> None:
    """Read lines from `source`, pass them to `talk`, and write the answers of `talk` to `sink`, until the input ends.

    By default, `source` and `sink` are standard input and output. Each answer is written at once, before the next line
    is read. Text that the bot prints appears on standard error.
    """
    with _stdout_for_answers() if sink is None else _redirected(sink) as answers:
        for line in sys.stdin.buffer if source is None else source:
            message = talk.hear(line)
            if message is not None:
                answers.write(encode(message))
                answers.flush()


@contextmanager
def _redirected(sink: BinaryIO) -> Iterator[BinaryIO]:
    """Yield `sink` as the output for answers. Until the context ends, everything printed with `print` goes to standard
    error.
    """
    with redirect_stdout(sys.stderr):
        yield sink


@contextmanager
def _stdout_for_answers() -> Iterator[BinaryIO]:
    """Yield standard output, reserved for answers. Until the context ends, all other output goes to standard error.

    The other output includes buffered text, and the output of child processes and of libraries in C.
    """
    try:
        is_plain = sys.stdout.fileno() == 1 and os.fstat(2) is not None
    except (OSError, ValueError):
        is_plain = False
    if not is_plain:
        with _redirected(sys.stdout.buffer) as answers:
            yield answers
        return
    with os.fdopen(os.dup(1), "wb") as answers:
        os.dup2(2, 1)
        try:
            with _redirected(answers):
                yield answers
        finally:
            with suppress(OSError):
                sys.stdout.flush()
            os.dup2(answers.fileno(), 1)


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
    """Play matches with functions instead of a `Bot`, until the input ends.

    `decide` gets each request and the start message of its match, and returns a decision. The legal entries, the events
    and the view of a request have the types of the game. These types are in a module such as
    `rails_cli.protocol.last_spike`, or in a module that another package registers as an entry point of the group
    `rails_cli.protocol.games`.

    `join` contains the name and the settings of the bot, such as the form of views. `on_start`, `on_update` and
    `on_end` are called with the `start`, `update` and `end` messages. A rejected answer is reported on standard error,
    and the default action is played instead. `source` and `sink` replace standard input and output.
    """

    class Deciding(Bot[Any, Any, Any]):
        def __init__(self, start: Start) -> None:
            super().__init__(start)
            if on_start is not None:
                on_start(start)

        def decide(self, request: Request[Any, Any, Any]) -> Decision:
            return decide(request, self.start)

        def updated(self, update: Update[Any]) -> None:
            if on_update is not None:
                on_update(update)

        def ended(self, end: End[Any]) -> None:
            if on_end is not None:
                on_end(end)

    converse(Conversation(Deciding, join), source, sink)


def kind_of(part: Any) -> str:
    """Return the `type` of a legal entry, action or event. `part` is a struct, or a dictionary for an unknown type."""
    return str(part.get("type") if isinstance(part, dict) else part.__struct_config__.tag)


def _read(line: bytes, decode: Callable[[bytes], T]) -> T:
    try:
        return decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise BadLine("bad_line", decoding_problem(error)[:LONGEST_WORDS]) from None


def match_reader(game: str) -> Callable[[bytes], Any]:
    """Return a function that decodes messages of a match of `game`. Raise BadLine for an unknown game."""
    with LOOKING_INTO_TYPES:
        return _match_reader(game)


@cache
def _match_reader(game: str) -> Callable[[bytes], Any]:
    words: Any = vocabulary(game)
    entries, events = _fields_by_tag(words.Entry), _fields_by_tag(words.Event)
    known = msgspec.json.Decoder(
        Request[words.Entry, words.Event, words.View] | Update[words.Event] | Rejected | End[words.Event]
    )
    tolerant = msgspec.json.Decoder(
        Request[dict[str, Any], dict[str, Any], words.View] | Update[dict[str, Any]] | Rejected | End[dict[str, Any]]
    )

    def read(line: bytes) -> Any:
        try:
            return known.decode(line)
        except msgspec.ValidationError:  # unknown fields or types, an error, or 7.0 for 7
            plain = with_whole_numbers(line)
        try:
            return known.decode(plain)
        except msgspec.ValidationError:
            message = tolerant.decode(plain)
        if isinstance(message, Rejected):
            return message
        typed = {"events": [_as_struct(event, events) for event in message.events]}
        if isinstance(message, Request):
            typed["legal"] = [_as_struct(entry, entries) for entry in message.legal]
        return msgspec.structs.replace(message, **typed)

    return read


def vocabulary(game: str) -> Any:
    """Return the module with the message types of `game`, from this package or from an entry point of another package.

    Raise BadLine if no package has such a module.
    """
    words: Any = None
    try:
        if find_spec(f"{__package__}.{game}") is not None:
            words = import_module(f"{__package__}.{game}")
        if not hasattr(words, "Entry"):
            words = import_module(_announced(game))
            if not hasattr(words, "Entry"):
                raise ImportError(f"{words.__name__} has no types of a game")
    except (ImportError, ValueError) as error:
        raise BadLine("bad_line", f"a match of {game[:LONGEST_NAME]!r}, a game not known here: {error}") from None
    return words


def _announced(game: str) -> str:
    from importlib.metadata import entry_points  # slow import, needed only for games of other packages

    point = next(iter(entry_points(group="rails_cli.protocol.games", name=game)), None)
    if point is None:
        raise ImportError("no package announces its types")
    return point.value


def _fields_by_tag(union: Any) -> dict[str, tuple[type[msgspec.Struct], set[str]]]:
    """Return a mapping from each `type` in `union` to the struct of that type and the names of the struct's fields."""
    kinds: tuple[type[msgspec.Struct], ...] = get_args(union)
    return {
        str(kind.__struct_config__.tag): (kind, {field.encode_name for field in msgspec.structs.fields(kind)})
        for kind in kinds
    }


def _as_struct(part: dict[str, Any], kinds: dict[str, tuple[type[msgspec.Struct], set[str]]]) -> Any:
    """Convert a decoded entry or event to the struct for its `type`. Return a part of an unknown type unchanged.

    `kinds` maps each known type to its struct and the names of its fields. Fields that the struct does not have are
    left out.
    """
    tag = part.get("type")
    if not isinstance(tag, str) or tag not in kinds:
        return part
    kind, fields = kinds[tag]
    return msgspec.convert({name: value for name, value in part.items() if name in fields}, kind)


def _answer(bot: Bot[Any, Any, Any], request: Request[Any, Any, Any], decision: Any) -> Answer[Any]:
    if decision is None:
        decision = request.default
    if isinstance(decision, BidRange):
        decision = Bid(decision.min)
    if isinstance(decision, int):
        return Answer(request.number, choice=decision, info=bot.info)
    if not isinstance(decision, msgspec.Struct | dict):
        wanted = "an action, an entry of the legal list, its index, or None for the default"
        raise TypeError(f"{type(bot).__name__} decided on {decision!r}; expected {wanted}")
    return Answer(request.number, action=decision, info=bot.info)
