"""States that are plain data. Copies, dumps, views, `imagine` and set-ups from events are derived from their types.

A plain state is a msgspec struct or a dataclass. Its fields have types that JSON can represent: numbers, texts, lists,
dictionaries with texts as keys, and other structs. Two of its fields are `pending` and `options`. If `pending` can have
several types of questions, they must be a tagged union.
"""

import dataclasses
from collections.abc import Callable, Sequence
from functools import cache
from itertools import product
from typing import Any, Literal, Self, get_args, get_origin, get_type_hints

import msgspec

from rails_cli.protocol.common import Bid, StartingPosition
from rails_cli.protocol.log import Seed


class ImpossibleEvents(Exception):
    """Error for events of a log that describe a random result that cannot occur."""


_encode = msgspec.json.Encoder(order="sorted").encode
_SHARED = (int, str, bool, float, bytes, type(None))


DOCUMENTED_BY = "documented_by"
"""Name of an attribute of derived view types.

Its value is the state type, whose fields have the docstrings for the view.
"""


class NoOptions(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """The options of a game without options."""


class PlainBoard(msgspec.Struct, frozen=True, eq=False, forbid_unknown_fields=True, kw_only=True):
    """Base class of boards whose fields are those of the board file. A game without a board uses it unchanged."""

    format: int = 1
    game: str = ""
    name: str = "standard"
    title: str = ""


class PlainState(msgspec.Struct):
    """Base class of states that are plain data. A copy of a state can be changed without effect on the original."""

    def copy(self) -> Self:
        twin: Self = copied(self)
        return twin


def copied(value: Any) -> Any:
    """Return a deep copy of a value. Only values that cannot change, such as frozen structs, are shared."""
    kind: Any = type(value)
    if kind in _SHARED:
        return value
    if kind in (list, tuple):
        return kind(map(copied, value))
    if kind is dict:
        return {key: copied(item) for key, item in value.items()}
    if kind in (set, bytearray):
        return value.copy()
    if _is_frozen(kind):
        return value
    return kind(**{name: copied(getattr(value, name)) for name in field_names(kind)})


@cache
def field_names(kind: Any) -> tuple[str, ...]:
    """Return the names of the fields of a struct or dataclass. Raise TypeError for another type."""
    if issubclass(kind, msgspec.Struct):
        return tuple(kind.__struct_fields__)
    if not dataclasses.is_dataclass(kind):
        raise TypeError(f"{kind.__name__} is neither a msgspec struct nor a dataclass")
    return tuple(field.name for field in dataclasses.fields(kind))


@cache
def _is_frozen(kind: Any) -> bool:
    if issubclass(kind, msgspec.Struct):
        return bool(kind.__struct_config__.frozen)
    parameters = getattr(kind, "__dataclass_params__", None)
    return parameters is None or bool(parameters.frozen)


@cache
def union_members(kind: Any) -> tuple[Any, ...]:
    """Return the types of a union, or the type itself if it is not a union."""
    return get_args(kind) or (kind,)


def tag_of(message: Any) -> str:
    """Return the field `type` of a message in JSON. `message` is a tagged struct or its class."""
    return str(message.__struct_config__.tag)


def changed_options(options: Any) -> dict[str, Any]:
    """Return a dictionary from option names to values that differ from the default.

    Dumps have only these options, so that old logs stay valid when an option is added.
    """
    defaults = type(options)()
    names = sorted(options.__struct_fields__)
    return {name: getattr(options, name) for name in names if getattr(options, name) != getattr(defaults, name)}


def plain_dump(state: Any) -> bytes:
    """Return a plain state as JSON with sorted keys. Options that have their default are left out."""
    parts = {name: getattr(state, name) for name in field_names(state.__class__)}
    options = changed_options(parts.pop("options"))
    return _encode(parts | ({"options": options} if options else {}))


def plain_load(state_type: Any) -> Callable[[bytes, Any], Any]:
    """Return a function that takes the result of `plain_dump` and a board (ignored), and returns the state."""

    def load(content: bytes, board: Any) -> Any:
        return msgspec.convert({"options": {}} | msgspec.json.decode(content), state_type, strict=False)

    return load


# Games without secrets


def view_type_of(state_type: type) -> Any:
    """Return the type of the views of a game without secrets.

    A view has the fields `seat` and `question`, and all fields of `state_type` except `pending`.
    """
    kinds = get_type_hints(state_type, include_extras=True)
    kept = [(name, kinds[name]) for name in field_names(state_type) if name != "pending"]
    fields = [("seat", int | None), ("question", kinds["pending"]), *kept]
    about = {"__doc__": "The position, which everybody sees completely.", DOCUMENTED_BY: state_type}
    return msgspec.defstruct("View", fields, frozen=True, module=state_type.__module__, namespace=about)


def plain_view(view_type: Any) -> Callable[[Any, Any, int], Any]:
    """Return a function that makes a view of a plain state.

    The view has the type `view_type` and shows the whole state.
    """
    names = [name for name in field_names(view_type) if name not in ("seat", "question")]

    def view(state: Any, board: Any, observer: int) -> Any:
        shown = {name: copied(getattr(state, name)) for name in names}
        return view_type(seat=observer if observer >= 0 else None, question=state.pending, **shown)

    return view


def plain_imagine(
    state_type: type, legal_actions: Callable[[Any, Any], Any], scores: Callable[[Any], Sequence[int]]
) -> Callable[[Any, Any, Seed], Any]:
    """Return a function that rebuilds a state of `state_type` from a view that hides nothing.

    The function raises ValueError if a seat does not exist, or if `legal_actions` or `scores` fail for the state.
    """
    names = [name for name in field_names(state_type) if name != "pending"]

    def imagine(view: Any, board: Any, seed: Seed) -> Any:
        state = state_type(pending=view.question, **{name: copied(getattr(view, name)) for name in names})
        try:
            legal_actions(state, board)
            seats = range(len(scores(state)))
        except Exception as error:  # the view may come from an untrusted client, and rules trust their state
            raise ValueError(f"this is not a view of a position: {type(error).__name__}: {error}") from None
        named = (view.seat, None if view.question is None else view.question.seat)
        if any(seat is not None and seat not in seats for seat in named):
            raise ValueError(f"there is no seat {max(seat for seat in named if seat is not None)}")
        return state

    return imagine


# Actions


def listed_actions(action_type: Any) -> Callable[[Any], list[Any]] | None:
    """Return a function that takes a board and returns all actions except bids.

    Return None if the actions cannot be listed, because a required field of an action is not a `Literal`.
    """
    found: list[Any] = []
    for kind in union_members(action_type):
        if kind is Bid:
            continue
        types = [field.type for field in msgspec.structs.fields(kind) if field.required]
        if any(get_origin(one) is not Literal for one in types):
            return None
        found += [kind(*chosen) for chosen in product(*map(get_args, types))]
    return lambda board: found


# Set-up from events


def announced_setup(setup: Callable[..., Any]) -> Callable[..., Any]:
    """Return a version of the function `setup` that adds an event with the whole position, before all other events."""

    def announced(board: Any, players: int, options: Any, seed: Seed, events: list[Any] | None) -> Any:
        state = setup(board, players, options, seed, events)
        if events is not None:
            events.insert(0, StartingPosition(msgspec.json.decode(plain_dump(state))))
        return state

    return announced


def announced_position(state_type: Any) -> Callable[..., Any]:
    """Return a function that finds the starting position in the events of a game.

    The position has the type `state_type`. `announced_setup` writes it into the first event. The returned function
    raises ImpossibleEvents if the events contain no valid position.
    """

    def setup_from_events(board: Any, players: int, options: Any, events: Sequence[Any]) -> Any:
        found = [event.position for event in events if type(event) is StartingPosition]
        if len(found) != 1:
            raise ImpossibleEvents(f"{len(found)} starting positions, expected one")
        try:
            return msgspec.convert({**found[0], "options": msgspec.to_builtins(options)}, state_type, strict=False)
        except msgspec.ValidationError as error:
            raise ImpossibleEvents(f"the starting position: {error}") from None

    return setup_from_events


def fixed_setup(setup: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function `setup_from_events` of a game in which the seed decides nothing before the first action.

    The function raises ImpossibleEvents for events that differ from those of `setup`.
    """

    def setup_from_events(board: Any, players: int, options: Any, events: Sequence[Any]) -> Any:
        own: list[Any] = []
        state = setup(board, players, options, 0, own)
        if list(events) != own:
            raise ImpossibleEvents("expected the events of the only set-up of this game")
        return state

    return setup_from_events
