"""The medium player of Chicago Express: greedy, but it knows what an opening share costs, and the way to Chicago."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from protocol.chicago_express import Action, Entry, View
from protocol.common import Bid, BidRange
from rails_cli.games.chicago_express.board import Board
from rails_cli.games.chicago_express.players import greedy
from rails_cli.games.chicago_express.players.builder import aims_of
from rails_cli.games.railways.players import DOLLAR, best

OPENING_PRICES = (("PRR", 1.05), ("BO", 1.0), ("CO", 0.95), ("NYC", 1.0))
"""Parts of half the starting cash; a company that is not named has 1."""
DEAR_FOR_TWO = 0.7
"""Two have so much cash that a share is worth less than half of it."""
HALF = 0.5
EACH_EXPANSION = 0.85
"""What counts of Chicago for each expansion that it takes to get there."""
HEXES_FOR_A_DOLLAR = 0.75
LEVEL = 0.93
"""Answers that promise this part of the best are as good."""


def think(view: View, legal: list[Entry], board: Board, chance: Callable[[], float] | None = None) -> Action:
    """As the greedy one, with better prices and goals; `chance` decides among answers that promise nearly the same."""

    def pick(promising: Iterable[tuple[float, Any]], legal: Sequence[Any]) -> Any:
        if chance is None:
            return best(promising, legal)
        listed = list(promising)
        most = max((worth for worth, _ in listed), default=0.0)
        level = [action for worth, action in listed if worth > 0 and worth >= LEVEL * most]
        return level[int(chance() * len(level))] if level else legal[-1]

    outlook = Outlook(view, board)
    action: Action = outlook.bid_with(legal, pick) if view.auction else greedy.answer(outlook, legal, pick)
    return action


class Outlook(greedy.Outlook):
    """What a seat expects of the companies."""

    def bid_with(self, legal: Sequence[Any], pick: greedy.Pick) -> Any:
        """The least bid, if the share is worth more; where both are nearly the same, chance decides."""
        lowest, leave = legal
        assert isinstance(lowest, BidRange)
        name = self.view.auction.company
        worth = self.worth_of_share(self.companies[name], lowest.min)
        if self.view.auction.is_opening:
            worth = self.opening_price(name)
        return pick(((worth, Bid(lowest.min)), (lowest.min - 0.5, leave)), legal)

    def opening_price(self, name: str) -> float:
        """About half the starting cash: the rest is for a second share."""
        players = len(self.view.players)
        part = dict(OPENING_PRICES).get(name, 1.0) * (DEAR_FOR_TWO if players == 2 else 1.0)
        return float(HALF * self.board.cash[players] * part)

    def expansions(self, only: str | None = None) -> list[tuple[float, str, str]]:
        """Towards Chicago where a company can pay for the way and that is worth more."""
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
