"""Actions as small integers, for searches and learners: on one board a number means the same action, always.

The numbers from 0 are the actions of `Moves.actions` in their order, without the costs that legal lists tell; bids
stand last and have no end: a bid of `amount` has the number of actions plus `amount`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Generic, TypeVar

import msgspec

from protocol.common import Bid, BidRange

StateT = TypeVar("StateT")
BoardT = TypeVar("BoardT")
Action = Any


@dataclass(frozen=True, slots=True)
class Moves(Generic[StateT, BoardT]):
    """The legal list and `apply` of a game in numbers.

    `actions` are all actions that a board knows but bids. `legal` are the numbers of the legal actions in the order of
    the legal list, each amount of a bid by itself. `apply` trusts its caller, changes the state and tells of nothing.
    """

    actions: Callable[[BoardT], Sequence[Action]]
    legal: Callable[[StateT, BoardT], list[int]]
    apply: Callable[[StateT, BoardT, int], None]


def number_of(moves: Moves[Any, BoardT], board: BoardT, action: Action) -> int:
    """The number of an action, whether or not it tells its cost."""
    actions, numbers = _numbering(moves.actions, board)
    return len(actions) + action.amount if type(action) is Bid else numbers[_key(action)]


def action_of(moves: Moves[Any, BoardT], board: BoardT, number: int) -> Action:
    """The action that a number means; it tells no cost."""
    actions, _ = _numbering(moves.actions, board)
    return actions[number] if number < len(actions) else Bid(number - len(actions))


@lru_cache(maxsize=32)
def _numbering(actions: Callable[[Any], Sequence[Action]], board: Any) -> tuple[Sequence[Action], dict[Any, int]]:
    listed = actions(board)
    return listed, {_key(action): number for number, action in enumerate(listed)}


def _key(action: Action) -> tuple[Any, ...]:
    """What tells an action from all others: its kind and what it asks, not what it tells."""
    fields = msgspec.structs.astuple(action)
    return type(action), *fields[: len(fields) - len(type(action).__struct_defaults__)]


def listed_moves(
    actions: Callable[[BoardT], Sequence[Action]],
    legal_actions: Callable[[StateT, BoardT], list[Any]],
    apply: Callable[[StateT, BoardT, Action, None], None],
) -> Moves[StateT, BoardT]:
    """Numbers for a game whose rules know none; rules in numbers are faster."""

    def legal(state: StateT, board: BoardT) -> list[int]:
        listed, numbers = _numbering(actions, board)
        legal: list[int] = []
        for entry in legal_actions(state, board):
            if type(entry) is BidRange:
                legal += range(len(listed) + entry.min, len(listed) + entry.max + 1)
            else:
                legal.append(numbers[_key(entry)])
        return legal

    def play(state: StateT, board: BoardT, number: int) -> None:
        apply(state, board, action_of(moves, board, number), None)

    moves = Moves(actions, legal, play)
    return moves
