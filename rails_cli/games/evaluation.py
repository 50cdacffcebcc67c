"""The evaluation of positions that a search needs in addition to the rules: values of positions and candidate moves."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import count
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import msgspec

if TYPE_CHECKING:
    from rails_cli.games.network import Network

StateT = TypeVar("StateT")
BoardT = TypeVar("BoardT")
KeyT = TypeVar("KeyT")
ValueT = TypeVar("ValueT")

REMEMBERED = 10_000
"""Maximum number of values in each cache of an evaluation, for all boards together."""
BOARDS = 8
"""Maximum number of boards whose lookup tables are cached."""
NUMBERS = count()
"""Iterator of unique numbers, one for each set of lookup tables. Keys of caches contain this number, not the board."""

Run = tuple[int, ...]
"""A run: consecutive moves of one seat that answer the pending question and the questions that follow."""


@dataclass(frozen=True, slots=True)
class Inputs(Generic[StateT, BoardT]):
    """Functions that describe positions of a game as whole numbers, which are the inputs of a value network.

    - `shared` and `own`: how many numbers describe a position, and how many describe each of its seats.
    - `describe`: the numbers of a position that is not over, the hand-made worth of each seat in dollars, and the
      likely error of the worth. The shared numbers come first, then those of each seat.
    - `looks_a_second` and `expert_looks`: as in `Evaluation`, for searches with a network.
    """

    shared: Callable[[BoardT], int]
    own: Callable[[BoardT], int]
    describe: Callable[[StateT, BoardT], tuple[list[int], list[float], float]]
    looks_a_second: int
    expert_looks: int


@dataclass(frozen=True, slots=True)
class Evaluation(Generic[StateT, BoardT]):
    """Functions with which searches and built-in players evaluate positions of one game.

    - `worth`: the value of each seat's cash and prospects, in current dollars. It accepts any position, including an
      open auction or an unfinished expansion. After the end of the game `worth` returns the scores. Before the end it
      is not a forecast of the scores, because a dollar of cash may count as more than a dollar.
    - `spread`: the likely error in dollars of the values that `worth` returns, near 0 at the end.
    - `candidates`: the runs (sequences of moves) that the seat to move should consider, at least one, without
      duplicates. If passing is allowed, one run is a pass.
    - `weights`: the fitted constants. `weighing` returns the same evaluation with other weights.
    - `limits`: in an open auction, the highest price each seat would pay, negative for seats that have passed. `limits`
      is None for games without auctions.
    - `policy`: quickly returns a typical move in a fully known position. If a game has a policy, searches play on with
      the policy after a run instead of growing a tree. This is better for games with much hidden information.
    - `looks_a_second`: approximate number of looks (search iterations) per second on one core in plain Python. The
      number converts a search budget in seconds to looks, so that a budget means the same on every machine.
    - `expert_looks`: the number of looks that the level `expert` uses for a move.
    - `inputs`: functions that describe positions for a value network.
    - `network`: returns the value network of the game, which is loaded by the first call. `load_evaluation` sets it if
      the game has a network. Searches then use its predictions instead of those computed from `worth` and `spread`.
    """

    worth: Callable[[StateT, BoardT], list[float]]
    spread: Callable[[StateT, BoardT], float]
    candidates: Callable[[StateT, BoardT], list[Run]]
    weights: msgspec.Struct
    weighing: Callable[[Any], "Evaluation[StateT, BoardT]"]
    limits: Callable[[StateT, BoardT], list[int]] | None = None
    policy: Callable[[StateT, BoardT], int] | None = None
    inputs: Inputs[StateT, BoardT] | None = None
    network: Callable[[], "Network"] | None = None
    looks_a_second: int = 400
    expert_looks: int = 400

    def by_hand(self) -> "Evaluation[StateT, BoardT]":
        """Return this evaluation without its network."""
        return replace(self, network=None)


def remember(known: dict[KeyT, ValueT], key: KeyT, value: ValueT) -> ValueT:
    """Store `value` in the cache `known` and return `value`. If the cache is full, first remove its older half."""
    if len(known) >= REMEMBERED:
        for old in list(known)[: REMEMBERED // 2]:
            del known[old]
    known[key] = value
    return value
