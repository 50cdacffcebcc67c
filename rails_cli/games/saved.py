"""Encoding of states as JSON and decoding, shared by the games."""

from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

StateT = TypeVar("StateT")


class SavedState(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True, omit_defaults=True):
    """Base class of the JSON structures of states.

    Each field has the name of an attribute of the state. Derived attributes have no field. The last field, `options`,
    has only the options that differ from their default.
    """


_encode = msgspec.json.Encoder(order="sorted").encode


def encode_state(kind: Callable[..., SavedState], *fields: Any) -> bytes:
    """Return the JSON text of `kind(*fields)` with sorted keys, without fields that have their default value."""
    return _encode(kind(*fields))


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
