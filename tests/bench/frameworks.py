"""Speed of the adapters for learning frameworks, compared with the games that belong to these frameworks.

Each step lists the legal actions, chooses one at random, and computes the observation of the player to move. The games
of PettingZoo need the package pygame. They are measured only if it is installed.
"""

from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np
import pyspiel
from open_spiel.python.games import tic_tac_toe  # noqa: F401  # registers the game

import rails_cli.adapters.openspiel  # noqa: F401  # registers the games
from rails_cli.adapters.pettingzoo import env
from rails_cli.library import Engine
from rails_cli.library.batch import Batch
from tests.bench.batches import PLAYERS, WARM_UP, steps
from tests.bench.measure import interleaved, show

STEPS = 1_000
GAMES = 256
OWN_GAMES_OF_OPENSPIEL = ("connect_four", "leduc_poker", "python_tic_tac_toe")
YARDSTICK = "OpenSpiel connect_four"


def pettingzoo_steps(environment: Any) -> int:
    chance = np.random.default_rng(1)
    environment.reset(seed=1)
    for _ in range(STEPS):
        seen, _, is_over, is_cut, _ = environment.last()
        if is_over or is_cut:
            environment.reset()
        else:
            environment.step(chance.choice(np.flatnonzero(seen["action_mask"])))
    return STEPS


def openspiel_steps(game: Any) -> int:
    chance = np.random.default_rng(1)
    state = game.new_initial_state()
    for _ in range(STEPS):
        if state.is_terminal():
            state = game.new_initial_state()
        elif state.is_chance_node():
            outcomes = state.chance_outcomes()
            state.apply_action(outcomes[chance.integers(len(outcomes))][0])
        else:
            state.observation_tensor()
            state.apply_action(chance.choice(state.legal_actions()))
    return STEPS


def batch_steps(batch: Batch) -> int:
    return steps(batch, STEPS // 20)[0]


def main() -> None:
    contenders: dict[str, Callable[[], int]] = {}
    for name in OWN_GAMES_OF_OPENSPIEL:
        contenders[f"OpenSpiel {name}"] = partial(openspiel_steps, pyspiel.load_game(name))
    if find_spec("pygame"):
        from pettingzoo.classic import connect_four_v3, tictactoe_v3

        contenders["PettingZoo connect_four_v3"] = partial(pettingzoo_steps, connect_four_v3.env())
        contenders["PettingZoo tictactoe_v3"] = partial(pettingzoo_steps, tictactoe_v3.env())
    for name, players in PLAYERS.items():
        game = pyspiel.load_game(f"rails_cli_{name}(players={players})")
        contenders[f"OpenSpiel {name}"] = partial(openspiel_steps, game)
        contenders[f"PettingZoo {name}"] = partial(pettingzoo_steps, env(name, players=players))
        batch = Engine(name).batch(GAMES, players)
        steps(batch, WARM_UP)
        contenders[f"batch {name}"] = partial(batch_steps, batch)
    show("Steps per CPU second with legal actions and observations", interleaved(contenders), YARDSTICK)
