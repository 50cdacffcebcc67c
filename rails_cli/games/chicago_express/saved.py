"""Encoding of states of Chicago Express as JSON, and decoding."""

from msgspec import UnsetType

from rails_cli.games.chicago_express.board import Board
from rails_cli.games.chicago_express.questions import Question
from rails_cli.games.chicago_express.state import State, derive
from rails_cli.games.saved import SavedState, decode_state, encode_state, restore_state, saved_options
from rails_cli.games.shared.hexgrid import mask_of
from rails_cli.protocol.chicago_express import Options


class SavedGame(SavedState, frozen=True):
    """JSON structure of a state of Chicago Express. The fields are named after the attributes of `State`."""

    developed: str
    """Bitmask of the developed hexes in hexadecimal."""
    dials: list[int]
    held: list[int]
    houses: int
    income: list[int]
    left: list[int]
    money: list[int]
    options: dict[str, str] | UnsetType
    pending: Question | None
    scales: list[int]
    stands: bytearray
    turn: int


def dump(state: State) -> bytes:
    return encode_state(
        SavedGame(
            hex(state.developed),
            state.dials,
            state.held,
            state.houses,
            state.income,
            state.left,
            state.money,
            saved_options(state.options),
            state.pending,
            state.scales,
            state.stands,
            state.turn,
        )
    )


def load(data: bytes, board: Board) -> State:
    saved = decode_state(SavedGame, data)
    state = restore_state(
        State(),
        saved,
        Options,
        developed=int(saved.developed, 16),
        seats=len(saved.held) // board.companies,
        track=[
            mask_of(place for place, there in enumerate(saved.stands) if there >> company & 1)
            for company in range(board.companies)
        ],
    )
    derive(state, board)
    return state
