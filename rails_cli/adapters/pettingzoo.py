"""The games as PettingZoo environments (AEC), in which all seats are agents.

>>> from rails_cli.adapters.pettingzoo import env
>>> environment = env("chicago_express", players=3)

Importing this module also registers each game, for example as `rails_cli/chicago_express-v0`, for
`pettingzoo.env_registry.registration.make("aec", ...)`.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from rails_cli.adapters import check_render_mode, learnable_games, needed
from rails_cli.games.game import win_share
from rails_cli.games.numbers import LARGEST_AMOUNT
from rails_cli.library import Engine, Position
from rails_cli.protocol.lobby import OpeningKind

with needed("PettingZoo", "pettingzoo"):
    from gymnasium.spaces import Box, Dict, Discrete
    from pettingzoo import AECEnv
    from pettingzoo.env_registry.registration import register
    from pettingzoo.utils.wrappers import OrderEnforcingWrapper


class GameEnv(AECEnv):
    """One game. The agents are `player_0`, `player_1` and so on, in the order of the seats.

    - An observation is a dict. `observation` is what the agent sees (see `Space.fields`). `action_mask` has 1 for each
      legal action. For agents that are not to move, all its values are 0.
    - The reward is 1 for the winner at the end of the game, divided between tied winners, otherwise 0.
    - `step` raises IllegalAction for an action that is not legal, and BadArgument for a value that is not in the action
      space.
    """

    def __init__(
        self,
        game: str,
        players: int,
        *,
        max_bid: int | None = None,
        options: Mapping[str, Any] | None = None,
        openings: OpeningKind = "none",
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        self.engine = Engine(game)
        self.space = self.engine.space(players, max_bid)
        self.options = options
        self.openings: OpeningKind = openings
        self.render_mode = render_mode
        self.metadata = {"name": f"{self.engine.game.name}_v0", "render_modes": ["human", "ansi"]}
        check_render_mode(render_mode, ["human", "ansi"])
        self.position: Position = self.engine.new(players, 0, options, openings)
        self.possible_agents = [f"player_{seat}" for seat in range(players)]
        self._seat_of = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        seen = {
            "observation": Box(0, LARGEST_AMOUNT, (self.space.observation_size,), np.float32),
            "action_mask": Box(0, 1, (self.space.size,), np.int8),
        }
        self.observation_spaces = {agent: Dict(seen) for agent in self.possible_agents}
        self.action_spaces = {agent: Discrete(self.space.size) for agent in self.possible_agents}
        self._seeds = np.random.default_rng()

    def __str__(self) -> str:
        return str(self.metadata["name"])

    def observation_space(self, agent: str) -> Any:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a new game.

        `options` are ignored. `seed` starts a new random number generator, from which this and later games get their
        seeds. If `seed` is None, the existing generator continues.
        """
        if seed is not None:
            self._seeds = np.random.default_rng(seed)
        players = len(self.possible_agents)
        self.position = self.engine.new(players, self._seeds.integers(2**63), self.options, self.openings)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._select(self.position)

    def step(self, action: Any) -> None:
        """Play `action` for the selected agent. `action` must be None if the game is over."""
        if self.terminations[self.agent_selection]:
            self._was_dead_step(action)
            return
        self.position = after = self.position.play(self.space.move(self.position, action))
        self._cumulative_rewards[self.agent_selection] = 0.0
        if after.seat is None:
            ranks = after.ranks()
            self.rewards = {agent: win_share(ranks, seat) for agent, seat in self._seat_of.items()}
            self.terminations = dict.fromkeys(self.agents, True)
            self._accumulate_rewards()
        self._select(after)

    def _select(self, position: Position) -> None:
        if position.seat is not None:
            self.agent_selection = self.possible_agents[position.seat]
        if self.render_mode == "human":
            self.render()

    def observe(self, agent: str) -> dict[str, Any]:
        position, seat = self.position, self._seat_of[agent]
        if position.seat == seat:
            mask = self.space.mask(position).view(np.int8)
        else:
            mask = np.zeros(self.space.size, np.int8)
        return {"observation": self.space.observe(position, seat), "action_mask": mask}

    def render(self) -> str | None:
        """Return the position as text. If the render mode is `human`, print the text and return None."""
        text = self.position.text()
        if self.render_mode == "human":
            print(text)
            return None
        return text

    def close(self) -> None:
        """Do nothing: there is nothing to close."""


def env(game: str, players: int = 3, **keywords: Any) -> Any:
    """Return the environment of `game`, a name or an alias. `keywords` are the other parameters of `GameEnv`.

    Raise NoSuchGame or BadArgument.
    """
    return OrderEnforcingWrapper(GameEnv(game, players, **keywords))


for _game in learnable_games():
    register("aec", f"rails_cli/{_game}-v0", env, kwargs={"game": _game})
