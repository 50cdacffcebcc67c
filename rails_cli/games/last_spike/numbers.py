"""Positions of The Last Spike as rows of bytes, for programs that learn (see `rails_cli/games/numbers.py`).

A row has the hand of the seat that observes, and of other seats only what everybody may see.
"""

from collections.abc import Callable
from struct import Struct, error
from typing import Any, Final

from rails_cli.games.last_spike.board import Board
from rails_cli.games.last_spike.questions import BuyOrPass, PlayPiece, SellFor
from rails_cli.games.last_spike.state import NO_PIECE, State
from rails_cli.games.numbers import (
    NONE,
    Block,
    Column,
    Item,
    Layout,
    Map,
    Numbers,
    RowParts,
    clipped_amounts,
    clipped_bytes,
    divided_by,
    equal_to,
    is_in_mask,
    is_named,
    mask_bytes,
    one_byte,
    one_of,
    two_bytes,
)

MONEY: Final = 10
"""Amounts are divided by this many times the unit of the board, which is $1,000 on the standard board."""

SELLING: Final = SellFor
NUMBER_OF: Final[dict[Any, int]] = {PlayPiece: 0, SellFor: 1, BuyOrPass: 2, type(None): 3}


def layout(board: Board, seats: int) -> Layout:
    """Return the layout of the rows that `Packer.pack` writes."""
    pieces, properties = len(board.piece_ids), len(board.property_ids)
    cities, routes = len(board.city_ids), len(board.route_ids)
    row = RowParts()
    question, asked, chosen, solvent, known, mix, aside = (row.add() for _ in range(7))
    hands, cash = row.add(seats), row.add(2 * seats)
    cost, prices = row.add(2), row.add(2 * cities)
    hand, laid = row.add(mask_bytes(pieces)), row.add(mask_bytes(pieces))
    complete, connected = row.add(mask_bytes(routes)), row.add(mask_bytes(cities))
    pile, sellable = row.add(mask_bytes(properties)), row.add(mask_bytes(properties))
    held = row.add(seats * mask_bytes(properties))
    unit = f"in units of ${MONEY * board.unit:,}"
    table = [
        one_of("question", "one of: play a piece, sell to pay for the chosen piece, buy or pass", question, 3),
        Item(
            "chosen",
            "1 for the chosen piece, while its player sells to pay for it",
            lambda _: [Column(chosen, equal_to(piece)) for piece in range(pieces)],
        ),
        two_bytes("cost", f"cost of the chosen piece, {unit}", cost, MONEY),
        one_byte("mix", "pieces not yet drawn, in parts of all", mix, pieces),
        one_byte("aside", "1 if a piece has been set aside unseen", aside),
    ]
    by_seat = [
        is_named("is_to_move", "1 if the seat is to move", asked),
        is_in_mask("is_solvent", "1 if the seat is not bankrupt", solvent),
        is_in_mask("is_cash_known", "1 if the observing seat may see the cash of the seat", known),
        two_bytes("cash", f"cash, {unit}; 0 if hidden", cash, MONEY),
        Item("pieces", "number of pieces in hand, in parts of 4", lambda n: [Column(hands + n, divided_by(4))]),
    ]
    by_city = [two_bytes("price", f"price of the property for sale, {unit}; 0 if none is for sale", prices, MONEY)]
    seat_names, names = [""] * seats, [""]
    return Layout(
        row.length,
        [
            Block("table", names, table),
            Block("seat", seat_names, by_seat, is_by_seat=True),
            Block("city", board.city_ids, by_city),
        ],
        [
            Map("hand", names, "1 for each piece in the hand of the observing seat", "bitmasks", hand, pieces),
            Map("laid", names, "1 for each piece on the board", "bitmasks", laid, pieces),
            Map("complete", names, "1 for each complete route", "bitmasks", complete, routes),
            Map(
                "connected",
                names,
                "1 for each city connected to the start city by complete routes",
                "bitmasks",
                connected,
                cities,
            ),
            Map("pile", names, "1 for each unsold property", "bitmasks", pile, properties),
            Map(
                "sellable", names, "1 for each property that the bank would buy back", "bitmasks", sellable, properties
            ),
            Map("held", seat_names, "1 for each property of the seat", "bitmasks", held, properties, is_by_seat=True),
        ],
    )


class Packer:
    """Writes positions as rows of bytes."""

    def __init__(self, board: Board, seats: int) -> None:
        self.board = board
        self.seats = seats
        self.everybody = (1 << seats) - 1
        self.piece_bytes = mask_bytes(len(board.piece_ids))
        self.property_bytes = mask_bytes(len(board.property_ids))
        self.route_bytes = mask_bytes(len(board.route_ids))
        self.city_bytes = mask_bytes(len(board.city_ids))
        self.prices = [price // board.unit for price in board.price[:-1]] + [0]
        self.pack_amounts: Callable[..., bytes] = Struct(f"<{seats + 1 + len(board.city_ids)}H").pack

    def pack(self, state: State, seat: int) -> bytearray:
        """Return the row of a position as `seat` sees it."""
        board, seats = self.board, self.seats
        asked, chosen, cost = NONE, NONE, 0
        question: Any = state.pending
        kind: Any = type(question)
        if question is not None:
            asked = question.seat
        if kind is SELLING:
            chosen, cost = question.piece, question.cost // board.unit
        known = self.everybody if state.options.cash == "open" or state.ended is not None else 1 << seat
        numbers = [NUMBER_OF[kind], asked, chosen, state.solvent, known, len(state.mix), int(state.aside != NO_PIECE)]
        numbers += [len(hand) for hand in state.hands]
        money, unit = state.money, board.unit
        amounts = [money[other] // unit if known >> other & 1 else 0 for other in range(seats)]
        amounts.append(cost)
        prices = self.prices
        amounts += [prices[top] for top in state.tops]
        hand = 0
        for piece in state.hands[seat]:
            hand |= board.bit[piece]
        try:
            row = bytearray(numbers) + self.pack_amounts(*amounts)  # half the time of `bytes(numbers)`
        except (ValueError, error):
            row = clipped_bytes(numbers) + self.pack_amounts(*clipped_amounts(amounts))
        pieces, properties = self.piece_bytes, self.property_bytes
        row += hand.to_bytes(pieces, "little") + state.laid.to_bytes(pieces, "little")
        row += state.complete.to_bytes(self.route_bytes, "little")
        row += state.from_start.to_bytes(self.city_bytes, "little")
        row += state.pile.to_bytes(properties, "little") + state.sellable.to_bytes(properties, "little")
        for held in state.held:
            row += held.to_bytes(properties, "little")
        return row


NUMBERS: Numbers[State, Board] = Numbers(layout, lambda board, seats: Packer(board, seats).pack)
