"""The medium player of The Last Spike: the greedy player, but it keeps cash for its next pieces to avoid sales."""

from collections.abc import Callable
from typing import Final

from rails_cli.games.last_spike.board import Board
from rails_cli.games.last_spike.players import greedy
from rails_cli.protocol.common import Pass
from rails_cli.protocol.last_spike import Action, Entry, Play, Sell, View

PIECES: Final = 2
"""Number of pieces for which cash is kept."""
FORCED_SALE: Final = 1.0
"""Cost of each dollar that must come from a sale, in addition to the greedy player's estimate."""
LEVEL: Final = 500
"""Actions within this many dollars of the best count as equally good."""


def think(view: View, legal: list[Entry], board: Board, chance: Callable[[], float] | None = None) -> Action:
    """Return the best action by estimated value. `chance` decides among actions of nearly equal value."""
    estimates = Estimates(view, board)
    kept = estimates.kept()
    promising: list[tuple[float, Action]] = []
    for entry in legal:
        if isinstance(entry, Play):
            promising.append((estimates.worth_of_piece(entry), entry))
        elif isinstance(entry, Sell):
            promising.append((-estimates.loss_by_sale(entry), entry))
        elif isinstance(entry, Pass):
            promising.append((0.0, entry))
        elif estimates.cash - (entry.cost or 0) >= kept:
            promising.append((estimates.gain_by_purchase(entry), entry))
    most = max(worth for worth, _ in promising)
    good = [entry for worth, entry in promising if worth >= most - (LEVEL if chance else 0)]
    return good[int(chance() * len(good)) if chance else 0]


class Estimates(greedy.Estimates):
    """A seat's estimates that include the cost of forced sales."""

    def worth_of_piece(self, entry: Play) -> float:
        return super().worth_of_piece(entry) - FORCED_SALE * max((entry.cost or 0) - self.cash, 0)

    def kept(self) -> int:
        """Return the total cost of the PIECES cheapest pieces in hand."""
        touching = set(self.view.touching)
        costs = []
        for id in self.hand:
            piece = self.board.piece_number[id]
            costs.append(self.board.cost[piece] if id in touching else self.board.cost_apart[piece])
        return sum(sorted(costs)[:PIECES])
