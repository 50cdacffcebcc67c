"""Encoding of states as JSON and decoding, shared by the games."""

from functools import cache
from typing import Any, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from rails_cli.games.plain import changed_options

StateT = TypeVar("StateT")


class SavedState(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """Base class of the JSON structures of states.

    Each field has the name of an attribute of the state. Derived attributes have no field. `options` has only the
    options that differ from their default. The fields are in alphabetical order, so that the keys of a dump are sorted
    without extra time. Fields that a dump omits are UNSET.
    """


SavedT = TypeVar("SavedT", bound=SavedState)
encode_state = msgspec.json.Encoder().encode


@cache
def saved_options(options: msgspec.Struct) -> dict[str, Any] | UnsetType:
    """Return the options that differ from their default, or UNSET if there are none. `options` is frozen."""
    return changed_options(options) or UNSET


def decode_state(kind: type[SavedT], content: bytes, **defaults: Any) -> SavedT:
    """Decode a dump. `defaults` has the values of fields that dumps leave out.

    A dump without the field `options` has no changed options.

    Raise msgspec.MsgspecError if `content` is not a dump of this game.
    """
    return msgspec.convert({"options": {}, **defaults, **msgspec.json.decode(content, type=dict[str, Any])}, kind)


def restore_state(state: StateT, saved: SavedState, options_type: type[msgspec.Struct], **converted: Any) -> StateT:
    """Copy the fields of `saved` to the attributes of `state`, and return `state`.

    `converted` has the values of further attributes: those that are missing in `saved`, or have another form there.
    `options_type` is the type of the game's options.
    """
    fields = msgspec.structs.asdict(saved)
    fields["options"] = msgspec.convert(fields["options"], options_type)
    for name, value in {**fields, **converted}.items():
        setattr(state, name, value)
    return state
