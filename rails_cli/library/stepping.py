"""The parts of a batch that run once for each game and step. They are compiled, so they do not use numpy.

Each function does one thing for all games. To do everything for one game after another takes 10 to 20 % more time,
probably because the code then does not stay in the caches of the processor.
"""

from collections.abc import Callable, Sequence
from typing import Any

from rails_cli.games.numbers import Rows


def play_all(
    states: Sequence[Any], board: Any, moves: Sequence[int], apply: Callable[[Any, Any, int], None]
) -> list[int]:
    """Play a legal move in each state and change the states. Return the indices of the games that have ended."""
    ended: list[int] = []
    for number, state in enumerate(states):
        apply(state, board, moves[number])
        if state.pending is None:
            ended.append(number)
    return ended


def list_all(
    states: Sequence[Any], board: Any, legal: Callable[[Any, Any], list[int]]
) -> tuple[list[int], list[int], list[int]]:
    """Return the seat to move of each state, the legal moves of all states, and their number in each state.

    No game may have ended.
    """
    seats: list[int] = []
    moves: list[int] = []
    counts: list[int] = []
    for state in states:
        seat: int = state.pending.seat
        listed = legal(state, board)
        seats.append(seat)
        counts.append(len(listed))
        moves += listed
    return seats, moves, counts


def pack_all(states: Sequence[Any], seats: Sequence[int], pack: Callable[[Any, int, Rows], None]) -> Rows:
    """Return the row of each state as its seat in `seats` sees it."""
    rows = Rows()
    for number, state in enumerate(states):
        pack(state, seats[number], rows)
    return rows
