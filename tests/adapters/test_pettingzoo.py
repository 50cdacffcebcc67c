"""Tests of the games as PettingZoo environments."""

import subprocess
import sys
from functools import partial

import numpy as np
import pytest
from pettingzoo.env_registry.registration import make
from pettingzoo.test import api_test, seed_test

from rails_cli.adapters.pettingzoo import env
from rails_cli.games import game_names
from rails_cli.library import BadArgument, Engine, IllegalAction

MISSING = """
import sys
for framework in ("gymnasium", "pettingzoo", "pyspiel"):
    sys.modules[framework] = None  # then an import fails as if it were not installed
for adapter in ("gymnasium", "openspiel", "pettingzoo"):
    try:
        __import__(f"rails_cli.adapters.{adapter}")
    except ImportError as error:
        print(error)
"""


@pytest.mark.filterwarnings("ignore:Observation is not a NumPy array")  # as in the classic games of PettingZoo
@pytest.mark.filterwarnings("ignore:Observation space for each agent probably")
@pytest.mark.parametrize("game", game_names())
def test_the_suite_of_pettingzoo(game: str) -> None:
    players = max(Engine(game).game.players)
    api_test(env(game, players=players), num_cycles=12)
    seed_test(partial(env, game, players=players), num_cycles=8)


def test_a_whole_game_rewards_the_winner() -> None:
    environment = make("aec", "rails_cli/last_spike-v0", players=4, options={"cash": "hidden"}, render_mode="ansi")
    environment.reset(seed=5)
    space, rewards = environment.unwrapped.space, dict.fromkeys(environment.possible_agents, 0.0)
    for agent in environment.agent_iter():
        seen, reward, is_over, _, _ = environment.last()
        seat, position = int(agent.removeprefix("player_")), environment.unwrapped.position
        assert np.array_equal(seen["observation"], space.observe(position, seat))
        assert np.array_equal(seen["action_mask"], space.mask(position))
        rewards[agent] += reward
        environment.step(None if is_over else int(seen["action_mask"].argmax()))
    ranks = position.ranks()
    assert [reward > 0 for reward in rewards.values()] == [rank == 1 for rank in ranks]
    assert sum(rewards.values()) == 1
    assert environment.render() == position.text()


def test_only_the_agent_to_move_has_legal_actions() -> None:
    environment = env("ce", players=2)
    environment.reset()
    assert environment.agent_selection == "player_0"
    assert environment.observe("player_0")["action_mask"].any()
    assert not environment.observe("player_1")["action_mask"].any()


def test_drawn_openings_follow_from_the_seed() -> None:
    positions = []
    for seed in (1, 2, 1):
        environment = env("ce", openings="drawn", max_bid=30)
        environment.reset(seed=seed)
        positions.append(environment.unwrapped.position)
    assert positions[0] == positions[2] != positions[1]


def test_errors_name_what_was_expected() -> None:
    environment = env("ce", players=2, max_bid=10)
    environment.reset()
    size = environment.action_space("player_0").n
    with pytest.raises(BadArgument, match=f"a bid of .11, and the maximum is .10; actions go from 0 to {size - 1}"):
        environment.step(size)
    with pytest.raises(BadArgument, match="render_mode: expected human or ansi or None, got 'rgb'"):
        env("ce", render_mode="rgb")
    with pytest.raises(IllegalAction, match="move 1 is not possible now"):
        environment.step(1)
    with pytest.raises(BadArgument, match="for 2 to 6 players, not 9"):
        env("ce", players=9)


def test_a_missing_framework_is_reported_with_the_command_that_installs_it() -> None:
    lines = subprocess.run([sys.executable, "-c", MISSING], capture_output=True, text=True, check=True).stdout
    assert [line.rpartition("install it with: ")[2] for line in lines.splitlines()] == [
        "pip install 'rails-cli[gymnasium]'",
        "pip install 'rails-cli[openspiel]'",
        "pip install 'rails-cli[pettingzoo]'",
    ]
