"""Encoding of states of Chicago Express as JSON, and decoding."""

import msgspec

from rails_cli.games.chicago_express.board import Board
from rails_cli.games.chicago_express.questions import Question
from rails_cli.games.chicago_express.state import State, derive
from rails_cli.games.game import changed_options
from rails_cli.games.shared.hexgrid import numbers_in
from rails_cli.protocol.chicago_express import Options


class SavedState(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """A state as JSON: developed hexes in hexadecimal, track in base64. Derived attributes are omitted."""

    developed: str
    dials: list[int]
    held: list[int]
    houses: int
    income: list[int]
    left: list[int]
    money: list[int]
    options: dict[str, str] = {}
    pending: Question | None
    scales: list[int]
    stands: bytearray
    turn: int


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(SavedState).decode


def dump(state: State) -> bytes:
    return _encode(
        SavedState(
            developed=hex(state.developed),
            dials=state.dials,
            held=state.held,
            houses=state.houses,
            income=state.income,
            left=state.left,
            money=state.money,
            options=changed_options(state.options),
            pending=state.pending,
            scales=state.scales,
            stands=state.stands,
            turn=state.turn,
        )
    )


def load(data: bytes, board: Board) -> State:
    saved = _decode(data)
    state = State()
    fields = msgspec.structs.asdict(saved) | {
        "options": msgspec.convert(saved.options, Options),
        "seats": len(saved.held) // board.companies,
        "track": tracks_in(saved.stands, board.companies),
        "developed": int(saved.developed, 16),
    }
    for name, value in fields.items():
        setattr(state, name, value)
    derive(state, board)
    return state


def tracks_in(stands: bytearray, companies: int) -> list[int]:
    """Return the mask of hexes of each company."""
    tracks = [0] * companies
    for place, there in enumerate(stands):
        for company in numbers_in(there):
            tracks[company] |= 1 << place
    return tracks
