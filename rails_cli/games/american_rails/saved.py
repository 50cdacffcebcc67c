"""Encoding of states of American Rails as JSON, and decoding."""

from msgspec import UNSET, UnsetType

from rails_cli.games.american_rails.board import Board
from rails_cli.games.american_rails.questions import Question
from rails_cli.games.american_rails.state import MARKER, State, keep_caches
from rails_cli.games.saved import SavedState, decode_state, encode_state, restore_state, saved_options
from rails_cli.games.shared.hexgrid import mask_of
from rails_cli.protocol.american_rails import Options


class SavedGame(SavedState, frozen=True):
    """JSON structure of a state of American Rails. The fields are named after the attributes of `State`."""

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


def dump(state: State) -> bytes:
    return encode_state(
        SavedGame(
            state.absent,
            state.banker or UNSET,
            state.cubes,
            state.held,
            state.income,
            state.lots,
            state.money,
            saved_options(state.options),
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
    saved = decode_state(SavedGame, content, banker=0)
    track = [hexes_with(1 << company, saved.stands) for company in range(board.companies)]
    state = restore_state(State(), saved, Options, developed=hexes_with(MARKER, saved.stands), track=track)
    keep_caches(state, board)
    return state


def hexes_with(piece: int, stands: bytearray) -> int:
    """Return the mask of hexes in which `piece` stands.

    `piece` is the bit of a company for its cubes, or MARKER. `stands` has the mask of pieces in each hex.
    """
    return mask_of(place for place, pieces in enumerate(stands) if pieces & piece)
