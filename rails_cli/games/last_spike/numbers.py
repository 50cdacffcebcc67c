"""Positions of The Last Spike as rows of bytes, for programs that learn (see `rails_cli/games/numbers.py`).

A row contains only what the observing seat sees.
"""

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
    Rows,
    divided_by,
    equal_to,
    in_words,
    is_in_mask,
    is_named,
    mask_words,
    one_byte,
    one_of,
    two_bytes,
)

MONEY: Final = 10
"""Divisor of amounts of money in rows. The amounts are in units of `board.unit` ($1,000 on the standard board)."""

SELLING: Final = SellFor
NUMBER_OF: Final[dict[Any, int]] = {PlayPiece: 0, SellFor: 1, BuyOrPass: 2, type(None): 3}


def layout(board: Board, seats: int) -> Layout:
    pieces, properties = len(board.piece_ids), len(board.property_ids)
    cities, routes = len(board.city_ids), len(board.route_ids)
    row = RowParts()
    question, asked, chosen, solvent, known, mix, aside = (row.add() for _ in range(7))
    hands, prices = row.add(seats), row.add(cities)
    cash, cost = row.add(2 * seats), row.add(2)
    complete, connected = row.add(8 * mask_words(routes)), row.add(8 * mask_words(cities))
    hand, laid = row.add(8 * mask_words(pieces)), row.add(8 * mask_words(pieces))
    pile, sellable = row.add(8 * mask_words(properties)), row.add(8 * mask_words(properties))
    held = row.add(seats * 8 * mask_words(properties))
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
    by_city = [one_byte("price", f"price of the property for sale, {unit}; 0 if none is for sale", prices, MONEY)]
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
    """Encoder of positions as rows of bytes, for one board and number of players."""

    def __init__(self, board: Board, seats: int) -> None:
        self.board = board
        self.seats = seats
        self.everybody = (1 << seats) - 1
        self.prices = [price // board.unit for price in board.price[:-1]] + [0]
        self.words = [
            mask_words(len(ids))
            for ids in (board.route_ids, board.city_ids, *2 * [board.piece_ids], *(2 + seats) * [board.property_ids])
        ]
        self.has_small_masks = max(self.words) == 1

    def pack(self, state: State, seat: int, rows: Rows) -> None:
        """Add `state` to `rows`, without what is hidden from `seat`."""
        board, seats = self.board, self.seats
        asked, chosen, cost = NONE, NONE, 0
        question: Any = state.pending
        kind: Any = type(question)
        if question is not None:
            asked = question.seat
        if kind is SELLING:
            chosen, cost = question.piece, question.cost // board.unit
        known = self.everybody if state.options.cash == "open" or state.ended is not None else 1 << seat
        numbers = rows.numbers
        numbers += [NUMBER_OF[kind], asked, chosen, state.solvent, known, len(state.mix), int(state.aside != NO_PIECE)]
        numbers += [len(hand) for hand in state.hands]
        prices = self.prices
        numbers += [prices[top] for top in state.tops]
        money, unit = state.money, board.unit
        amounts = rows.amounts
        amounts += [money[other] // unit if known >> other & 1 else 0 for other in range(seats)]
        amounts.append(cost)
        hand = 0
        for piece in state.hands[seat]:
            hand |= board.bit[piece]
        masks = [state.complete, state.from_start, hand, state.laid, state.pile, state.sellable]
        masks += state.held
        if not self.has_small_masks:
            masks = in_words(masks, self.words)
        rows.words += masks


NUMBERS: Numbers[State, Board] = Numbers(layout, lambda board, seats: Packer(board, seats).pack)
