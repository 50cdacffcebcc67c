"""A position of American Rails as JSON, and back."""

import msgspec
from msgspec import UNSET, UnsetType

from protocol.american_rails import Options
from rails_cli.core.auction import NOBODY
from rails_cli.core.hexgrid import mask_of
from rails_cli.games.american_rails.board import PLAYERS, Board
from rails_cli.games.american_rails.questions import BidOrPass, Nominate, PlaceFirstCube, Question
from rails_cli.games.american_rails.state import MARKER, State, keep_caches
from rails_cli.games.game import changed_options


class SavedState(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """A state as JSON, its keys in alphabetical order; bytes are base64."""

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
    """The same when it is read: what was left out has its default."""

    banker: int = 0
    options: dict[str, str] = {}


OPENING = (Nominate, BidOrPass, PlaceFirstCube)

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
    if not _is_possible(saved, board):
        raise msgspec.ValidationError("this is not a position on this board")
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


def _is_possible(file: ReadState, board: Board) -> bool:
    """Whether numbers are in their ranges and lists as long as the board says: the rules do not look again."""
    seats, companies, question = file.seats, board.companies, file.pending
    return (
        seats in PLAYERS
        and len(file.held) == seats * companies
        and len(file.money) == seats + companies + 1
        and len(file.income) == len(file.cubes) == len(file.supply) == companies
        and len(file.taken) == board.height * board.file.phases
        and len(file.stands) == len(board.hexes)
        and min(file.cubes + file.supply) >= 0
        and file.absent in range(1 << companies)
        and file.lots in range(1 << companies)
        and all(seat in range(seats) for seat in (*file.order, file.turn, file.banker))
        and len(set(file.order)) == len(file.order) <= seats
        and file.year in range(len(board.file.years))
        and file.phase in range(board.file.phases)
        and (question is None or question.seat in range(seats))
        and (len(file.order) == seats or type(question) in OPENING)
        and (type(question) is not BidOrPass or _is_auction(question, seats, companies))
        and (type(question) is not PlaceFirstCube or question.company in range(companies))
    )


def _is_auction(question: BidOrPass, seats: int, companies: int) -> bool:
    is_asked = question.still_in in range(1 << seats) and question.still_in >> question.seat & 1
    return bool(is_asked) and question.company in range(companies) and question.leader in range(NOBODY, seats)


def hexes_with(piece: int, stands: bytearray) -> int:
    """The mask of hexes where a piece stands."""
    return mask_of(place for place, pieces in enumerate(stands) if pieces & piece)
