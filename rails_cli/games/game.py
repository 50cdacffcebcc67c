"""The contract of all games: a Game is a record of functions on plain data; `play` is the checked way into it.

A state has a `pending` question, which names the `seat` it is put to (None once the game has ended), and a `copy()`. A
view has the `seat` that sees it (None: nobody's own) and the open `question` (None at the end), with the `seat` that is
asked and, in a word, what it `asks`. Options are `Literal`s of text with a default. Bids, passes and passes by force
are those of `protocol.common`; a field of an action that has a default is told in the legal list only.
"""

import hashlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from operator import attrgetter
from typing import Any, Generic, Protocol, TypeVar

import msgspec

from protocol.common import Bid, BidRange
from protocol.log import Seed
from rails_cli.games.moves import Moves
from rails_cli.games.phrases import printable

PUBLIC = -1
"""In place of a seat: what everybody may see."""
ALL_SEATS = -2
"""In place of a seat: what all seats together may see."""


class Question(Protocol):
    """What a state waits for."""

    @property
    def seat(self) -> int: ...


class State(Protocol):
    """A position of any game."""

    @property
    def pending(self) -> Any:
        """The open question, or None when the game has ended."""

    @property
    def options(self) -> Any:
        """The options the game is played with."""

    def copy(self) -> Any: ...


StateT = TypeVar("StateT", bound=State)
BoardT = TypeVar("BoardT")
Action = Any
Entry = Any
Event = Any
View = Any
Options = Any
WireBoard = Mapping[str, Any]
"""A board as clients are told of it."""


class IllegalAction(Exception):
    """An action that can be read but is not allowed now; the text names what came and what would do."""


class ImpossibleEvents(Exception):
    """Events that tell of something chance cannot have brought."""


class BoardError(Exception):
    """A board file that cannot be played on: one printable line for each mistake, each naming the entry."""

    def __init__(self, mistakes: Sequence[str]) -> None:
        self.mistakes = [printable(mistake) for mistake in mistakes]
        super().__init__("; ".join(self.mistakes))


class _BoardOf(msgspec.Struct):
    game: str = ""


def check_board_of(written: bytes, name: str) -> None:
    """Raises BoardError if a file says that it is a board of another game; its other mistakes are not looked for."""
    try:
        given = msgspec.json.decode(written, type=_BoardOf).game
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return
    if given not in ("", name):
        raise BoardError([f"this is a board of {given}, not of {name}"])


class BoardNotes(msgspec.Struct, frozen=True):
    """Where the numbers of a board come from."""

    name: str
    title: str
    provenance: str
    """In a sentence or two."""
    counts: dict[str, int]
    """How many values the rulebook or two sources show (printed), one source alone shows, follow, or are made up."""
    uncertain: list[Any]
    """What may be otherwise."""
    sources: list[Any]


@dataclass(frozen=True, slots=True)
class Game(Generic[StateT, BoardT]):
    """One game: its names and types, and the functions that play it.

    `setup` and `apply` append what happened to `events` if a list is given. `apply` trusts its caller and changes the
    state. For logs without a seed, `setup_from_events` sets up as the events tell, and `preload_chance` takes what
    chance brought from the events of one action, so that the next `apply` meets it; both raise ImpossibleEvents.
    `view` and `redact` build what a seat may see (or PUBLIC, or ALL_SEATS); `wire_view` is the same as `view` once it
    is written as JSON, but cheaper to make and to write. Both stay as they are when the game goes on. `has_secrets`
    says whether seats see different things while the game runs, or chance goes on later; `unforeseeable` has the types
    of events that bring chance or secrets to light. `dump` is the state as JSON with sorted keys; of the options it has
    `changed_options`. `load` reads what `dump` wrote and checks no more than its form. Ties share a rank; rank 1 has
    won.
    `figures` are the numbers worth following through a game: `cash` by seat, and others by seat or by name.
    `moves` are the same actions in numbers, for searches. `imagine` makes a position of what one seat may know: the
    very one where all is open, else one that the seed draws among those that look the same to it. It raises ValueError
    for a view of no position.
    `board_file` is the content of a board file whose board would be told to clients like this, so that who is told of a
    board can play on it; what is told beyond `wire_board` is passed over. It is left out if both are the same.
    `aliases` are other names that people know it by.
    `is_luckless` says of a board, a number of players and options whether the seed decides nothing, or only who begins:
    then the same players play the same game again, whatever the seed.
    """

    name: str
    title: str
    rules_version: int
    players: tuple[int, ...]
    has_secrets: bool
    options_type: type[msgspec.Struct]
    action_type: Any
    entry_type: Any
    event_type: Any
    view_type: type[msgspec.Struct]
    read_board: Callable[[bytes], BoardT]
    board_notes: Callable[[BoardT], BoardNotes]
    wire_board: Callable[[BoardT], dict[str, Any]]
    setup: Callable[[BoardT, int, Options, Seed, "list[Event] | None"], StateT]
    setup_from_events: Callable[[BoardT, int, Options, Sequence[Event]], StateT]
    preload_chance: Callable[[StateT, BoardT, Sequence[Event]], None]
    legal_actions: Callable[[StateT, BoardT], list[Entry]]
    apply: Callable[[StateT, BoardT, Action, "list[Event] | None"], None]
    view: Callable[[StateT, BoardT, int], View]
    wire_view: Callable[[StateT, BoardT, int], Any]
    redact: Callable[[Event, int, Options], Event]
    scores: Callable[[StateT], list[int]]
    ranks: Callable[[StateT, BoardT], list[int]]
    figures: Callable[[StateT, BoardT], dict[str, Any]]
    end_reasons: Callable[[StateT, BoardT], list[str]]
    dump: Callable[[StateT], bytes]
    load: Callable[[bytes, BoardT], StateT]
    moves: Moves[StateT, BoardT]
    imagine: Callable[[View, BoardT, Seed], StateT]
    unforeseeable: frozenset[Any] = frozenset()
    is_luckless: Callable[[BoardT, int, Options], bool] = lambda board, players, options: False
    board_file: Callable[[WireBoard], Mapping[str, Any]] = lambda wire: wire
    aliases: tuple[str, ...] = ()


def win_share(ranks: Sequence[int], seat: int) -> float:
    """A win, or its part of a tie for the first place."""
    return 1 / ranks.count(1) if ranks[seat] == 1 else 0.0


def ranked_last(ranks: Sequence[int], last: Collection[int]) -> list[int]:
    """The ranks if some seats come last, together; the others move up."""
    others = [rank for seat, rank in enumerate(ranks) if seat not in last]
    return [
        len(others) + 1 if seat in last else 1 + sum(other < rank for other in others)
        for seat, rank in enumerate(ranks)
    ]


def play(
    game: Game[StateT, BoardT],
    board: BoardT,
    state: StateT,
    seat: int,
    action: Action,
    events: list[Event] | None = None,
) -> StateT:
    """The state after `action` by `seat`; the state given is left alone. Raises IllegalAction."""
    check(game, board, state, seat, action)
    after: StateT = state.copy()
    game.apply(after, board, action, events)
    return after


def check(game: Game[StateT, BoardT], board: BoardT, state: StateT, seat: int, action: Action) -> None:
    """Raises IllegalAction unless `seat` may play `action` now."""
    question = state.pending
    if question is None:
        raise IllegalAction("the game has ended; no action is possible")
    if question.seat != seat:
        raise IllegalAction(f"seat {seat} is not to move; seat {question.seat} is")
    check_listed(game.legal_actions(state, board), action)


def check_listed(legal: list[Entry], action: Action) -> None:
    """Raises IllegalAction unless `action` answers an entry of the legal list."""
    if action not in legal and not _answers_an_entry(legal, action):
        raise IllegalAction(_refusal(legal, action))


def bare(action: Action) -> Action:
    """An action without the cost that its entry carried: as logs keep it."""
    kind = type(action)
    told = _TOLD_FIELDS[kind][0]
    return kind(*msgspec.structs.astuple(action)[:-told]) if told else action


class _ToldFields(dict[Any, tuple[int, Callable[[Any], Any]]]):
    """How many fields of a kind of action are for information (the last ones, which have defaults), and the others."""

    def __missing__(self, kind: Any) -> tuple[int, Callable[[Any], Any]]:
        told = len(kind.__struct_defaults__)
        asked = kind.__struct_fields__[: len(kind.__struct_fields__) - told]
        self[kind] = (told, attrgetter(*asked) if asked else type)
        return self[kind]


_TOLD_FIELDS = _ToldFields()


def _answers_an_entry(legal: list[Entry], action: Action) -> bool:
    """A bid inside a range, or an entry without the cost that it carries for information."""
    kind = type(action)
    if kind is Bid:
        for entry in legal:
            if type(entry) is BidRange:
                return bool(entry.min <= action.amount <= entry.max)
        return False
    told, asked = _TOLD_FIELDS[kind]
    if not told or msgspec.structs.astuple(action)[-told:] != kind.__struct_defaults__:
        return False
    wanted = asked(action)
    return any(type(entry) is kind and asked(entry) == wanted for entry in legal)


def _refusal(legal: list[Entry], action: Action) -> str:
    """Why `action` is refused: what came, and what would do."""
    kind = type(action)
    if kind is Bid:
        for entry in legal:
            if type(entry) is BidRange:
                if action.amount < entry.min:
                    return f"bid {action.amount} is below the minimum {entry.min}"
                return f"bid {action.amount} is above your cash {entry.max}"
    came = words(action)
    alike = [entry for entry in legal if type(entry) is kind]
    if alike:
        return f"{came} is not possible now; possible: {_few(alike, words)}"
    return f"{came} is not possible now; expected {_few(sorted(map(_tag, set(map(type, legal)))), str)}"


def words(entry: Entry) -> str:
    """An action or entry in one short phrase: its type, then its values."""
    values = [value for value in msgspec.structs.astuple(entry) if value is not None]
    if type(entry) is BidRange:
        return f"bid {entry.min} to {entry.max}"
    return " ".join([_tag(entry), *map(str, values)])


def passing(legal: Sequence[Entry]) -> Entry | None:
    """The entry that means to pass, a pass or what a menu calls so: the last, as the mildest; None if there is none."""
    return legal[-1] if words(legal[-1]).split()[-1] == "pass" else None


def _tag(entry: Entry | type[Entry]) -> str:
    return str(entry.__struct_config__.tag)


def _few(things: Sequence[Any], told: Callable[[Any], str], limit: int = 8) -> str:
    shown = ", ".join(map(told, things[:limit]))
    return shown if len(things) <= limit else f"{shown}, and {len(things) - limit} more"


@cache
def changed_options(options: Options) -> dict[str, Any]:
    """The options that are not at their default; a dump has no others, so that a new option leaves old logs alone."""
    defaults = type(options)()
    names = sorted(options.__struct_fields__)
    return {name: getattr(options, name) for name in names if getattr(options, name) != getattr(defaults, name)}


def digest(game: Game[StateT, BoardT], state: StateT) -> str:
    """The first 16 hex digits of sha256 over the state as JSON with sorted keys."""
    return hashlib.sha256(game.dump(state)).hexdigest()[:16]
