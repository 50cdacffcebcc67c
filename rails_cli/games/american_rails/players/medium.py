"""The medium player of American Rails: a variant of the greedy player with better estimates and random variation.

The player keeps cash for a second share, starts in cities with room to grow, and plans far enough ahead to link cities.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from rails_cli.games.american_rails.board import FULL, Board
from rails_cli.games.american_rails.players import greedy
from rails_cli.games.railways.players import Pick, best, nearly_best
from rails_cli.protocol.american_rails import Action, Entry, View
from rails_cli.protocol.common import Bid, BidRange

OPENING_PART = 0.55  # maximum fraction of the player's cash that it bids for one opening share
RESERVE = 2  # dollars that the player always keeps after the opening
NEAR = 3  # distance in hexes from a starting city within which other cities count
NEARBY = 0.5  # weight of the income of the cities within NEAR
NEARLY = 0.9  # actions with at least this fraction of the best value count as equally good
DAMPED = 0.75  # factor for the estimated earnings of a share, because not all plans succeed


def think(view: View, legal: list[Entry], board: Board, chance: Callable[[], float] | None = None) -> Action:
    """Return the action with the highest estimated value.

    If `chance` is given, return a random action among the actions of nearly the highest value.
    """
    pick: Pick = best if chance is None else partial(nearly_best, chance=chance, part=NEARLY)
    return greedy.answer(Estimates(view, board), legal, pick)


class Estimates(greedy.Estimates):
    """A seat's estimates of values. They consider longer paths than the estimates of the greedy player."""

    later = 0.8
    sight = 7

    def bid(self, legal: Sequence[Any]) -> Any:
        """Return the lowest legal bid, or a pass if that bid is too high.

        A bid is too high if it exceeds DAMPED times the estimated value of the share, or leaves the player too little
        cash.
        """
        lowest = legal[0]
        if not isinstance(lowest, BidRange):
            return legal[-1]
        company = self.companies[self.view.auction.company]
        spare = OPENING_PART * self.own.cash if self.view.auction.is_opening else self.own.cash - RESERVE
        is_cheap = lowest.min <= min(spare, DAMPED * self.worth_of_share(company, lowest.min))
        return Bid(lowest.min) if is_cheap else legal[-1]

    def worth_of_start(self, name: str) -> float:
        """Return the value of a city as the start of a company.

        This is its income, plus a part of the income of each nearby city. The higher the cost of the path to a nearby
        city, the smaller this part. `name` is the id of the city's hex.
        """
        board = self.board
        start = board.hex_number[name]
        worth = float(board.full[start])
        seen = 1 << start
        front = [(start, 0)]
        for _ in range(NEAR):
            reached: dict[int, int] = {}
            for place, spent in front:
                around = board.near[place] & ~seen
                while around:
                    beyond = around.bit_length() - 1
                    around ^= 1 << beyond
                    cost = self.cost_of(beyond)
                    if cost is not None and spent + cost < reached.get(beyond, FULL):
                        reached[beyond] = spent + cost
            front = sorted(reached.items())
            for place, spent in front:
                seen |= 1 << place
                value = board.shared[place] if self.crowd[place] else board.full[place]
                worth += NEARBY * value * 2 / max(spent, 2)
        return worth
