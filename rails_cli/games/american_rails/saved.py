"""A position of American Rails as JSON, and back."""

import msgspec

from rails_cli.core.hexgrid import mask_of
from rails_cli.games.american_rails.board import Board
from rails_cli.games.american_rails.questions import Question
from rails_cli.games.american_rails.state import MARKER, State, keep_caches


class SavedState(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """A state as JSON, its keys in alphabetical order; bytes are base64."""

    absent: int
    cubes: list[int]
    held: bytearray
    income: list[int]
    lots: int
    money: list[int]
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
            state.absent,
            state.cubes,
            state.held,
            state.income,
            state.lots,
            state.money,
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
    file = _decode(content)
    state = State()
    state.memo = None
    state.pending = file.pending
    state.absent = file.absent
    state.cubes = file.cubes
    state.developed = hexes_with(MARKER, file.stands)
    state.held = file.held
    state.income = file.income
    state.lots = file.lots
    state.money = file.money
    state.order = file.order
    state.phase = file.phase
    state.seats = file.seats
    state.supply = file.supply
    state.taken = file.taken
    state.track = [hexes_with(1 << company, file.stands) for company in range(board.companies)]
    state.turn = file.turn
    state.year = file.year
    keep_caches(state, board)
    return state


def hexes_with(piece: int, stands: bytearray) -> int:
    """The mask of hexes where a piece stands."""
    return mask_of(place for place, pieces in enumerate(stands) if pieces & piece)
