"""Interface for programs that choose the result of each random draw in a game, such as which piece is dealt."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

StateT = TypeVar("StateT")
BoardT = TypeVar("BoardT")


class Drawn(NamedTuple, Generic[StateT]):
    """The result of the set-up or of a move, after all its random draws: the new position, and the events."""

    state: StateT
    events: list[Any]


@dataclass(frozen=True, slots=True)
class Draws(Generic[StateT, BoardT]):
    """The random draws of a game. All possible results of draws are numbered from 0.

    - `names`: takes a board and a number of players. It returns the names of all results.
    - `setup`: takes a board, a number of players, options and the results of the first draws of the set-up.
    - `play`: takes a position, a board, a legal move and the results of the first draws of this move. It does not
      change the position.
    - `shown`: takes a board and events as one seat sees them. It returns the results of draws that these events show.

    If another draw follows, `setup` and `play` return a list of its possible results, which are equally likely.
    Otherwise they return the new position. The random state of this position has no meaning, so later moves must also
    be played with `play`.
    """

    names: Callable[[BoardT, int], list[str]]
    setup: Callable[[BoardT, int, Any, Sequence[int]], list[int] | Drawn[StateT]]
    play: Callable[[StateT, BoardT, int, Sequence[int]], list[int] | Drawn[StateT]]
    shown: Callable[[BoardT, Sequence[Any]], list[int]]
