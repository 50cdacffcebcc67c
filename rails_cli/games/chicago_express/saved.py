"""Encoding of states of Chicago Express as JSON, and decoding."""

from operator import attrgetter

import msgspec

from rails_cli.games.chicago_express.board import Board
from rails_cli.games.chicago_express.questions import Question
from rails_cli.games.chicago_express.state import State, derive
from rails_cli.games.game import changed_options
from rails_cli.games.saved import SavedState, encode_state, restore_state
from rails_cli.games.shared.hexgrid import mask_of
from rails_cli.protocol.chicago_express import Options


class SavedGame(SavedState, frozen=True):
    """JSON structure of a state of Chicago Express."""

    developed: str
    """Bitmask of the developed hexes in hexadecimal."""
    dials: list[int]
    held: list[int]
    houses: int
    income: list[int]
    left: list[int]
    money: list[int]
    pending: Question | None
    scales: list[int]
    stands: bytearray
    turn: int
    options: dict[str, str] = msgspec.field(default_factory=dict)


_unconverted = attrgetter(*SavedGame.__struct_fields__[1:-1])


def dump(state: State) -> bytes:
    return encode_state(SavedGame, hex(state.developed), *_unconverted(state), changed_options(state.options))


def load(data: bytes, board: Board) -> State:
    saved = msgspec.json.decode(data, type=SavedGame)
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
