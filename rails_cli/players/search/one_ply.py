"""One-ply search: evaluate the position after each sequence of moves (run) once."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from rails_cli.games.evaluation import Evaluation, Run
from rails_cli.games.game import Game
from rails_cli.players.search.outcome import Candidate, outcomes

NEARLY: Final = 0.01
"""A sequence of moves counts as equally good as the best if its payoff is lower by at most this fraction."""

Judged = tuple[float, Run]
"""Pair of an expected payoff and a sequence of moves (run). The payoff is that of the seat that plays the run."""


def judged_runs(
    game: Game[Any, Any], board: Any, evaluation: Evaluation[Any, Any], positions: Iterable[Any]
) -> list[Judged]:
    """Return each candidate sequence of moves with its mean payoff over `positions`, best first.

    The payoffs are those of the seat to move.
    """
    found, seat = judged_candidates(game, board, evaluation, positions)
    return [(candidate.mean(seat), candidate.run) for candidate in found]


def judged_candidates(
    game: Game[Any, Any],
    board: Any,
    evaluation: Evaluation[Any, Any],
    positions: Iterable[Any],
    also: Run | None = None,
) -> tuple[list[Candidate], int]:
    """Evaluate each candidate sequence of moves (run) by playing it in each of `positions`.

    Return the runs, best first, and the seat to move, which must be the same in all `positions`. A run that is a
    candidate in fewer than half of the positions is left out. The run `also`, if given, is evaluated in every position.
    """
    candidates: dict[Run, Candidate] = {}
    tried: list[Candidate] = []
    afters: list[Any] = []
    looks = seat = 0
    for state in positions:
        looks += 1
        seat = state.pending.seat
        for run in dict.fromkeys([*evaluation.candidates(state, board), *([] if also is None else [also])]):
            tried.append(candidates.setdefault(run, Candidate(run)))
            afters.append(played(game, board, state, run))
    for candidate, came in zip(tried, outcomes(game, board, evaluation, afters), strict=True):
        candidate.add(came)
    judged = [candidate for candidate in candidates.values() if 2 * candidate.visits >= looks]
    judged.sort(key=lambda candidate: -candidate.mean(seat))
    return judged, seat


def played(game: Game[Any, Any], board: Any, state: Any, run: Run) -> Any:
    """Return the position after a sequence of moves. `state` is not changed."""
    after = state.copy()
    for move in run:
        game.moves.apply(after, board, move)
    return after


def nearly_best(judged: Sequence[Judged], margin: float, chance: Callable[[], float]) -> Run:
    """Return a random sequence of moves among those almost as good as the best.

    Its payoff is lower than the best payoff by at most the fraction `margin`. `judged` is sorted, best first.
    """
    good = [run for worth, run in judged if worth >= judged[0][0] * (1 - margin)]
    return good[int(chance() * len(good))]
