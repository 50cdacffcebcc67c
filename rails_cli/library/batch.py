"""Many games that are played at the same time, for programs that learn. The manual is docs/LEARNING.md."""

import copy
from collections.abc import Mapping
from struct import pack
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rails_cli.games.game import IllegalAction, win_share
from rails_cli.games.observations import IS_COMPILED
from rails_cli.games.shared.luck import derived_seed
from rails_cli.library.errors import BadArgument, whole
from rails_cli.library.spaces import MAX_BID, Space
from rails_cli.library.stepping import list_all, pack_all, play_all
from rails_cli.library.typed import ActionT, EventT, StateT, Typed, ViewT
from rails_cli.protocol.lobby import OpeningKind
from rails_cli.protocol.log import Seed

if IS_COMPILED:
    from rails_cli.games import expansion

if TYPE_CHECKING:
    from rails_cli.library.engine import Engine
    from rails_cli.library.position import Position

MOST_GAMES = 1_000_000
"""Maximum number of games in a batch."""


class Batch(Typed[ViewT, ActionT, EventT, StateT]):
    """`n` games that are played at the same time, and their positions as arrays. A batch can be copied and pickled.

    The first index into each array is the number of the game:

    - `observations`, float32: the position as the seat to move sees it.
    - `masks`, bool: the legal actions.
    - `seats`, int64: the seat to move.
    - `rewards`, float32, one number per seat: 1 for the winner of a game that has just ended, divided between tied
      winners. 0 for all other seats and games.
    - `done`, bool: whether the game has just ended. The position is already that of the next game.
    - `scores`, int64, one number per seat: the final scores of a game that has just ended, otherwise 0.

    `reset` and `step` overwrite the arrays. `observations` and `masks` are read-only, because `step` rewrites only
    parts of them.
    """

    def __init__(
        self,
        engine: "Engine[ViewT, ActionT, EventT, StateT]",
        n: int,
        players: int,
        seed: Seed = 0,
        *,
        max_bid: int = MAX_BID,
        options: Mapping[str, Any] | None = None,
        openings: OpeningKind = "none",
    ) -> None:
        """Begin `n` games.

        `Engine.batch` has the same parameters and explains them. Raise BadArgument if `n` is not from 1 to MOST_GAMES,
        or if the game does not allow one of the other arguments.
        """
        n = whole("n", n)
        if not 1 <= n <= MOST_GAMES:
            raise BadArgument(f"a batch of {n} games; expected 1 to {MOST_GAMES:,}")
        self.engine = engine
        self.space = Space(engine, players, max_bid)
        self.n = n
        self.players = players = self.space.players
        self.seed = seed
        self._chosen = options
        first: Any = engine.new(players, seed, options, openings).state
        self._options = first.options
        self._openings = openings
        self._observations = np.zeros((n, self.space.observation_size), np.float32)
        self._map_bits = self.space.expander.no_bits(n)
        self._masks = np.zeros((n, self.space.size), np.bool_)
        self._show_arrays()
        self.seats = np.zeros(n, np.int64)
        self.rewards = np.zeros((n, players), np.float32)
        self.done = np.zeros(n, np.bool_)
        self.scores = np.zeros((n, players), np.int64)
        self._numbers = np.arange(n)
        self._mask_starts = np.arange(0, n * self.space.size, self.space.size)
        self.reset()

    def __repr__(self) -> str:
        return f"<Batch of {self.engine.game.name}: games={self.n}, players={self.players}>"

    def __copy__(self) -> "Batch[ViewT, ActionT, EventT, StateT]":
        return copy.deepcopy(self)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._show_arrays()  # copies and pickles of views have memory of their own

    def _show_arrays(self) -> None:
        """Set `observations` and `masks` to read-only views of the arrays that `step` writes."""
        self.observations, self.masks = self._observations.view(), self._masks.view()
        self.observations.flags.writeable = self.masks.flags.writeable = False

    def reset(self) -> None:
        """Discard all games and begin the first `n` games again, with the same seeds."""
        self._games_begun = [0] * self.n
        self._states = [self._new_state(number) for number in range(self.n)]
        self._clear_results()
        self._describe()

    def step(self, actions: ArrayLike) -> None:
        """Play one action in each game. A game that ends is replaced by a new game.

        Raise BadArgument unless `actions` are `n` whole numbers, and IllegalAction if an action is not legal. In both
        cases no game is changed.
        """
        moves = self._checked(actions)
        self._clear_results()
        rules, board = self.engine.game.moves, self.engine.board
        for number in play_all(self._states, board, moves.tolist(), rules.apply):
            self._restart(number)
        self._describe()

    def position(self, number: int) -> "Position[ViewT, ActionT, EventT, StateT]":
        """Return the position of the game with the index `number`. Later calls of `step` do not change it.

        Raise BadArgument if there is no such game.
        """
        number = whole("game", number)
        if not 0 <= number < self.n:
            raise BadArgument(f"there is no game {number}; games go from 0 to {self.n - 1}")
        return self.engine.position_of(self._states[number].copy())  # `step` changes the states

    def _checked(self, actions: ArrayLike) -> NDArray[Any]:
        """Return `actions` as an array.

        Raise BadArgument unless they are `n` whole numbers, and IllegalAction if one is illegal.
        """
        try:
            chosen = np.asarray(actions)
        except ValueError:
            raise BadArgument(f"expected {self.n} whole numbers, got lists of different lengths") from None
        if chosen.shape != (self.n,) or chosen.dtype.kind not in "iu":
            raise BadArgument(
                f"actions of type {chosen.dtype} and shape {chosen.shape}; expected {self.n} whole numbers"
            )
        is_legal = chosen.min() >= 0 and chosen.max() < self.space.size and self._masks[self._numbers, chosen].all()
        if not is_legal:
            raise self._illegal(chosen)
        return chosen

    def _illegal(self, chosen: NDArray[Any]) -> IllegalAction:
        """Return the exception for the first action in `chosen` that is not legal."""
        is_known = (chosen >= 0) & (chosen < self.space.size)
        number = int(np.argmin(is_known & self._masks[self._numbers, np.where(is_known, chosen, 0)]))
        action, legal = int(chosen[number]), np.flatnonzero(self._masks[number])
        named = self.space.action_name(action) if is_known[number] else "unknown"
        few = ", ".join(f"{index} ({self.space.action_name(index)})" for index in legal[:8].tolist())
        more = f" and {len(legal) - 8} more" if len(legal) > 8 else ""
        return IllegalAction(f"game {number}: action {action} ({named}) is not legal; expected {few}{more}")

    def _new_state(self, number: int) -> Any:
        """Set up the next game for the place `number` in the arrays, and return its first state.

        The seed of the game is derived from the seed of the batch.
        """
        seed = derived_seed(self.seed, number, self._games_begun[number])
        self._games_begun[number] += 1
        if self._openings == "none":  # `new` would check the options again, which takes longer than the set-up
            return self.engine.game.setup(self.engine.board, self.players, self._options, seed, None)
        return self.engine.new(self.players, seed, self._chosen, self._openings).state

    def _clear_results(self) -> None:
        self.done.fill(False)
        self.rewards.fill(0)
        self.scores.fill(0)

    def _restart(self, number: int) -> None:
        """Write the result of the finished game `number` into the arrays, and replace it by a new game."""
        state, game, board = self._states[number], self.engine.game, self.engine.board
        ranks = game.ranks(state, board)
        self.done[number] = True
        self.rewards[number] = [win_share(ranks, seat) for seat in range(self.players)]
        self.scores[number] = game.scores(state)
        self._states[number] = self._new_state(number)

    def _describe(self) -> None:
        """Write the positions of all games into the arrays."""
        space, states = self.space, self._states
        seats, moves, counts = list_all(states, self.engine.board, self.engine.game.moves.legal)
        rows = pack_all(states, seats, space.pack)
        if IS_COMPILED:
            expansion.mark(self._masks, moves, counts)
        else:
            self._mark_with_numpy(moves, counts)
        self.seats[:] = seats
        space.expander.expand(rows, np.array(seats, np.intp), self._observations, self._map_bits)

    def _mark_with_numpy(self, moves: list[int], counts: list[int]) -> None:
        """Write the legal actions of all games into the array `masks`.

        `moves` has the legal moves of all games in order, and `counts` the number per game.
        """
        space = self.space
        listed = np.frombuffer(pack(f"<{len(moves)}I", *moves), np.uint32)  # faster than `np.array(moves)`
        starts = np.repeat(self._mask_starts, counts)
        if space.has_bids:
            is_in_space = listed < space.size
            if not is_in_space.all():
                listed, starts = listed[is_in_space], starts[is_in_space]
        self._masks.fill(False)
        self._masks.reshape(-1)[starts + listed] = True
