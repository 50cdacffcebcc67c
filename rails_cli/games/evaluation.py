"""What a search needs to know of a game beyond its rules: what a position is worth, and which moves to look at."""

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
"""Of each kind of thing that an evaluation works out, so many are remembered, of all boards together; some hold more in
turn, and say how much."""
BOARDS = 8
"""Of so many boards the tables are kept."""
NUMBERS = count()
"""Tables are numbered: what is remembered goes by their numbers, so that it keeps no board in memory."""

Run = tuple[int, ...]
"""Moves that one seat makes one after the other: the answer to the open question and, it may be, to those after it."""


@dataclass(frozen=True, slots=True)
class Evaluation(Generic[StateT, BoardT]):
    """How players of a game see it.

    `worth` is, by seat, what its cash and its prospects amount to in dollars of the moment, in any position, an open
    auction or an unfinished expansion included; when the game has ended, the scores. It is no forecast of the scores: a
    dollar in hand may count for more than one. `spread` is by how much, in dollars, these may still be wrong: near 0 at
    the end. `candidates` are the runs worth looking at for the seat that is asked, at least one, each once; where a
    player may do nothing, that is one of them. `weights` are the constants of all this, as they were fitted; `weighing`
    gives the same with others. `limits` are, in an open auction and by seat, the most that it would pay, less than 0
    for who is out; a game without auctions has none. `policy`, if there is one, is quick: what a player usually does
    who is asked, in a position that is imagined as a whole. Where a game has one, searches go on with it after a run
    instead of looking at all answers: this is better where much is hidden. `looks_a_second` is how many looks a search
    has about in a second of one core, in plain Python: by this round number a budget of about so many seconds means the
    same everywhere. `expert_looks` are those of the level `expert`.
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
    """Keeps what follows from nothing but its key, and gives it back; of too much, the older half is forgotten."""
    if len(known) >= REMEMBERED:
        for old in list(known)[: REMEMBERED // 2]:
            del known[old]
    known[key] = value
    return value
