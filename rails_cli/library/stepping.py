"""The part of a batch that runs once for each game and step. It is compiled, so it does not use numpy."""

from collections.abc import Callable, Sequence
from typing import Any


class Descriptions:
    """The positions of several games: lists with one entry for each game, except `moves`.

    - `seats`: the seat to move.
    - `moves`: the legal moves of all games, one game after another. `counts`: the number of legal moves.
    - `rows`: the position as a row of bytes, as the seat to move sees it.
    """

    def __init__(self) -> None:
        self.seats: list[int] = []
        self.moves: list[int] = []
        self.counts: list[int] = []
        self.rows: list[bytearray] = []


def play_all(
    states: list[Any],
    board: Any,
    moves: Sequence[int] | None,
    apply: Callable[[Any, Any, int], None],
    restart: Callable[[int], Any],
    legal: Callable[[Any, Any], list[int]],
    pack: Callable[[Any, int], bytearray],
) -> Descriptions:
    """Play a legal move in each state, change `states`, and describe the positions after that.

    If `moves` is None, only describe the positions. `restart` is called with the index of each game that has ended. It
    returns the first state of the next game. Each state is played and described at once, while the processor has it in
    its cache.
    """
    found = Descriptions()
    seats, listed, counts, rows = found.seats, found.moves, found.counts, found.rows
    for number, state in enumerate(states):
        if moves is not None:
            apply(state, board, moves[number])
            if state.pending is None:
                state = restart(number)
                states[number] = state
        seat: int = state.pending.seat
        seats.append(seat)
        before = len(listed)
        listed += legal(state, board)
        counts.append(len(listed) - before)
        rows.append(pack(state, seat))
    return found
