"""The medium player of Chicago Express: the greedy player with better opening prices and with Chicago as a goal."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from rails_cli.games.chicago_express.board import Board
from rails_cli.games.chicago_express.players import greedy
from rails_cli.games.chicago_express.players.builder import aims_of
from rails_cli.games.railways.players import DOLLAR, best
from rails_cli.protocol.chicago_express import Action, Entry, View
from rails_cli.protocol.common import Bid, BidRange

OPENING_PRICES = (("PRR", 1.05), ("BO", 1.0), ("CO", 0.95), ("NYC", 1.0))
"""Price of each opening share as a factor of half the starting cash. Companies not listed have a factor of 1."""
DEAR_FOR_TWO = 0.7
"""Factor for opening prices with two players, who have so much cash that a share is worth less than half of it."""
HALF = 0.5
EACH_EXPANSION = 0.85
"""Factor for the value of Chicago, for each expansion needed to reach it."""
HEXES_FOR_A_DOLLAR = 0.75
LEVEL = 0.93
"""Actions with this fraction of the best value count as equally good."""


def think(view: View, legal: list[Entry], board: Board, chance: Callable[[], float] | None = None) -> Action:
    """Return the best action by estimated value. `chance` decides among actions of nearly equal value."""

    def pick(promising: Iterable[tuple[float, Any]], legal: Sequence[Any]) -> Any:
        if chance is None:
            return best(promising, legal)
        listed = list(promising)
        most = max((worth for worth, _ in listed), default=0.0)
        level = [action for worth, action in listed if worth > 0 and worth >= LEVEL * most]
        return level[int(chance() * len(level))] if level else legal[-1]

    estimates = Estimates(view, board)
    action: Action = estimates.bid_with(legal, pick) if view.auction else greedy.answer(estimates, legal, pick)
    return action


class Estimates(greedy.Estimates):
    """A seat's estimates, with opening prices and Chicago as a goal."""

    def bid_with(self, legal: Sequence[Any], pick: greedy.Pick) -> Any:
        """Return the minimum bid if the share is worth more, otherwise a pass.

        If both are nearly equal, `pick` decides.
        """
        lowest, leave = legal
        assert isinstance(lowest, BidRange)
        name = self.view.auction.company
        worth = self.worth_of_share(self.companies[name], lowest.min)
        if self.view.auction.is_opening:
            worth = self.opening_price(name)
        return pick(((worth, Bid(lowest.min)), (lowest.min - 0.5, leave)), legal)

    def opening_price(self, name: str) -> float:
        """Return about half the starting cash, because the rest is needed for a second share."""
        players = len(self.view.players)
        part = dict(OPENING_PRICES).get(name, 1.0) * (DEAR_FOR_TWO if players == 2 else 1.0)
        return float(HALF * self.board.cash[players] * part)

    def expansions(self, only: str | None = None) -> list[tuple[float, str, str]]:
        """Return expansions, towards Chicago if the company can pay the whole way and that is worth more."""
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
