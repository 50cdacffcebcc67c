"""The games as Gymnasium environments, in which one seat plays against built-in players.

>>> import gymnasium, rails_cli.adapters.gymnasium
>>> environment = gymnasium.make("rails_cli/ChicagoExpress-v0", players=3, opponents="greedy")
"""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from rails_cli.adapters import check_render_mode, learnable_games, needed
from rails_cli.games.game import win_share
from rails_cli.games.numbers import LARGEST_AMOUNT
from rails_cli.library import BadArgument, Engine, Position, Unavailable
from rails_cli.library.errors import whole
from rails_cli.protocol.lobby import OpeningKind

with needed("Gymnasium", "gymnasium"):
    import gymnasium
    from gymnasium.spaces import Box, Discrete


class SeatEnv(gymnasium.Env):
    """One seat of a game. Built-in players play the other seats.

    - An observation is what the seat sees at its turn, or at the end of the game (see `Space.fields`).
    - The `info` dict has `action_mask`, with 1 for each legal action, and `is_legal`, whether the last action was
      legal.
    - An illegal action is replaced by the last action in the list of legal actions, such as a pass.
    - The reward is 1 for a win, divided between tied winners, otherwise 0.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["ansi"], "render_fps": 1}

    def __init__(
        self,
        game: str,
        players: int = 3,
        *,
        seat: int | None = None,
        opponents: str = "busy",
        max_bid: int | None = None,
        options: Mapping[str, Any] | None = None,
        openings: OpeningKind = "none",
        render_mode: str | None = None,
    ) -> None:
        """Prepare games in which the agent plays `seat`, counted from 0.

        None means a random seat in each game. `opponents` is the name of the built-in player for all other seats.
        `Engine.new` and `Engine.space` explain `max_bid`, `options` and `openings`. Raise NoSuchGame or BadArgument.
        """
        self.engine = Engine(game)
        self.space = self.engine.space(players, max_bid)
        check_render_mode(render_mode, self.metadata["render_modes"])
        if seat is not None and not 0 <= whole("seat", seat) < players:
            raise BadArgument(f"there is no seat {seat}; expected 0 to {players - 1}, or None for a random one")
        self.given_seat = seat
        self.opponents = opponents
        self.options = options
        self.openings: OpeningKind = openings
        self.render_mode = render_mode
        self.observation_space = Box(0, LARGEST_AMOUNT, (self.space.observation_size,), np.float32)
        self.action_space = Discrete(self.space.size)
        self.position: Position = self.engine.new(players, 0, options, openings)
        self.position.best(opponents)  # checks the name
        self.seat = 0
        self._seed = 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin a new game, and let the opponents play until the agent is to move. `options` are ignored.

        Return the observation and the `info` dict.
        """
        super().reset(seed=seed)
        players = self.space.players
        self._seed = int(self.np_random.integers(2**63))
        while True:
            self.seat = int(self.np_random.integers(players)) if self.given_seat is None else self.given_seat
            self.position = self._until_seat(self.engine.new(players, self._seed, self.options, self.openings))
            if self.position.seat is not None:
                return self._seen(is_legal=True)
            self._seed += 1  # the game ended before the seat was to move, which is rare

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Play an action, and let the opponents play until the agent is to move again or the game is over.

        Return the observation, the reward, whether the game is over, False (never truncated), and the `info` dict.
        Raise Unavailable if the game was over before, and BadArgument if `action` is not a whole number.
        """
        if self.position.seat is None:
            raise Unavailable("the game is over; `reset` begins a new one")
        mask, index = self.space.mask(self.position), whole("action", action)
        is_legal = 0 <= index < len(mask) and bool(mask[index])
        self.position = self._until_seat(self.position.play(index if is_legal else self.position.moves()[-1]))
        is_over = self.position.seat is None
        reward = win_share(self.position.ranks(), self.seat) if is_over else 0.0
        observation, further = self._seen(is_legal)
        return observation, reward, is_over, False, further

    def action_masks(self) -> Any:
        """Return a bool array with True for each legal action, as sb3-contrib expects."""
        return self.space.mask(self.position)

    def render(self) -> str:
        """Return the position as text, with only what the agent's seat sees."""
        return self.position.text(self.seat)

    def _until_seat(self, position: Position) -> Position:
        """Let the opponents play until the agent is to move or the game is over. Return the position reached."""
        while position.seat not in (self.seat, None):
            position = position.play(position.best(self.opponents, self._seed))
        return position

    def _seen(self, is_legal: bool) -> tuple[Any, dict[str, Any]]:
        mask = self.space.mask(self.position).view(np.int8)
        return self.space.observe(self.position, self.seat), {"action_mask": mask, "is_legal": is_legal}


for _game in learnable_games():
    gymnasium.register(
        f"rails_cli/{_game.title().replace('_', '')}-v0", f"{__name__}:{SeatEnv.__name__}", kwargs={"game": _game}
    )
