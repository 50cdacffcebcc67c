"""Encoding of states of The Last Spike as JSON, and decoding."""

from typing import Annotated, Any

from msgspec import Meta, UnsetType

from rails_cli.games.last_spike.board import Board
from rails_cli.games.last_spike.questions import Question
from rails_cli.games.last_spike.state import State, derive
from rails_cli.games.saved import SavedState, decode_state, encode_state, restore_state, saved_options
from rails_cli.protocol.last_spike import EndReason, Options

Mask = int | str
"""A bitmask in JSON: a number, or hexadecimal text. All are texts if one mask of the state has more than 64 bits."""


class SavedGame(SavedState, frozen=True, rename={"logged_draws": "told"}):
    """JSON structure of a state of The Last Spike.

    The fields are named after the attributes of `State`. Keys in JSON must not change, because digests in logs depend
    on them.
    """

    aside: int
    ended: EndReason | None
    hands: list[list[int]]
    held: list[Mask]
    laid: Mask
    luck: Annotated[str, Meta(pattern="^[0-9a-f]{32}$", max_length=32)]
    """The random state: 128 bits in hexadecimal, because the number is too large for JSON."""
    mix: list[int]
    money: list[int]
    options: dict[str, str] | UnsetType
    pending: Question | None
    pile: Mask
    solvent: int
    logged_draws: list[int]


def dump(state: State) -> bytes:
    try:
        return _encoded(state, state.held, state.laid, state.pile)
    except (OverflowError, ValueError):
        return _encoded(state, list(map(hex, state.held)), hex(state.laid), hex(state.pile))


def _encoded(state: State, held: Any, laid: Mask, pile: Mask) -> bytes:
    return encode_state(
        SavedGame(
            state.aside,
            state.ended,
            state.hands,
            held,
            laid,
            f"{state.luck:032x}",
            state.mix,
            state.money,
            saved_options(state.options),
            state.pending,
            pile,
            state.solvent,
            state.logged_draws,
        )
    )


def load(dumped: bytes, board: Board) -> State:
    saved = decode_state(SavedGame, dumped)
    state = restore_state(
        State(),
        saved,
        Options,
        held=[_bits(held) for held in saved.held],
        laid=_bits(saved.laid),
        luck=int(saved.luck, 16),
        pile=_bits(saved.pile),
    )
    derive(state, board)
    return state


def _bits(mask: Mask) -> int:
    return mask if isinstance(mask, int) else int(mask, 16)
