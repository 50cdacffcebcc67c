"""Encoding of states of American Rails as JSON, and decoding."""

import msgspec
from msgspec import UNSET, UnsetType

from protocol.american_rails import Options
from rails_cli.core.hexgrid import mask_of
from rails_cli.games.american_rails.board import Board
from rails_cli.games.american_rails.questions import (
    Question,
)
from rails_cli.games.american_rails.state import MARKER, State, keep_caches
from rails_cli.games.game import changed_options


class SavedState(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """A state as JSON with keys in alphabetical order. Bytes are encoded as base64."""

    absent: int
    banker: int | UnsetType
    cubes: list[int]
    held: bytearray
    income: list[int]
    lots: int
    money: list[int]
    options: dict[str, str] | UnsetType
    order: list[int]
    pending: Question | None
    phase: int
    seats: int
    stands: bytearray
    supply: list[int]
    taken: bytearray
    turn: int
    year: int


class ReadState(SavedState, frozen=True, gc=False, forbid_unknown_fields=True, kw_only=True):
    """A decoded state, with defaults for omitted fields."""

    banker: int = 0
    options: dict[str, str] = {}


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(ReadState).decode


def dump(state: State) -> bytes:
    return _encode(
        SavedState(
            state.absent,
            state.banker or UNSET,
            state.cubes,
            state.held,
            state.income,
            state.lots,
            state.money,
            changed_options(state.options) or UNSET,
            state.order,
            state.pending,
            state.phase,
            state.seats,
            state.stands,
            state.supply,
            state.taken,
            state.turn,
            state.year,
        )
    )


def load(content: bytes, board: Board) -> State:
    saved = _decode(content)
    state = State()
    fields = msgspec.structs.asdict(saved) | {
        "options": msgspec.convert(saved.options, Options),
        "developed": hexes_with(MARKER, saved.stands),
        "track": [hexes_with(1 << company, saved.stands) for company in range(board.companies)],
    }
    for name, value in fields.items():
        setattr(state, name, value)
    keep_caches(state, board)
    return state


def hexes_with(piece: int, stands: bytearray) -> int:
    """Return the mask of hexes that contain `piece`."""
    return mask_of(place for place, pieces in enumerate(stands) if pieces & piece)
