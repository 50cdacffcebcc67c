"""The greedy player of Chicago Express. It values income by the number of dividends to come and by its own part.

It bids what a share will earn. It expands and develops companies of which it holds more than the others.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from rails_cli.games.chicago_express.board import NOWHERE, Board
from rails_cli.games.chicago_express.remaining_dividends import dividends_left
from rails_cli.games.railways import players
from rails_cli.games.railways.companies import Stock
from rails_cli.games.railways.players import DOLLAR, best
from rails_cli.games.shared.money import added
from rails_cli.protocol.chicago_express import Action, Build, Choose, Develop, Entry, Offer, View

UNDEVELOPED = 0.4  # weight of a hex's possible later development


Pick = Callable[[Iterable[tuple[float, Any]], Sequence[Any]], Any]
"""Function that chooses an action from pairs of worth and action, or the last of the legal list."""


def think(view: View, legal: list[Entry], board: Board) -> Action:
    """Return the bid, action or place with the highest estimated value.

    If none is positive, return the last legal action.
    """
    return answer(Estimates(view, board), legal, best)


def answer(estimates: "Estimates", legal: list[Entry], best: Pick) -> Action:
    """Return the action that `best` selects by `estimates`."""
    view = estimates.view
    assert view.question is not None
    action: Action
    match view.question.asks:
        case "bid_or_pass":
            action = estimates.bid(legal)
        case "expand":
            _, company, place = estimates.best_expansion(view.question.company)
            way = (e for e in legal if isinstance(e, Build) and e.company == company and e.hex == place)
            action = best(((1, entry) for entry in way), legal)
        case "choose_action":
            worth = estimates.worth_of_actions()
            action = best(((worth[entry.action], entry) for entry in legal if isinstance(entry, Choose)), legal)
        case "offer_share":
            action = best(((estimates.worth_of_offer(o.company), o) for o in legal if isinstance(o, Offer)), legal)
        case _:
            action = best(((estimates.worth_of_development(d.hex), d) for d in legal if isinstance(d, Develop)), legal)
    return action


class Estimates(players.Estimates):
    """A seat's estimates in Chicago Express."""

    raises = 3
    later = 0.7
    sight = 5

    def __init__(self, view: View, board: Board) -> None:
        stocks = [Stock(True, company.shares_sold, company.locomotives_left) for company in view.companies]
        super().__init__(view, board, stocks, board.around, dividends_left(view))

    def income_of(self, company: Any) -> int:
        return int(company.income)

    def minimum_of(self, company: Any) -> int:
        return company.minimum_bid or 0

    def cost_of(self, place: int) -> int | None:
        cost: int | None = self.board.costs[place][self.crowd[place]]
        return cost

    def gain_in(self, place: int, company: Any, cost: int) -> float:
        """Return the income of a locomotive in a hex, plus part of what development would add, minus its cost."""
        board = self.board
        scale = board.scale_of[place]
        if scale != NOWHERE:
            return float(self.view.scales[scale].value + UNDEVELOPED - DOLLAR * cost)
        to_come = 1 if board.hex_ids[place] in self.view.developed else UNDEVELOPED
        return float(board.income[place] + board.develop[place] * to_come - DOLLAR * cost)

    def own_part(self, company: str) -> float:
        return self.edge[company]

    def worth_of_actions(self) -> dict[str, float]:
        """Return the value of the best use of each action."""
        on_offer = [company.id for company in self.view.companies if company.minimum_bid is not None]
        built = [place for company in self.view.companies if self.edge[company.id] > 0 for place in company.track]
        return {
            "auction": max(map(self.worth_of_offer, on_offer), default=0.0),
            "expand": self.best_expansion()[0],
            "develop": max(map(self.worth_of_development, built), default=0.0),
        }

    def worth_of_development(self, place: str) -> float:
        """Return the income that a development brings this player until the end, relative to the others."""
        step = self._development(self.board.hex_number[place])
        edge = added(self.edge[company.id] for company in self.view.companies if place in company.track)
        return self.dividends * step * edge

    def _development(self, place: int) -> float:
        """Return the income that each company in a hex gains by its development, 0 if it cannot be developed."""
        board, view = self.board, self.view
        scale = board.scale_of[place]
        if scale != NOWHERE:
            now = view.scales[scale]
            return 0 if scale == board.detroit or now.next_value is None else now.next_value - now.value
        if view.houses_left and board.house_hexes >> place & 1 and board.hex_ids[place] not in view.developed:
            return float(board.develop[place] + DOLLAR * board.develop_cash[place])
        return 0
