"""Base class and functions to encode states as JSON and to decode them, shared by the games."""

from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

StateT = TypeVar("StateT")


class SavedState(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True, omit_defaults=True):
    """Base class of the types that describe the states of one game as JSON.

    Each field has the name of an attribute of the state. Attributes that can be derived from others have no field. The
    last field, `options`, has the options that differ from their default.
    """


_encode = msgspec.json.Encoder(order="sorted").encode


def encode_state(kind: Callable[..., SavedState], *fields: Any) -> bytes:
    """Return `kind(*fields)` as JSON with sorted keys, without fields that have their default value."""
    return _encode(kind(*fields))


def restore_state(state: StateT, saved: SavedState, options_type: type[msgspec.Struct], **converted: Any) -> StateT:
    """Set the attributes of `state` to the fields of `saved` and to the values in `converted`. Return `state`."""
    fields = msgspec.structs.asdict(saved)
    fields["options"] = msgspec.convert(fields["options"], options_type)
    for name, value in {**fields, **converted}.items():
        setattr(state, name, value)
    return state
