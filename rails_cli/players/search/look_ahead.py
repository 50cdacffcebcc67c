"""Search for good moves with only what one seat can see. Depending on the game, the search uses playouts or a tree."""

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
"""Exceptions that evaluation functions may raise in positions that are impossible by the rules."""


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
    """Search for the best sequence of moves (run) of the seat to move. Return the runs that were tried.

    - `may_go_on`: takes the number of looks (search iterations) done. The search continues while it returns true.
    - `also`: a run that is always tried.
    - `share`: the part of the search that this process does. Several processes can each do a part. With hidden
      information the parts use different positions, otherwise different runs.
    - `chance`: random numbers, different for each process.
    - `left`: returns the number of remaining looks. If it is given, the search stops early when the remaining looks are
      unlikely to change the result.

    If the evaluation has a policy function, the search uses playouts, otherwise a tree.
    """
    positions = imagined(game, board, view, chance)
    if evaluation.policy is None:
        return search(game, board, evaluation, positions, may_go_on, also, share, left)
    return play_outs(game, board, evaluation, evaluation.policy, positions, may_go_on, also, left)
