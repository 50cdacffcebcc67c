"""The part of a batch that runs once for each game and step. It is compiled, so it does not use numpy."""

from collections.abc import Callable, Sequence
from typing import Any


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


def describe_all(
    states: Sequence[Any],
    board: Any,
    legal: Callable[[Any, Any], list[int]],
    pack: Callable[[Any, int], bytearray],
) -> tuple[list[int], list[int], list[int], list[bytearray]]:
    """Return the seat to move of each state, all legal moves, the number of legal moves of each state, and the rows.

    A row is as the seat to move sees the state. No game may have ended.
    """
    seats: list[int] = []
    moves: list[int] = []
    counts: list[int] = []
    rows: list[bytearray] = []
    for state in states:
        seat: int = state.pending.seat
        seats.append(seat)
        before = len(moves)
        moves += legal(state, board)
        counts.append(len(moves) - before)
        rows.append(pack(state, seat))
    return seats, moves, counts, rows
