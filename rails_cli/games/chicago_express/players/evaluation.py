"""Evaluation of positions of Chicago Express, and the moves worth searching.

The worth of a seat is its cash plus the expected dividends of its shares until the end. The number of future general
dividends (of all companies) is estimated from the end conditions and the dials. Each company is assumed to build to the
targets of its tour (see `tours.py`). Its treasury and the interest of its shareholders limit how fast it builds. Future
sales of shares reduce the dividend of each share.
"""

from math import pow, sqrt
from typing import Final

from rails_cli.games.chicago_express import GAME
from rails_cli.games.chicago_express.board import AUCTION, CHOOSE_FROM, DEVELOP, EXPAND, NOWHERE, PASS, Board
from rails_cli.games.chicago_express.moves import expansion
from rails_cli.games.chicago_express.players.tours import tours_on
from rails_cli.games.chicago_express.players.weights import Weights
from rails_cli.games.chicago_express.questions import ANY_COMPANY, NOBODY, BidOrPass, DevelopHex, Expand, PickDial
from rails_cli.games.chicago_express.rules import auction_outcome, hand_over_share
from rails_cli.games.chicago_express.state import State
from rails_cli.games.evaluation import Evaluation, Run
from rails_cli.games.shared.hexgrid import numbers_in
from rails_cli.games.shared.money import added, per_share

TARGETS: Final = 4
"""Maximum number of target hexes considered when a company expands. Chicago is considered in addition to them."""
WALKS: Final = 12
"""Maximum number of candidate expansions of a seat. The companies of the seat share this number equally."""
LEAST_WALKS: Final = 3
"""Minimum number of candidate expansions of each company. It applies if the company's part of WALKS is smaller."""
DEVELOPMENTS: Final = 5
"""Maximum number of hexes considered for development."""
HALF: Final = 0.5
"""Usual price of an opening share, as a fraction of the starting cash."""
POOR: Final = 0.2
"""Cash, as a fraction of the starting cash, below which a seat is expected to lack money after the opening."""
FAR_OFF: Final = 99
"""Number of unsold shares assumed for a company that cannot sell shares yet, because it has no track."""
UNKNOWN: Final = -1e300
"""Special value for a share whose value has not been computed yet."""
BIDS: Final = (0.5, 0.7, 0.85, 1.0)
"""Candidate bids as fractions of the highest price that the bidder would pay."""


class PositionEstimates:
    """Estimates for a position. They do not depend on which seats hold the shares."""

    def __init__(self, weights: Weights, state: State, board: Board) -> None:
        ground = tours_on(board, weights.undeveloped).ground(state, board)
        self.seats = state.seats
        self.after_sale: SaleEstimates | None = None
        self.start = max(1.0, float(board.cash[state.seats]))
        self.is_opening = state.turn == NOBODY
        self.income = state.income
        self.left = state.left
        self.track = state.track
        self.tours = ground.tours
        self.potential = ground.potential
        red_at, dials = board.red_at, state.dials
        auctions = red_at[AUCTION] - dials[AUCTION]
        expands = red_at[EXPAND] - dials[EXPAND]
        develops = red_at[DEVELOP] - dials[DEVELOP]
        self.auctions_left = auctions
        turns = two_least(auctions, expands, develops)
        self.cycle_left = turns / two_least(red_at[AUCTION], red_at[EXPAND], red_at[DEVELOP])
        self.detroit_left = 1 + max(0, board.detroit_end - state.scales[board.detroit])
        houses = state.houses - board.end.houses_left_at_most - weights.houses * develops
        self.houses_left = 1.0 + max(0.0, houses / (weights.houses * red_at[DEVELOP]))
        fewest = sorted(state.left)[: board.end.companies_without_locomotives]
        self.locomotives_left = 1.0 + max(0.0, sum(fewest) / weights.locomotives - self.cycle_left)


class SaleEstimates:
    """Estimates that depend on how many shares each company has sold. `each` also depends on the holders of the shares.

    - `dividends`: expected number of future general dividends.
    - `unsold`: number of unsold shares of all companies that have track.
    - `sales`: number of shares sold between two general dividends.
    - `first_sales`: number of shares sold before the next general dividend.
    - `scarce`: how much the first dollar of cash is worth in addition to $1, in dollars.
    - `each`: value of one share by company, UNKNOWN if not yet computed. It is the expected dividends until the end.
      During the opening, it is a mean of these dividends and the usual price of an opening share.
    """

    def __init__(self, evaluator: "PositionEvaluator", board: Board, estimates: PositionEstimates, sold: list[int]):
        self.dividends = evaluator.dividends(board, estimates, sold)
        self.unsold = 0
        for company in range(board.companies):
            if estimates.track[company]:
                self.unsold += board.shares[company] - sold[company]
        self.sales = evaluator.auctions * board.red_at[AUCTION]
        self.first_sales = evaluator.auctions * estimates.auctions_left
        market = min(float(self.unsold), self.first_sales + self.sales * (self.dividends - 1.0))
        self.scarce = evaluator.cash * min(1.0, market / estimates.seats)
        self.each = [UNKNOWN] * board.companies


class PositionEvaluator:
    """Implementation of the functions of an `Evaluation`, with given weights. The worth of a seat is in dollars."""

    def __init__(self, weights: Weights) -> None:
        self.weights = weights
        self.auctions = weights.auctions
        self.spread_of_sales = weights.spread_of_sales
        self.reluctance = weights.reluctance
        self.pace = weights.pace
        self.calm = weights.calm
        self.union = weights.union
        self.developments = weights.developments
        self.partway = weights.partway
        self.proceeds = weights.proceeds
        self.dilution = weights.dilution
        self.chicago = weights.chicago
        self.custom = weights.custom
        self.reserve = weights.reserve
        self.cash = weights.cash
        self.purse = weights.purse
        self.rivalry = weights.rivalry
        self.undeveloped = weights.undeveloped

    # Functions of the `Evaluation`

    def worth(self, state: State, board: Board) -> list[float]:
        """Return the value in dollars of each seat's cash and prospects."""
        question = state.pending
        if question is None:
            return [float(cash) for cash in state.money[: state.seats]]
        estimates = PositionEstimates(self.weights, state, board)
        if type(question) is BidOrPass:
            limits = self.bidders_limits(state, board, estimates, question)
            return self.settled(state, board, estimates, question, limits)
        return self.between_auctions(state, board, estimates)

    def between_auctions(self, state: State, board: Board, estimates: PositionEstimates) -> list[float]:
        """Return the worth in dollars of each seat: its cash and prospects.

        Only for positions without an auction, before the end of the game.
        """
        question = state.pending
        worth = self.unsold(state, board, estimates)
        if type(question) is Expand and question.has_reached_chicago:  # CE-70: paid when the expansion ends
            company = question.company
            each = per_share(state.income[company], state.sold[company])
            for seat in range(state.seats):
                worth[seat] += each * state.held[company * state.seats + seat]
        return worth

    def spread(self, state: State, board: Board) -> float:
        """Return the uncertainty in dollars of the values that `worth` returns."""
        if state.pending is None:
            return 0.0
        estimates = PositionEstimates(self.weights, state, board)
        return self.spread_of(estimates, self.dividends(board, estimates, state.sold))

    def spread_of(self, estimates: PositionEstimates, dividends: float) -> float:
        """Return the uncertainty of an evaluation in dollars.

        `dividends` is the expected number of general dividends (of all companies) to come.
        """
        return self.weights.spread + self.weights.spread_by_dividend * (dividends - 1.0 + estimates.cycle_left)

    def candidates(self, state: State, board: Board) -> list[Run]:
        """Return the runs (sequences of moves of the seat to move) that are worth searching."""
        question = state.pending
        assert question is not None
        if type(question) is BidOrPass:
            return self.bids(state, board, question)
        seat = question.seat
        if type(question) is Expand:
            return self.expansions(state, board, seat, question.company, question.left, ())
        if type(question) is DevelopHex:
            return self.developing(state, board, seat, ())
        if type(question) is not PickDial:
            return self.offers(state, board, ())
        runs: list[Run] = []
        for action in (AUCTION, EXPAND, DEVELOP):
            if state.red >> action & 1:
                continue
            first = (CHOOSE_FROM + action,)
            chosen = state.copy()
            GAME.moves.apply(chosen, board, CHOOSE_FROM + action)
            asked = chosen.pending
            if asked is None or type(asked) is PickDial:  # the action is impossible (CE-22)
                runs.append(first)
            elif action == AUCTION:
                runs += self.offers(chosen, board, first)
            elif action == EXPAND:
                runs += self.expansions(chosen, board, seat, ANY_COMPANY, board.expand_max, first)
            else:
                runs += self.developing(chosen, board, seat, first)
        return runs

    def limits(self, state: State, board: Board) -> list[int]:
        """Return the highest price that each seat would pay in the running auction, -1 for seats that have passed."""
        question = state.pending
        assert type(question) is BidOrPass
        return self.bidders_limits(state, board, PositionEstimates(self.weights, state, board), question)

    # Estimates of the rest of the game

    def dividends(self, board: Board, estimates: PositionEstimates, sold: list[int]) -> float:
        """Return the expected number of general dividends (of all companies) to come, including the next one.

        `sold` has the number of sold shares by company.
        """
        unsold: list[int] = []
        for company in range(board.companies):
            unsold.append(board.shares[company] - sold[company] if estimates.track[company] else FAR_OFF)
        unsold.sort()
        needed = board.end.companies_without_shares
        at_first = others = 0
        for place in range(len(unsold)):
            if place < needed:
                at_first += unsold[place]
            elif unsold[place] < FAR_OFF:
                others += unsold[place]
        to_sell = float(at_first)
        if to_sell:
            to_sell += self.spread_of_sales * others
        sales = self.auctions * estimates.auctions_left
        by_shares = 1.0
        if to_sell:
            cycles = (to_sell - sales) / (self.auctions * board.red_at[AUCTION])
            by_shares += 0.5 * (cycles + sqrt(cycles * cycles + self.reluctance * self.reluctance))
        left = min(estimates.houses_left, estimates.locomotives_left)
        return min(min(by_shares, float(estimates.detroit_left)), left)

    def future(
        self,
        board: Board,
        estimates: PositionEstimates,
        sale: SaleEstimates,
        money: list[int],
        held: list[int],
        sold: list[int],
        changed: int = NOBODY,
    ) -> list[float]:
        """Return, by seat, the value of the seat's cash and of all future dividends.

        `sale.each` caches the value of a share of each company. If `changed` is a company, its cached value is computed
        again. NOBODY stands for no such company. `money`, `held` and `sold` are lists as in `State`.
        """
        seats = estimates.seats
        purse = self.purse * estimates.start
        scarce = sale.scarce
        usual = 0.0
        if estimates.is_opening:
            usual = HALF * estimates.start * (1.0 + scarce * purse * purse / ((HALF * estimates.start + purse) ** 2))
        worth = [0.0] * seats
        for seat in range(seats):
            cash = float(money[seat])
            worth[seat] = cash + (scarce * purse * cash / (cash + purse) if cash > 0 else 0.0)
            if estimates.is_opening:
                worth[seat] -= self.reserve * max(0.0, 1.0 - cash / (POOR * estimates.start))

        for company in range(board.companies):
            if not sold[company]:
                continue
            each = sale.each[company]
            if each == UNKNOWN or company == changed:
                each = self.each(board, estimates, sale, money, held, sold[company], company)
                if estimates.is_opening:
                    each += self.custom * (usual - each)
                sale.each[company] = each
            first = company * seats
            for seat in range(seats):
                worth[seat] = worth[seat] + held[first + seat] * each
        return worth

    def each(
        self,
        board: Board,
        estimates: PositionEstimates,
        sale: SaleEstimates,
        money: list[int],
        held: list[int],
        gone: int,
        company: int,
    ) -> float:
        """Return the expected dividends of one sold share of a company until the end of the game.

        `gone` is the number of sold shares of the company.
        """
        seats = estimates.seats
        cycle_left, sales, first_sales = estimates.cycle_left, sale.sales, sale.first_sales
        first = company * seats
        drive = 0.0
        for seat in range(seats):
            part = held[first + seat] / gone
            edge = part - (1.0 - part) / (seats - 1)
            if edge > 0:
                drive += pow(edge, self.union)
        drive = self.calm + (1.0 - self.calm) * drive
        unsold = float(board.shares[company] - gone)
        rate = self.dilution * unsold / sale.unsold if unsold else 0.0
        treasury = float(money[seats + company])
        least = estimates.income[company] / (gone + 1.0)
        proceeds = self.proceeds * least
        earned = float(estimates.income[company])
        potential = float(estimates.potential[company])
        developed = drive * self.developments
        walking = drive * self.pace
        locomotives = float(estimates.left[company])
        tour = estimates.tours[company]
        costs: list[int] = []
        lengths: list[int] = []
        gains: list[float] = []
        chicago = NOWHERE
        if tour is not None:
            costs, lengths, gains, chicago = tour.costs, tour.steps, tour.gains, tour.chicago
        places = len(gains)
        each = 0.0
        time = cycle_left
        place = 0
        spent = walked = 0
        before = 0.0
        remaining = sale.dividends
        while remaining > 0:
            extra = rate * (first_sales + sales * (time - cycle_left))
            if extra > unsold:
                extra = unsold
            income = developed * time
            income = earned + (income if income < potential else potential)
            shares = gone + extra
            if places:
                budget = treasury + proceeds * extra
                steps = walking * time
                if steps > locomotives:
                    steps = locomotives
                while place < places and costs[place] <= budget and lengths[place] <= steps:
                    spent, walked, before = costs[place], lengths[place], gains[place]
                    if place == chicago:
                        each += self.chicago * (income + before) / shares
                    place += 1
                income += before
                if place < places:
                    way = (steps - walked) / (lengths[place] - walked)
                    cost = costs[place] - spent
                    if cost:
                        paid = (budget - spent) / cost
                        if paid < way:
                            way = paid
                    if way > 0:
                        income += self.partway * (way if way < 1.0 else 1.0) * (gains[place] - before)
            payment = income / shares + (shares - 1.0) / (2.0 * shares)
            each += payment if remaining >= 1.0 else remaining * payment
            remaining -= 1.0
            time += 1.0
        return each

    # Auctions

    def settled(
        self, state: State, board: Board, estimates: PositionEstimates, question: BidOrPass, limits: list[int]
    ) -> list[float]:
        """Return the worth in dollars of each seat after the running auction.

        Every seat is assumed to bid up to its limit, which is the highest price that it would pay. `limits` has these
        prices (see `bidders_limits`).
        """
        winner, price = auction_outcome(question, limits)
        if winner == NOBODY:
            return self.unsold(state, board, estimates)
        return self.sold_to(state, board, estimates, question.company, winner, price)

    def unsold(self, state: State, board: Board, estimates: PositionEstimates) -> list[float]:
        """Return the worth in dollars of each seat. If an auction is running, assume that its share is not sold."""
        sale = SaleEstimates(self, board, estimates, state.sold)
        return self.future(board, estimates, sale, state.money, state.held, state.sold)

    def sold_to(
        self, state: State, board: Board, estimates: PositionEstimates, company: int, seat: int, price: int
    ) -> list[float]:
        money, held, sold = state.money[:], state.held[:], state.sold[:]
        hand_over_share(money, held, sold, company, seat, price)
        if estimates.after_sale is None:
            estimates.after_sale = SaleEstimates(self, board, estimates, sold)
        return self.future(board, estimates, estimates.after_sale, money, held, sold, company)

    def bidders_limits(
        self, state: State, board: Board, estimates: PositionEstimates, question: BidOrPass
    ) -> list[int]:
        """Return the highest price that each seat would pay for the auctioned share, -1 for seats that have passed.

        A seat compares two cases: it buys the share, or its likeliest rival buys the share.
        """
        seats, company, minimum = state.seats, question.company, question.minimum
        usual = HALF * estimates.start
        if not question.is_opening:
            usual = self.proceeds * state.income[company] / (state.sold[company] + 1.0)
        price = max(minimum, int(usual))
        unsold = self.unsold(state, board, estimates)
        won: list[list[float]] = []
        limits = [-1] * seats
        best = second = NOBODY
        for seat in range(seats):
            if not question.still_in >> seat & 1:
                won.append(unsold)
                continue
            after = self.sold_to(state, board, estimates, company, seat, price)
            won.append(after)
            limits[seat] = self.limit(state, estimates, seat, price, after, unsold)
            if best == NOBODY or limits[seat] > limits[best]:
                best, second = seat, best
            elif second == NOBODY or limits[seat] > limits[second]:
                second = seat
        for seat in range(seats):
            if question.still_in >> seat & 1:
                rival = second if seat == best else best
                if rival != NOBODY and limits[rival] >= minimum:
                    limits[seat] = self.limit(state, estimates, seat, price, won[seat], won[rival])
        return limits

    def limit(
        self, state: State, estimates: PositionEstimates, seat: int, price: int, won: list[float], lost: list[float]
    ) -> int:
        """Return the price in dollars at which `seat` would be equally well off with and without the share.

        `won` has the value of each seat's cash and prospects if `seat` buys the share for `price`. `lost` has these
        values if it does not.
        """
        cash = state.money[seat]
        purse = self.purse * estimates.start
        left = max(0, cash - price)
        slope = 1.0 + self.cash * purse * purse / ((left + purse) * (left + purse))
        gain = self.standing(won, seat) - self.standing(lost, seat)
        return max(0, min(cash, int(price + gain / slope)))

    def standing(self, worth: list[float], seat: int) -> float:
        """Return how well `seat` is doing compared with the other seats.

        The result is the worth of `seat`, minus `rivalry` times the average worth of the other seats. `worth` has the
        value in dollars of each seat's cash and prospects.
        """
        others = (added(worth) - worth[seat]) / (len(worth) - 1)
        return worth[seat] - self.rivalry * others

    def bids(self, state: State, board: Board, question: BidOrPass) -> list[Run]:
        limit = self.limits(state, board)[question.seat]
        cash = state.money[question.seat]
        amounts = [question.minimum]
        for part in BIDS:
            amount = int(limit * part)
            if question.minimum < amount <= cash and amount not in amounts:
                amounts.append(amount)
        return [*[(board.bids_at + amount,) for amount in amounts], (PASS,)]

    # Actions

    def offers(self, state: State, board: Board, first: Run) -> list[Run]:
        return [(*first, move) for move in GAME.moves.legal(state, board)]

    def developing(self, state: State, board: Board, seat: int, first: Run) -> list[Run]:
        """Return the best developments for `seat`, as runs (sequences of moves), and the pass.

        Each run starts with the moves `first`. The best developments are those that gain the seat the most income
        compared with the other seats.
        """
        legal = set(GAME.moves.legal(state, board))
        found: list[tuple[float, int]] = []
        for place in numbers_in(state.occupied):
            move = board.develops_at + place
            if move in legal:
                gain = float(board.develop[place])
                scale = board.scale_of[place]
                if scale != NOWHERE:
                    values = board.scale_values[scale]
                    gain = float(values[state.scales[scale] + 1] - values[state.scales[scale]])
                gain += 0.1 * board.develop_cash[place]
                promise = 0.0
                for company in numbers_in(state.stands[place]):
                    promise += gain * self.edge(state, company, seat)
                found.append((-promise, move))
        found.sort()
        return [*[(*first, move) for _, move in found[:DEVELOPMENTS]], (*first, PASS)]

    def edge(self, state: State, company: int, seat: int) -> float:
        """Return a seat's fraction of a company's sold shares, minus the average fraction of the other seats."""
        sold = state.sold[company]
        if not sold:
            return 0.0
        part = state.held[company * state.seats + seat] / sold
        return part - (1.0 - part) / (state.seats - 1)

    def expansions(self, state: State, board: Board, seat: int, company: int, left: int, first: Run) -> list[Run]:
        """Return runs (sequences of moves) that expand a company, and the pass. Each run starts with the moves `first`.

        `company` is the company that the seat must expand, or ANY_COMPANY. `left` is the number of locomotives that may
        be placed.
        """
        runs: list[Run] = []
        able = [company]
        if company == ANY_COMPANY:
            able = [one for one in range(board.companies) if state.held[one * state.seats + seat]]
        most = max(LEAST_WALKS, WALKS // len(able)) if able else 0
        for one in able:
            if state.left[one]:
                for walk in self.walks(state, board, one, min(left, state.left[one]))[:most]:
                    builds = tuple([board.builds_from[one] + place for place in walk])
                    runs.append((*first, *expansion(state, board, builds)))
        runs.append((*first, PASS))
        return list(dict.fromkeys(runs))

    def walks(self, state: State, board: Board, company: int, left: int) -> list[Run]:
        """Return sequences of at most `left` hexes in which a company could build one after another.

        The company can pay for all of them. A sequence follows the company's tour (see `tours.py`), or a path to a good
        target, or first a path and then the tour. The sequences contain hex numbers, not moves.
        """
        tours = tours_on(board, self.undeveloped)
        network, world = tours.network(state.track[company], board), tours.world(state)
        tour = tours.tour(network, world)
        on = [place for way in tour.ways for place in way]
        wanted = [on, *tour.ways[:1]]
        for way in tours.best_ways(network, world, TARGETS):
            wanted.append(way + [place for place in on if place not in way])
            wanted.append(way)
        walks = [self.affordable(state, board, company, way[:left]) for way in wanted]
        return [walk for walk in dict.fromkeys(walks) if walk]

    def affordable(self, state: State, board: Board, company: int, way: list[int]) -> Run:
        """Return the part of the path `way` that the company's treasury can pay for, as hexes from the start of the
        path.
        """
        treasury = state.money[state.seats + company]
        walk: list[int] = []
        for place in way:
            cost = board.costs[place][state.stands[place].bit_count()]
            if cost is None or cost > treasury:
                break
            treasury -= cost
            walk.append(place)
            if place == board.chicago and state.options.chicago_phase == "at_once":  # CE-46
                break
        return tuple(walk)


def two_least(one: int, other: int, third: int) -> int:
    """Return the sum of the two smallest of three numbers.

    For dials, this is the least number of turns until two dials are red. The three numbers are then the steps until
    each dial is red.
    """
    return min(one + min(other, third), other + third)


def evaluation_with(weights: Weights) -> Evaluation[State, Board]:
    forecaster = PositionEvaluator(weights)
    return Evaluation(
        worth=forecaster.worth,
        spread=forecaster.spread,
        candidates=forecaster.candidates,
        weights=weights,
        weighing=evaluation_with,
        limits=forecaster.limits,
    )


EVALUATION = evaluation_with(Weights())
