"""Train an agent by games against itself, with numpy only: python3 train.py last_spike weights.npz --games 4000

Each seat chooses the move with the greatest estimated chance of winning, and sometimes a random move. After each game
the agent learns its result for all positions that were chosen in it. The same arguments give the same weights.
"""

import argparse
import os
from collections import deque

for _library in ("OPENBLAS", "MKL", "OMP"):
    os.environ.setdefault(f"{_library}_NUM_THREADS", "1")  # more threads only use more CPU time for such small arrays

import numpy as np  # noqa: E402  # numpy reads the number of threads when it is imported
from agent import Agent  # noqa: E402

from rails_cli.library import Engine  # noqa: E402

AT_ONCE = 64
"""Maximum number of games that are played at the same time."""
NEW = 2048
"""Number of new positions that are collected before the agent learns from them."""
KEPT = 60_000
"""Maximum number of earlier positions that are stored for repeated learning."""
REPEATED = 3
"""Number of earlier positions learned again for each new position."""
EXPLORING = 0.1
"""Probability of a random move."""


def train(game, players, games, seed=0):
    """Return an agent that has learned from `games` games against itself."""
    agent, chance = Agent(game, players, seed=seed), np.random.default_rng(seed)
    batch = Engine(game).batch(min(AT_ONCE, games), players, seed)
    stories = [[] for _ in range(batch.n)]
    known, new, finished = deque(maxlen=KEPT), [], 0
    while finished < games:
        moves, observations = agent.choose([batch.position(n) for n in range(batch.n)], chance, EXPLORING)
        for story, observation, seat in zip(stories, observations, batch.seats, strict=True):
            story.append((observation, int(seat)))
        batch.step(moves)
        for number in np.flatnonzero(batch.done):
            new += [(observation, batch.rewards[number, seat]) for observation, seat in stories[number]]
            stories[number] = []
            finished += 1
        if len(new) >= NEW or finished >= games:
            known += new
            again = [known[index] for index in chance.integers(len(known), size=REPEATED * len(new))]
            error = learn(agent, new + again, chance)
            print(f"{finished} games, mean squared error {error:.3f}", flush=True)
            new = []
    return agent


def learn(agent, examples, chance, size=256):
    """Let `agent` learn all `examples` in a random order, `size` at a time. Return the mean squared error."""
    order = chance.permutation(len(examples))
    errors = []
    for first in range(0, len(order), size):
        observations, results = zip(*(examples[index] for index in order[first : first + size]), strict=True)
        errors.append(agent.learn(np.array(observations), np.array(results)))
    return np.mean(errors)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game")
    parser.add_argument("weights", help="the file to write")
    parser.add_argument("--players", type=int, default=3)
    parser.add_argument("--games", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    train(given.game, given.players, given.games, given.seed).save(given.weights)
