"""Positions of Chicago Express as whole numbers, which are the inputs of its value network.

A flag is 1 if the statement is true, and otherwise 0. Shared numbers describe the position, in this order:

- flags: the game has 2 players, 3 players and so on up to 6
- flags: the question is of this kind (see `kind_of`), for each kind
- flag: the auction is an opening auction
- the step of each dial, the least number of turns until a dividend, the houses left, the step of each industrial scale
- the unsold shares of each company (SOLD_OUT for a company without track), sorted
- the locomotives left of each company, sorted
- the sum of the three lowest numbers in each of these two lists
- the expected number of general dividends times 100, the estimated error of the worth in dollars
- flags: the auction is about this company, for each company
- of the auctioned company: income, sold shares, unsold shares, treasury and minimum bid
- of each company, these numbers in one row:
  - treasury, income, locomotives left, whether it has track, is in Chicago and is in Detroit, its building sites
  - shares sold and unsold, dividend of a share now and after one more sale
  - income that developments could add, the value of a share times 10
  - of each target of its tour the cost, locomotives and income times 2

Own numbers describe one seat, in this order:

- of each company: shares held, percentage of the sold shares, dividends that the company pays the seat
- cash, cash minus the minimum bid, sum of dividends, number of shares
- cash plus dividends, minus the mean of all seats
- flags: the seat is asked, has the turn, has the highest bid, was asked first for a bid, has not passed
- number of seats clockwise from the asked seat to this seat
- in an auction: its shares of the company, the highest price that it would pay
- in an auction: this price minus the minimum bid (limited to -10 to 10)
"""

from functools import partial
from typing import Final

from rails_cli.games.chicago_express.board import AUCTION, DEVELOP, EXPAND, Board
from rails_cli.games.chicago_express.players.evaluation import (
    PositionEstimates,
    PositionEvaluator,
    SaleEstimates,
    two_least,
)
from rails_cli.games.chicago_express.players.tours import PLACES
from rails_cli.games.chicago_express.players.weights import Weights
from rails_cli.games.chicago_express.questions import NOBODY, BidOrPass, DevelopHex, Expand, OfferShare, PickDial
from rails_cli.games.chicago_express.state import State
from rails_cli.games.evaluation import Inputs
from rails_cli.games.shared.money import per_share

FEWEST: Final = 2
MOST: Final = 6
KINDS: Final = 5
OF_COMPANY: Final = 13 + 3 * PLACES
OF_SEAT: Final = 14
SHIFT: Final = 30_000
SOLD_OUT: Final = 9
"""Value used for the number of unsold shares of a company without track."""


def shared_inputs(board: Board) -> int:
    companies, scales = board.companies, len(board.scale_hexes)
    return MOST - FEWEST + 1 + KINDS + 1 + 5 + scales + 2 * companies + 4 + companies + 5 + companies * OF_COMPANY


def own_inputs(board: Board) -> int:
    return 3 * board.companies + OF_SEAT


def describe(state: State, board: Board, evaluator: PositionEvaluator) -> tuple[list[int], list[float], float]:
    """Return the inputs of the value network, the worth of each seat, and the likely error of the worth in dollars.

    The inputs that describe the whole position come first, then the inputs of each seat. The game must not be over.
    """
    question = state.pending
    assert question is not None
    seats, companies = state.seats, board.companies
    estimates = PositionEstimates(evaluator.weights, state, board)
    auctioned, first, leader, minimum, still_in, is_opening = NOBODY, NOBODY, NOBODY, 0, 0, False
    limits: list[int] = []
    if type(question) is BidOrPass:
        auctioned, first, leader, minimum = question.company, question.first, question.leader, question.minimum
        still_in, is_opening = question.still_in, question.is_opening
        limits = evaluator.bidders_limits(state, board, estimates, question)
        worth = evaluator.settled(state, board, estimates, question, limits)
    else:
        worth = evaluator.between_auctions(state, board, estimates)
    sale = SaleEstimates(evaluator, board, estimates, state.sold)
    spread = evaluator.spread_of(estimates, sale.dividends)

    numbers: list[int] = []
    for players in range(FEWEST, MOST + 1):
        numbers.append(1 if seats == players else 0)
    kind = kind_of(state)
    for number in range(KINDS):
        numbers.append(1 if kind == number else 0)
    numbers.append(1 if is_opening else 0)
    red_at, dials = board.red_at, state.dials
    numbers += dials
    numbers.append(
        two_least(red_at[AUCTION] - dials[AUCTION], red_at[EXPAND] - dials[EXPAND], red_at[DEVELOP] - dials[DEVELOP])
    )
    numbers.append(state.houses)
    numbers += state.scales
    unsold: list[int] = []
    for company in range(companies):
        left = board.shares[company] - state.sold[company]
        unsold.append(left if state.track[company] else SOLD_OUT)
    unsold.sort()
    fewest = sorted(state.left)
    numbers += unsold
    numbers += fewest
    numbers.append(sum(unsold[:3]))
    numbers.append(sum(fewest[:3]))
    numbers.append(whole(100 * sale.dividends))
    numbers.append(whole(spread))
    for company in range(companies):
        numbers.append(1 if company == auctioned else 0)
    if auctioned == NOBODY:
        numbers += [0, 0, 0, 0, 0]
    else:
        numbers.append(state.income[auctioned])
        numbers.append(state.sold[auctioned])
        numbers.append(board.shares[auctioned] - state.sold[auctioned])
        numbers.append(state.money[seats + auctioned])
        numbers.append(minimum)
    each = [per_share(state.income[company], state.sold[company]) for company in range(companies)]
    for company in range(companies):
        add_company(numbers, state, board, evaluator, estimates, sale, company, each[company])
    add_seats(numbers, state, companies, each, auctioned, first, leader, minimum, still_in, limits)
    return numbers, worth, spread


def kind_of(state: State) -> int:
    """Return an index from 0 to 4 for the kind of the pending question: bid, dial, offer, expansion or development."""
    question = state.pending
    if type(question) is BidOrPass:
        return 0
    if type(question) is PickDial:
        return 1
    if type(question) is OfferShare:
        return 2
    if type(question) is Expand:
        return 3
    assert type(question) is DevelopHex
    return 4


def add_company(
    numbers: list[int],
    state: State,
    board: Board,
    evaluator: PositionEvaluator,
    estimates: PositionEstimates,
    sale: SaleEstimates,
    company: int,
    each: int,
) -> None:
    """Append the network inputs that describe a company to `numbers`. `each` is the dividend of one share."""
    track, sold, income = state.track[company], state.sold[company], state.income[company]
    detroit = board.scale_hexes[board.detroit]
    numbers.append(state.money[state.seats + company])
    numbers.append(income)
    numbers.append(state.left[company])
    numbers.append(1 if track else 0)
    numbers.append(1 if track >> board.chicago & 1 else 0)
    numbers.append(1 if track >> detroit & 1 else 0)
    numbers.append(len(state.builds[company]))
    numbers.append(sold)
    numbers.append(board.shares[company] - sold)
    numbers.append(each)
    numbers.append(per_share(income, sold + 1))
    numbers.append(estimates.potential[company])
    value = 0.0
    if sold:
        value = evaluator.each(board, estimates, sale, state.money, state.held, sold, company)
    numbers.append(whole(10 * value))
    tour = estimates.tours[company]
    count = 0 if tour is None else min(PLACES, len(tour.gains))
    for place in range(PLACES):
        if tour is None or not count:
            numbers += [0, 0, 0]
        else:
            last = min(place, count - 1)
            numbers += [tour.costs[last], tour.steps[last], whole(2 * tour.gains[last])]


def add_seats(
    numbers: list[int],
    state: State,
    companies: int,
    each: list[int],
    auctioned: int,
    first: int,
    leader: int,
    minimum: int,
    still_in: int,
    limits: list[int],
) -> None:
    """Append the network inputs that describe each seat to `numbers`. `each` has the dividend of a share by company."""
    seats, question = state.seats, state.pending
    assert question is not None
    asked = question.seat
    paid = [0] * seats
    shares = [0] * seats
    for company in range(companies):
        for seat in range(seats):
            held = state.held[company * seats + seat]
            paid[seat] += held * each[company]
            shares[seat] += held
    mean = sum([*state.money[:seats], *paid]) / seats
    for seat in range(seats):
        cash = state.money[seat]
        for company in range(companies):
            held = state.held[company * seats + seat]
            numbers.append(held)
            numbers.append(100 * held // state.sold[company] if held else 0)
            numbers.append(held * each[company])
        numbers.append(cash)
        numbers.append(cash - minimum if auctioned != NOBODY else 0)
        numbers.append(paid[seat])
        numbers.append(shares[seat])
        numbers.append(whole(cash + paid[seat] - mean))
        numbers.append(1 if seat == asked else 0)
        numbers.append(1 if seat == state.turn else 0)
        numbers.append(1 if seat == leader else 0)
        numbers.append(1 if seat == first else 0)
        numbers.append(still_in >> seat & 1)
        numbers.append((seat - asked) % seats)
        if auctioned == NOBODY:
            numbers += [0, 0, 0]
        else:
            limit = limits[seat]
            numbers.append(state.held[auctioned * seats + seat])
            numbers.append(limit)
            numbers.append(max(-10, min(10, limit - minimum)))


def whole(number: float) -> int:
    """Return `number` rounded down to a whole number. `number` must be larger than -SHIFT."""
    return int(number + SHIFT) - SHIFT


INPUTS: Final = Inputs(
    shared=shared_inputs,
    own=own_inputs,
    describe=partial(describe, evaluator=PositionEvaluator(Weights())),
    looks_a_second=200,
    expert_looks=200,
)
