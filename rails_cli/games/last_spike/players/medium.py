"""The medium player of The Last Spike, a variant of the greedy player.

The player keeps cash for its next pieces to avoid forced sales.
"""

from collections.abc import Callable
from typing import Final

from rails_cli.games.last_spike.board import Board
from rails_cli.games.last_spike.players import greedy
from rails_cli.protocol.last_spike import Action, Buy, Entry, Play, View

PIECES: Final = 2
"""Number of pieces for which the player keeps cash."""
FORCED_SALE: Final = 1.0
"""Additional cost in dollars for each dollar that must come from a forced sale."""
LEVEL: Final = 500
"""Maximum difference in dollars between the highest value and the value of an action that counts as equally good."""


def think(view: View, legal: list[Entry], board: Board, chance: Callable[[], float] | None = None) -> Action:
    """Return the action with the highest estimated value.

    If `chance` is given, return a random action among the actions within LEVEL dollars of the highest value.
    """
    estimates = Estimates(view, board)
    affordable = estimates.cash - estimates.kept()
    promising = [
        (estimates.value(entry), entry)
        for entry in legal
        if not isinstance(entry, Buy) or (entry.cost or 0) <= affordable
    ]
    most = max(worth for worth, _ in promising)
    good = [entry for worth, entry in promising if worth >= most - (LEVEL if chance else 0)]
    return good[int(chance() * len(good)) if chance else 0]


class Estimates(greedy.Estimates):
    """A seat's estimates of the values of actions, which include the cost of forced sales."""

    def worth_of_piece(self, entry: Play) -> float:
        return super().worth_of_piece(entry) - FORCED_SALE * max((entry.cost or 0) - self.cash, 0)

    def kept(self) -> int:
        """Return the cash that the player keeps: the total cost of the PIECES cheapest pieces in hand."""
        touching = set(self.view.touching)
        costs = []
        for id in self.hand:
            piece = self.board.piece_number[id]
            costs.append(self.board.cost[piece] if id in touching else self.board.cost_apart[piece])
        return sum(sorted(costs)[:PIECES])
