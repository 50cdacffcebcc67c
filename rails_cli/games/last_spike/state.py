"""A position of The Last Spike, and its way to JSON and back."""

from typing import Any

import msgspec

from protocol.last_spike import EndReason
from rails_cli.core.hexgrid import numbers_in
from rails_cli.games.last_spike.board import PLAYERS, Board


class PlayPiece(msgspec.Struct, frozen=True, gc=False, tag_field="asks", tag="play_piece"):
    """Which piece to play? The turn's first question."""

    seat: int


class SellFor(msgspec.Struct, frozen=True, gc=False, tag_field="asks", tag="sell_for"):
    """Which property to sell, to pay for the piece chosen? Asked until the cost can be paid."""

    cost: int
    piece: int
    seat: int


class BuyOrPass(msgspec.Struct, frozen=True, gc=False, tag_field="asks", tag="buy_or_pass"):
    """Which property to buy, if any? Then the seat draws."""

    seat: int


PLAY_PIECE = tuple(PlayPiece(seat) for seat in range(max(PLAYERS)))
BUY_OR_PASS = tuple(BuyOrPass(seat) for seat in range(max(PLAYERS)))

Question = PlayPiece | SellFor | BuyOrPass


class State:
    """A position. Pieces, properties, cities and routes go by number; sets of them are bitmasks.

    The five after `ended` follow from the others; `derive` finds them anew.
    """

    __slots__ = (
        "aside",
        "complete",
        "ended",
        "free_choice",
        "from_start",
        "hands",
        "held",
        "hidden",
        "laid",
        "luck",
        "memo",
        "mix",
        "money",
        "pending",
        "pile",
        "sellable",
        "solvent",
        "told",
        "tops",
        "touching",
    )

    pending: Question | None
    money: list[int]
    """Cash by seat, the bank last."""
    hands: list[list[int]]
    """The pieces in each hand, in rising order: dearest first."""
    held: list[int]
    """The properties of each seat."""
    solvent: int
    """The seats that are not bankrupt."""
    laid: int
    """The pieces on the board."""
    pile: int
    """The properties in the cities' piles."""
    mix: list[int]
    """The pieces to draw from, mixed; the last is drawn next."""
    aside: int
    """The piece set aside unseen, or NO_PIECE."""
    luck: int
    told: list[int]
    """Draws that are known beforehand, next first, because a log told them."""
    free_choice: bool
    """Whether pieces that touch nothing may be played at will (option `non_adjacent`)."""
    hidden: bool
    """Whether cash is hidden (option `cash`)."""
    ended: EndReason | None
    """Why the game has ended."""

    touching: int
    """The pieces that touch a city or a laid piece."""
    complete: int
    """The routes all of whose pieces lie."""
    from_start: int
    """The cities that complete routes join to the start city."""
    sellable: int
    """The properties that the bank buys back: not free, and of a city with a route to complete."""
    tops: list[int]
    """The property for sale in each city, or `board.nothing`."""

    memo: Any
    """What `view.py` keeps of the views it made; no part of the position."""

    def copy(self) -> "State":
        twin = State.__new__(State)
        twin.pending = self.pending
        twin.money = self.money.copy()
        twin.hands = [hand.copy() for hand in self.hands]
        twin.held = self.held.copy()
        twin.solvent = self.solvent
        twin.laid = self.laid
        twin.pile = self.pile
        twin.mix = self.mix.copy()
        twin.aside = self.aside
        twin.luck = self.luck
        twin.told = self.told.copy()
        twin.free_choice = self.free_choice
        twin.hidden = self.hidden
        twin.ended = self.ended
        twin.touching = self.touching
        twin.complete = self.complete
        twin.from_start = self.from_start
        twin.sellable = self.sellable
        twin.tops = self.tops.copy()
        twin.memo = None
        return twin


NO_PIECE = -1


def derive(state: State, board: Board) -> None:
    """Finds what follows from the rest of the state."""
    state.touching = board.ends
    for piece, bit in enumerate(board.bit):
        if state.laid & bit:
            state.touching |= board.beside[piece]
    state.complete = 0
    for route, along in enumerate(board.route_pieces):
        if all(state.laid >> piece & 1 for piece in along):
            state.complete |= 1 << route
    state.from_start = joined_to(board, 1 << board.start, state.complete)
    state.sellable = board.bought
    for city, routes in enumerate(board.city_routes):
        if state.complete & routes == routes:
            state.sellable &= ~board.city_properties[city]
    state.tops = [top_of(board, state.pile, city) for city in range(len(board.city_ids))]


def joined_to(board: Board, cities: int, routes: int) -> int:
    """The cities that a line of the given routes joins to the given cities, these included."""
    lines = [board.route_cities[route] for route in numbers_in(routes)]
    before = 0
    while before != cities:
        before = cities
        for both in lines:
            if both & cities:
                cities |= both
    return cities


def top_of(board: Board, pile: int, city: int) -> int:
    """The property for sale in a city: the cheapest in the pile, once the free one has been taken."""
    left = pile & board.city_properties[city]
    if not left or left & board.free:
        return board.nothing
    return (left & -left).bit_length() - 1


Mask = int | str
"""A bitmask as JSON: a number, or hexadecimal text on a board so large that the number would be too long."""


class _Dump(msgspec.Struct, frozen=True, gc=False):
    """A state as JSON, keys in alphabetical order."""

    aside: int
    ended: EndReason | None
    free_choice: bool
    hands: list[list[int]]
    held: list[Mask]
    hidden: bool
    laid: Mask
    luck: int
    mix: list[int]
    money: list[int]
    pending: Question | None
    pile: Mask
    solvent: int
    told: list[int]


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(_Dump).decode


def dump(state: State) -> bytes:
    try:
        return _encode(_saved(state, state.held, state.laid, state.pile))
    except (OverflowError, ValueError):
        return _encode(_saved(state, list(map(hex, state.held)), hex(state.laid), hex(state.pile)))


def _saved(state: State, held: Any, laid: Mask, pile: Mask) -> _Dump:
    return _Dump(
        state.aside,
        state.ended,
        state.free_choice,
        state.hands,
        held,
        state.hidden,
        laid,
        state.luck,
        state.mix,
        state.money,
        state.pending,
        pile,
        state.solvent,
        state.told,
    )


def load(dumped: bytes, board: Board) -> State:
    parts = _decode(dumped)
    state = State()
    state.pending = parts.pending
    state.money = parts.money
    state.hands = parts.hands
    state.held = [_bits(held) for held in parts.held]
    state.solvent = parts.solvent
    state.laid = _bits(parts.laid)
    state.pile = _bits(parts.pile)
    state.mix = parts.mix
    state.aside = parts.aside
    state.luck = parts.luck
    state.told = parts.told
    state.free_choice = parts.free_choice
    state.hidden = parts.hidden
    state.ended = parts.ended
    state.memo = None
    derive(state, board)
    return state


def _bits(mask: Mask) -> int:
    return mask if isinstance(mask, int) else int(mask, 16)
