"""What a position of Chicago Express is worth to each seat, and which moves are worth a look.

The worth of a seat is its cash, and what its shares will pay until the end: the general dividends still to come are
estimated from the end conditions and the dials; incomes grow along each company's tour, as far as its treasury and the
interest of its holders carry; shares still to be sold thin the others out.
"""

from math import sqrt

from rails_cli.core.hexgrid import numbers_in
from rails_cli.core.money import per_share
from rails_cli.games.chicago_express import GAME
from rails_cli.games.chicago_express.board import AUCTION, CHOOSE_FROM, DEVELOP, EXPAND, NOWHERE, PASS, Board
from rails_cli.games.chicago_express.moves import build_of, expansion
from rails_cli.games.chicago_express.players.tours import Tour, tours_on
from rails_cli.games.chicago_express.players.weights import Weights
from rails_cli.games.chicago_express.questions import ANY_COMPANY, NOBODY, BidOrPass, DevelopHex, Expand, PickDial
from rails_cli.games.chicago_express.rules import auction_outcome, hand_over_share
from rails_cli.games.chicago_express.state import State
from rails_cli.games.evaluation import Evaluation, Run

TARGETS = 4
"""So many places are looked at for each company that may expand."""
WALKS, LEAST_WALKS = 12, 3
"""So many expansions are looked at in all, but of each company so many at least."""
DEVELOPMENTS = 5
"""So many hexes to develop."""
HALF = 0.5
"""An opening share usually costs half the starting cash."""
POOR = 0.2
"""Who has less than this part of the starting cash after the opening can hardly bid for anything."""
FAR_OFF = 99
"""Shares that cannot be sold yet."""
BIDS = (0.5, 0.7, 0.85, 1.0)
"""Bids as parts of what the share is worth to the bidder."""


class Outlook:
    """What of a position is the same whoever holds the shares."""

    __slots__ = (
        *("auctions_left", "cycle_left", "detroit_left", "houses_left", "income", "is_opening", "left"),
        *("locomotives_left", "opened", "potential", "seats", "start", "tours"),
    )

    seats: int
    start: float
    is_opening: bool
    tours: list[Tour | None]
    income: list[int]
    left: list[int]
    potential: list[int]
    opened: list[bool]
    auctions_left: int
    cycle_left: float
    detroit_left: int
    houses_left: float
    locomotives_left: float


class Forecaster:
    """Judges positions with given weights."""

    def __init__(self, weights: Weights) -> None:
        self.weights = weights
        self.auctions = weights.auctions
        self.spread_of_sales = weights.spread_of_sales
        self.reluctance = weights.reluctance
        self.houses = weights.houses
        self.locomotives = weights.locomotives
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

    # The contract

    def worth(self, state: State, board: Board) -> list[float]:
        """By seat, what it has and what it may expect, in dollars of the moment."""
        question = state.pending
        if question is None:
            return [float(cash) for cash in state.money[: state.seats]]
        outlook = self.outlook(state, board)
        if type(question) is BidOrPass:
            return self.settled(state, board, outlook, question)
        worth = self.future(board, outlook, state.money, state.held, state.sold)
        if type(question) is Expand and question.has_reached_chicago:  # CE-70: paid when the expansion is finished
            company = question.company
            each = per_share(state.income[company], state.sold[company])
            for seat in range(state.seats):
                worth[seat] += each * state.held[company * state.seats + seat]
        return worth

    def spread(self, state: State, board: Board) -> float:
        """Dollars by which the worths may be wrong."""
        if state.pending is None:
            return 0.0
        outlook = self.outlook(state, board)
        dividends = self.dividends(board, outlook, state.sold)
        return self.weights.spread + self.weights.spread_by_dividend * (dividends - 1.0 + outlook.cycle_left)

    def candidates(self, state: State, board: Board) -> list[Run]:
        """The runs of moves worth a look."""
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
            if asked is None or type(asked) is PickDial:  # nothing can be done (CE-22)
                runs.append(first)
            elif action == AUCTION:
                runs += self.offers(chosen, board, first)
            elif action == EXPAND:
                runs += self.expansions(chosen, board, seat, ANY_COMPANY, board.expand_max, first)
            else:
                runs += self.developing(chosen, board, seat, first)
        return runs

    def limits(self, state: State, board: Board) -> list[int]:
        """By seat, the most it would pay in the open auction."""
        question = state.pending
        assert type(question) is BidOrPass
        return self.bidders_limits(state, board, self.outlook(state, board), question)

    # The course of the game

    def outlook(self, state: State, board: Board) -> Outlook:
        tours = tours_on(board, self.undeveloped)
        around = tours.surroundings(state)
        outlook = Outlook()
        outlook.seats = state.seats
        outlook.start = max(1.0, float(board.cash[state.seats]))
        outlook.is_opening = state.turn == NOBODY
        outlook.income = state.income
        outlook.left = state.left
        outlook.opened = [track != 0 for track in state.track]
        outlook.tours = [
            tours.of(tours.key_of(track, around)) if track and left else None
            for track, left in zip(state.track, state.left, strict=True)
        ]
        outlook.potential = [self.potential(state, board, company) for company in range(board.companies)]
        left = [red_at - moved for red_at, moved in zip(board.red_at, state.dials, strict=True)]
        auctions, expands, develops = left[AUCTION], left[EXPAND], left[DEVELOP]
        outlook.auctions_left = auctions
        turns = min(auctions + expands, auctions + develops, expands + develops)
        red_at = board.red_at
        outlook.cycle_left = turns / min(red_at[0] + red_at[1], red_at[0] + red_at[2], red_at[1] + red_at[2])
        detroit = board.scale_values[board.detroit]
        outlook.detroit_left = 1 + max(0, detroit.index(board.end.detroit_at) - state.scales[board.detroit])
        houses = state.houses - board.end.houses_left_at_most - self.houses * develops
        outlook.houses_left = 1.0 + max(0.0, houses / (self.houses * red_at[DEVELOP]))
        fewest = sorted(state.left)[: board.end.companies_without_locomotives]
        outlook.locomotives_left = 1.0 + max(0.0, sum(fewest) / self.locomotives - outlook.cycle_left)
        return outlook

    def potential(self, state: State, board: Board, company: int) -> int:
        """The income that developments could add to a company."""
        track = state.track[company]
        found = 0
        to_develop = track & board.house_hexes & ~state.developed
        while to_develop:
            lowest = to_develop & -to_develop
            found += board.develop[lowest.bit_length() - 1]
            to_develop ^= lowest
        for scale, bit, last in board.player_scales:
            if track & bit:
                values = board.scale_values[scale]
                found += values[last] - values[state.scales[scale]]
        return found

    def dividends(self, board: Board, outlook: Outlook, sold: list[int]) -> float:
        """General dividends still to come, the next one included."""
        unsold = sorted(
            [
                shares - gone if opened else FAR_OFF
                for shares, gone, opened in zip(board.shares, sold, outlook.opened, strict=True)
            ]
        )
        needed = board.end.companies_without_shares
        to_sell = float(sum(unsold[:needed]))
        if to_sell:
            others = sum([shares for shares in unsold[needed:] if shares < FAR_OFF])
            to_sell += self.spread_of_sales * others
        sales = self.auctions * outlook.auctions_left
        by_shares = 1.0
        if to_sell:
            cycles = (to_sell - sales) / (self.auctions * board.red_at[AUCTION])
            by_shares += 0.5 * (cycles + sqrt(cycles * cycles + self.reluctance * self.reluctance))
        return min(by_shares, float(outlook.detroit_left), outlook.houses_left, outlook.locomotives_left)

    def future(self, board: Board, outlook: Outlook, money: list[int], held: list[int], sold: list[int]) -> list[float]:
        """By seat, cash and all dividends to come."""
        seats = outlook.seats
        dividends = self.dividends(board, outlook, sold)
        cycle_left = outlook.cycle_left
        unsold_in_all = 0
        for company in range(board.companies):
            if outlook.opened[company]:
                unsold_in_all += board.shares[company] - sold[company]
        sales = self.auctions * board.red_at[AUCTION]
        first_sales = self.auctions * outlook.auctions_left
        market = min(float(unsold_in_all), first_sales + sales * (dividends - 1.0))

        purse = self.purse * outlook.start
        scarce = self.cash * min(1.0, market / seats)
        usual = HALF * outlook.start * (1.0 + scarce * purse * purse / ((HALF * outlook.start + purse) ** 2))
        worth = [0.0] * seats
        for seat in range(seats):
            cash = float(money[seat])
            worth[seat] = cash + (scarce * purse * cash / (cash + purse) if cash > 0 else 0.0)
            if outlook.is_opening:
                worth[seat] -= self.reserve * max(0.0, 1.0 - cash / (POOR * outlook.start))

        for company in range(board.companies):
            gone = sold[company]
            if not gone:
                continue
            first = company * seats
            drive = 0.0
            for seat in range(seats):
                part = held[first + seat] / gone
                edge = part - (1.0 - part) / (seats - 1)
                if edge > 0:
                    drive += edge**self.union
            drive = self.calm + (1.0 - self.calm) * drive
            unsold = board.shares[company] - gone
            rate = self.dilution * unsold / unsold_in_all if unsold else 0.0
            treasury = float(money[seats + company])
            least = outlook.income[company] / (gone + 1.0)
            tour = outlook.tours[company]
            potential = float(outlook.potential[company])
            each = 0.0
            time = cycle_left
            place = 0
            remaining = dividends
            while remaining > 0:
                extra = min(float(unsold), rate * (first_sales + sales * (time - cycle_left)))
                income = float(outlook.income[company]) + min(potential, drive * self.developments * time)
                shares = gone + extra
                if tour is not None:
                    budget = treasury + self.proceeds * least * extra
                    steps = min(float(outlook.left[company]), drive * self.pace * time)
                    while place < len(tour.gains) and tour.costs[place] <= budget and tour.steps[place] <= steps:
                        place += 1
                        if place - 1 == tour.chicago:
                            each += self.chicago * (income + tour.gains[place - 1]) / shares
                    before = tour.gains[place - 1] if place else 0.0
                    income += before
                    if place < len(tour.gains):
                        spent = tour.costs[place - 1] if place else 0
                        walked = tour.steps[place - 1] if place else 0
                        way = (steps - walked) / (tour.steps[place] - walked)
                        cost = tour.costs[place] - spent
                        if cost:
                            way = min(way, (budget - spent) / cost)
                        if way > 0:
                            income += self.partway * min(way, 1.0) * (tour.gains[place] - before)
                each += min(remaining, 1.0) * (income / shares + (shares - 1.0) / (2.0 * shares))
                remaining -= 1.0
                time += 1.0
            if outlook.is_opening:
                each += self.custom * (usual - each)
            for seat in range(seats):
                worth[seat] += held[first + seat] * each
        return worth

    # Auctions

    def settled(self, state: State, board: Board, outlook: Outlook, question: BidOrPass) -> list[float]:
        """What the seats may expect when everybody bids up to what the share is worth to them."""
        winner, price = auction_outcome(question, self.bidders_limits(state, board, outlook, question))
        if winner == NOBODY:
            return self.future(board, outlook, state.money, state.held, state.sold)
        return self.sold_to(state, board, outlook, question.company, winner, price)

    def sold_to(self, state: State, board: Board, outlook: Outlook, company: int, seat: int, price: int) -> list[float]:
        money, held, sold = state.money[:], state.held[:], state.sold[:]
        hand_over_share(money, held, sold, company, seat, price)
        return self.future(board, outlook, money, held, sold)

    def bidders_limits(self, state: State, board: Board, outlook: Outlook, question: BidOrPass) -> list[int]:
        """By seat, the most it would pay for the share, by what it has if it wins and if the likeliest rival does."""
        seats, company, minimum = state.seats, question.company, question.minimum
        usual = HALF * outlook.start
        if not question.is_opening:
            usual = self.proceeds * state.income[company] / (state.sold[company] + 1.0)
        price = max(minimum, int(usual))
        unsold = self.future(board, outlook, state.money, state.held, state.sold)
        won: list[list[float]] = []
        limits = [-1] * seats
        best = second = NOBODY
        for seat in range(seats):
            if not question.still_in >> seat & 1:
                won.append(unsold)
                continue
            after = self.sold_to(state, board, outlook, company, seat, price)
            won.append(after)
            limits[seat] = self.limit(state, outlook, seat, price, after, unsold)
            if best == NOBODY or limits[seat] > limits[best]:
                best, second = seat, best
            elif second == NOBODY or limits[seat] > limits[second]:
                second = seat
        for seat in range(seats):
            if question.still_in >> seat & 1:
                rival = second if seat == best else best
                if rival != NOBODY and limits[rival] >= minimum:
                    limits[seat] = self.limit(state, outlook, seat, price, won[seat], won[rival])
        return limits

    def limit(self, state: State, outlook: Outlook, seat: int, price: int, won: list[float], lost: list[float]) -> int:
        """The price at which a seat does not care who gets the share."""
        cash = state.money[seat]
        purse = self.purse * outlook.start
        left = max(0, cash - price)
        slope = 1.0 + self.cash * purse * purse / ((left + purse) * (left + purse))
        gain = self.standing(won, seat) - self.standing(lost, seat)
        return max(0, min(cash, int(price + gain / slope)))

    def standing(self, worth: list[float], seat: int) -> float:
        """The own money, and some of what the others lack."""
        others = (sum(worth) - worth[seat]) / (len(worth) - 1)
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
        """The developments that bring this seat most above the others, and none."""
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
        """The part of a company's dividends that a seat gets, above what the others get on average."""
        sold = state.sold[company]
        if not sold:
            return 0.0
        part = state.held[company * state.seats + seat] / sold
        return part - (1.0 - part) / (state.seats - 1)

    def expansions(self, state: State, board: Board, seat: int, company: int, left: int, first: Run) -> list[Run]:
        """Walks of the companies that the seat may expand, and none."""
        runs: list[Run] = []
        able = [company]
        if company == ANY_COMPANY:
            able = [one for one in range(board.companies) if state.held[one * state.seats + seat]]
        most = max(LEAST_WALKS, WALKS // len(able)) if able else 0
        for one in able:
            if state.left[one]:
                for walk in self.walks(state, board, one, min(left, state.left[one]))[:most]:
                    builds = tuple([build_of(board, one, place) for place in walk])
                    runs.append((*first, *expansion(state, board, builds)))
        runs.append((*first, PASS))
        return list(dict.fromkeys(runs))

    def walks(self, state: State, board: Board, company: int, left: int) -> list[Run]:
        """Hexes to build in: on a tour, or towards each of the best places and there an end, or on with the tour."""
        tours = tours_on(board, self.undeveloped)
        key = tours.key_of(state.track[company], tours.surroundings(state))
        tour = tours.of(key)
        on = [place for way in tour.ways for place in way]
        wanted = [on, *tour.ways[:1]]
        for way in tours.best_ways(key, TARGETS):
            wanted.append(way + [place for place in on if place not in way])
            wanted.append(way)
        walks = [self.affordable(state, board, company, way[:left]) for way in wanted]
        return [walk for walk in dict.fromkeys(walks) if walk]

    def affordable(self, state: State, board: Board, company: int, way: list[int]) -> Run:
        """As much of a way as the treasury pays for."""
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


def evaluation_with(weights: Weights) -> Evaluation[State, Board]:
    """The evaluation with these weights."""
    forecaster = Forecaster(weights)
    return Evaluation(
        worth=forecaster.worth,
        spread=forecaster.spread,
        candidates=forecaster.candidates,
        weights=weights,
        weighing=evaluation_with,
        limits=forecaster.limits,
    )


EVALUATION = evaluation_with(Weights())
