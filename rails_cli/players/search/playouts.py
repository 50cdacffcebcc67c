"""Search by playouts: after each promising sequence of moves (run), a fast policy plays for all seats.

A playout lasts one round, and then the position is evaluated. All runs are tried from the same random positions, which
the view of the seat allows. If hands are hidden, this works better than a tree, whose nodes would depend on unknown
hands. Most of the difference between two runs is random, so each result includes its standard error.
"""

from collections.abc import Callable, Iterator
from typing import Any, Final

from rails_cli.games.evaluation import Evaluation, Run
from rails_cli.games.game import Game
from rails_cli.players.search.one_ply import judged_candidates, played
from rails_cli.players.search.outcome import Candidate, Tried, outcomes
from rails_cli.players.search.stopping import Left, doubt_of, is_clear

FIRST_LOOKS: Final = 16
"""Number of random positions in which all sequences of moves are evaluated, to find the promising ones."""
PROMISING: Final = 5
"""Number of promising sequences of moves that are tried in playouts."""
ROUNDS: Final = 1
"""Number of turns that each seat has in a playout."""

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
    """Search by playouts from the given random positions. Return the promising sequences of moves (runs), best first.

    First all runs are evaluated in a few positions. This counts as one look per position. Then the promising runs are
    played out. This counts as one look per run and position. The search continues while `may_go_on` returns true for
    the number of looks.

    The run `also`, if given, is played out like the promising runs. If it is not promising itself, its playouts do not
    count as looks, and the other runs get as many playouts as without `also`. If `left` is given, the search stops as
    soon as one run is clearly the best.
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
        afters = [played_on(game, board, policy, played(game, board, state, candidate.run)) for candidate in played_out]
        found = outcomes(game, board, evaluation, afters)
        for candidate, own, came in zip(played_out, payoffs, found, strict=True):
            candidate.add(came)
            own.append(came[seat])
        looks += min(len(played_out), PROMISING)
        if left is not None and is_clear(payoffs):
            break
    if not played_out[0].visits:
        return [candidate.tried() for candidate in promising]
    tried = [
        one.tried(doubt_of(own, payoffs[0]) if one.run != played_out[0].run else 0.0)
        for one, own in zip(played_out, payoffs, strict=True)
    ]
    return sorted(tried, key=lambda one: -one.payoffs[seat])


def played_on(game: Game[Any, Any], board: Any, policy: Policy, state: Any) -> Any:
    """Let `policy` play ROUNDS turns of each seat in `state`. Change `state` and return it."""
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
