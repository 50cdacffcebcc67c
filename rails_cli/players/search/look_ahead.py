"""Lookahead from one seat's view, by playouts or tree search depending on the game."""

from collections.abc import Callable
from typing import Any

from rails_cli.games.evaluation import Evaluation, Run
from rails_cli.games.game import Game
from rails_cli.players.search.imagining import Chance, imagined
from rails_cli.players.search.outcome import WHOLE, Share, Tried
from rails_cli.players.search.playouts import play_outs
from rails_cli.players.search.stopping import Left
from rails_cli.players.search.tree import search

IMPOSSIBLE = (ValueError, LookupError, ArithmeticError)
"""Exceptions that evaluations raise in positions that they cannot handle."""


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
    """Search the runs of moves of the seat to move while `may_go_on(looks)` is true. Return the runs tried.

    If the evaluation has a policy, the policy continues each run. Otherwise a tree is grown. The result includes the
    run `also`, if given. Each process that takes a share of a search needs its own `chance`. With hidden information
    each share sees other positions, otherwise it searches other runs. With `left`, a search that is not shared stops
    early once the remaining looks are unlikely to matter.
    """
    positions = imagined(game, board, view, chance)
    if evaluation.policy is None:
        return search(game, board, evaluation, positions, may_go_on, also, share, left)
    return play_outs(game, board, evaluation, evaluation.policy, positions, may_go_on, also, left)
