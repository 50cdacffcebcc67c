"""Positions of American Rails as whole numbers. They are the inputs of a value network.

First come the numbers that describe the whole position. Then come the numbers of each seat. Fractions and small amounts
are multiplied by a number such as 1000, and decimals are dropped. A flag is 1 if the statement is true, and otherwise
0.

The numbers for the whole position are, in this order:

- Flags: the game has 3 players, 4 players, and so on (PLAYERS).
- Flags: the pending question is of this kind, for each kind in KINDS.
- Flags: this is the current phase, for each phase.
- Flags: the space is free, for each space of the current column.
- Flag: the game is in the opening.
- Maximum number of future dividends.
- Expected number of future dividends, times 1000.
- Value in dollars of a dollar of yearly income until the end, times 1000.
- Flag: this is the last year.
- Number of turns until the next dividend.
- Years until the next dividend, times 1000.
- Estimated years until the game ends early, times 100.
- Number of shares in all supplies.
- Number of opening shares not yet offered.
- Number of development markers left.
- Number of supplies that are low.
- Number of further low supplies that would end the game.
- Number of pieces that must be placed until these supplies are low.
- Number of cities that can be developed.
- Additional value of a dollar of cash, times 1000.
- Number of cubes that the seat to move may still place.

Then follow the numbers about an auction, or about the question where a company places its first cube. They are 0 in
other positions:

- Flags: the question is about this company, for each company.
- Income, sold shares, unsold shares and treasury of this company.
- Minimum bid, only in an auction.
- Expected price, only in an auction.
- Value of one share after the sale, times 10, only in an auction.
- This value minus the minimum bid, only in an auction.
- Dividend of one share after the sale, only in an auction.

Then follow the numbers of each company. They are 0 for a company that is not in play:

- Flag: the company is in play.
- Flag: the company has track.
- Flag: its opening share is still to be offered.
- Treasury in dollars.
- Income. For a company without track, the income that it is expected to start with.
- Number of sold shares.
- Number of unsold shares.
- Dividend of one share now.
- Dividend of one share after one more sale.
- Number of cubes left.
- Flag: its supply of cubes is low.
- Expected dividends of one share until the end, times 10.
- Expected number of cubes placed per year, times 100.
- Number of seats with shares.
- Largest number of shares of one seat.
- Number of cities in its track.
- Number of link cities in its track.
- Income that it loses if others enter all cities where it is alone.
- Number of cities that can be developed and where it is alone.
- Number of cities that can be developed and where it is not alone.
- Number of hexes in which it can build.
- For each number of cubes in GROWTH: the income gained by placing this number with enough money, times 10.
- The same incomes with only the money in the treasury.
- Cubes and dollars needed to reach each of the first STEPS cities of its growth plan.

The numbers of a seat are, in this order:

- Cash.
- Number of shares.
- Dividends at the next payment.
- These dividends minus the mean of all seats.
- Expected dividends of all its shares until the end.
- Expected dividends of all its shares until the end at current incomes.
- A sum over all companies: the seat's fraction of the sold shares, times the income gained by EXPANSION cubes without
  new money, times 10.
- The same sum with the income that can be lost, times 10.
- The same sum with the number of cities to develop where the company is alone, times 10.
- The same sum with the treasury.
- The largest term of the first sum.
- Flag: the seat is to move.
- Flag: the seat has the turn.
- Number of seats clockwise from the seat to move to this seat.
- Flag: its place in the turn order is decided.
- Its place in the turn order, or its likely place.
- Number of turns before its next turn.
- Flag: the seat has taken a space in the current column.
- The number of this space.
- Number of seats on higher spaces of the column.

Then follow the numbers of the seat in an auction. They are 0 if there is no auction:

- Flag: the seat has not passed.
- Flag: the seat has the highest bid.
- Flag: the seat is the expected buyer.
- Cash minus the minimum bid.
- Number of shares of the auctioned company.
- Highest price that the seat would pay.
- This price minus the minimum bid.
- Flag: this price is at least the minimum bid.

Last come four numbers of the seat for each company:

- Number of shares.
- Fraction of the sold shares, times 1000.
- Dividends at the next payment.
- Expected dividends of these shares until the end.
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
"""Index in the result of `growth_of` for one number: the income gained by EXPANSION cubes without new money."""
OF_COMPANY: Final = 21 + len(NO_GROWTH)
NOT_IN_PLAY: Final = [0] * OF_COMPANY
NO_BIDDER: Final = [0] * 8
OF_SEAT: Final = 20 + len(NO_BIDDER)
OF_SEAT_AND_COMPANY: Final = 4

GROWTHS: Final[dict[tuple[int, int, int], tuple[Plan, list[int]]]] = {}
"""Cached results of `growth_of`.

A key has the id of a plan, the treasury and the number of cubes. The value contains the plan itself, so that Python
cannot give its id to another plan.
"""
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
    """Return network inputs about the running auction, or about the company whose first cube is to be placed.

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

    The lists below are indexed by company. The method `company_numbers` fills all of them except the first two, and
    must be called before `add_seats`.

    - `holders`: number of seats with shares.
    - `most`: largest number of shares of one seat.
    - `dividends`: dividend of one share.
    - `values`: value of one share.
    - `gains`: income gained by an expansion.
    - `risks`: income that can be lost.
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
    """Return nine network inputs for each seat, about its place in the turn order and the space that it has taken."""
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
    """Return the income that a company loses if other companies enter every city where it is alone.

    `alone` is the mask of these cities, and `developed` the mask of the developed ones. `routes` is a cache key: the
    number of the board's `Routes` object.
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
