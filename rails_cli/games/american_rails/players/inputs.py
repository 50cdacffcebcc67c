"""Positions of American Rails as whole numbers, the inputs of a value network.

The shared numbers, in order. Fractions and small amounts are multiplied by the number in brackets:

- For each number of players in PLAYERS, 1 if it is the number of seats. For each kind in KINDS, 1 if the pending
  question is of this kind. For each phase, 1 if it is the current one. For each space of the column, 1 if it is free.
- 1 in the opening. Maximum and expected (1000) number of dividends to come. Value of a dollar of yearly income until
  the end (1000). 1 in the last year. Turns and years (1000) to the next dividend. Estimated years to an early end
  (100).
- Shares not sold. Opening shares still to be offered. Markers left. Supplies that are low. Low supplies still needed to
  end the game. Pieces to place until they are low. Cities that can be developed. Additional value of a dollar of cash
  (1000). Cubes that the seat to move may still place.
- In an auction, and before a company's first cube: for each company, 1 if it is the company. Its income, sold shares,
  unsold shares and treasury. In an auction: minimum bid, expected price, value of a share after the sale (10), this
  value minus the minimum, dividend per share after the sale.
- For each company: 1 if in play, 1 if it has track, 1 if its opening share is still to be offered. Treasury. Income, or
  expected first income. Shares sold, not sold. Dividend per share now, and if one more share is sold. Cubes left, 1 if
  they are low. Expected dividends of a share until the end (10). Cubes expected per year (100). Seats with shares. Most
  shares of a seat. Cities, and link cities. Income lost if others enter all cities where it is alone. Cities to develop
  where it is alone, and where it is not. Building sites. For each number in GROWTH, income gained by so many cubes
  (10), then the same without new money (10). Cubes and dollars to each of the first STEPS cities of its growth plan.

The numbers of a seat, in order:

- Cash. Shares. Dividends at the next payment, and their difference from the mean of all seats. Expected dividends
  of all shares until the end, and at current incomes.
- Sums over all companies of the seat's fraction of the sold shares, times: income gained by EXPANSION cubes without new
  money (10), income that can be lost (10), cities to develop alone (10), treasury. The largest product in the first sum
  (10).
- 1 if to move. 1 if it has the turn. Steps clockwise from the seat to move. 1 if its place in the turn order is
  decided. Its place, or likely place. Turns before its next turn. 1 if it has a space in the column. The space. Seats
  above it in the column.
- In an auction: 1 if still in. 1 if it has the highest bid. 1 if it is the expected buyer. Cash minus minimum. Shares
  of the company. Highest price that the seat would pay. This price minus the minimum. 1 if the difference is not
  negative.
- For each company: shares, fraction of the sold shares (1000), dividends at the next payment, expected dividends of
  these shares until the end.
"""

from functools import partial
from typing import Final

from rails_cli.games.american_rails.board import PLAYERS, Board
from rails_cli.games.american_rails.end import low_supplies
from rails_cli.games.american_rails.players.evaluation import PositionEvaluator, Prospects, spread_of
from rails_cli.games.american_rails.players.routes import Plan, grown
from rails_cli.games.american_rails.players.weights import Weights
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
from rails_cli.games.american_rails.state import FREE, State
from rails_cli.games.evaluation import Inputs, remember
from rails_cli.games.shared.auction import NOBODY
from rails_cli.games.shared.hexgrid import numbers_in
from rails_cli.games.shared.money import added, per_share

KINDS: Final[list[type]] = [
    *(Nominate, BidOrPass, PlaceFirstCube, ChooseSpace, PickCity, PickTreasury, PickSource, Expand, PickShare)
]
GROWTH: Final = (1, 2, 3, 4, 5, 8)
EXPANSION: Final = 4
STEPS: Final = 3
NO_GROWTH: Final = [0] * (2 * len(GROWTH) + 2 * STEPS)
EXPANSION_AT: Final = len(GROWTH) + GROWTH.index(EXPANSION)
"""Index in the result of `growth_of` of the income gained by EXPANSION cubes without new money."""
OF_COMPANY: Final = 21 + len(NO_GROWTH)
NOT_IN_PLAY: Final = [0] * OF_COMPANY
NO_BIDDER: Final = [0] * 8
OF_SEAT: Final = 20 + len(NO_BIDDER)
OF_SEAT_AND_COMPANY: Final = 4

GROWTHS: Final[dict[tuple[int, int, int], tuple[Plan, list[int]]]] = {}
"""Cached results of `growth_of`. A key has the id of a plan. The value contains the plan, so the id stays valid."""
RISKS: Final[dict[tuple[int, int, int], int]] = {}


def shared_inputs(board: Board) -> int:
    """Return the number of inputs of the value network that describe the position as a whole."""
    return len(PLAYERS) + len(KINDS) + board.phases + board.height + 26 + board.companies * (1 + OF_COMPANY)


def own_inputs(board: Board) -> int:
    """Return the number of inputs of the value network that describe one seat."""
    return OF_SEAT + OF_SEAT_AND_COMPANY * board.companies


def describe(state: State, board: Board, evaluator: PositionEvaluator) -> tuple[list[int], list[float], float]:
    """Return the inputs of the value network, the worth of each seat, and the likely error of the worth in dollars.

    The inputs that describe the whole position come first, then the inputs of each seat. The game must not be over.
    """
    prospects = Prospects(state, board, evaluator.weights)
    worth = prospects.worth()
    numbers = time_numbers(state, board, prospects)
    numbers += auction_numbers(state, board, prospects)
    holdings = Holdings(state, board, prospects)
    for company in range(board.companies):
        numbers += NOT_IN_PLAY if state.absent >> company & 1 else holdings.company_numbers(company)
    holdings.add_seats(numbers)
    return numbers, worth, spread_of(evaluator.weights, prospects.chances, prospects.until_dividend)


def time_numbers(state: State, board: Board, prospects: Prospects) -> list[int]:
    """Return network inputs about the set-up, the time until the end, and the supplies of shares, cubes and markers."""
    seats, question = state.seats, state.pending
    numbers = [1 if count == seats else 0 for count in PLAYERS]
    numbers += [1 if type(question) is kind else 0 for kind in KINDS]
    numbers += [1 if phase == state.phase else 0 for phase in range(board.phases)]
    numbers += [state.free >> space & 1 for space in range(board.height)]
    is_opening = len(state.order) < seats or state.lots != 0
    numbers += [1 if is_opening else 0, prospects.years]
    numbers += [int(1000 * added(prospects.chances)), int(1000 * added(prospects.counts))]
    turns = (board.phases - state.phase) * seats - (0 if is_opening else state.turn)
    numbers += [1 if prospects.years == 1 else 0, turns]
    numbers += [int(1000 * prospects.until_dividend), int(100 * prospects.to_go)]
    markers = board.markers - state.developed.bit_count()
    supplies = [state.cubes[company] for company in range(board.companies) if not state.absent >> company & 1]
    supplies.append(markers)
    supplies.sort()
    low, needed = board.file.low_supply, board.rules_for[seats].low_supplies
    pieces = sum([left - low for left in supplies[:needed] if left > low])
    are_low = low_supplies(state, board)
    numbers += [prospects.supplies, state.lots.bit_count(), markers, are_low, needed - are_low, pieces]
    cubes = question.cubes if type(question) is Expand or type(question) is PickSource else 0
    numbers += [len(state.develops), int(1000 * prospects.thirst), cubes]
    return numbers


def auction_numbers(state: State, board: Board, prospects: Prospects) -> list[int]:
    """Return network inputs about the running auction, or about the company that places its first cube.

    All are 0 if the pending question is of another kind.
    """
    question = state.pending
    numbers = [0] * (board.companies + 9)
    if type(question) is not BidOrPass and type(question) is not PlaceFirstCube:
        return numbers
    company = question.company
    sold, income = prospects.sold[company], int(prospects.incomes[company])
    numbers[company] = 1
    numbers[-9:-5] = [income, sold, state.supply[company], state.money[state.seats + company]]
    if type(question) is BidOrPass:
        value = prospects.bought
        if prospects.buyer == NOBODY:
            value = prospects.streams[company] * sold / (sold + 1) if sold else prospects.firsts[company]
        numbers[-5:-3] = [question.minimum, prospects.price]
        numbers[-3:] = [int(10 * value), int(value - question.minimum), per_share(income, sold + 1)]
    return numbers


class Holdings:
    """Computes the network inputs for the companies and the seats of a position.

    The lists are indexed by company. `holders` has the number of seats with shares, and `most` the most shares of one
    seat. The method `company_numbers` fills the other lists, which `add_seats` needs:

    - `dividends` and `values`: dividend and value of one share.
    - `gains`: income gained by an expansion. `risks`: income that can be lost.
    - `markers`: number of cities to develop where the company is alone.
    """

    def __init__(self, state: State, board: Board, prospects: Prospects) -> None:
        self.state = state
        self.board = board
        self.prospects = prospects
        companies = board.companies
        self.dividends: list[int] = [0] * companies
        self.values: list[float] = [0.0] * companies
        self.gains: list[int] = [0] * companies
        self.risks: list[int] = [0] * companies
        self.markers: list[int] = [0] * companies
        self.holders: list[int] = [0] * companies
        self.most: list[int] = [0] * companies
        for seat in range(state.seats):
            for company in state.owned[seat]:
                self.holders[company] += 1
                count = state.held[seat * companies + company]
                if count > self.most[company]:
                    self.most[company] = count

    def company_numbers(self, company: int) -> list[int]:
        state, board, prospects = self.state, self.board, self.prospects
        track, sold, cubes = state.track[company], prospects.sold[company], state.cubes[company]
        treasury = state.money[state.seats + company]
        income = int(prospects.incomes[company]) if prospects.is_planned[company] else state.income[company]
        value = prospects.streams[company] if sold else prospects.firsts[company]
        cities = track & board.cities
        alone = cities & ~prospects.twice
        plain = track & board.developable & ~state.developed
        plan = prospects.plans[company]
        growth = growth_of(plan, treasury, cubes) if plan else NO_GROWTH
        self.dividends[company] = dividend = per_share(income, sold)
        self.values[company] = value
        self.gains[company] = growth[EXPANSION_AT]
        self.risks[company] = risk = risk_of(prospects.routes.number, board, alone, state.developed & alone)
        self.markers[company] = markers = (plain & alone).bit_count()
        numbers = [1, 1 if track else 0, state.lots >> company & 1, treasury, income, sold, state.supply[company]]
        numbers += [dividend, per_share(income, sold + 1), cubes, 1 if cubes <= board.file.low_supply else 0]
        numbers += [int(10 * value), int(100 * prospects.paces[company]), self.holders[company], self.most[company]]
        numbers += [cities.bit_count(), (track & board.link_cities).bit_count(), risk, markers]
        numbers += [plain.bit_count() - markers, len(state.sites[company])]
        numbers += growth
        return numbers

    def add_seats(self, numbers: list[int]) -> None:
        """Append the network inputs that describe each seat to `numbers`."""
        state, prospects, sold = self.state, self.prospects, self.prospects.sold
        seats, companies = state.seats, self.board.companies
        paid = [0] * seats
        for seat in range(seats):
            for company in state.owned[seat]:
                paid[seat] += state.held[seat * companies + company] * self.dividends[company]
        mean, years = sum(paid) / seats, added(prospects.chances)
        order = order_numbers(state, self.board)
        for seat in range(seats):
            shares = 0
            worth = growth = best = risk = markers = treasury = 0.0
            by_company = [0] * (OF_SEAT_AND_COMPANY * companies)
            for company in state.owned[seat]:
                count = state.held[seat * companies + company]
                part = count / sold[company]
                value = count * self.values[company]
                at = OF_SEAT_AND_COMPANY * company
                by_company[at] = count
                by_company[at + 1] = int(1000 * part)
                by_company[at + 2] = count * self.dividends[company]
                by_company[at + 3] = int(value)
                shares += count
                worth += value
                gain = part * self.gains[company]
                growth += gain
                if gain > best:
                    best = gain
                risk += part * self.risks[company]
                markers += part * self.markers[company]
                treasury += part * state.money[seats + company]
            numbers += [state.money[seat], shares, paid[seat], int(paid[seat] - mean)]
            numbers += [int(worth), int(years * paid[seat])]
            numbers += [int(growth), int(10 * risk), int(10 * markers), int(treasury), int(best)]
            numbers += order[seat]
            numbers += self.bidder_numbers(seat)
            numbers += by_company

    def bidder_numbers(self, seat: int) -> list[int]:
        """Return the network inputs that describe a seat in an auction, all 0 if there is no auction."""
        prospects, question = self.prospects, self.state.pending
        if type(question) is not BidOrPass:
            return NO_BIDDER
        minimum, limit = question.minimum, prospects.limits[seat]
        numbers = [question.still_in >> seat & 1, 1 if seat == question.leader else 0]
        numbers += [1 if seat == prospects.buyer else 0, self.state.money[seat] - minimum]
        numbers += [self.state.held[seat * self.board.companies + question.company]]
        numbers += [limit, limit - minimum, 1 if limit >= minimum else 0]
        return numbers


def order_numbers(state: State, board: Board) -> list[list[int]]:
    """Return nine inputs of the network for each seat: its place in the turn order, and the space that it has taken."""
    seats, decided, question = state.seats, len(state.order), state.pending
    assert question is not None
    order = state.order
    if decided < seats:  # the others will follow clockwise from the banker
        others = [(state.banker + step) % seats for step in range(seats)]
        order = order + [seat for seat in others if seat not in order]
    turn = -1 if decided < seats or state.lots else state.turn
    numbers = [[0] * 9 for _ in range(seats)]
    for place in range(seats):
        seat = order[place]
        is_asked, has_turn = 1 if seat == question.seat else 0, 1 if place == turn else 0
        steps, before = (seat - question.seat) % seats, place - turn if turn > 0 else place
        numbers[seat] = [is_asked, has_turn, steps, 1 if place < decided else 0, place, before, 0, 0, 0]
    above = 0
    for space in range(board.height):
        seat = state.taken[state.phase * board.height + space]
        if seat != FREE:
            numbers[seat][5:] = [seats - turn + above, 1, space, above]
            above += 1
    return numbers


def risk_of(routes: int, board: Board, alone: int, developed: int) -> int:
    """Return the income that a company loses if other companies enter all cities where it is alone.

    `alone` is the mask of these cities, `developed` the mask of the developed ones. `routes` is the number of the
    board's `Routes` object, used as a cache key.
    """
    key = (routes, alone, developed)
    found = RISKS.get(key)
    if found is None:
        found = 0
        for city in numbers_in(alone):
            full, shared = board.values[city][developed >> city & 1]
            found += full - shared
        remember(RISKS, key, found)
    return found


def growth_of(plan: Plan, treasury: int, cubes: int) -> list[int]:
    """Return the network inputs for a growth plan with at least one city.

    The company has `treasury` dollars and `cubes` cubes left. If the plan has fewer than STEPS cities, the inputs of
    the last city are repeated.
    """
    key = (id(plan), treasury, cubes)
    found = GROWTHS.get(key)
    if found is not None:
        return found[1]
    numbers: list[int] = []
    for money in (plan[-1][1], float(treasury)):
        numbers += [int(10 * grown(plan, float(min(count, cubes)), money)) for count in GROWTH]
    for step in range(STEPS):
        to_city = plan[min(step, len(plan) - 1)]
        numbers += [int(to_city[0]), int(to_city[1])]
    remember(GROWTHS, key, (plan, numbers))
    return numbers


INPUTS: Final = Inputs(
    shared=shared_inputs,
    own=own_inputs,
    describe=partial(describe, evaluator=PositionEvaluator(Weights())),
    looks_a_second=150,
    expert_looks=120,
)
