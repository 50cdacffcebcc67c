"""A position of Chicago Express as JSON, and back."""

import re
from collections.abc import Iterator

import msgspec
from msgspec import UNSET, UnsetType

from protocol.chicago_express import Options
from rails_cli.core.hexgrid import numbers_in
from rails_cli.games.chicago_express.board import ACTIONS, PLAYERS, Board
from rails_cli.games.chicago_express.network import hex_value
from rails_cli.games.chicago_express.questions import ANY_COMPANY, NOBODY, BidOrPass, Expand, PickDial, Question
from rails_cli.games.chicago_express.state import State, derive
from rails_cli.games.game import changed_options
from rails_cli.games.saved_checks import auction_mistakes, is_joined, money_mistakes, refuse


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
    refuse(_misshapen(saved, board))
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
    refuse(_mistakes(state, board))
    return state


def _misshapen(saved: ReadState, board: Board) -> Iterator[str]:
    """What keeps the position from being looked at: lists are as long as the board says, numbers in their ranges."""
    seats = len(saved.held) // board.companies
    if seats not in PLAYERS or len(saved.held) != seats * board.companies:
        yield "`held` is not a list of all shares of all seats"
    elif len(saved.money) != seats + board.companies + 1:
        yield "`money` is not a list of all seats, all companies and the bank"
    if not len(saved.income) == len(saved.left) == board.companies:
        yield "`income` and `left` have a number for each company"
    if len(saved.scales) != len(board.scale_values) or not all(
        0 <= step < len(values) for step, values in zip(saved.scales, board.scale_values, strict=True)
    ):
        yield "`scales` are steps of the industrial scales"
    if len(saved.dials) != len(ACTIONS) or not all(
        0 <= moved <= red for moved, red in zip(saved.dials, board.red_at, strict=True)
    ):
        yield "`dials` stand between their beginning and red"
    if len(saved.stands) != len(board.hex_ids) or max(saved.stands) >= 1 << board.companies:
        yield "`stands` has the companies in each hex"
    if HEXADECIMAL.fullmatch(saved.developed) is None or int(saved.developed, 16) >= 1 << len(board.hex_ids):
        yield "`developed` is a mask of hexes"
    if min(saved.held) < 0:
        yield "nobody has fewer than 0 shares"
    question = saved.pending
    if saved.turn not in range(NOBODY, seats) or (question is not None and question.seat not in range(seats)):
        yield f"there is no such seat; the seats are 0 to {seats - 1}"


def _mistakes(state: State, board: Board) -> Iterator[str]:
    """What contradicts the rules."""
    yield from money_mistakes(state.money)
    for company, id in enumerate(board.company_ids):
        track, home = state.track[company], board.bits[board.start[company]]
        if state.sold[company] > board.shares[company]:
            yield f"{id} has sold more shares than there are"
        if not track and (state.sold[company] or company != board.wabash):
            yield f"{id} has no track"
        if track & board.starts & ~home or not is_joined(track, home, board.around):
            yield f"the track of {id} is not joined to its start, or in the start of another"
        if track.bit_count() + state.left[company] != board.locomotives[company]:
            yield f"{id} has {board.locomotives[company]} locomotives, on the board and beside it"
        if state.income[company] != sum(hex_value(state, board, place) for place in numbers_in(track)):
            yield f"the income of {id} is not what its track is worth"
    for place in numbers_in(state.occupied & board.single):
        if state.stands[place].bit_count() > 1:
            yield f"there is more than one locomotive in {board.hex_ids[place]}"
    if state.developed & ~(board.house_hexes & state.occupied):
        yield "a house stands where there can be none"
    if state.developed.bit_count() + state.houses != board.houses:
        yield f"there are {board.houses} houses, on the board and beside it"
    auctioned = board.opening  # CE-10: one after the other, and each is sold
    if state.turn == NOBODY and type(state.pending) is BidOrPass and state.pending.company in board.opening:
        auctioned = board.opening[: board.opening.index(state.pending.company)]
    for company, id in enumerate(board.company_ids):
        if state.sold[company] < (company in auctioned) or (state.turn == NOBODY and state.sold[company] > 1):
            yield f"{state.sold[company]} shares of {id} were sold, which cannot be at this time"
    if state.turn == NOBODY and not all(company in auctioned for company, sold in enumerate(state.sold) if sold):
        yield "a share was sold before its opening auction"
    if state.pending is not None:
        yield from _asked_wrongly(state, board, state.pending)


def _asked_wrongly(state: State, board: Board, question: Question) -> Iterator[str]:
    seat, seats = question.seat, state.seats
    if type(question) is BidOrPass:
        leader, minimum, still_in = question.leader, question.minimum, question.still_in
        yield from auction_mistakes(state.money, seats, seat=seat, leader=leader, minimum=minimum, still_in=still_in)
        if question.company not in range(board.companies) or question.first not in range(seats):
            yield "an auction of no company, or begun by no seat"
        elif state.sold[question.company] >= board.shares[question.company] or not state.track[question.company]:
            yield f"{board.company_ids[question.company]} has no share to auction"
        if question.is_opening != (state.turn == NOBODY) or (question.is_opening and question.company == board.wabash):
            yield "opening auctions come before the first turn, and no others do"
    elif state.turn != seat:
        yield f"seat {seat} is asked, and it is the turn of seat {state.turn}"
    if type(question) is Expand:
        company = question.company
        if question.left not in range(1, board.expand_max + 1) or company not in range(ANY_COMPANY, board.companies):
            yield "an expansion of no company, or by more than the board allows"
        elif company != ANY_COMPANY and not state.held[company * seats + seat]:
            yield f"seat {seat} expands {board.company_ids[company]}, of which it has no share"
    if type(question) is PickDial and state.red.bit_count() > 1:
        yield "two dials are red, and the game continues"


def tracks_in(stands: bytearray, companies: int) -> list[int]:
    """The hexes of each company, as masks."""
    tracks = [0] * companies
    for place, there in enumerate(stands):
        for company in numbers_in(there):
            tracks[company] |= 1 << place
    return tracks
