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
"""Iterator of unique numbers. Each set of lookup tables gets one, which replaces the board in the keys of caches."""

Run = tuple[int, ...]
"""A run: consecutive moves of one seat.

The first move answers the pending question, and each further move the next question.
"""


@dataclass(frozen=True, slots=True)
class Inputs(Generic[StateT, BoardT]):
    """Functions that describe positions of a game as whole numbers, which are the inputs of a value network.

    - `shared`: how many numbers describe the position as a whole.
    - `own`: how many numbers describe each seat.
    - `describe`: returns three values for a position that is not over. The first is one list of the numbers: the shared
      numbers, then those of seat 0, of seat 1 and so on. The others are results of the evaluation without a network:
      the worth of each seat and the likely error of this worth, both in dollars.
    - `looks_a_second` and `expert_looks`: as in `Evaluation`, but for searches with the network.
    """

    shared: Callable[[BoardT], int]
    own: Callable[[BoardT], int]
    describe: Callable[[StateT, BoardT], tuple[list[int], list[float], float]]
    looks_a_second: int
    expert_looks: int


@dataclass(frozen=True, slots=True)
class Evaluation(Generic[StateT, BoardT]):
    """Functions with which searches and built-in players evaluate positions of one game.

    - `worth`: the value of each seat's cash and prospects, in current dollars. Any position is accepted, also an open
      auction or an unfinished expansion. After the end of the game, `worth` returns the scores. Before the end it is
      not a forecast of the scores, because a dollar of cash may count as more than a dollar.
    - `spread`: the likely error of `worth` in dollars. It is near 0 at the end.
    - `candidates`: the runs (sequences of moves) that the seat to move should consider. There is at least one, and
      there are no duplicates. If passing is allowed, one run is a pass.
    - `weights`: the fitted constants.
    - `weighing`: returns the same evaluation with other weights.
    - `limits`: in an open auction, the highest price that each seat would pay, negative for seats that have passed.
      None for games without auctions.
    - `policy`: quickly returns a typical move in a fully known position. If a game has a policy, a search continues
      each run with the policy instead of growing a tree. This is better for games with much hidden information.
    - `looks_a_second`: approximate number of looks (search iterations) per second on one core in plain Python. A search
      budget in seconds is converted to looks with this number. So a budget means the same on every machine.
    - `expert_looks`: the number of looks that the level `expert` uses for a move.
    - `inputs`: functions that describe positions for a value network.
    - `network`: returns the value network of the game, which is loaded by the first call. `load_evaluation` sets it if
      the game has a network. Searches then use the predictions of the network instead of `worth` and `spread`.
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
        """Return this evaluation without its value network, so that it uses `worth` and `spread`."""
        return replace(self, network=None)


def remember(known: dict[KeyT, ValueT], key: KeyT, value: ValueT) -> ValueT:
    """Store `value` in the cache `known` and return `value`. If the cache is full, first remove its older half."""
    if len(known) >= REMEMBERED:
        for old in list(known)[: REMEMBERED // 2]:
            del known[old]
    known[key] = value
    return value
