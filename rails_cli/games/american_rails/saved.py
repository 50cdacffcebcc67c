"""Encoding of states of American Rails as JSON, and decoding."""

import msgspec

from rails_cli.games.american_rails.board import Board
from rails_cli.games.american_rails.questions import (
    Question,
)
from rails_cli.games.american_rails.state import MARKER, State, keep_caches
from rails_cli.games.game import changed_options
from rails_cli.games.shared.hexgrid import mask_of
from rails_cli.protocol.american_rails import Options


class SavedState(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """A state as JSON with keys in alphabetical order. Bytes are encoded as base64."""

    absent: int
    banker: int = 0
    cubes: list[int]
    held: bytearray
    income: list[int]
    lots: int
    money: list[int]
    options: dict[str, str] = {}
    order: list[int]
    pending: Question | None
    phase: int
    seats: int
    stands: bytearray
    supply: list[int]
    taken: bytearray
    turn: int
    year: int


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(SavedState).decode


def dump(state: State) -> bytes:
    return _encode(
        SavedState(
            absent=state.absent,
            banker=state.banker,
            cubes=state.cubes,
            held=state.held,
            income=state.income,
            lots=state.lots,
            money=state.money,
            options=changed_options(state.options),
            order=state.order,
            pending=state.pending,
            phase=state.phase,
            seats=state.seats,
            stands=state.stands,
            supply=state.supply,
            taken=state.taken,
            turn=state.turn,
            year=state.year,
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
