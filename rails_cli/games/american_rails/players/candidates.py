"""Candidate moves of American Rails: the moves worth searching.

Most candidates choose a space of the action track and carry out its action, such as a whole expansion. In auctions, the
candidates are a few bids and the pass. These words are used:
- A run is a sequence of moves of one seat.
- A walk is a sequence of cubes that a company places.
- An aim is a city that a walk leads to.
"""

from operator import itemgetter
from typing import Final

from rails_cli.games.american_rails.board import CHOOSE_FROM, FULL, PASS, SOURCES, Board
from rails_cli.games.american_rails.moves import expansion
from rails_cli.games.american_rails.players.routes import routes_of
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
from rails_cli.games.american_rails.rules import apply_move, build
from rails_cli.games.american_rails.state import MARKER, State
from rails_cli.games.evaluation import Run
from rails_cli.games.shared.hexgrid import numbers_in

BIDS: Final = (0.5, 0.7, 0.85, 1.0)
"""Candidate bids as fractions of the highest price that the seat would pay."""
STARTS: Final = 6
CITIES: Final = 3
TREASURIES: Final = 2
SHARES: Final = 4
WALKS: Final = 4
SHORT_WALKS: Final = 2
AIMS: Final = 2
"""Maximum number of aims (target cities) considered for each company in an expansion."""
LATER: Final = 0.7
"""Factor for the value of a target city that the current expansion cannot reach.

The value is multiplied by this factor once for each missing cube, and once for each missing $3.
"""
SIGHT: Final = 7
"""Maximum number of cubes on the path to a target city."""
Aim = tuple[float, int, list[int]]
"""A target city, as a tuple of three parts.

The parts are its value, the company that builds, and the hexes of the path to the city that the company can pay for.
The value is the estimated gain divided by the total of dollars and cubes needed.
"""
UNSEEN: Final = -1
CLOSED: Final = 0
"""Distance used for a hex that a company cannot use for new track.

The hex is full, or has a cube of the company already.
"""


def candidates_of(state: State, board: Board, limit: int) -> list[Run]:
    """Return the runs (sequences of moves) that the seat to move should consider.

    `limit` is the highest price in dollars that the seat would pay for the auctioned share.
    """
    question = state.pending
    assert question is not None
    if type(question) is BidOrPass:
        return bids(question.minimum, state.money[question.seat], limit, board)
    if type(question) is Nominate:
        return [(board.offers_at + company,) for company in numbers_in(state.lots)]
    choices = Choices(state, board, question.seat)
    if type(question) is PlaceFirstCube:
        return choices.starts()
    if type(question) is ChooseSpace:
        return choices.spaces()
    give_up: list[Run] = [(PASS,)]
    if type(question) is PickCity:
        return choices.cities() + give_up
    if type(question) is PickTreasury:
        return choices.treasuries() + give_up
    if type(question) is PickShare:
        return choices.shares() + give_up
    if type(question) is PickSource:
        return choices.sources((), question.cubes) + give_up
    assert type(question) is Expand
    return choices.expansions((), question.cubes) + give_up


def bids(minimum: int, cash: int, limit: int, board: Board) -> list[Run]:
    amounts = [minimum]
    for part in BIDS:
        amount = min(int(part * limit), cash)
        if amount > amounts[-1]:
            amounts.append(amount)
    return [*[(board.bids_at + amount,) for amount in amounts], (PASS,)]


class Choices:
    """Candidate runs (sequences of moves) of a seat. Most methods return the runs for one kind of question.

    `edge` has one number per company: the seat's fraction of the sold shares, minus the average fraction of the other
    seats.
    """

    def __init__(self, state: State, board: Board, seat: int) -> None:
        self.state = state
        self.board = board
        self.seat = seat
        self.edge: list[float] = [0.0] * board.companies
        self.walks: list[tuple[int, ...]] | None = None
        for company in range(board.companies):
            sold = sum(state.held[company :: board.companies])
            if sold:
                held = state.held[seat * board.companies + company]
                self.edge[company] = (held - (sold - held) / (state.seats - 1)) / sold

    def spaces(self) -> list[Run]:
        """Return, for each free space, the best runs (sequences of moves) that take the space.

        If another seat has taken the space `pass`, the list also has a run that takes a space and declines its action.
        Such a run only changes the turn order.
        """
        state, board = self.state, self.board
        runs: list[Run] = []
        for place in range(board.height):
            if not state.free >> place & 1:
                continue
            space = board.spaces[place]
            first = (CHOOSE_FROM + place,)
            if space == "pass":
                runs.append(first)
            elif space == "develop":
                runs += [first + run for run in self.cities()]
            elif space == "fund":
                runs += [first + run for run in self.treasuries()]
            elif space == "auction":
                runs += [first + run for run in self.shares()]
            elif space == "take":
                may_expand = board.rules_for[state.seats].take_may_expand
                runs += self.sources(first, board.expansion[space] if may_expand else 0)
            else:
                runs += self.expansions(first, board.expansion[space])
        if not state.free >> board.space_number["pass"] & 1:
            runs += self.idle()
        return runs or [(CHOOSE_FROM + numbers_in(state.free)[0],)]

    def idle(self) -> list[Run]:
        """Return one candidate: take the topmost free space of the action track, and decline its action."""
        state, board = self.state, self.board
        first = CHOOSE_FROM + numbers_in(state.free)[0]
        after = state.copy()
        apply_move(after, board, first)
        pending = after.pending
        is_asked = pending is not None and pending.seat == self.seat and type(pending) is not ChooseSpace
        return [(first, PASS)] if is_asked else [(first,)]

    def starts(self) -> list[Run]:
        state = self.state
        once = twice = 0
        for track in state.track:
            twice |= once & track
            once |= track
        cities = routes_of(self.board).best_starts(once, twice, state.developed, STARTS)
        return [(self.board.founds_at + city,) for city in cities]

    def cities(self) -> list[Run]:
        """Return the moves that develop the CITIES best cities for this seat, as runs of one move, best first."""
        state, board = self.state, self.board
        if state.developed.bit_count() >= board.file.markers:
            return []
        ranked: list[tuple[float, int]] = []
        for move in state.develops:
            city = move - board.develops_at
            companies = numbers_in(state.stands[city])
            each = board.file.development.full if len(companies) == 1 else board.file.development.shared
            loss = 0.0
            for company in companies:
                loss -= each * self.edge[company]
            ranked.append((loss, city))
        ranked.sort()
        return [(self.board.develops_at + city,) for gain, city in ranked[:CITIES]]

    def treasuries(self) -> list[Run]:
        ranked = sorted((-edge, company) for company, edge in enumerate(self.edge) if edge > 0)
        return [(self.board.funds_at + company,) for _, company in ranked[:TREASURIES]]

    def shares(self) -> list[Run]:
        """Return moves that offer a share, best first.

        Each is a run of one move. Companies with a high income and a large edge come first. The edge is the seat's
        fraction of the shares, minus the average fraction of the other seats. A negative edge counts like a positive
        one.
        """
        state = self.state
        ranked: list[tuple[float, int]] = []
        for company, left in enumerate(state.supply):
            if left:
                ranked.append((-state.income[company] * (0.2 + abs(self.edge[company])), company))
        ranked.sort()
        return [(self.board.offers_at + company,) for _, company in ranked[:SHARES]]

    def sources(self, first: Run, cubes: int) -> list[Run]:
        runs = [(*first, self.board.takes_at + source) for source in range(len(SOURCES))]
        return runs + self.expansions(first, cubes)[:SHORT_WALKS] if cubes else runs

    def expansions(self, first: Run, cubes: int) -> list[Run]:
        """Return whole expansions.

        Each consists of the moves in `first`, then one of the best sequences of cubes, shortened to at most `cubes`
        cubes. Two sequences with the same cubes in another order count as one.
        """
        if self.walks is None:
            self.walks = self.best_walks()
        runs: list[Run] = []
        known: list[list[int]] = []
        for walk in self.walks:
            cut = walk[:cubes]
            if sorted(cut) in known:
                continue
            known.append(sorted(cut))
            run = first + cut
            runs.append(run if len(cut) == cubes else expansion(self.state, self.board, run))
        return runs

    # Walks

    def best_walks(self) -> list[tuple[int, ...]]:
        """Return the best walks (sequences of cubes). No walk is longer than the largest expansion.

        Each walk leads to a city and, with the remaining cubes, on to further cities.
        """
        state, board = self.state, self.board
        most = max(board.expansion.values())
        aims: list[Aim] = []
        for company in state.owned[self.seat]:
            aims += self.aims(state, company, most, AIMS)
        aims.sort(key=lambda aim: -aim[0])
        walks: list[tuple[int, ...]] = []
        for _, company, path in aims[:WALKS]:
            after = state.copy()
            walk = self.built(after, company, path[:most])
            if len(path) < most:
                walks.append(tuple(walk))
            while len(walk) < most:
                best: Aim = (0.0, company, [])
                for other in state.owned[self.seat]:
                    for aim in self.aims(after, other, most - len(walk), 1, best[0]):
                        best = aim if aim[0] > best[0] else best
                if not best[0]:
                    break
                _, company, path = best
                walk += self.built(after, company, path[: most - len(walk)])
            if tuple(walk) not in walks:
                walks.append(tuple(walk))
        return walks

    def built(self, state: State, company: int, path: list[int]) -> list[int]:
        """Place the cubes of `path` in `state`, regardless of the pending question.

        Return the moves that place the cubes.
        """
        for place in path:
            build(state, self.board, company, place, None)
        return [self.board.builds_from[company] + place for place in path]

    def aims(self, state: State, company: int, cubes: int, count: int, floor: float = 0.0) -> list[Aim]:
        """Return up to `count` aims (target cities) of a company, best first.

        `cubes` is the number of cubes that may be placed now. Aims with a value of at most `floor` may be left out. The
        search moves outwards from the company's track, one hex at a time. It ends when no city farther away can be
        better.
        """
        edge = self.edge[company]
        if edge <= 0 or not state.sites[company]:
            return []
        # Compiled code reads bytes faster than a bytearray.
        board, cost, stands = self.board, bytes(state.cost), bytes(state.stands)
        around, is_city = board.around, board.is_city
        purse = state.money[state.seats + company]
        own = 1 << company
        layer: list[int] = [UNSEEN] * len(cost)
        spent: list[int] = [0] * len(cost)
        came: list[int] = [UNSEEN] * len(cost)
        front: list[int] = []
        for site in state.sites[company]:
            place = board.place_of[site]
            if cost[place] <= purse:
                layer[place] = 1
                spent[place] = cost[place]
                front.append(place)
        most = self.most_gain(state, company)
        found: list[tuple[float, int]] = []
        for steps in range(1, min(SIGHT, state.cubes[company]) + 1):
            for place in front:
                if is_city[place]:
                    missing = max(0, steps - cubes) + max(0, spent[place] - purse) / 3
                    promise = self.gain(state, company, place) * LATER**missing
                    promise = promise / (spent[place] + steps)
                    if promise > 0:
                        found.append((-promise, place))
            if floor or len(found) >= count:
                least = min([spent[place] for place in front], default=0) + board.cheapest
                missing = max(0, steps + 1 - cubes) + max(0, least - purse) / 3
                bound = -1.001 * most * LATER**missing / (least + steps + 1)
                if bound > -floor or len([promise for promise, _ in found if promise < bound]) >= count:
                    break
            following: list[int] = []
            beyond_at = steps + 1
            for place in front:
                way = spent[place]
                for beyond in around[place]:
                    seen = layer[beyond]
                    if seen == UNSEEN:
                        price = cost[beyond]
                        if price == FULL or stands[beyond] & own:
                            layer[beyond] = CLOSED
                        else:
                            layer[beyond] = beyond_at
                            spent[beyond], came[beyond] = way + price, place
                            following.append(beyond)
                    elif seen == beyond_at and way + cost[beyond] < spent[beyond]:
                        spent[beyond], came[beyond] = way + cost[beyond], place
            front = following
        found.sort(key=itemgetter(0))
        return [(-promise, company, self.affordable(cost, came, purse, city)) for promise, city in found[:count]]

    def most_gain(self, state: State, company: int) -> float:
        """Return an upper bound of `gain` for a company, valid for every city."""
        board = self.board
        pairs = (state.track[company] & board.link_cities).bit_count()
        income = board.richest + board.file.links.income_per_pair * pairs
        return self.edge[company] * income - min(0.0, *self.edge) * board.richest

    def affordable(self, cost: bytes, came: list[int], purse: int, city: int) -> list[int]:
        """Return the part of the path to `city` that `purse` dollars can pay for, as hexes from the start of the path.

        `cost` has the building cost of each hex. `came` has the previous hex of each hex on its path.
        """
        path: list[int] = []
        while city != UNSEEN:
            path.append(city)
            city = came[city]
        path.reverse()
        for step, place in enumerate(path):
            purse -= cost[place]
            if purse < 0:
                return path[:step]
        return path

    def gain(self, state: State, company: int, city: int) -> float:
        """Return how much a cube of a company in a city helps the seat.

        The seat's edge in a company is its fraction of the shares, minus the average fraction of the other seats. The
        result is the income that the company gains, times the seat's edge in this company. If another company was alone
        in the city, that company loses income. Its loss, times the seat's edge in that company, is subtracted.
        """
        board = self.board
        stands = state.stands[city]
        full, shared = board.values[city][stands >= MARKER]
        others = stands & ~MARKER
        income = shared if others else full
        if board.link_cities >> city & 1:
            income += board.file.links.income_per_pair * (state.track[company] & board.link_cities).bit_count()
        gain = self.edge[company] * income
        if others.bit_count() == 1:
            gain -= self.edge[others.bit_length() - 1] * (full - shared)
        return gain
