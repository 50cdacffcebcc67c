"""A position of Chicago Express: what is asked, and everything that can be counted on the table.

What is written to JSON has its fields in alphabetical order, the tag first: so the keys come out sorted.
"""

from typing import Any

import msgspec

from protocol.chicago_express import Build
from rails_cli.core.hexgrid import mask_of, numbers_in
from rails_cli.games.chicago_express.board import Board

NOBODY = -1
ANY_COMPANY = -1


class BidOrPass(msgspec.Struct, frozen=True, gc=False, tag="bid_or_pass", tag_field="asks"):
    """A bid of at least `minimum` for a share of `company`, or a pass; the standing bid, if any, is 1 below."""

    company: int
    first: int
    is_opening: bool
    leader: int
    minimum: int
    seat: int
    still_in: int


class PickDial(msgspec.Struct, frozen=True, gc=False, tag="pick_dial", tag_field="asks"):
    """Which of the three actions the turn is for."""

    seat: int


class OfferShare(msgspec.Struct, frozen=True, gc=False, tag="offer_share", tag_field="asks"):
    """Which company's share to auction, if any."""

    seat: int


class Expand(msgspec.Struct, frozen=True, gc=False, tag="expand", tag_field="asks"):
    """Where `company` (at first: any company held) places the next of `left` locomotives."""

    company: int
    has_reached_chicago: bool
    left: int
    seat: int


class DevelopHex(msgspec.Struct, frozen=True, gc=False, tag="develop_hex", tag_field="asks"):
    """Which hex to develop, if any."""

    seat: int


Question = BidOrPass | PickDial | OfferShare | Expand | DevelopHex


class State:
    """A position: ints and short lists of ints; companies and hexes go by number, sets of hexes are bitmasks.

    `money` are the seats, then the treasuries, then the bank; `held[company * seats + seat]` are shares; `left` are
    locomotives not yet placed; `scales` are steps along each industrial scale. A company is open if it has track.

    The rest follows: `sold` are the shares sold, `red` the red dials as a mask, `stands` the companies in each hex as
    masks, `occupied` the hexes with any; by company, `sites` are the hexes where it may build (money apart), `builds`
    the entries for them in hex order. A list in `builds` is replaced, never changed, so that copies can share it.

    `memo` is no part of the position: it keeps parts of the last view for the next one.
    """

    __slots__ = (
        "before_action",
        "builds",
        "developed",
        "dials",
        "held",
        "houses",
        "income",
        "left",
        "memo",
        "money",
        "occupied",
        "pending",
        "red",
        "scales",
        "seats",
        "sites",
        "sold",
        "stands",
        "track",
        "turn",
    )

    pending: Question | None
    before_action: bool
    seats: int
    turn: int
    money: list[int]
    held: list[int]
    sold: list[int]
    income: list[int]
    left: list[int]
    track: list[int]
    developed: int
    houses: int
    scales: list[int]
    dials: list[int]
    red: int
    stands: bytearray
    occupied: int
    sites: list[int]
    builds: list[list[Build]]
    memo: Any

    def copy(self) -> "State":
        new = State()
        new.pending = self.pending
        new.before_action = self.before_action
        new.seats = self.seats
        new.turn = self.turn
        new.money = self.money[:]
        new.held = self.held[:]
        new.sold = self.sold[:]
        new.income = self.income[:]
        new.left = self.left[:]
        new.track = self.track[:]
        new.developed = self.developed
        new.houses = self.houses
        new.scales = self.scales[:]
        new.dials = self.dials[:]
        new.red = self.red
        new.stands = self.stands[:]
        new.occupied = self.occupied
        new.sites = self.sites[:]
        new.builds = self.builds[:]
        new.memo = None
        return new


class SavedState(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """A state as it is written: developed hexes as hexadecimal text, track as base64; what follows is left out."""

    before_action: bool
    developed: str
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


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(SavedState).decode


def dump(state: State) -> bytes:
    return _encode(
        SavedState(
            state.before_action,
            hex(state.developed),
            state.dials,
            state.held,
            state.houses,
            state.income,
            state.left,
            state.money,
            state.pending,
            state.scales,
            state.stands,
            state.turn,
        )
    )


def load(data: bytes, board: Board) -> State:
    saved = _decode(data)
    state = State()
    state.pending = saved.pending
    state.before_action = saved.before_action
    state.seats = len(saved.held) // board.companies
    state.turn = saved.turn
    state.money = saved.money
    state.held = saved.held
    state.income = saved.income
    state.left = saved.left
    state.track = tracks_in(saved.stands, board.companies)
    state.developed = int(saved.developed, 16)
    state.houses = saved.houses
    state.scales = saved.scales
    state.dials = saved.dials
    derive(state, board)
    return state


def tracks_in(stands: bytearray, companies: int) -> list[int]:
    """The hexes of each company, as masks."""
    tracks = [0] * companies
    for place, there in enumerate(stands):
        for company in numbers_in(there):
            tracks[company] |= 1 << place
    return tracks


def derive(state: State, board: Board) -> None:
    """Works out anew what follows from the shares, the dials and the track."""
    state.memo = None
    state.sold = [sum(state.held[first : first + state.seats]) for first in range(0, len(state.held), state.seats)]
    state.red = mask_of(action for action, moved in enumerate(state.dials) if moved == board.red_at[action])
    state.stands = bytearray(len(board.hex_ids))
    state.occupied = 0
    for company, track in enumerate(state.track):
        state.occupied |= track
        for place in numbers_in(track):
            state.stands[place] |= 1 << company
    state.sites = [building_sites(state, board, company) for company in range(board.companies)]
    state.builds = [
        [board.build[company][place][state.stands[place].bit_count()] for place in numbers_in(sites)]
        for company, sites in enumerate(state.sites)
    ]


def building_sites(state: State, board: Board, company: int) -> int:
    """The hexes beside the company's track that are neither its own, nor start cities, nor full."""
    beside = 0
    for place in numbers_in(state.track[company]):
        beside |= board.around[place]
    return beside & ~state.track[company] & ~(state.occupied & board.single)
