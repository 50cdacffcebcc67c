"""The medium player of Chicago Express: the greedy player with better opening prices and with Chicago as a goal."""

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Any

from rails_cli.games.chicago_express.board import Board
from rails_cli.games.chicago_express.players import greedy
from rails_cli.games.railways.players import DOLLAR, Aim, Pick, aim_of, best, nearly_best, pieces_by_hex
from rails_cli.games.shared.hexgrid import way_costs
from rails_cli.protocol.chicago_express import Action, Entry, View
from rails_cli.protocol.common import Bid, BidRange

OPENING_PRICES = (("PRR", 1.05), ("BO", 1.0), ("CO", 0.95), ("NYC", 1.0))
"""The usual price of an opening share of a company, as a multiple of half the starting cash.

For other companies the multiple is 1.
"""
DEAR_FOR_TWO = 0.7
"""Factor for opening prices in games with two players.

The starting cash is higher then, and a share is worth less than half of it.
"""
HALF = 0.5
EACH_EXPANSION = 0.85
"""Factor for the value of reaching Chicago. It applies once for each expansion needed."""
HEXES_FOR_A_DOLLAR = 0.75
"""Assumed number of hexes that a company enters for each dollar it spends on the way to Chicago."""
LEVEL = 0.93
"""Fraction of the best action's value. An action worth at least this fraction counts as equally good."""


def think(view: View, legal: list[Entry], board: Board, chance: Callable[[], float] | None = None) -> Action:
    """Return the action with the highest estimated value.

    If `chance` is given, return a random action among the actions of nearly the highest value.
    """
    pick: Pick = best if chance is None else partial(nearly_best, chance=chance, part=LEVEL)
    estimates = Estimates(view, board)
    action: Action = estimates.bid_with(legal, pick) if view.auction else greedy.answer(estimates, legal, pick)
    return action


def aims_of(view: View, board: Board) -> list[Aim]:
    """Return the cheapest path to Chicago of each company that can still reach Chicago."""
    pieces = pieces_by_hex(board, (company.track for company in view.companies))
    costs = tuple(board.costs[place][count] for place, count in enumerate(pieces))
    to_chicago = _costs_to_chicago(board, costs)
    able = (company for company in view.companies if company.locomotives_left and not company.has_reached_chicago)
    found = (aim_of(company, board, board.around, costs, to_chicago) for company in able)
    return [aim for aim in found if aim is not None]


@lru_cache(maxsize=16)
def _costs_to_chicago(board: Board, costs: tuple[int | None, ...]) -> list[int | None]:
    return way_costs(board.around, costs, 1 << board.chicago)


class Estimates(greedy.Estimates):
    """One seat's estimates of values.

    They use the usual prices of opening shares, and consider expansions towards Chicago.
    """

    def bid_with(self, legal: Sequence[Any], pick: Pick) -> Any:
        """Return the lowest legal bid or a pass.

        `pick` chooses between them by their values. The value of the bid is the value of the share. The value of the
        pass is slightly less than the amount of the bid.
        """
        lowest, leave = legal
        assert isinstance(lowest, BidRange)
        name = self.view.auction.company
        worth = self.worth_of_share(self.companies[name], lowest.min)
        if self.view.auction.is_opening:
            worth = self.opening_price(name)
        return pick([(worth, Bid(lowest.min)), (lowest.min - 0.5, leave)], legal)

    def opening_price(self, name: str) -> float:
        """Return the price that this player would pay for the opening share of the company `name`.

        The price is about half the starting cash, because the rest is needed for a second share.
        """
        players = len(self.view.players)
        part = dict(OPENING_PRICES).get(name, 1.0) * (DEAR_FOR_TWO if players == 2 else 1.0)
        return float(HALF * self.board.cash[players] * part)

    def expansions(self, only: str | None = None) -> list[tuple[float, str, str]]:
        """Return the best expansion of each company, as a tuple: value in dollars, company id and id of the first hex.

        An expansion towards Chicago is chosen if the company can pay for it and it is worth more. If `only` is given,
        other companies are ignored.
        """
        plans = {name: (worth, name, place) for worth, name, place in super().expansions(only)}
        for aim in aims_of(self.view, self.board):
            name = aim.company
            if only not in (None, name) or self.edge.get(name, 0.0) <= 0 or aim.lacking > 0:
                continue
            company = self.companies[name]
            cost = aim.lacking + company.treasury
            expansions = 1 + HEXES_FOR_A_DOLLAR * cost / self.board.expand_max
            gain = self.board.income[self.board.chicago]
            at_once = company.income + gain
            worth = self.dividends * (gain - DOLLAR * cost) + at_once
            worth *= self.edge[name] * EACH_EXPANSION**expansions
            if name not in plans or worth > plans[name][0]:
                plans[name] = (worth, name, aim.hex)
        return list(plans.values())
