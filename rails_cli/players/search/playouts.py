"""Search by playouts: continue promising runs of moves with a policy, each run from the same imagined positions.

If hands are hidden, a tree is of little use because its nodes depend on unknown hands. A playout lets all seats move
for one round with a fast policy and evaluates the resulting position. Most of the difference between two runs is
random, so each result includes its standard error.
"""

from collections.abc import Callable, Iterator
from typing import Any, Final

from rails_cli.games.evaluation import Evaluation, Run
from rails_cli.games.game import Game
from rails_cli.players.search.one_ply import judged_candidates, played
from rails_cli.players.search.outcome import Candidate, Tried, outcome
from rails_cli.players.search.stopping import Left, doubt_of, is_clear

FIRST_LOOKS: Final = 16
"""Number of imagined positions in which all runs of moves are evaluated, to find the promising runs."""
PROMISING: Final = 5
"""Number of runs of moves that are continued by playouts."""
ROUNDS: Final = 1
"""Number of turns of each seat that a playout lasts."""

Policy = Callable[[Any, Any], int]


def play_outs(
    game: Game[Any, Any],
    board: Any,
    evaluation: Evaluation[Any, Any],
    policy: Policy,
    positions: Iterator[Any],
    may_go_on: Callable[[int], bool],
    also: Run | None = None,
    left: Left | None = None,
) -> list[Tried]:
    """Search from successive `positions` while `may_go_on(looks)` is true. Return the promising runs, best first.

    A look is one position evaluated after every run, or one run continued from one position. The run `also`, if given,
    is tried as often as the promising runs, so that they can be compared. If `left` is given, the search stops as soon
    as one run is clearly the best.
    """
    looks = 0

    def first_positions() -> Iterator[Any]:
        nonlocal looks
        while looks == 0 or (looks < FIRST_LOOKS and may_go_on(looks)):
            yield next(positions)
            looks += 1

    judged, seat = judged_candidates(game, board, evaluation, first_positions(), also)
    promising = [one for place, one in enumerate(judged) if place < PROMISING or one.run == also]
    played_out = [Candidate(candidate.run) for candidate in promising]
    payoffs: list[list[float]] = [[] for _ in promising]
    while len(promising) > 1 and may_go_on(looks):
        state = next(positions)
        for candidate, own in zip(played_out, payoffs, strict=True):
            after = played_on(game, board, policy, played(game, board, state, candidate.run))
            came = outcome(game, board, evaluation, after)
            candidate.add(came)
            own.append(came[seat])
        looks += len(played_out)
        if left is not None and is_clear(payoffs):
            break
    if not played_out[0].visits:
        return [candidate.tried() for candidate in promising]
    found = [
        one.tried(doubt_of(own, payoffs[0]) if one.run != played_out[0].run else 0.0)
        for one, own in zip(played_out, payoffs, strict=True)
    ]
    return sorted(found, key=lambda one: -one.payoffs[seat])


def played_on(game: Game[Any, Any], board: Any, policy: Policy, state: Any) -> Any:
    """Let the policy play ROUNDS turns of each seat, and return the state, which is changed."""
    if state.pending is None:
        return state
    turns = ROUNDS * len(game.scores(state))
    seat = state.pending.seat
    while state.pending is not None:
        if state.pending.seat != seat:
            seat = state.pending.seat
            turns -= 1
            if not turns:
                break
        game.moves.apply(state, board, policy(state, board))
    return state
