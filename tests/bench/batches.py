"""Speed of batches: many games played in parallel with observations and action masks, compared with python-chess."""

import time
from collections.abc import Callable

import numpy as np

from rails_cli.games.shared import auction
from rails_cli.library import Engine
from rails_cli.library.batch import Batch
from tests.bench.engines import chess_plies
from tests.bench.measure import REPETITIONS, Rate, show

GAMES = 256
STEPS = 60
WARM_UP = 100
PLAYERS = {"chicago_express": 3, "american_rails": 4, "last_spike": 3}
GOAL, GOAL_COMPILED = 40_000, 150_000
"""Required number of steps per CPU second, of interpreted and compiled code."""

Timed = Callable[[], tuple[int, float]]


def steps(batch: Batch, count: int) -> tuple[int, float]:
    """Play `count` random actions in each game of `batch`. Return the number of actions and the CPU seconds.

    The time for choosing the actions is not included.
    """
    chance = np.random.default_rng(1)
    spent_s = 0.0
    for _ in range(count):
        games, actions = np.nonzero(batch.masks)
        firsts = np.searchsorted(games, np.arange(batch.n + 1))
        chosen = firsts[:-1] + (chance.random(batch.n) * np.diff(firsts)).astype(np.intp)
        started = time.process_time()
        batch.step(actions[chosen])
        spent_s += time.process_time() - started
    return count * batch.n, spent_s


def plies() -> tuple[int, float]:
    started = time.process_time()
    return chess_plies(), time.process_time() - started


def main() -> None:
    yardstick = "python-chess"
    contenders: dict[str, Timed] = {yardstick: plies}
    for name, players in PLAYERS.items():
        batch = Engine(name).batch(GAMES, players)
        steps(batch, WARM_UP)
        contenders[f"{name}, {players} players"] = lambda batch=batch: steps(batch, STEPS)  # type: ignore[misc]
    rates: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(REPETITIONS):
        for name, contender in contenders.items():
            done, spent_s = contender()
            rates[name].append(done / spent_s)
    goal = GOAL if auction.__file__.endswith(".py") else GOAL_COMPILED
    title = f"Steps per CPU second in a batch of {GAMES} games, with observations and masks"
    show(title, {name: Rate(values) for name, values in rates.items()}, yardstick, at_least_a_second=goal)
