"""A position of The Last Spike as JSON, and back."""

import re
from collections.abc import Iterator
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, UnsetType

from protocol.last_spike import EndReason, Options
from rails_cli.core.hexgrid import mask_of
from rails_cli.games.game import changed_options
from rails_cli.games.last_spike.board import PLAYERS, Board
from rails_cli.games.last_spike.questions import PlayPiece, Question, SellFor
from rails_cli.games.last_spike.rules import can_play, resale_value
from rails_cli.games.last_spike.state import NO_PIECE, State, derive
from rails_cli.games.saved_checks import money_mistakes, refuse

Mask = int | str
"""A bitmask as JSON: a number, or hexadecimal text on a board so large that the number would be too long."""


HEXADECIMAL = re.compile("0x[0-9a-f]+")


class SavedState(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """A state as JSON, keys in alphabetical order."""

    aside: int
    ended: EndReason | None
    hands: list[list[int]]
    held: list[Mask]
    laid: Mask
    luck: Annotated[str, Meta(pattern="^[0-9a-f]{32}$", max_length=32)]
    """Hexadecimal: its 128 bits are too many for a number."""
    mix: list[int]
    money: list[int]
    options: dict[str, str] | UnsetType
    pending: Question | None
    pile: Mask
    solvent: int
    told: list[int]


class ReadState(SavedState, frozen=True, gc=False, forbid_unknown_fields=True, kw_only=True):
    """The same when it is read: what was left out has its default."""

    options: dict[str, str] = {}


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(ReadState).decode


def dump(state: State) -> bytes:
    try:
        return _encode(_saved(state, state.held, state.laid, state.pile))
    except (OverflowError, ValueError):
        return _encode(_saved(state, list(map(hex, state.held)), hex(state.laid), hex(state.pile)))


def _saved(state: State, held: Any, laid: Mask, pile: Mask) -> SavedState:
    return SavedState(
        state.aside,
        state.ended,
        state.hands,
        held,
        laid,
        f"{state.luck:032x}",
        state.mix,
        state.money,
        changed_options(state.options) or UNSET,
        state.pending,
        pile,
        state.solvent,
        state.told,
    )


def load(dumped: bytes, board: Board) -> State:
    saved = _decode(dumped)
    refuse(_misshapen(saved, board))
    state = State()
    fields = msgspec.structs.asdict(saved) | {
        "held": [_bits(held) for held in saved.held],
        "laid": _bits(saved.laid),
        "luck": int(saved.luck, 16),
        "pile": _bits(saved.pile),
        "options": msgspec.convert(saved.options, Options),
    }
    for name, value in fields.items():
        setattr(state, name, value)
    derive(state, board)
    refuse(_mistakes(state, board))
    return state


def _misshapen(parts: ReadState, board: Board) -> Iterator[str]:
    """What keeps the position from being looked at: lists are as long as there are seats, numbers in their ranges."""
    seats, question = len(parts.hands), parts.pending
    if seats not in PLAYERS or len(parts.held) != seats or len(parts.money) != seats + 1:
        seats_there = f"{PLAYERS[0]} to {PLAYERS[-1]} seats"
        yield f"`hands` and `held` are by seat, `money` too, with the bank; there are {seats_there}"
        return
    aside = [] if parts.aside == NO_PIECE else [parts.aside]
    pieces = [*parts.mix, *(piece for hand in parts.hands for piece in hand), *aside]
    if not all(piece in range(len(board.piece_ids)) for piece in (*pieces, *parts.told)):
        yield f"there is no such piece; the pieces are 0 to {len(board.piece_ids) - 1}"
    elif len(set(pieces)) < len(pieces):
        yield "a piece is in two places"
    for mask, most in ((parts.laid, len(board.piece_ids)), *((lots, len(board.property_ids)) for lots in parts.held)):
        if not _is_mask(mask, most):
            yield "`laid` is a mask of pieces, `held` has masks of properties"
    if not _is_mask(parts.pile, len(board.property_ids)):
        yield "`pile` is a mask of properties"
    if parts.solvent not in range(1, 1 << seats):
        yield "`solvent` is a mask of seats, of which one is solvent at least"
    if question is not None and question.seat not in range(seats):
        yield f"there is no such seat; the seats are 0 to {seats - 1}"


def _is_mask(mask: Mask, bits: int) -> bool:
    is_written_well = isinstance(mask, int) or HEXADECIMAL.fullmatch(mask) is not None
    return is_written_well and _bits(mask) in range(1 << bits)


def _mistakes(state: State, board: Board) -> Iterator[str]:
    """What contradicts the rules."""
    yield from money_mistakes(state.money)
    aside = [] if state.aside == NO_PIECE else [state.aside]
    elsewhere = mask_of([*state.mix, *aside, *(piece for hand in state.hands for piece in hand)])
    if state.laid & elsewhere or state.laid | elsewhere != (1 << len(board.piece_ids)) - 1:
        yield "each piece is laid, in a hand, in the mix or set aside"
    if len(aside) != board.set_aside[len(state.hands)]:
        yield "the piece that was set aside is missing, or there should be none"
    if any(len(hand) > board.hand_size or hand != sorted(hand) for hand in state.hands):
        yield f"a hand has {board.hand_size} pieces at most, in order"
    found = state.pile
    for lots in state.held:
        if found & lots:
            yield "a property is in two places"
        found |= lots
    for seat, hand in enumerate(state.hands):
        if not state.solvent >> seat & 1 and (hand or state.held[seat] or state.money[seat]):
            yield f"seat {seat} is bankrupt, and has something"
    if (state.pending is None) != (state.ended is not None):
        yield "a game that has ended asks nothing, and one that has not asks somebody"
    if (state.from_start >> board.end & 1 == 1) != (state.ended == "last_spike"):
        yield "the game ends when the line is joined, and only then by the last spike"
    if (state.solvent.bit_count() == 1) != (state.ended == "last_solvent"):
        yield "the game ends when one player is solvent, and only then for that"
    if state.pending is not None:
        yield from _asked_wrongly(state, board, state.pending)


def _asked_wrongly(state: State, board: Board, question: Question) -> Iterator[str]:
    seat = question.seat
    if not state.solvent >> seat & 1:
        yield f"seat {seat} is asked, and bankrupt"
    if type(question) is SellFor:
        cash = state.money[seat]
        if question.piece not in state.hands[seat]:
            yield f"seat {seat} does not have the piece that it plays"
        elif not cash < question.cost <= cash + resale_value(state, board, seat):
            yield f"seat {seat} cannot pay {question.cost} by sales, or need not"
    elif type(question) is PlayPiece and not (state.hands[seat] and can_play(state, board, seat)):
        yield f"seat {seat} has no piece that it can pay for"


def _bits(mask: Mask) -> int:
    return mask if isinstance(mask, int) else int(mask, 16)
