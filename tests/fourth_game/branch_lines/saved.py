"""Conversion of positions of Branch Lines to JSON and back."""

import msgspec

from branch_lines.board import Board
from branch_lines.protocol import EndReason, Options
from branch_lines.state import Question, State
from rails_cli.games.game import changed_options


class SavedState(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """The JSON form of a state. Its keys are in alphabetical order."""

    built: list[int]
    charters: list[int]
    ended: list[EndReason]
    held: list[list[int]]
    money: list[int]
    opener: int
    options: dict[str, str] = {}
    pending: Question | None
    pile: list[int]


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(SavedState).decode


def dump(state: State) -> bytes:
    return _encode(
        SavedState(
            built=state.built,
            charters=state.charters,
            ended=state.ended,
            held=state.held,
            money=state.money,
            opener=state.opener,
            options=changed_options(state.options),
            pending=state.pending,
            pile=state.pile,
        )
    )


def load(dumped: bytes, board: Board) -> State:
    parts = _decode(dumped)
    state = State()
    state.built = parts.built
    state.charters = parts.charters
    state.ended = parts.ended
    state.held = parts.held
    state.money = parts.money
    state.opener = parts.opener
    state.options = msgspec.convert(parts.options, Options)
    state.pending = parts.pending
    state.pile = parts.pile
    return state
