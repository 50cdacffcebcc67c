"""What a Python bot needs: a player to write, and the loop that reads messages and writes its answers."""

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
from rails_cli.protocol.lines import LONGEST_WORDS, LOOKING_INTO_TYPES, BadLine, encode, with_whole_numbers
from rails_cli.protocol.messages import Answer, End, Join, Rejected, Request, Start, Update

if TYPE_CHECKING:
    from typing_extensions import TypeVar as TypeVarWithDefault

    EntryT = TypeVarWithDefault("EntryT", default=Any)
    EventT = TypeVarWithDefault("EventT", default=Any)
    ViewT = TypeVarWithDefault("ViewT", default=Any)
    BoardT = TypeVarWithDefault("BoardT", default=Any)

    class _Typed(Generic[EntryT, EventT, ViewT, BoardT]):
        """What has the types of a game."""
else:
    EntryT = EventT = ViewT = BoardT = Any

    class _Typed:
        """The same while it runs, where Python before 3.13 would want all types or none."""

        def __class_getitem__(cls, types):
            return cls


T = TypeVar("T")

LONGEST_NAME = 60

Decision = msgspec.Struct | int | None
"""An action, an entry of the legal list (for a bid range this bids its minimum), an index in the legal list, or None
for the default of the request."""


def _say(words: str) -> None:
    """What a server says may end up on a terminal, and may come from anybody."""
    shown = "".join(character if character.isprintable() else "?" for character in words[:LONGEST_WORDS])
    print(shown, file=sys.stderr)


class Bot(_Typed[EntryT, EventT, ViewT, BoardT]):
    """Plays one match; a subclass makes the decisions.

    Each match has its own bot, so whatever it remembers belongs to that match.

    Override `decide` to answer every request, or write a method for each kind of decision. It is called `decide_` and
    the `type` of legal entries, is given the entries of that type, and returns a decision:

        def decide_bid(self, bids: list[BidRange]) -> Decision: ...

    Likewise a method `on_` and the `type` of an event is called with each such event. The types of a game may be
    named, as in `Bot[Entry, Event, View, Board]`, with those of `rails_cli.protocol.last_spike`, and so on; those left
    out may be any.
    """

    request: Request[EntryT, EventT, ViewT]
    """What is asked, or was asked last."""
    info: Any = None
    """Set while deciding: goes into the log with the answer, never to other seats."""
    told_as: int | None = None
    """The seat of the request that tells of events; None while an update or the end of the match does."""

    def __init__(self, start: Start) -> None:
        self.start = start
        """The match: its game, players, options, clock and board, and the seat to play."""

    @cached_property
    def board(self) -> BoardT:
        """What does not change: geometry, names and costs, with the types of the game."""
        if self.start.board is None:
            raise ValueError("this bot asked for matches without a board; it has to know it")
        kind: Any = getattr(vocabulary(self.start.game), "Board", Any)
        with LOOKING_INTO_TYPES:
            board: BoardT = msgspec.convert(self.start.board, kind)
        return board

    @property
    def view(self) -> ViewT:
        """Everything this seat may see, as it is asked."""
        view = self.request.view
        if view is None:
            raise ValueError("this bot asked for requests without a view; its position is its own to keep")
        return view

    def decide(self, request: Request[EntryT, EventT, ViewT]) -> Decision:
        """The answer to any request: by the method for the first kind of entry that has one, else `otherwise`."""
        for kind in dict.fromkeys(map(kind_of, request.legal)):
            method: Callable[[list[EntryT]], Decision] | None = getattr(self, f"decide_{kind}", None)
            if method is not None:
                return method([entry for entry in request.legal if kind_of(entry) == kind])
        return self.otherwise(request)

    def otherwise(self, request: Request[EntryT, EventT, ViewT]) -> Decision:
        """The answer to a request of a kind without a method; as it stands, the default of the request."""
        return None

    def told(self, event: EventT) -> None:
        """Hears of everything that happens, in order and before deciding; by the method for that kind of event.

        A bot that plays several seats, with `start.seat` null, hears of it once for each of them: `told_as` says which.
        """
        method: Callable[[EventT], object] | None = getattr(self, f"on_{kind_of(event)}", None)
        if method is not None:
            method(event)

    def updated(self, update: Update[EventT]) -> None:
        """Something happened at somebody else's turn; for bots that ask for that in `join`."""

    def rejected(self, rejection: Rejected) -> Decision:
        """Another answer, after the server did not take one; as it stands, the default of the request."""
        return None

    def ended(self, end: End[EventT]) -> None:
        """The match is over."""


class _Kind(msgspec.Struct):
    """What a message has that says what to do with it."""

    type: str = ""
    match: Any = None
    at_once: Any = None


_KIND = msgspec.json.Decoder(_Kind)
_START = msgspec.json.Decoder(Start)


class Conversation:
    """What bots say to a server, without input or output.

    Matches are played one after another, each with a new bot; or several at once, if the server's hello says so.

    Messages and fields that this version does not know are ignored; an entry or event of a type that it does not
    know stays a dictionary. A line that cannot be read, or a match of a game that is not known here, raises BadLine.
    """

    def __init__(self, make: Callable[[Start], Bot[Any, Any, Any]], join: Join | None = None) -> None:
        """`make` is given the start of each match and makes its bot; `join` introduces it."""
        self.make = make
        self.join = join
        self.bot: Bot[Any, Any, Any] | None = None
        """The one of the match that is being played, or was last; None if `make` raised: the defaults are played."""
        self._asked: Request[Any, Any, Any] | None = None
        """The request that was heard last in this match."""
        self._open: Request[Any, Any, Any] | None = None
        """The request that the line heard last wants an answer to."""
        self._read: Callable[[bytes], Any] | None = None
        self._at_once: dict[str, Conversation] | None = None
        """The conversations about matches that are played at once, by their names."""
        self._latest: Conversation | None = None
        """The one of them that the line heard last belongs to."""

    def hear(self, line: bytes) -> Join | Answer[Any] | None:
        """A line from the server; what the bot says to it. If the bot raises instead, `default` may be said."""
        self._open = self._latest = None
        told = _read(line, _KIND.decode)
        if told.type == "hello":
            is_many = isinstance(told.at_once, int) and told.at_once > 1
            self._at_once = {} if is_many else None
        if self._at_once is not None and isinstance(told.match, str):
            return self._hear_of(told, line, self._at_once)
        return self._hear(told.type, line)

    def _hear_of(self, told: _Kind, line: bytes, at_once: dict[str, "Conversation"]) -> Answer[Any] | None:
        """A line about one of the matches that are played at once; the answer names it."""
        if told.type == "start":
            at_once[told.match] = Conversation(self.make)
        talk = self._latest = at_once.get(told.match)
        if talk is None:
            return None
        if told.type == "end":
            del at_once[told.match]
        answer: Any
        try:
            answer = talk._hear(told.type, line)
        finally:
            self.bot = talk.bot
        return None if answer is None else msgspec.structs.replace(answer, match=told.match)

    def _hear(self, kind: str, line: bytes) -> Join | Answer[Any] | None:
        self._open = None
        if kind == "hello":
            return self.join
        if kind == "start":
            start = _read(line, lambda line: _START.decode(with_whole_numbers(line)))
            self.bot = self._asked = self._read = None  # whatever is raised now, nothing of the last match goes on
            self._read = match_reader(start.game)
            self.bot = self.make(start)
        elif kind in ("request", "update", "rejected", "end") and self._read is not None:
            return self._heard(_read(line, self._read))
        elif kind == "error":
            _say(f"error: {line.decode(errors='replace').rstrip()}")
        return None

    def default(self) -> Answer[Any] | None:
        """The mildest answer to the line that was heard last, for a bot that failed; None if it wants no answer."""
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
        bot.told_as = None
        if isinstance(message, Request):
            is_new = last is None or last.number != message.number
            bot.request = message
            bot.told_as = message.seat
            bot.info = None
        if is_new:  # a request that comes again tells the same again
            for event in message.events:
                bot.told(event)
        if isinstance(message, Request):
            return _answer(bot, message, bot.decide(message))
        if isinstance(message, Update):
            bot.updated(message)
        else:
            bot.ended(message)
        return None


def converse(talk: Conversation, source: Iterable[bytes] | None = None, sink: BinaryIO | None = None) -> None:
    """Reads lines and writes answers until the input ends, on standard input and output unless others are given.

    An answer is written as soon as it is known, whatever has to be thought of next. What the bot prints meanwhile goes
    to standard error.
    """
    with _stdout_for_answers() if sink is None else _redirected(sink) as answers:
        for line in sys.stdin.buffer if source is None else source:
            message = talk.hear(line)
            if message is not None:
                answers.write(encode(message))
                answers.flush()


@contextmanager
def _redirected(sink: BinaryIO) -> Iterator[BinaryIO]:
    """A place for answers, while prints go to standard error."""
    with redirect_stdout(sys.stderr):
        yield sink


@contextmanager
def _stdout_for_answers() -> Iterator[BinaryIO]:
    """Standard output for answers alone: whatever else is written there goes to standard error.

    So does what was printed before and is still on its way, and what children and libraries in C write.
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
    """Plays match after match with functions instead of a `Bot`, until the input ends.

    `decide` is given each request and the start of its match, which names the game. Entries, events and view of a
    request have the types of that game: those of `rails_cli.protocol.last_spike`, and so on, or of a module that
    another package announces by an entry point of the group `rails_cli.protocol.games`.

    `join` introduces the bot, and may ask for requests without a view, or for updates. `on_start`, `on_update` and
    `on_end` are told of these messages. An answer that the server rejects is reported on standard error, and the
    default of its request is played instead.
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
    """What stands in `type` of an entry, action or event; those that this version does not know are dictionaries."""
    return str(part.get("type") if isinstance(part, dict) else part.__struct_config__.tag)


def _read(line: bytes, decode: Callable[[bytes], T]) -> T:
    try:
        return decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise BadLine("bad_line", str(error)[:LONGEST_WORDS]) from None


def match_reader(game: str) -> Callable[[bytes], Any]:
    """Reads what a server says during a match of this game. Raises BadLine for a game without a vocabulary here."""
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
        except msgspec.ValidationError:  # something new, something wrong, or 7.0 for 7
            plain = with_whole_numbers(line)
        try:
            return known.decode(plain)
        except msgspec.ValidationError:
            message = tolerant.decode(plain)
        if isinstance(message, Rejected):
            return message
        typed = {"events": [_typed(event, events) for event in message.events]}
        if isinstance(message, Request):
            typed["legal"] = [_typed(entry, entries) for entry in message.legal]
        return msgspec.structs.replace(message, **typed)

    return read


def vocabulary(game: str) -> Any:
    """The module with the types of a game: one beside this, or one that the package of another game announces."""
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
    from importlib.metadata import entry_points  # slow, and needed for games of others only

    point = next(iter(entry_points(group="rails_cli.protocol.games", name=game)), None)
    if point is None:
        raise ImportError("no package announces its types")
    return point.value


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
