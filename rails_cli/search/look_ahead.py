"""Looks some moves ahead from what one seat may know, in the way that suits the game."""

from collections.abc import Callable
from typing import Any

from rails_cli.games.evaluation import Evaluation, Run
from rails_cli.games.game import Game
from rails_cli.search.imagining import Chance, imagined
from rails_cli.search.outcome import WHOLE, Share, Tried
from rails_cli.search.playouts import play_outs
from rails_cli.search.stopping import Left
from rails_cli.search.tree import search

IMPOSSIBLE = (ValueError, LookupError, ArithmeticError)
"""What evaluations raise in positions that they cannot make sense of."""


def look_ahead(
    game: Game[Any, Any],
    board: Any,
    evaluation: Evaluation[Any, Any],
    view: Any,
    chance: Chance,
    may_go_on: Callable[[int], bool],
    also: Run | None = None,
    share: Share = WHOLE,
    left: Left | None = None,
) -> list[Tried]:
    """What the seat that is asked could do, looked at again and again while `may_go_on(looks)`.

    Where the game has a policy, runs are played on by it; else a tree is grown. The run `also`, if there is one, is
    among those that are found. Of several shares, each is to be given a chance of its own: where something is hidden
    it looks at other positions, else at other runs. A search that nobody shares may be told what is `left`: then it
    ends as soon as that is not worth the time.
    """
    positions = imagined(game, board, view, chance)
    if evaluation.policy is None:
        return search(game, board, evaluation, positions, may_go_on, also, share, left)
    return play_outs(game, board, evaluation, evaluation.policy, positions, may_go_on, also, left)
