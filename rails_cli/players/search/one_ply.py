"""One-ply search: evaluate the position after each run of moves once."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from rails_cli.games.evaluation import Evaluation, Run
from rails_cli.games.game import Game
from rails_cli.games.payoff import payoffs_of
from rails_cli.games.shared.money import added
from rails_cli.players.search.outcome import chances_in

NEARLY: Final = 0.01
"""Relative difference in payoff below which runs count as equally good."""

Judged = tuple[float, Run]


def judged_runs(
    game: Game[Any, Any], board: Any, evaluation: Evaluation[Any, Any], positions: Iterable[Any]
) -> list[Judged]:
    """Return every candidate sequence of moves with the expected payoff of the seat to move, best first.

    The payoff is the mean over `positions`. A sequence that is a candidate in fewer than half of the positions is
    left out.
    """
    worths: dict[Run, list[float]] = {}
    looks = 0
    for state in positions:
        looks += 1
        seat = state.pending.seat
        for run in evaluation.candidates(state, board):
            after = played(game, board, state, run)
            worth = evaluation.worth(after, board)
            payoffs = payoffs_of(worth, chances_in(game, board, evaluation, after, worth))
            worths.setdefault(run, []).append(payoffs[seat])
    judged = [(added(found) / len(found), run) for run, found in worths.items() if 2 * len(found) >= looks]
    return sorted(judged, key=lambda pair: -pair[0])


def played(game: Game[Any, Any], board: Any, state: Any, run: Run) -> Any:
    """Return the position after a run of moves. The given state is not changed."""
    after = state.copy()
    for move in run:
        game.moves.apply(after, board, move)
    return after


def nearly_best(judged: Sequence[Judged], margin: float, chance: Callable[[], float]) -> Run:
    """Return a random run whose payoff is within the fraction `margin` of the best. `judged` is sorted, best first."""
    good = [run for worth, run in judged if worth >= judged[0][0] * (1 - margin)]
    return good[int(chance() * len(good))]
