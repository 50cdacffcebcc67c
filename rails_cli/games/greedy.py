"""A player for games that do not define the player `greedy`.

It chooses the action with the best score one step ahead.
"""

from collections.abc import Callable
from typing import Any

from rails_cli.games.game import Game, digest, without_info_fields
from rails_cli.games.shared.luck import stream
from rails_cli.protocol.common import Bid, BidRange

SEED = "greedy"
"""Seed for guesses about the hidden parts of a position.

It is fixed, so that the same view always gives the same action.
"""


def greedy_player(game: Game[Any, Any]) -> Callable[[Any, list[Any], Any], Any]:
    """Return a player that looks one action ahead.

    It maximises its score after the action, minus the best score of the other players. Of the legal bids, it considers
    only the lowest. It chooses among equally good actions by a random number that depends only on the view.
    """

    def think(view: Any, legal: list[Any], board: Any) -> Any:
        position = game.imagine(view, board, SEED)
        actions = [Bid(entry.min) if type(entry) is BidRange else without_info_fields(entry) for entry in legal]
        leads = []
        for action in actions:
            after = position.copy()
            game.apply(after, board, action, None)
            scores = game.scores(after)
            own = scores.pop(view.seat)
            leads.append(own - max(scores, default=0))
        best = [action for action, lead in zip(actions, leads, strict=True) if lead == max(leads)]
        return best[int(stream(digest(game, position))() * len(best))]

    return think
