"""A player for games that define no player `greedy`. It chooses the action after which its score is best."""

from collections.abc import Callable
from typing import Any

from rails_cli.games.game import Game, digest, without_info_fields
from rails_cli.games.shared.luck import stream
from rails_cli.protocol.common import Bid, BidRange

SEED = "greedy"
"""Seed with which hidden parts of a position are guessed. It is fixed, so that a view always gives the same action."""


def greedy_player(game: Game[Any, Any]) -> Callable[[Any, list[Any], Any], Any]:
    """Return a player that looks one action ahead.

    The player maximises its score after the action, minus the best score of the others. It considers only the lowest
    legal bid. Among equally good actions it chooses by a random number that depends only on the view.
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
