"""Future draws of The Last Spike. A position contains them: the order of the undrawn pieces, and the random state."""

from rails_cli.games.last_spike.board import Board
from rails_cli.games.last_spike.state import State
from rails_cli.games.shared.luck import derived_seed, seeded, shuffle
from rails_cli.protocol.log import Seed


def outcomes(state: State, board: Board) -> list[tuple[str, int, State]]:
    """List the pieces that may be drawn next: id, weight 1, and the position with this draw. Empty without any."""
    if state.pending is None:
        return []
    possible = []
    for piece in sorted(state.mix):
        after = state.copy()
        after.mix.remove(piece)
        after.mix.append(piece)
        possible.append((board.piece_ids[piece], 1, after))
    return possible


def reseed(state: State, board: Board, seed: Seed) -> State:
    """Return a copy of a position. The order of its undrawn pieces and all later chance follow from `seed`."""
    after = state.copy()
    after.mix, after.luck = shuffle(sorted(state.mix), seeded(derived_seed(seed, "reseeded")))
    return after
