"""A position of American Rails as JSON, and back."""

from collections.abc import Iterator

import msgspec
from msgspec import UNSET, UnsetType

from protocol.american_rails import Options
from rails_cli.core.hexgrid import mask_of
from rails_cli.games.american_rails.board import FULL, PLAYERS, Board
from rails_cli.games.american_rails.questions import (
    BidOrPass,
    ChooseSpace,
    Expand,
    Nominate,
    PickSource,
    PlaceFirstCube,
    Question,
)
from rails_cli.games.american_rails.state import FREE, MARKER, State, keep_caches
from rails_cli.games.game import changed_options
from rails_cli.games.saved_checks import auction_mistakes, is_joined, money_mistakes, refuse
from rails_cli.games.view_checks import MOST_MONEY


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
    refuse(_misshapen(saved, board))
    state = State()
    fields = msgspec.structs.asdict(saved) | {
        "options": msgspec.convert(saved.options, Options),
        "developed": hexes_with(MARKER, saved.stands),
        "track": [hexes_with(1 << company, saved.stands) for company in range(board.companies)],
    }
    for name, value in fields.items():
        setattr(state, name, value)
    refuse(_mistakes(state, board))
    keep_caches(state, board)
    return state


def _misshapen(file: ReadState, board: Board) -> Iterator[str]:
    """What keeps the position from being looked at: lists are as long as the board says, numbers in their ranges."""
    seats, companies, question = file.seats, board.companies, file.pending
    if seats not in PLAYERS:
        yield f"{seats} seats; there are {PLAYERS[0]} to {PLAYERS[-1]}"
        return
    if len(file.held) != seats * companies:
        yield "`held` is not a list of all shares of all seats"
    if len(file.money) != seats + companies + 1:
        yield "`money` is not a list of all seats, all companies and the bank"
    if not len(file.income) == len(file.cubes) == len(file.supply) == companies:
        yield "`income`, `cubes` and `supply` have a number for each company"
    elif min(file.cubes + file.supply) < 0 or any(abs(income) > MOST_MONEY for income in file.income):
        yield "cubes and shares that are left are not below 0, and incomes within reason"
    if file.absent not in range(1 << companies) or file.lots not in range(1 << companies):
        yield "`absent` and `lots` are masks of companies"
    if file.phase not in range(board.file.phases) or file.year not in range(len(board.file.years)):
        yield "a year or a phase that the board does not have"
    there = MARKER | (1 << companies) - 1
    if len(file.stands) != len(board.hexes) or any(pieces & ~there for pieces in file.stands):
        yield "`stands` has the companies and the markers in each hex"
    asked = () if question is None else (question.seat,)
    takers = [seat for seat in file.taken if seat != FREE]
    if not all(seat in range(seats) for seat in (*file.order, *takers, *asked, file.turn, file.banker)):
        yield f"there is no such seat; the seats are 0 to {seats - 1}"
    if len(file.taken) != board.height * board.file.phases:
        yield "`taken` has all spaces of all columns"


def _mistakes(state: State, board: Board) -> Iterator[str]:
    """What contradicts the rules."""
    yield from money_mistakes(state.money)
    for company, id in enumerate(board.company_ids):
        track, bit = state.track[company], 1 << company
        held = sum(state.held[company :: board.companies])
        if held + state.supply[company] > board.shares[company]:
            yield f"{id} has given out more shares than there are"
        is_starting = type(state.pending) is PlaceFirstCube and state.pending.company == company
        if held and not (track or is_starting):
            yield f"somebody has a share of {id}, which has not started"
        if state.absent & bit:
            if held or state.supply[company] or state.cubes[company] or track or state.lots & bit:
                yield f"{id} is not in the game"
        elif track.bit_count() + state.cubes[company] != board.cubes[company]:
            yield f"{id} has {board.cubes[company]} cubes, on the board and beside it"
        if state.lots & bit and (held or track or state.supply[company] != board.shares[company]):
            yield f"{id} has started, and is still to be auctioned in the opening"
        if not is_joined(track, track & -track, board.near):
            yield f"the track of {id} is not in one piece"
    if state.absent.bit_count() != board.rules_for[state.seats].companies_removed:
        yield "too many or too few companies are out of the game"
    yield from _crowded(state, board)
    yield from _misplaced(state, board)
    if state.pending is not None:
        yield from _asked_wrongly(state, board, state.pending)


def _crowded(state: State, board: Board) -> Iterator[str]:
    for place, pieces in enumerate(state.stands):
        cubes = (pieces & ~MARKER).bit_count()
        if cubes > 1 and board.costs[place][cubes - 1] == FULL:
            yield f"there are more cubes in {board.hex_ids[place]} than it has room for"
        if pieces & MARKER and not (cubes and board.developable >> place & 1):
            yield f"a development marker is in {board.hex_ids[place]}, where there can be none"
    if state.developed.bit_count() > board.file.markers:
        yield f"there are {board.file.markers} development markers"


def _misplaced(state: State, board: Board) -> Iterator[str]:
    """In the columns everybody has one space at most, in those before the current one exactly one."""
    question = state.pending
    is_opening = type(question) is Nominate or (
        (type(question) is BidOrPass or type(question) is PlaceFirstCube) and question.opening
    )
    if is_opening and (state.year or state.phase or any(seat != FREE for seat in state.taken)):
        yield "the opening comes before the first year"
    if not is_opening and (state.lots or len(state.order) < state.seats):
        yield "after the opening no company is left to auction in it, and everybody has a place in the turn order"
    columns = [
        [seat for seat in state.taken[first : first + board.height] if seat != FREE]
        for first in range(0, len(state.taken), board.height)
    ]
    for phase, column in enumerate(columns):
        most = state.seats if phase <= state.phase else 0
        if len(set(column)) < len(column) or len(column) > most or (phase < state.phase and len(column) < most):
            yield f"the column of phase {phase + 1} is not filled as it can be in phase {state.phase + 1}"
    if state.phase and state.order != columns[state.phase - 1]:
        yield "the turn order is not that of the last column"
    if len(set(state.order)) < len(state.order):
        yield "everybody has one place in the turn order"
    if question is not None and not is_opening:
        moved = state.turn if type(question) is ChooseSpace else state.turn + 1
        if set(columns[state.phase]) != set(state.order[:moved]):
            yield "who has moved in this phase is not in its column"


def _asked_wrongly(state: State, board: Board, question: Question) -> Iterator[str]:
    seat = question.seat
    if type(question) is BidOrPass or type(question) is PlaceFirstCube:
        company = question.company
        if company not in range(board.companies) or state.absent >> company & 1:
            yield "a company that is not in the game"
            return
        if state.lots >> company & 1:
            yield f"{board.company_ids[company]} is auctioned, and is still to be auctioned in the opening"
        if state.track[company] and (question.opening or type(question) is PlaceFirstCube):
            yield f"{board.company_ids[company]} has started already"
    elif type(question) is Nominate:
        if not state.lots:
            yield "no company is left to auction in the opening"
    elif seat != state.order[state.turn]:
        yield f"seat {seat} is asked, and it is the turn of seat {state.order[state.turn]}"
    if type(question) is BidOrPass:
        leader, minimum, still_in = question.leader, question.minimum, question.still_in
        yield from auction_mistakes(
            state.money, state.seats, seat=seat, leader=leader, minimum=minimum, still_in=still_in
        )
        if not state.supply[question.company]:
            yield f"{board.company_ids[question.company]} has no share to auction"
    least = 1 if type(question) is Expand else 0
    if (type(question) is Expand or type(question) is PickSource) and not (
        least <= question.cubes <= max(board.expansions)
    ):
        yield "an expansion by more than the board allows"


def hexes_with(piece: int, stands: bytearray) -> int:
    """The mask of hexes where a piece stands."""
    return mask_of(place for place, pieces in enumerate(stands) if pieces & piece)
