"""Actions as small integers, for searches and learning programs.

On a board, each action has a fixed number. Numbers from 0 stand for the actions that `Moves.actions` returns, in order
and without costs. Larger numbers stand for bids: `len(actions) + amount` is a bid of `amount` dollars.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Generic, TypeVar

import msgspec

from rails_cli.protocol.common import Bid, BidRange

StateT = TypeVar("StateT")
BoardT = TypeVar("BoardT")
Action = Any


@dataclass(frozen=True, slots=True)
class Moves(Generic[StateT, BoardT]):
    """The rules of a game with actions as numbers.

    - `actions` returns all actions that are possible on a board, except bids.
    - `legal` returns the numbers of the legal actions in a fixed order. Each possible bid has a number.
    - `apply` plays an action and changes the state. It does not validate the action and produces no events.
    """

    actions: Callable[[BoardT], Sequence[Action]]
    legal: Callable[[StateT, BoardT], list[int]]
    apply: Callable[[StateT, BoardT, int], None]


def number_of(moves: Moves[Any, BoardT], board: BoardT, action: Action) -> int:
    """Return the number of an action. Informational fields of the action, such as the cost, are ignored."""
    actions, numbers = _numbering(moves.actions, board)
    return len(actions) + action.amount if type(action) is Bid else numbers[_key(action)]


def action_of(moves: Moves[Any, BoardT], board: BoardT, number: int) -> Action:
    """Return the action that a number stands for, without its cost."""
    actions, _ = _numbering(moves.actions, board)
    return actions[number] if number < len(actions) else Bid(number - len(actions))


@lru_cache(maxsize=32)
def _numbering(actions: Callable[[Any], Sequence[Action]], board: Any) -> tuple[Sequence[Action], dict[Any, int]]:
    listed = actions(board)
    return listed, {_key(action): number for number, action in enumerate(listed)}


def _key(action: Action) -> tuple[Any, ...]:
    """Return a dictionary key for an action: its type, and the values of its fields that have no default."""
    fields = msgspec.structs.astuple(action)
    return type(action), *fields[: len(fields) - len(action.__struct_defaults__)]


def listed_moves(
    actions: Callable[[BoardT], Sequence[Action]],
    legal_actions: Callable[[StateT, BoardT], list[Any]],
    apply: Callable[[StateT, BoardT, Action, None], None],
) -> Moves[StateT, BoardT]:
    """Return the `Moves` of a game whose rules represent actions as objects.

    The arguments are functions of the rules. `actions` returns all possible actions on a board except bids. Rules that
    use numbers directly are faster.
    """

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
