"""Positions of American Rails as rows of bytes, for programs that learn (see `rails_cli/games/numbers.py`)."""

from typing import Any, Final

from rails_cli.games.american_rails.board import MOST_COMPANIES, Board
from rails_cli.games.american_rails.end import low_supplies
from rails_cli.games.american_rails.questions import (
    BidOrPass,
    ChooseSpace,
    Expand,
    Nominate,
    PickCity,
    PickShare,
    PickSource,
    PickTreasury,
    PlaceFirstCube,
)
from rails_cli.games.american_rails.state import State
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
    equal_to,
    is_in_mask,
    is_named,
    one_byte,
    one_of,
    two_bytes,
)
from rails_cli.games.shared.company_numbers import MONEY, StockBytes

# The questions as constants: compiled code looks up an imported name at each use.
BIDDING: Final = BidOrPass
EXPANDING: Final = Expand
TAKING: Final = PickSource
FOUNDING: Final = PlaceFirstCube
KINDS: Final = (
    *(Nominate, BidOrPass, PlaceFirstCube, ChooseSpace, PickCity),
    *(PickTreasury, PickSource, Expand, PickShare),
)
NUMBER_OF: Final[dict[Any, int]] = {kind: number for number, kind in enumerate((*KINDS, type(None)))}
QUESTIONS: Final = (
    "choose an opening share, bid or pass, place a first cube, choose a space, develop, fund, take, expand, auction"
)


def layout(board: Board, seats: int) -> Layout:
    companies, hexes, spaces = board.companies, len(board.hexes), board.phases * board.height
    row = RowParts()
    question, asked, company, leader, still_in, is_opening, to_place = (row.add() for _ in range(7))
    year, phase, markers, low, lots, absent, count, banker = (row.add() for _ in range(8))
    income, supply, cubes = row.add(companies), row.add(companies), row.add(companies)
    order = row.add(seats)
    cash, treasuries, minimum = row.add(2 * seats), row.add(2 * companies), row.add(2)
    held, taken, stands = row.add(seats * companies), row.add(spaces), row.add(hexes)
    dividend, earnings = row.add(companies), row.add(seats)

    holdings = [[held + seat * companies + company for company in range(companies)] for seat in range(seats)]
    stock = StockBytes(still_in, income, dividend, earnings, cash, treasuries, holdings)
    table = [
        one_of("question", f"one of: {QUESTIONS}", question, len(KINDS)),
        one_byte("is_opening", "1 in an opening auction", is_opening),
        two_bytes("minimum", f"lowest possible bid, in units of ${MONEY}; 0 outside auctions", minimum, MONEY),
        one_byte("to_place", "cubes that the expansion may still place, in parts of 4", to_place, 4),
        one_byte("year", "years that have passed, in parts of all years", year, len(board.file.years)),
        one_of("phase", "the phase of the year", phase, board.phases),
        one_byte("markers", "development markers left, in parts of all", markers, max(board.markers, 1)),
        one_byte(
            "low_supplies",
            "number of low supplies, in parts of the number that ends the game",
            low,
            max(board.rules_for[seats].low_supplies, 1),
        ),
        one_byte("seats_placed", "seats whose place in the turn order is decided, in parts of all", count, seats),
    ]
    by_seat = [
        is_named("is_to_move", "1 if the seat is to move", asked),
        is_named("is_leader", "1 if the seat has the highest bid", leader),
        is_named("is_banker", "1 if the seat chose the first opening share", banker),
        *stock.seat_items(board.shares),
        Item(
            "place",
            "place of the seat in the turn order of the phase: one number for each place",
            lambda seat: [Column(order + place, equal_to(seat)) for place in range(seats)],
        ),
    ]
    by_company = [
        is_named("is_at_issue", "1 if its share is auctioned, or if its first cube is placed", company),
        is_in_mask("is_absent", "1 if the company is not in play", absent),
        is_in_mask("is_to_open", "1 if its opening share has not been offered yet", lots),
        *stock.company_items(),
        Item("shares", "unsold shares, in parts of all", lambda n: [Column(supply + n, divided_by(board.shares[n]))]),
        Item("cubes", "cubes left, in parts of all", lambda n: [Column(cubes + n, divided_by(max(board.cubes[n], 1)))]),
    ]
    spaces_taken = "1 for each space that the seat has taken this year, phase by phase, each from top to bottom"
    maps = [
        Map("spaces", [""] * seats, spaces_taken, "owners", taken, spaces, is_by_seat=True),
        Map("track", board.company_ids, "1 for each hex with a cube of the company", "members", stands, hexes),
        Map("developed", [""], "1 for each developed city", "members", stands, hexes, MOST_COMPANIES),
    ]
    return stock.layout(row, board.company_ids, table, by_seat, by_company, maps)


class Packer:
    """Encoder of positions as rows of bytes, for one board and number of players."""

    def __init__(self, board: Board, seats: int) -> None:
        self.board = board
        self.no_order = [NONE] * seats

    def pack(self, state: State, seat: int, rows: Rows) -> None:
        """Add `state` to `rows`. The row is the same for every `seat`, because nothing is hidden."""
        asked, company, leader, still_in = NONE, NONE, NONE, 0
        is_opening, to_place, minimum = False, 0, 0
        question: Any = state.pending
        kind: Any = type(question)
        if question is not None:
            asked = question.seat
        if kind is BIDDING:
            company, leader, still_in = question.company, question.leader, question.still_in
            is_opening, minimum = question.opening, question.minimum
        elif kind is EXPANDING or kind is TAKING:
            to_place = question.cubes
        elif kind is FOUNDING:
            company, is_opening = question.company, question.opening
        board = self.board
        markers, low = board.markers - state.developed.bit_count(), low_supplies(state, board)
        numbers, amounts, pieces = rows.numbers, rows.amounts, rows.pieces
        numbers += [NUMBER_OF[kind], asked, company, leader & NONE, still_in, int(is_opening), to_place, state.year]
        numbers += [state.phase, markers, low, state.lots, state.absent, len(state.order), state.banker]
        numbers += state.income
        numbers += state.supply
        numbers += state.cubes
        numbers += state.order
        numbers += self.no_order[len(state.order) :]
        amounts += state.money
        amounts[-1] = minimum  # instead of the bank
        pieces += (state.held, state.taken, state.stands)


NUMBERS: Numbers[State, Board] = Numbers(layout, lambda board, seats: Packer(board, seats).pack)
