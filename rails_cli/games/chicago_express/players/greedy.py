"""The greedy player of Chicago Express. It values actions by the dividends that they bring until the end.

The player bids up to the expected dividends of a share. It expands and develops companies in which it holds more shares
than the other players.
"""

from typing import Any

from rails_cli.games.chicago_express.board import NOWHERE, Board
from rails_cli.games.railways import players
from rails_cli.games.railways.companies import Stock
from rails_cli.games.railways.players import DOLLAR, Pick, best
from rails_cli.games.shared.money import added
from rails_cli.protocol.chicago_express import Action, Build, Choose, Develop, Entry, Offer, View

UNDEVELOPED = 0.4  # weight of a hex's possible later development


def think(view: View, legal: list[Entry], board: Board) -> Action:
    """Return the action with the highest estimated value, or the last legal action if no value is positive."""
    return answer(Estimates(view, board), legal, best)


def answer(estimates: "Estimates", legal: list[Entry], pick: Pick) -> Action:
    """Return the best answer to the pending question according to `estimates`.

    `pick` selects an action by the estimated values of the actions. Bids are chosen without it.
    """
    question = estimates.view.question
    assert question is not None
    action: Action
    match question.asks:
        case "bid_or_pass":
            action = estimates.bid(legal)
        case "expand":
            _, company, place = estimates.best_expansion(question.company)
            builds = [e for e in legal if isinstance(e, Build) and e.company == company and e.hex == place]
            action = pick([(1, build) for build in builds], legal)
        case "choose_action":
            worth = estimates.worth_of_actions()
            action = pick([(worth[entry.action], entry) for entry in legal if isinstance(entry, Choose)], legal)
        case "offer_share":
            action = pick([(estimates.worth_of_offer(o.company), o) for o in legal if isinstance(o, Offer)], legal)
        case _:
            action = pick([(estimates.worth_of_development(d.hex), d) for d in legal if isinstance(d, Develop)], legal)
    return action


def dividends_left(view: View) -> float:
    """Return the expected number of general dividends (of all companies) until the end.

    The estimate assumes that actions continue as fast as the dials allow.
    """
    red_at = {dial.action: dial.red_at for dial in view.dials}
    after_next = []
    for condition in view.end_conditions:
        steps = abs(condition.limit - condition.now)
        if condition.reason == "detroit_full":
            after_next.append(float(steps))
        elif condition.reason == "houses_out":
            after_next.append(steps / red_at["develop"])
        elif condition.reason == "shares_out":
            to_sell = sorted(company.shares_left for company in view.companies if company.minimum_bid is not None)
            if len(to_sell) >= steps:
                after_next.append(sum(to_sell[:steps]) / red_at["auction"])
    return 1 if any(condition.is_met for condition in view.end_conditions) else 1 + min(after_next)


class Estimates(players.Estimates):
    """One seat's estimates of the values of shares and actions in Chicago Express, in dollars until the end."""

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
        """Return the income of a locomotive in a hex, minus the cost of the locomotive converted to income.

        Part of the income that development of the hex would add is included.
        """
        board = self.board
        scale = board.scale_of[place]
        if scale != NOWHERE:
            return float(self.view.scales[scale].value + UNDEVELOPED - DOLLAR * cost)
        to_come = 1 if board.hex_ids[place] in self.view.developed else UNDEVELOPED
        return float(board.income[place] + board.develop[place] * to_come - DOLLAR * cost)

    def own_part(self, company: str) -> float:
        return self.edge[company]

    def worth_of_actions(self) -> dict[str, float]:
        """Return a mapping from the name of each action to its value: the dollars that the best use of the action is
        worth.
        """
        on_offer = [company.id for company in self.view.companies if company.minimum_bid is not None]
        built = [place for company in self.view.companies if self.edge[company.id] > 0 for place in company.track]
        return {
            "auction": max(map(self.worth_of_offer, on_offer), default=0.0),
            "expand": self.best_expansion()[0],
            "develop": max(map(self.worth_of_development, built), default=0.0),
        }

    def worth_of_development(self, place: str) -> float:
        """Return how many dollars the development of a hex adds to this player's lead over the other players.

        Only dividends until the end are counted. `place` is the hex id.
        """
        step = self._development(self.board.hex_number[place])
        edge = added(self.edge[company.id] for company in self.view.companies if place in company.track)
        return self.dividends * step * edge

    def _development(self, place: int) -> float:
        """Return the income that each company in a hex gains if the hex is developed.

        Return 0 if the hex cannot be developed.
        """
        board, view = self.board, self.view
        scale = board.scale_of[place]
        if scale != NOWHERE:
            now = view.scales[scale]
            return 0 if scale == board.detroit or now.next_value is None else now.next_value - now.value
        if view.houses_left and board.house_hexes >> place & 1 and board.hex_ids[place] not in view.developed:
            return float(board.develop[place] + DOLLAR * board.develop_cash[place])
        return 0
