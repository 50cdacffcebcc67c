"""Encoding of states of The Last Spike as JSON, and decoding."""

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from rails_cli.games.game import changed_options
from rails_cli.games.last_spike.board import Board
from rails_cli.games.last_spike.questions import Question
from rails_cli.games.last_spike.state import State, derive
from rails_cli.protocol.last_spike import EndReason, Options

Mask = int | str
"""A bitmask as JSON: a number, or hexadecimal text if the number is too large."""


class SavedState(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """A state as JSON with keys in alphabetical order."""

    aside: int
    ended: EndReason | None
    hands: list[list[int]]
    held: list[Mask]
    laid: Mask
    luck: Annotated[str, Meta(pattern="^[0-9a-f]{32}$", max_length=32)]
    """128 bits in hexadecimal, because they are too many for a JSON number."""
    mix: list[int]
    money: list[int]
    options: dict[str, str] = {}
    pending: Question | None
    pile: Mask
    solvent: int
    told: list[int]


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(SavedState).decode


def dump(state: State) -> bytes:
    try:
        return _encode(_saved(state, state.held, state.laid, state.pile))
    except (OverflowError, ValueError):
        return _encode(_saved(state, list(map(hex, state.held)), hex(state.laid), hex(state.pile)))


def _saved(state: State, held: Any, laid: Mask, pile: Mask) -> SavedState:
    return SavedState(
        aside=state.aside,
        ended=state.ended,
        hands=state.hands,
        held=held,
        laid=laid,
        luck=f"{state.luck:032x}",
        mix=state.mix,
        money=state.money,
        options=changed_options(state.options),
        pending=state.pending,
        pile=pile,
        solvent=state.solvent,
        told=state.told,
    )


def load(dumped: bytes, board: Board) -> State:
    saved = _decode(dumped)
    state = State()
    fields = msgspec.structs.asdict(saved) | {
        "held": [_bits(held) for held in saved.held],
        "laid": _bits(saved.laid),
        "luck": int(saved.luck, 16),
        "pile": _bits(saved.pile),
        "options": msgspec.convert(saved.options, Options),
    }
    for name, value in fields.items():
        setattr(state, name, value)
    derive(state, board)
    return state


def _bits(mask: Mask) -> int:
    return mask if isinstance(mask, int) else int(mask, 16)
