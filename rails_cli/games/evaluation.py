"""What a search needs besides the rules of a game: the value of a position and the moves worth trying."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from typing import Any, Generic, TypeVar

import msgspec

StateT = TypeVar("StateT")
BoardT = TypeVar("BoardT")
KeyT = TypeVar("KeyT")
ValueT = TypeVar("ValueT")

REMEMBERED = 10_000
"""Maximum number of values in each cache of an evaluation, for all boards together."""
BOARDS = 8
"""Number of boards whose lookup tables are kept."""
NUMBERS = count()
"""Source of unique numbers for lookup tables. Caches use the numbers as keys instead of boards."""

Run = tuple[int, ...]
"""Consecutive moves of one seat: an answer to the pending question, and answers to the questions that follow."""


@dataclass(frozen=True, slots=True)
class Evaluation(Generic[StateT, BoardT]):
    """How searches and built-in players evaluate positions of one game.

    - `worth`: the value of each seat's cash and prospects, in current dollars. It accepts any position, including an
      open auction or an unfinished expansion. After the end it returns the scores. It does not forecast the scores: a
      dollar in hand may count for more than one.
    - `spread`: the likely error of these values in dollars, near 0 at the end.
    - `candidates`: the runs of moves worth considering for the seat to move, at least one, without duplicates. One of
      them passes if passing is allowed.
    - `weights`: the fitted constants. `weighing` returns the same evaluation with other weights.
    - `limits`: in an open auction, the highest price each seat would pay, negative for seats that are out. None for
      games without auctions.
    - `policy`: quickly returns a typical move in a fully known position. If a game has one, searches continue a run
      with it instead of growing a tree, which is better if much is hidden.
    - `looks_a_second`: approximate number of looks (search iterations) per second on one core in plain Python. It
      converts budgets given as approximate seconds, so that they mean the same on every machine.
    - `expert_looks`: the number of looks of the level `expert`.
    """

    worth: Callable[[StateT, BoardT], list[float]]
    spread: Callable[[StateT, BoardT], float]
    candidates: Callable[[StateT, BoardT], list[Run]]
    weights: msgspec.Struct
    weighing: Callable[[Any], "Evaluation[StateT, BoardT]"]
    limits: Callable[[StateT, BoardT], list[int]] | None = None
    policy: Callable[[StateT, BoardT], int] | None = None
    looks_a_second: int = 400
    expert_looks: int = 400


def remember(known: dict[KeyT, ValueT], key: KeyT, value: ValueT) -> ValueT:
    """Store `value` in the cache `known` and return it. If the cache is full, first remove its older half."""
    if len(known) >= REMEMBERED:
        for old in list(known)[: REMEMBERED // 2]:
            del known[old]
    known[key] = value
    return value
