"""Evaluation of positions of American Rails: the value of each seat's cash and prospects in current dollars.

A share is worth its future dividends. Each company is assumed to grow along its growth plan, as fast as its money and
shareholders allow. When more shares are sold, each share gets a smaller part of the income. Cash has an additional
value while shares are on sale.
"""

from typing import Final

from rails_cli.games.american_rails.board import Board
from rails_cli.games.american_rails.players.candidates import candidates_of
from rails_cli.games.american_rails.players.routes import Plan, Routes, grown, routes_of
from rails_cli.games.american_rails.players.weights import Weights
from rails_cli.games.american_rails.questions import BidOrPass
from rails_cli.games.american_rails.state import FREE, State
from rails_cli.games.evaluation import Evaluation, Run
from rails_cli.games.shared.auction import NOBODY, outcome

SLOPE: Final = 10
"""Difference in dollars between two prices for which the value of a share is compared.

The price is paid to the company, which can then build more. So a share is worth more if its price is higher.
"""


def until_dividend(state: State, phases: int) -> float:
    """Return the time to the next dividend in years. `phases` is the number of phases in a year."""
    is_opening = len(state.order) < state.seats or state.lots != 0
    done = 0.0 if is_opening else state.turn / state.seats
    return (phases - state.phase - done) / phases


def years_to_go(weights: Weights, state: State, board: Board) -> float:
    """Return the estimated number of years until the game ends early.

    The game ends early if no shares are left, or if enough supplies of cubes and markers are low.
    """
    shares = sum(state.supply) / (weights.sales * board.file.phases)
    low = board.file.low_supply
    times = [(board.file.markers - state.developed.bit_count() - low) / weights.markers]
    for company in range(board.companies):
        if not state.absent >> company & 1:
            times.append((state.cubes[company] - low) / weights.cubes)
    times.sort()
    needed = board.rules_for[state.seats].low_supplies
    pieces = times[needed - 1] if needed <= len(times) else shares
    return shares if shares < pieces else pieces


def chances_of_dividends(weights: Weights, years: int, to_go: float, until: float) -> list[float]:
    """Return the probability of each future dividend.

    The first dividend is certain. `years` is the largest possible number of dividends. `to_go` is the estimated time
    until the game ends, and `until` the time until the first dividend, both in years.
    """
    chances = [1.0] * years
    for number in range(1, years):
        chance = 0.5 + (to_go - until - number + 1) / weights.closing
        chances[number] = 0.0 if chance < 0 else 1.0 if chance > 1 else chance
    return chances


def spread_of(weights: Weights, chances: list[float], until: float) -> float:
    """Return the likely error in dollars of an evaluation.

    `chances` has the probability of each future dividend. `until` is the time to the first dividend in years.
    """
    years = until - 1
    for chance in chances:
        years += chance
    return weights.spread_now + weights.spread_year * years


class Prospects:
    """Estimates for one position. Most lists are indexed by company.

    - `once`: mask of the hexes with at least one company.
    - `twice`: mask of the hexes with several companies.
    - `years`: maximum number of future dividends.
    - `until_dividend`: years until the next dividend.
    - `to_go`: estimated years until the game ends early.
    - `chances`: probability of each future dividend.
    - `edge`: fraction of a company that a seat holds, minus the average fraction of the other seats. The index is `seat
      * companies + company`.
    - `is_planned`: whether `plans` and `incomes` are valid for a company.
    - `plans`: growth plan of a company.
    - `incomes`: income of a company.
    - `wanted`: relative frequency with which shares of a company are sold.
    - `all_wanted`: sum of these frequencies.

    The method `worth` also sets:

    - `streams`: expected dividends of one share. 0 if no share is sold.
    - `firsts`: expected dividends of the first share, if no share is sold.
    - `paces`: expected number of cubes placed per year, if a share is sold.
    - `limits`: in an auction, the result of `caps`.
    - `buyer`: in an auction, the seat that is expected to buy the share, or NOBODY.
    - `price`: the expected price, if there is a buyer.
    - `bought`: the value of one share after the sale, if there is a buyer.
    """

    def __init__(self, state: State, board: Board, weights: Weights) -> None:
        self.weights = weights
        self.state = state
        self.routes: Routes = routes_of(board)
        self.seats: int = state.seats
        self.companies: int = board.companies
        self.phases: int = board.file.phases
        self.once: int = 0
        self.twice: int = 0
        for track in state.track:
            self.twice |= self.once & track
            self.once |= track
        last = len(board.file.years)
        self.years: int = last - state.year
        self.all_years: int = last
        self.supplies: int = sum(state.supply)
        self.until_dividend: float = until_dividend(state, self.phases)
        self.to_go: float = years_to_go(weights, state, board)
        chances = chances_of_dividends(weights, self.years, self.to_go, self.until_dividend)
        self.chances: list[float] = chances
        self.counts: list[float] = [0.0] * self.years
        """For each future dividend, the current value of one dollar that it pays, in dollars."""
        later = 0.0
        for number in range(self.years - 1, -1, -1):
            self.counts[number] = chances[number] * (1 - weights.fade) ** number * (1 + weights.early * later)
            later += chances[number]
        self.lot_price: int = int(weights.lot_price)
        self.edge: list[float] = [0.0] * (self.seats * self.companies)
        self.is_planned: list[bool] = [False] * self.companies
        self.plans: list[Plan | None] = [None] * self.companies
        self.incomes: list[float] = [0.0] * self.companies
        self.sold: list[int] = [0] * self.companies
        self.wanted: list[float] = [0.0] * self.companies
        self.all_wanted: float = 0.0
        self.streams: list[float] = []
        self.firsts: list[float] = [0.0] * self.companies
        self.paces: list[float] = [0.0] * self.companies
        self.limits: list[int] = []
        self.buyer: int = NOBODY
        self.price: int = 0
        self.bought: float = 0.0
        held = state.held
        for company in range(self.companies):
            sold = 0
            for place in range(company, self.seats * self.companies, self.companies):
                sold += held[place]
            self.sold[company] = sold
            if state.supply[company]:
                wanted = 1 / (sold + 1)
                self.wanted[company] = wanted
                self.all_wanted += wanted
            if sold:
                for place in range(company, self.seats * self.companies, self.companies):
                    self.edge[place] = self.edge_of(held[place], sold)

    def make_plan(self, company: int) -> None:
        """Compute a company's income and growth plan.

        A company without track is assumed to start in its best free city. If no city is free, the plan stays None.
        """
        state, routes = self.state, self.routes
        self.is_planned[company] = True
        self.incomes[company] = float(state.income[company])
        track = state.track[company]
        if not track:
            city = routes.start(self.once, self.twice, state.developed)
            if city < 0:
                return
            self.incomes[company] = float(routes.gain(city, self.once, state.developed))
            track = 1 << city
        self.plans[company] = routes.plan(track, self.once, self.twice, state.developed)

    def edge_of(self, held: int, sold: int) -> float:
        """Return the edge of a seat: its fraction of the sold shares, minus the average fraction of the other seats.

        `held` is the number of shares that the seat holds.
        """
        return (held - (sold - held) / (self.seats - 1)) / sold

    def pace_of(self, company: int, buyer: int) -> float:
        """Return the expected number of cubes that a company places per year.

        If `buyer` is a seat, the seat is assumed to hold one share of the company more than now. NOBODY stands for no
        change.
        """
        weights, state = self.weights, self.state
        companies, seats = self.companies, self.seats
        money, held = state.money, state.held
        sold = self.sold[company] + (1 if buyer >= 0 else 0)
        drive = 0.0
        for seat in range(seats):
            place = seat * companies + company
            own = held[place] + (1 if seat == buyer else 0)
            if not own:
                continue
            edge = self.edge_of(own, sold)
            if edge <= 0:
                continue
            interest = edge * (money[seats + company] + weights.price)
            all_interest = interest
            for other in range(companies):
                if other != company:
                    other_edge = self.edge[seat * companies + other]
                    if other_edge > 0:
                        all_interest += other_edge * (money[seats + other] + 1)
            drive += interest / all_interest * (1.0 if edge > weights.interest else edge / weights.interest)
        return weights.pace * self.phases * drive

    def stream(self, company: int, buyer: int, price: int) -> float:
        """Return the expected dividends of one share of a company until the end.

        Later dividends have less weight. If `buyer` is a seat, the seat is assumed to buy one more share first, for
        `price` dollars. NOBODY stands for no purchase.
        """
        weights, state = self.weights, self.state
        sold = self.sold[company]
        supply = state.supply[company]
        money = float(state.money[self.seats + company])
        if buyer >= 0:
            sold += 1
            supply -= 1
            money += price
        if not sold:
            return 0.0
        if not self.is_planned[company]:
            self.make_plan(company)
        plan = self.plans[company]
        if plan is None:
            return 0.0
        income = self.incomes[company]
        a_year = 0.0
        if supply:
            a_year = weights.sales * self.phases * self.wanted[company] / self.all_wanted
        pace = self.pace_of(company, buyer)
        if buyer < 0:
            self.paces[company] = pace
        cubes_left = float(state.cubes[company])
        price_of_share, hope, erosion = weights.price, weights.hope, weights.erosion
        worth = 0.0
        time = self.until_dividend
        for number in range(self.years):
            count = self.counts[number]
            if count <= 0:
                break
            more = a_year * time
            if more > supply:
                more = float(supply)
            cubes = pace * time
            if cubes > cubes_left:
                cubes = cubes_left
            at_work = money + price_of_share * more
            earned = income * (1 - erosion * time) + hope * grown(plan, cubes, at_work)
            shares = sold + more
            worth += count * (earned / shares + (weights.rounding if shares > 1 else 0.0))
            time += 1.0
        return worth

    def cash_worth(self, cash: int) -> float:
        """Return the value in dollars of a seat's cash.

        The first dollars count more, because they are needed to buy shares.
        """
        return cash + self.thirst * self.weights.purse * cash / (self.weights.purse + cash)

    def set_cash_bonus(self, streams: list[float]) -> None:
        """Compute `thirst`, the additional value of a dollar of cash, from the shares that will soon be on sale.

        The weighted value of these shares is divided by the cash of all seats. The result is limited to the weight
        `dearth`. `streams` has the weighted dividends of one share of each company.
        """
        weights, state, seats = self.weights, self.state, self.seats
        self.thirst: float = 0.0
        if not self.supplies:
            return
        cash = 1.0 + sum(state.money[:seats])
        worth = 0.0
        for company in range(self.companies):
            sold = self.sold[company]
            if sold:
                worth += state.supply[company] * streams[company] * sold / (sold + 1)
            elif state.supply[company]:
                self.firsts[company] = self.stream(company, 0, self.lot_price)
                worth += state.supply[company] * self.firsts[company] / 2
        on_sale = min(float(self.supplies), weights.sales * self.phases * weights.horizon)
        market = weights.thirst * on_sale * worth / self.supplies
        if state.lots:
            lots = state.lots.bit_count()
            lot = 0
            while not state.lots >> lot & 1:
                lot += 1
            market += weights.lots * lots * self.stream(lot, 0, self.lot_price)
        self.thirst = min(market / cash, weights.dearth)

    def worth(self) -> list[float]:
        state, seats, companies = self.state, self.seats, self.companies
        streams = [self.stream(company, NOBODY, 0) for company in range(companies)]
        self.streams = streams
        self.set_cash_bonus(streams)
        worth = [self.cash_worth(state.money[seat]) for seat in range(seats)]
        for seat in range(seats):
            for company in state.owned[seat]:
                worth[seat] += state.held[seat * companies + company] * streams[company]
        self.add_order(worth)
        question = state.pending
        if type(question) is BidOrPass:
            self.add_auction(question, worth, streams[question.company])
        return worth

    def add_order(self, worth: list[float]) -> None:
        """Add the value of turn order to `worth`, the values by seat.

        A seat that has taken a higher space in the current column gets more, because it moves earlier in the next
        phase.
        """
        state = self.state
        if state.lots or (self.years == 1 and state.phase + 1 == self.phases):
            return
        height = len(state.taken) // self.phases
        first = state.phase * height
        value = self.weights.order * self.years / self.all_years
        for space in range(height):
            seat = state.taken[first + space]
            if seat != FREE:
                worth[seat] += value * (height / 2 - space)

    # Auctions

    def add_auction(self, question: BidOrPass, worth: list[float], stream: float) -> None:
        """Add the expected result of the running auction to `worth`, the values by seat.

        The limit of a seat is the highest price that it would pay. The seat with the highest limit is assumed to buy
        the share, for at most $1 more than the second-highest limit. `stream` is the value of a share of the company if
        nobody buys the auctioned share.
        """
        standing = question.minimum - 1
        self.limits = self.caps(question)
        winner, price = outcome(self.limits, question.still_in, question.leader, question.minimum)
        if winner == NOBODY:
            return
        least = standing if winner == question.leader else question.minimum
        price = max(least, standing + int(self.weights.contest * (price - standing)))
        company = question.company
        after = self.stream(company, winner, price)
        self.buyer, self.price, self.bought = winner, price, after
        held = self.state.held
        for seat in range(self.seats):
            worth[seat] += held[seat * self.companies + company] * (after - stream)
        cash = self.state.money[winner]
        worth[winner] += after + self.cash_worth(cash - price) - self.cash_worth(cash)

    def caps(self, question: BidOrPass) -> list[int]:
        """Return the highest price that the auctioned share is worth to each seat, or -1 for seats that have passed.

        This price makes two results equally good for the seat: to own the share, or to leave it to the richest
        other bidder.
        """
        state, seats, companies = self.state, self.seats, self.companies
        company, minimum = question.company, question.minimum
        with_it = [0.0] * seats
        rival, next_rival = NOBODY, NOBODY
        for seat in range(seats):
            if not question.still_in >> seat & 1:
                continue
            with_it[seat] = self.stream(company, seat, minimum)
            if rival == NOBODY or state.money[seat] > state.money[rival]:
                rival, next_rival = seat, rival
            elif next_rival == NOBODY or state.money[seat] > state.money[next_rival]:
                next_rival = seat
        dollar = 0.0
        if rival != NOBODY:
            dollar = (self.stream(company, rival, minimum + SLOPE) - with_it[rival]) / SLOPE
        caps = [-1] * seats
        for seat in range(seats):
            if not question.still_in >> seat & 1:
                continue
            cash = state.money[seat]
            held = state.held[seat * companies + company]
            other = next_rival if seat == rival else rival
            gain = with_it[seat]
            if other != NOBODY:
                gain += held * (with_it[seat] - with_it[other])
            whole = self.cash_worth(cash)
            low, high = 0, cash
            while low < high:
                middle = (low + high + 1) // 2
                if gain + dollar * (middle - minimum) >= whole - self.cash_worth(cash - middle):
                    low = middle
                else:
                    high = middle - 1
            caps[seat] = low
        return caps


class PositionEvaluator:
    """Implementation of the functions of an `Evaluation`, with given weights."""

    def __init__(self, weights: Weights) -> None:
        self.weights = weights

    def worth(self, state: State, board: Board) -> list[float]:
        if state.pending is None:
            return [float(state.money[seat]) for seat in range(state.seats)]
        return Prospects(state, board, self.weights).worth()

    def spread(self, state: State, board: Board) -> float:
        if state.pending is None:
            return 0.0
        until = until_dividend(state, board.file.phases)
        to_go = years_to_go(self.weights, state, board)
        chances = chances_of_dividends(self.weights, len(board.file.years) - state.year, to_go, until)
        return spread_of(self.weights, chances, until)

    def candidates(self, state: State, board: Board) -> list[Run]:
        question = state.pending
        limit = self.limits(state, board)[question.seat] if type(question) is BidOrPass else 0
        return candidates_of(state, board, limit)

    def limits(self, state: State, board: Board) -> list[int]:
        """Return the highest price that each seat would pay in the running auction, -1 for seats that have passed."""
        question = state.pending
        assert type(question) is BidOrPass
        prospects = Prospects(state, board, self.weights)
        prospects.set_cash_bonus([prospects.stream(company, NOBODY, 0) for company in range(board.companies)])
        return prospects.caps(question)


def evaluation_with(weights: Weights) -> Evaluation[State, Board]:
    evaluator = PositionEvaluator(weights)
    return Evaluation(
        worth=evaluator.worth,
        spread=evaluator.spread,
        candidates=evaluator.candidates,
        weights=weights,
        weighing=evaluation_with,
        limits=evaluator.limits,
        looks_a_second=300,
    )


EVALUATION = evaluation_with(Weights())
