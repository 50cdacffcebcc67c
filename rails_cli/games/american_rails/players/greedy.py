"""The greedy player of American Rails. It values actions by the dividends that they bring until the end.

The player bids up to the expected dividends of a share. It expands, develops and funds companies in which it holds more
shares than the other players.
"""

from typing import Any

from rails_cli.games.american_rails.board import FULL, Board
from rails_cli.games.railways import players
from rails_cli.games.railways.companies import Stock
from rails_cli.games.railways.players import DOLLAR, Pick, best
from rails_cli.games.shared.hexgrid import numbers_in
from rails_cli.protocol.american_rails import Action, Build, Choose, Develop, Entry, Found, Fund, Offer, Take, View

UNDEVELOPED = 0.3  # weight of a city's possible later development
WAY = 3  # number of cubes needed to realise the value of an expansion


def think(view: View, legal: list[Entry], board: Board) -> Action:
    """Return the legal action with the highest estimated value, or the last legal action if no value is positive."""
    return answer(Estimates(view, board), legal, best)


def answer(estimates: "Estimates", legal: list[Entry], choose: Pick) -> Action:
    """Return the best answer to the pending question according to `estimates`.

    `choose` selects an action by the estimated values of the actions. Bids and expansions are chosen without it.
    """
    assert estimates.view.question is not None
    action: Action
    match estimates.view.question.asks:
        case "bid":
            action = estimates.bid(legal)
        case "expand" | "take":
            action = estimates.expand(legal)
        case _:
            action = choose(valued(estimates, legal), legal)
    return action


def valued(estimates: "Estimates", legal: list[Entry]) -> list[tuple[float, Action]]:
    """Return pairs of estimated value and action, for all legal actions that choose a space, a company or a city."""
    assert estimates.view.question is not None
    match estimates.view.question.asks:
        case "choose":
            worth = estimates.worth_of_spaces()
            return [(worth[entry.action], entry) for entry in legal if isinstance(entry, Choose)]
        case "nominate" | "auction":
            return [(estimates.worth_of_offer(entry.company), entry) for entry in legal if isinstance(entry, Offer)]
        case "found":
            return [(estimates.worth_of_start(entry.hex), entry) for entry in legal if isinstance(entry, Found)]
        case "develop":
            return [(estimates.worth_of_marker(entry.hex), entry) for entry in legal if isinstance(entry, Develop)]
    return [(estimates.edge[entry.company], entry) for entry in legal if isinstance(entry, Fund)]


class Estimates(players.Estimates):
    """A seat's estimates of the values of shares, spaces and expansions in American Rails.

    The edge of a seat in a company is its fraction of the shares, minus the average fraction of the other seats.
    `rights` has one number per hex: the sum of the seat's edges in the companies there. `links` maps company ids to the
    number of link cities in the network of the company.
    """

    raises = 4
    later = 0.75
    sight = 4

    def __init__(self, view: View, board: Board) -> None:
        stocks = [Stock(company.in_play, company.shares_held, company.cubes_left) for company in view.companies]
        super().__init__(view, board, stocks, board.near, view.end.years_left + 1)
        self.developed = {board.hex_number[place] for place in view.developed}
        self.rights = [0.0] * len(board.hex_ids)
        self.links = dict.fromkeys(self.companies, 0)
        for name, company in self.companies.items():
            for place in company.track:
                number = board.hex_number[place]
                self.rights[number] += self.edge[name]
                self.links[name] += board.link_cities >> number & 1

    def income_of(self, company: Any) -> int:
        starts = [full for full, cubes in zip(self.board.full, self.crowd, strict=True) if not cubes]
        return int(company.income if company.track else max(starts, default=0))

    def minimum_of(self, company: Any) -> int:
        return int(self.board.file.minimum_bid)

    def cost_of(self, place: int) -> int | None:
        cost: int = self.board.costs[place][self.crowd[place] + (place in self.developed)]
        return None if cost == FULL else cost

    def gain_in(self, place: int, company: Any, cost: int) -> float:
        """Return the value of a company's cube in a hex for this player, as yearly income.

        The income gained, minus the cost of the cube converted to income, is multiplied by the player's edge in the
        company (see `Estimates`). If another company was alone in the hex, that company loses income. Its loss, times
        the player's edge in that company, is subtracted.
        """
        board, marker = self.board, self.board.file.development
        spent = DOLLAR * cost * self.edge[company.id]
        if not board.is_city[place]:
            return -spent
        developed = 1.0 if place in self.developed else UNDEVELOPED if board.developable >> place & 1 else 0
        alone = board.full[place] + developed * marker.full
        shared = board.shared[place] + developed * marker.shared
        income = shared if self.crowd[place] else alone
        if board.link_cities >> place & 1:
            income += board.file.links.income_per_pair * self.links[company.id]
        gain = self.edge[company.id] * income
        return float((gain - self.rights[place] * (alone - shared) if self.crowd[place] == 1 else gain) - spent)

    def worth_of_spaces(self) -> dict[str, float]:
        """Return a mapping from the name of each space to its value: the dollars that the best use of the space is
        worth.
        """
        board, view = self.board, self.view
        on_offer = [name for name, company in self.companies.items() if company.shares_left]
        to_develop = [
            board.hex_ids[place]
            for place in numbers_in(board.developable)
            if self.rights[place] > 0 and view.markers_left and place not in self.developed
        ]
        worth = {
            "pass": 0.0,
            "develop": max(map(self.worth_of_marker, to_develop), default=0.0),
            "fund": self.dividends * DOLLAR * board.file.fund * max(self.edge.values()),
            "auction": max(map(self.worth_of_offer, on_offer), default=0.0),
        }
        expansion = self.best_expansion()[0]
        worth |= {space: expansion * cubes / WAY for space, cubes in board.expansion.items()}
        if not board.rules_for[len(view.players)].take_may_expand:
            worth["take"] = 0
        worth["take"] = max(worth["take"], board.file.take)
        return worth

    def worth_of_start(self, name: str) -> float:
        """Return the income of a company that starts in the city with the hex id `name`."""
        return float(self.board.full[self.board.hex_number[name]])

    def worth_of_marker(self, name: str) -> float:
        """Return how many dollars a marker in a city adds to this player's lead over the other players.

        Only dividends until the end are counted. `name` is the hex id of the city.
        """
        place = self.board.hex_number[name]
        value = self.board.file.development
        return float(self.dividends * self.rights[place] * (value.full if self.crowd[place] == 1 else value.shared))

    def expand(self, legal: list[Entry]) -> Any:
        """Return the action that starts the best expansion: it places the first cube.

        If taking money is legal and worth more, return the action that takes money. Return the last legal action if
        neither is possible.
        """
        worth, company, place = self.best_expansion()
        cubes = [e for e in legal if isinstance(e, Build) and e.company == company and e.hex == place]
        money = [entry for entry in legal if isinstance(entry, Take)]
        if money and (not cubes or worth <= self.board.file.take):
            return money[0]
        return cubes[0] if cubes else legal[-1]
