"""The medium player of American Rails: greedy, but it keeps cash for a second share, starts where there is room to
grow, sees far enough to make links, and does not always do the same.
"""

from collections.abc import Callable, Sequence
from typing import Any

from protocol.american_rails import Action, Entry, View
from protocol.common import Bid, BidRange
from rails_cli.games.american_rails.board import FULL, Board
from rails_cli.games.american_rails.players import greedy
from rails_cli.games.railways.players import best

OPENING_PART = 0.55  # of its cash it spends at most on one share of the opening
RESERVE = 2  # so much it always keeps
NEAR = 3  # so many cubes around a start count
NEARBY = 0.5  # what the cities there count
NEARLY = 0.9  # an answer that promises this part of the best is as good
DAMPED = 0.75  # what a share will earn counts so much: plans do not all come true


def think(view: View, legal: list[Entry], board: Board, chance: Callable[[], float] | None = None) -> Action:
    """What promises most, or nearly so if chance is given."""
    outlook = Outlook(view, board)
    if chance is None:
        return greedy.answer(outlook, legal, best)

    def choose(promising: Sequence[tuple[float, Any]], legal: Sequence[Any]) -> Any:
        most = max((worth for worth, _ in promising), default=0.0)
        good = [action for worth, action in promising if worth > 0 and worth >= NEARLY * most]
        return good[int(chance() * len(good))] if good else legal[-1]

    return greedy.answer(outlook, legal, choose)


class Outlook(greedy.Outlook):
    """What a seat expects of the companies, with more patience."""

    later = 0.8
    sight = 7

    def bid(self, legal: Sequence[Any]) -> Any:
        """The least bid, up to what the share is worth and what can be spared."""
        lowest = legal[0]
        if not isinstance(lowest, BidRange):
            return legal[-1]
        company = self.companies[self.view.auction.company]
        spare = OPENING_PART * self.own.cash if self.view.auction.is_opening else self.own.cash - RESERVE
        is_cheap = lowest.min <= min(spare, DAMPED * self.worth_of_share(company, lowest.min))
        return Bid(lowest.min) if is_cheap else legal[-1]

    def worth_of_start(self, name: str) -> float:
        """What the city earns, and those around it less the longer and dearer the way."""
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
