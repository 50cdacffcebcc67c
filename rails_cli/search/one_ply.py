"""Looks at each run of moves once: what is the position worth after it?"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from rails_cli.core.money import added
from rails_cli.games.evaluation import Evaluation, Run
from rails_cli.games.game import Game
from rails_cli.games.payoff import payoffs_of
from rails_cli.search.outcome import chances_in

NEARLY: Final = 0.01
"""Runs that are worth less than the best by this part of it are as good."""

Judged = tuple[float, Run]


def judged_runs(
    game: Game[Any, Any], board: Any, evaluation: Evaluation[Any, Any], positions: Iterable[Any]
) -> list[Judged]:
    """Every candidate with what the seat to move may expect after it, the best first.

    Of several positions that look the same to the seat, the mean counts, over at least half of them.
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
    """The position after a run of moves; the one given is left alone."""
    after = state.copy()
    for move in run:
        game.moves.apply(after, board, move)
    return after


def nearly_best(judged: Sequence[Judged], margin: float, chance: Callable[[], float]) -> Run:
    """One of the runs that are worth less than the best, which comes first, by at most `margin` as a part of it."""
    good = [run for worth, run in judged if worth >= judged[0][0] * (1 - margin)]
    return good[int(chance() * len(good))]
