"""The part of a batch that runs once for each game and step. It is compiled, so it does not use numpy."""

from collections.abc import Callable, Sequence
from typing import Any


def play_all(
    states: Sequence[Any], board: Any, moves: Sequence[int], apply: Callable[[Any, Any, int], None]
) -> list[int]:
    """Play a legal move in each state and change the states. Return the indices of the games that have ended."""
    ended = []
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
    masks: bytearray,
    size: int,
    seats: list[int],
) -> bytes:
    """Return the rows of all states, one after another, each for the seat to move. No game may have ended.

    Set `seats` to the seats to move. `masks` has `size` zeros for each game. Set the bytes of legal actions to 1. Moves
    from `size` up are left out.
    """
    rows = []
    first = 0
    for number, state in enumerate(states):
        seat: int = state.pending.seat
        seats[number] = seat
        for move in legal(state, board):
            if move < size:
                masks[first + move] = 1
        first += size
        rows.append(pack(state, seat))
    return b"".join(rows)
