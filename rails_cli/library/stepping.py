"""The loops of `Batch` over all its games. This module is compiled with mypyc, so it does not use numpy.

Each function does one thing for all games. The alternative is to do everything for the first game, then everything for
the second, and so on. That takes 10 to 20% more time, probably because the code does not stay in the caches of the
processor.
"""

from collections.abc import Callable, Sequence
from typing import Any

from rails_cli.games.numbers import Rows


def play_all(
    states: Sequence[Any], board: Any, moves: Sequence[int], apply: Callable[[Any, Any, int], None]
) -> list[int]:
    """Play one move in each of `states`.

    `moves` has the move for each state, which must be legal. `apply` plays a move and changes the state. Return the
    indices of the games that have ended.
    """
    ended: list[int] = []
    for number, state in enumerate(states):
        apply(state, board, moves[number])
        if state.pending is None:
            ended.append(number)
    return ended


def list_all(
    states: Sequence[Any], board: Any, legal: Callable[[Any, Any], list[int]]
) -> tuple[list[int], list[int], list[int]]:
    """Return three lists: the seat to move of each state, all legal moves, and the number of legal moves of each state.

    The legal moves of all states are in one list, in the order of the states. No game may have ended.
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
    """Return a row of numbers for each state. `seats` has the seat that sees each state. `pack` adds one row."""
    rows = Rows()
    for number, state in enumerate(states):
        pack(state, seats[number], rows)
    return rows
