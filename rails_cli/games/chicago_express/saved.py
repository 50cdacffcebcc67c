"""A position of Chicago Express as JSON, and back."""

import re

import msgspec
from msgspec import UNSET, UnsetType

from protocol.chicago_express import Options
from rails_cli.core.hexgrid import numbers_in
from rails_cli.games.chicago_express.board import ACTIONS, PLAYERS, Board
from rails_cli.games.chicago_express.questions import ANY_COMPANY, NOBODY, BidOrPass, Expand, Question
from rails_cli.games.chicago_express.state import State, derive
from rails_cli.games.game import changed_options


class SavedState(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """A state as it is written: developed hexes as hexadecimal text, track as base64; what follows is left out."""

    developed: str
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


class ReadState(SavedState, frozen=True, gc=False, forbid_unknown_fields=True, kw_only=True):
    """The same when it is read: what was left out has its default."""

    options: dict[str, str] = {}


HEXADECIMAL = re.compile("0x[0-9a-f]+")

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(ReadState).decode


def dump(state: State) -> bytes:
    return _encode(
        SavedState(
            hex(state.developed),
            state.dials,
            state.held,
            state.houses,
            state.income,
            state.left,
            state.money,
            changed_options(state.options) or UNSET,
            state.pending,
            state.scales,
            state.stands,
            state.turn,
        )
    )


def load(data: bytes, board: Board) -> State:
    saved = _decode(data)
    if not _is_possible(saved, board):
        raise msgspec.ValidationError("this is not a position on this board")
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


def _is_possible(saved: ReadState, board: Board) -> bool:
    """Whether numbers are in their ranges and lists as long as the board says: the rules do not look again."""
    seats = len(saved.held) // board.companies
    question = saved.pending
    return (
        seats in PLAYERS
        and len(saved.held) == seats * board.companies
        and len(saved.money) == seats + board.companies + 1
        and len(saved.income) == len(saved.left) == board.companies
        and len(saved.scales) == len(board.scale_values)
        and len(saved.dials) == len(ACTIONS)
        and len(saved.stands) == len(board.hex_ids)
        and min(saved.held + saved.left) >= 0 <= saved.houses
        and all(0 <= step < len(values) for step, values in zip(saved.scales, board.scale_values, strict=True))
        and max(saved.stands) < 1 << board.companies
        and HEXADECIMAL.fullmatch(saved.developed) is not None
        and int(saved.developed, 16) < 1 << len(board.hex_ids)
        and saved.turn in range(NOBODY, seats)
        and (question is None or question.seat in range(seats))
        and (type(question) is not BidOrPass or _is_auction(question, seats, board.companies))
        and (type(question) is not Expand or question.company in range(ANY_COMPANY, board.companies))
    )


def _is_auction(question: BidOrPass, seats: int, companies: int) -> bool:
    is_asked = question.still_in in range(1 << seats) and question.still_in >> question.seat & 1
    return bool(is_asked) and question.company in range(companies) and question.leader in range(NOBODY, seats)


def tracks_in(stands: bytearray, companies: int) -> list[int]:
    """The hexes of each company, as masks."""
    tracks = [0] * companies
    for place, there in enumerate(stands):
        for company in numbers_in(there):
            tracks[company] |= 1 << place
    return tracks
