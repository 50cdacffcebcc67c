"""Encoding of states of American Rails as JSON, and decoding."""

from operator import attrgetter

import msgspec

from rails_cli.games.american_rails.board import Board
from rails_cli.games.american_rails.questions import Question
from rails_cli.games.american_rails.state import MARKER, State, keep_caches
from rails_cli.games.game import changed_options
from rails_cli.games.saved import SavedState, encode_state, restore_state
from rails_cli.games.shared.hexgrid import mask_of
from rails_cli.protocol.american_rails import Options


class SavedGame(SavedState, frozen=True):
    """JSON structure of a state of American Rails."""

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
    banker: int = 0
    options: dict[str, str] = msgspec.field(default_factory=dict)


_unconverted = attrgetter(*SavedGame.__struct_fields__[:-1])


def dump(state: State) -> bytes:
    return encode_state(SavedGame, *_unconverted(state), changed_options(state.options))


def load(content: bytes, board: Board) -> State:
    saved = msgspec.json.decode(content, type=SavedGame)
    track = [hexes_with(1 << company, saved.stands) for company in range(board.companies)]
    state = restore_state(State(), saved, Options, developed=hexes_with(MARKER, saved.stands), track=track)
    keep_caches(state, board)
    return state


def hexes_with(piece: int, stands: bytearray) -> int:
    """Return the mask of hexes in which `piece` stands.

    `piece` is the bit of a company for its cubes, or MARKER. `stands` has the mask of pieces in each hex.
    """
    return mask_of(place for place, pieces in enumerate(stands) if pieces & piece)
