"""The interface of all games.

A `Game` is a record of functions on plain data. `play` applies an action after validation.

- A state has a `pending` question with the `seat` that must answer, and a method `copy()`. `pending` is None once the
  game has ended.
- A view has the `seat` that sees it (None for the public view) and the pending `question` (None at the end).
- A question in a view has the asked `seat`, and a field `asks`: a word for the kind of question, such as `bid`.
- The type of an option is a `Literal` of strings, with a default.
- Bids, passes and forced passes are the types in `rails_cli.protocol.common`.
- An action may have fields with a default, such as its cost. The list of legal actions contains their values. Players
  may leave them out when they answer.
"""

import hashlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache, partial
from operator import attrgetter
from typing import Any, Generic, Protocol, TypeVar

import msgspec

from rails_cli.games import plain
from rails_cli.games.draws import Draws
from rails_cli.games.moves import Moves, listed_moves
from rails_cli.games.plain import ImpossibleEvents as ImpossibleEvents
from rails_cli.games.plain import changed_options as changed_options
from rails_cli.games.shared.money import ranks_of
from rails_cli.games.shared.text import printable
from rails_cli.protocol.common import Bid, BidRange, StartingPosition
from rails_cli.protocol.log import Seed

PUBLIC = -1
"""Value that stands for everybody instead of a seat number. It selects the public view."""
ALL_SEATS = -2
"""Value that stands for all seats together instead of a seat number.

It selects a view of everything that any seat sees.
"""


class Question(Protocol):
    """The question that must be answered before a game can continue."""

    @property
    def seat(self) -> int: ...


class State(Protocol):
    """A position of any game."""

    @property
    def pending(self) -> Any:
        """The pending question, or None when the game has ended."""

    @property
    def options(self) -> Any:
        """The options of the game."""

    def copy(self) -> Any: ...


StateT = TypeVar("StateT", bound=State)
BoardT = TypeVar("BoardT")
Action = Any
Entry = Any
Event = Any
View = Any
Options = Any
WireBoard = Mapping[str, Any]
"""A board in the form sent to clients."""


class GameError(Exception):
    """Base class of errors in input from a program or user: names, boards, actions, arguments and logs."""


class IllegalAction(GameError):
    """Error for an action that is well-formed but not allowed now. The message says what was received and expected."""


class BoardError(GameError):
    """Error for a board file that cannot be used. `mistakes` has one printable line for each mistake."""

    def __init__(self, mistakes: Sequence[str]) -> None:
        self.mistakes = [printable(mistake) for mistake in mistakes]
        super().__init__("; ".join(self.mistakes))


class _BoardOf(msgspec.Struct):
    game: str = ""


def check_board_of(written: bytes, name: str) -> None:
    """Raise BoardError if the board file `written` is for another game than `name`.

    Ignore all other mistakes in the file.
    """
    try:
        given = msgspec.json.decode(written, type=_BoardOf).game
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return
    if given not in ("", name):
        raise BoardError([f"this is a board of {given}, not of {name}"])


def decode_board(written: bytes, name: str, kind: type[BoardT]) -> BoardT:
    """Return the board file `written` of the game `name` as an object of type `kind`.

    Raise BoardError if the file cannot be decoded or is for another game.
    """
    check_board_of(written, name)
    try:
        return msgspec.json.decode(written, type=kind)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise BoardError([f"board file: {error}"]) from None


class BoardNotes(msgspec.Struct, frozen=True):
    """The sources of a board, and how certain its values are."""

    name: str
    title: str
    provenance: str
    """The origin of the board in one or two sentences."""
    counts: dict[str, int]
    """Mapping from an origin to the number of values with this origin.

    Origins are `printed` (in the rulebook or two sources), `single_source`, `derived` and `reconstructed`.
    """
    uncertain: list[Any]
    """Values of the board that may differ from the original game."""
    sources: list[Any]


DERIVED: Any = None
"""Default of a field of `Game` that is replaced by a function derived from other fields."""
_MAY_BE_NONE = ("actions", "draws", "outcomes", "reseed", "state_type")
"""Fields of `Game` that may stay None, because no function can be derived for them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Game(Generic[StateT, BoardT]):
    """One game: its names and types, and the functions that play it.

    A game must have a name, a title, the possible player counts, and types of actions, events and views. It must also
    have the functions `setup`, `legal_actions`, `apply` and `scores`.

    - `setup` and `apply` append events to `events` if a list is given. `apply` does not validate and changes the state.
    - `setup_from_events` is for logs without a seed. It returns the initial position that the events of a log describe.
      Impossible events raise ImpossibleEvents.
    - `preload_chance` stores the random results in the events of one action. The next `apply` uses these results.
      Impossible results raise ImpossibleEvents. The default is for games without chance after the set-up.
    - `view` returns the parts of a position that a seat sees. A seat may also be PUBLIC or ALL_SEATS. A view stays
      unchanged when the game continues.
    - `redact` returns the parts of an event that a seat sees. The default is for games in which all events are public.
    - `has_secrets` is true if seats see different things during the game, or if random draws occur after the set-up.
    - `unforeseeable` are the types of events that reveal random results or secrets.
    - `dump` encodes a state as JSON with sorted keys. The dump has only the options that `changed_options` returns.
    - `load` decodes a dump and checks only its structure.
    - `ranks` returns the rank of each seat. The winner has rank 1, and tied seats share a rank. By default the highest
      score wins.
    - `figures` returns statistics of a position, which are plotted over a game. `cash` is by seat, and other statistics
      are by seat or by name. By default, `cash` has the scores and there are no others.
    - `end_reasons` returns why the game has ended, and an empty list before the end. The default is for games with only
      one reason.
    - `moves` represents the actions as integers, for searches.
    - `actions` can be defined instead of `moves`. It returns all actions that are possible on a board, except bids.
    - `imagine` builds a position from a view. If something is hidden, the position is random among all positions with
      this view. ValueError is raised if no position has the view.
    - `read_board` decodes a board file, and `wire_board` encodes a board for clients. By default a board is an object
      of `board_type`, a subclass of `PlainBoard`.
    - `board_file` converts a board received from a server to the content of a board file. Fields that `wire_board` does
      not produce are ignored. The default is for games in which a received board has the form of a board file.
    - `aliases` are other names of the game.
    - `rules_version` is the version number of the rules, which logs contain.
    - `entry_type` is the type of the entries in the list of legal actions. By default it is `action_type`.
    - `outcomes` lists the possible results of the next random event after the set-up. Each has a name, a weight and a
      copy of the position in which this result comes next. The probability of a result is proportional to its weight.
      None if nothing random follows the set-up.
    - `reseed` returns a copy of a position with other future random results. None if nothing random follows the set-up.
    - `draws` plays the set-up and moves with given random results. None if nothing random follows the set-up.
    - `is_luckless` takes a board, a number of players and options. It returns true if the seed decides nothing, or only
      the first player. Then the same deterministic players always play the same game.

    `state_type` is the type of states that are plain data (`plain.py`). For such states `dump` and `load` are derived.
    If the game has no secrets, `view`, `imagine` and `setup_from_events` are derived as well. If the seed decides
    anything at set-up, `event_type` must then include `StartingPosition`. The constructor raises TypeError if a
    function is missing and cannot be derived.
    """

    name: str
    title: str
    players: tuple[int, ...]
    action_type: Any
    event_type: Any
    view_type: type[msgspec.Struct]
    setup: Callable[[BoardT, int, Options, Seed, "list[Event] | None"], StateT]
    legal_actions: Callable[[StateT, BoardT], list[Entry]]
    apply: Callable[[StateT, BoardT, Action, "list[Event] | None"], None]
    scores: Callable[[StateT], list[int]]
    rules_version: int = 1
    has_secrets: bool = False
    options_type: type[msgspec.Struct] = plain.NoOptions
    entry_type: Any = DERIVED
    board_type: type[plain.PlainBoard] = plain.PlainBoard
    state_type: type | None = None
    actions: Callable[[BoardT], Sequence[Action]] | None = None
    read_board: Callable[[bytes], BoardT] = DERIVED
    board_notes: Callable[[BoardT], BoardNotes] = DERIVED
    wire_board: Callable[[BoardT], dict[str, Any]] = DERIVED
    setup_from_events: Callable[[BoardT, int, Options, Sequence[Event]], StateT] = DERIVED
    view: Callable[[StateT, BoardT, int], View] = DERIVED
    ranks: Callable[[StateT, BoardT], list[int]] = DERIVED
    figures: Callable[[StateT, BoardT], dict[str, Any]] = DERIVED
    end_reasons: Callable[[StateT, BoardT], list[str]] = DERIVED
    dump: Callable[[StateT], bytes] = DERIVED
    load: Callable[[bytes, BoardT], StateT] = DERIVED
    moves: Moves[StateT, BoardT] = DERIVED
    imagine: Callable[[View, BoardT, Seed], StateT] = DERIVED
    preload_chance: Callable[[StateT, BoardT, Sequence[Event]], None] = lambda state, board, events: None
    redact: Callable[[Event, int, Options], Event] = lambda event, observer, options: event
    unforeseeable: frozenset[Any] = frozenset()
    outcomes: Callable[[StateT, BoardT], "list[tuple[str, int, StateT]]"] | None = None
    reseed: Callable[[StateT, BoardT, Seed], StateT] | None = None
    draws: Draws[StateT, BoardT] | None = None
    is_luckless: Callable[[BoardT, int, Options], bool] = lambda board, players, options: False
    board_file: Callable[[WireBoard], Mapping[str, Any]] = lambda wire: wire
    aliases: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        is_announced = self.setup_from_events is DERIVED and StartingPosition in plain.union_members(self.event_type)
        derived = self._derived(is_announced)
        if is_announced and self.state_type is not None:
            object.__setattr__(self, "setup", plain.announced_setup(self.setup))
        missing = []
        for field in fields(self):
            if getattr(self, field.name) is DERIVED and field.name not in _MAY_BE_NONE:
                if field.name in derived:
                    object.__setattr__(self, field.name, derived[field.name])
                else:
                    missing.append(field.name)
        if missing:
            raise TypeError(f"the Game {self.name!r} lacks {', '.join(missing)}; see its docstring for what is derived")

    def players_mistake(self, number: int | str) -> str | None:
        """Return a message that says why `number` is no possible number of players, or None if it is possible.

        `number` may be a text: an invalid input, which the message quotes.
        """
        allowed = f"{self.players[0]} to {self.players[-1]}"
        return None if number in self.players else f"{self.title} is for {allowed} players, not {number}"

    def _derived(self, is_announced: bool) -> dict[str, Any]:
        """Return a mapping from field names to the functions that are derived for these fields.

        `is_announced` is true if an event contains the first position of the game.
        """
        state_type, legal_actions, scores = self.state_type, self.legal_actions, self.scores
        derived: dict[str, Any] = {
            "entry_type": self.action_type,
            "read_board": partial(decode_board, name=self.name, kind=self.board_type),
            "board_notes": lambda board: BoardNotes(board.name, board.title or self.title, "", {}, [], []),
            "wire_board": lambda board: msgspec.to_builtins(board, str_keys=True),
            "ranks": lambda state, board: ranks_of(scores(state)),
            "figures": lambda state, board: {"cash": scores(state)},
            "end_reasons": lambda state, board: ["finished"] if state.pending is None else [],
        }
        actions = self.actions or (plain.listed_actions(self.action_type) if self.moves is DERIVED else None)
        if actions is not None:
            derived["moves"] = listed_moves(actions, legal_actions, self.apply)
        if state_type is not None:
            derived |= {"dump": plain.plain_dump, "load": plain.plain_load(state_type)}
        if state_type is not None and not self.has_secrets:
            from_events = plain.announced_position(state_type) if is_announced else plain.fixed_setup(self.setup)
            derived |= {
                "view": plain.plain_view(self.view_type),
                "imagine": plain.plain_imagine(state_type, legal_actions, scores),
                "setup_from_events": from_events,
            }
        return derived

    def redacted(self, events: list[Event], observer: int, options: Options) -> list[Event]:
        """Return `events` without the parts that are hidden from the seat `observer`.

        `observer` may also be PUBLIC or ALL_SEATS.
        """
        return [self.redact(event, observer, options) for event in events] if self.has_secrets else events


def win_share(ranks: Sequence[int], seat: int) -> float:
    """Return the share of the win that a seat gets: 1 for the only winner, 0 for a loser, a fraction in a tie."""
    return 1 / ranks.count(1) if ranks[seat] == 1 else 0.0


def ranked_last(ranks: Sequence[int], last: Collection[int]) -> list[int]:
    """Return the ranks after the seats in `last` are moved to the last rank, which they share.

    The other seats move up.
    """
    others = [rank for seat, rank in enumerate(ranks) if seat not in last]
    return [
        len(others) + 1 if seat in last else 1 + sum(other < rank for other in others)
        for seat, rank in enumerate(ranks)
    ]


def final_ranks(ranks: Sequence[int], lost: Collection[int], reason: str) -> list[int]:
    """Return the ranks that count at the end of a match. `ranks` are the ranks by score.

    The seats in `lost`, whose players left or failed, rank last. `reason` says why the match ended. If the match ended
    because of the seats in `lost`, it is void, and all other seats share the first rank.
    """
    is_void = lost and reason != "normal"
    return ranked_last([1] * len(ranks) if is_void else ranks, lost)


def play(
    game: Game[StateT, BoardT],
    board: BoardT,
    state: StateT,
    seat: int,
    action: Action,
    events: list[Event] | None = None,
) -> StateT:
    """Return the state after `action` by `seat`, without changing `state`.

    Raise IllegalAction if the action is illegal.
    """
    check(game, board, state, seat, action)
    after: StateT = state.copy()
    game.apply(after, board, action, events)
    return after


def check(game: Game[StateT, BoardT], board: BoardT, state: StateT, seat: int, action: Action) -> None:
    """Raise IllegalAction unless `seat` may play `action` now."""
    question = state.pending
    if question is None:
        raise IllegalAction("the game has ended; no action is possible")
    if question.seat != seat:
        raise IllegalAction(f"seat {seat} is not to move; seat {question.seat} is")
    check_listed(game.legal_actions(state, board), action)


def check_listed(legal: list[Entry], action: Action) -> None:
    """Raise IllegalAction unless `action` matches an entry of `legal`, the list of legal actions."""
    if not _is_listed(legal, action):
        raise IllegalAction(_refusal(legal, action))


def without_info_fields(action: Action) -> Action:
    """Return an action without informational fields such as the cost. Logs store actions in this form."""
    info_count = len(action.__struct_defaults__)
    return type(action)(*msgspec.structs.astuple(action)[:-info_count]) if info_count else action


@cache
def _identity(kind: Any) -> Callable[[Any], Any]:
    """Return a function that takes an action of type `kind` and returns those of its fields that have no default."""
    names = kind.__struct_fields__[: len(kind.__struct_fields__) - len(kind.__struct_defaults__)]
    return attrgetter(*names) if names else type


def _is_listed(legal: list[Entry], action: Action) -> bool:
    """Return whether `action` matches an entry of `legal`, the list of legal actions.

    A bid matches a range of bids that contains its amount. Any other action matches an equal entry. If all optional
    fields of the action have their default values, the optional fields of the entry may differ.
    """
    kind: Any = type(action)
    if kind is Bid:
        for entry in legal:
            if type(entry) is BidRange and entry.min <= action.amount <= entry.max:
                return True
    else:
        defaults = kind.__struct_defaults__
        if defaults and msgspec.structs.astuple(action)[-len(defaults) :] == defaults:
            identity = _identity(kind)
            wanted = identity(action)
            return any(type(entry) is kind and identity(entry) == wanted for entry in legal)
    return action in legal


def _refusal(legal: list[Entry], action: Action) -> str:
    """Return an error message that states the illegal `action` and the legal actions."""
    kind = type(action)
    if kind is Bid:
        for entry in legal:
            if type(entry) is BidRange:
                if action.amount < entry.min:
                    return f"bid {action.amount} is below the minimum {entry.min}"
                return f"bid {action.amount} is above your cash {entry.max}"
    came = entry_phrase(action)
    alike = [entry for entry in legal if type(entry) is kind]
    if alike:
        return f"{came} is not possible now; possible: {_few(alike, entry_phrase)}"
    return f"{came} is not possible now; expected {_few(sorted(map(plain.tag_of, set(map(type, legal)))), str)}"


def entry_phrase(entry: Entry) -> str:
    """Return an action or entry as a phrase: its tag and the values of its fields, without None and default values."""
    if type(entry) is BidRange:
        return f"bid {entry.min} to {entry.max}"
    values, defaults = msgspec.structs.astuple(entry), entry.__struct_defaults__
    required = len(values) - len(defaults)
    info = [value for value, default in zip(values[required:], defaults, strict=True) if value != default]
    return " ".join([plain.tag_of(entry), *(str(value) for value in (*values[:required], *info) if value is not None)])


def pass_entry(legal: Sequence[Entry]) -> Entry | None:
    """Return the pass in the list of legal actions: its last entry, if this is a pass or the menu choice "pass".

    Otherwise return None.
    """
    return legal[-1] if entry_phrase(legal[-1]).split()[-1] == "pass" else None


def _few(things: Sequence[Any], describe: Callable[[Any], str], limit: int = 8) -> str:
    shown = ", ".join(map(describe, things[:limit]))
    return shown if len(things) <= limit else f"{shown}, and {len(things) - limit} more"


def digest(game: Game[StateT, BoardT], state: StateT) -> str:
    """Return the first 16 hex digits of the SHA-256 of the state's `dump`."""
    return hashlib.sha256(game.dump(state)).hexdigest()[:16]
