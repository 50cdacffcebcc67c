"""Positions of Chicago Express as rows of bytes, for programs that learn (see `rails_cli/games/numbers.py`)."""

from typing import Any, Final

from rails_cli.games.chicago_express.board import ACTIONS, Board
from rails_cli.games.chicago_express.questions import BidOrPass, DevelopHex, Expand, OfferShare, PickDial
from rails_cli.games.chicago_express.state import State
from rails_cli.games.numbers import (
    NONE,
    Column,
    Item,
    Layout,
    Map,
    Numbers,
    RowParts,
    Rows,
    divided_by,
    is_named,
    mask_words,
    one_byte,
    one_of,
    two_bytes,
)
from rails_cli.games.shared.company_numbers import MONEY, StockBytes

# The questions as constants: compiled code looks up an imported name at each use.
BIDDING: Final = BidOrPass
EXPANDING: Final = Expand
NUMBER_OF: Final[dict[Any, int]] = {PickDial: 0, OfferShare: 1, BidOrPass: 2, Expand: 3, DevelopHex: 4, type(None): 5}


def layout(board: Board, seats: int) -> Layout:
    companies, hexes, scales = board.companies, len(board.hex_ids), len(board.scale_hexes)
    row = RowParts()
    question, asked, turn, company, leader, first, still_in = (row.add() for _ in range(7))
    is_opening, to_place, has_reached_chicago, houses = (row.add() for _ in range(4))
    dials, steps, held = row.add(len(ACTIONS)), row.add(scales), row.add(companies * seats)
    income, sold, left = row.add(companies), row.add(companies), row.add(companies)
    cash, treasuries, minimum = row.add(2 * seats), row.add(2 * companies), row.add(2)
    stands, developed = row.add(hexes), row.add(8 * mask_words(hexes))
    dividend, earnings = row.add(companies), row.add(seats)

    holdings = [[held + company * seats + seat for company in range(companies)] for seat in range(seats)]
    stock = StockBytes(still_in, income, dividend, earnings, cash, treasuries, holdings)

    def dial_positions(_: int) -> list[Column]:
        return [Column(dials + action, divided_by(red_at)) for action, red_at in enumerate(board.red_at)]

    def scale_steps(_: int) -> list[Column]:
        lasts = [max(len(values) - 1, 1) for values in board.scale_values]
        return [Column(steps + scale, divided_by(last)) for scale, last in enumerate(lasts)]

    table = [
        one_of("question", "one of: choose an action, offer a share, bid or pass, expand, develop", question, 5),
        one_byte("is_opening", "1 in an opening auction", is_opening),
        two_bytes("minimum", f"lowest possible bid, in units of ${MONEY}; 0 outside auctions", minimum, MONEY),
        one_byte("to_place", "locomotives that the expansion may still place", to_place, board.expand_max),
        one_byte("has_reached_chicago", "1 if the expansion has reached Chicago", has_reached_chicago),
        Item("dials", "dials of auction, expand and develop: 0 at the start, 1 if red", dial_positions),
        Item(
            "scales", "markers of the industrial scales in board order: 0 at the first step, 1 at the last", scale_steps
        ),
        one_byte("houses", "houses left, in parts of the houses at the start", houses, max(board.houses, 1)),
    ]
    by_seat = [
        is_named("is_to_move", "1 if the seat is to move", asked),
        is_named("has_turn", "1 if it is the turn of the seat", turn),
        is_named("is_leader", "1 if the seat has the highest bid", leader),
        is_named("is_first", "1 if the seat was asked first in the auction", first),
        *stock.seat_items(board.shares),
    ]
    by_company = [
        is_named("is_at_issue", "1 if its share is auctioned, or if the expansion must place its locomotives", company),
        *stock.company_items(),
        Item("sold", "shares sold, in parts of all", lambda n: [Column(sold + n, divided_by(board.shares[n]))]),
        Item(
            "locomotives",
            "locomotives left, in parts of all",
            lambda n: [Column(left + n, divided_by(board.locomotives[n]))],
        ),
    ]
    maps = [
        Map("track", board.company_ids, "1 for each hex with a locomotive of it", "members", stands, hexes),
        Map("developed", [""], "1 for each developed hex", "bitmasks", developed, hexes),
    ]
    return stock.layout(row, board.company_ids, table, by_seat, by_company, maps)


class Packer:
    """Encoder of positions as rows of bytes, for one board and number of players."""

    def __init__(self, board: Board, seats: int) -> None:
        self.mask_bytes = 8 * mask_words(len(board.hex_ids))

    def pack(self, state: State, seat: int, rows: Rows) -> None:
        """Add `state` to `rows`. The row is the same for every `seat`, because nothing is hidden."""
        asked, company, leader, first, still_in = NONE, NONE, NONE, NONE, 0
        is_opening, to_place, has_reached_chicago, minimum = False, 0, False, 0
        question: Any = state.pending
        kind: Any = type(question)
        if question is not None:
            asked = question.seat
        if kind is BIDDING:
            company, leader, first, still_in = question.company, question.leader, question.first, question.still_in
            is_opening, minimum = question.is_opening, question.minimum
        elif kind is EXPANDING:
            company, to_place, has_reached_chicago = question.company, question.left, question.has_reached_chicago
        numbers = rows.numbers
        numbers += [NUMBER_OF[kind], asked, state.turn & NONE, company & NONE, leader & NONE, first, still_in]
        numbers += [int(is_opening), to_place, int(has_reached_chicago), state.houses]
        numbers += state.dials
        numbers += state.scales
        numbers += state.held
        numbers += state.income
        numbers += state.sold
        numbers += state.left
        amounts = rows.amounts
        amounts += state.money
        amounts[-1] = minimum  # instead of the bank
        rows.pieces += (state.stands, state.developed.to_bytes(self.mask_bytes, "little"))


NUMBERS: Numbers[State, Board] = Numbers(layout, lambda board, seats: Packer(board, seats).pack)
