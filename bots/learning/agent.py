"""A small neural network that estimates chances of winning and chooses moves, for `train.py` and `player.py`."""

from itertools import pairwise
from pathlib import Path

import numpy as np

from rails_cli.library import Engine

RATE, MOMENTUM, SCALE = 0.001, 0.9, 0.999
"""Parameters of the optimiser Adam: the learning rate, and the decay rates of mean gradients and mean squares."""


class Agent:
    """A neural network that estimates the chance that a seat wins, from the position after a move of this seat."""

    def __init__(self, game, players, hidden=48, seed=0):
        self.game, self.players = game, players
        self.space = Engine(game).space(players)
        chance = np.random.default_rng(seed)
        inputs = chance.normal(0, 0.1, (self.space.observation_size, hidden))
        self.weights = [np.float32(array) for array in (inputs, np.zeros(hidden), np.zeros(hidden), np.zeros(1))]
        self.means = [np.zeros_like(array) for array in self.weights]
        self.squares = [np.zeros_like(array) for array in self.weights]
        self.updates = 0

    def values(self, observations):
        """Return the estimated chances of winning, and the values of the hidden layer."""
        inputs, bias, outputs, constant = self.weights
        hidden = np.maximum(observations @ inputs + bias, 0)
        return 1 / (1 + np.exp(-(hidden @ outputs + constant))), hidden

    def learn(self, observations, results):
        """Adapt the weights to the results of games, with one step of Adam. Return the mean squared error."""
        values, hidden = self.values(observations)
        errors = (values - results) / len(results)
        from_hidden = np.outer(errors, self.weights[2]) * (hidden > 0)
        gradients = [observations.T @ from_hidden, from_hidden.sum(0), hidden.T @ errors, errors.sum(keepdims=True)]
        self.updates += 1
        rate = RATE * np.sqrt(1 - SCALE**self.updates) / (1 - MOMENTUM**self.updates)
        for weights, mean, square, gradient in zip(self.weights, self.means, self.squares, gradients, strict=True):
            mean += (1 - MOMENTUM) * (gradient - mean)
            square += (1 - SCALE) * (gradient**2 - square)
            weights -= np.float32(rate) * mean / (np.sqrt(square) + 1e-8)
        return float(np.mean((values - results) ** 2))

    def choose(self, positions, chance=None, exploring=0.0):
        """Return the best move in each position, and the observations of the moving seat after this move.

        If the random generator `chance` is given, replace a move by a random legal move with the probability
        `exploring`.
        """
        after, seats, moves, ends = [], [], [], []
        for position in positions:
            for index in np.flatnonzero(self.space.mask(position)):
                after.append(position.after(int(index)))
                seats.append(position.seat)
                moves.append(int(index))
            ends.append(len(after))
        observations = self.space.observe_all(after, seats)
        values, _ = self.values(observations)
        for number, position in enumerate(after):
            if position.seat is None:
                values[number] = position.outlook().chances[seats[number]]
        chosen = []
        for first, end in pairwise([0, *ends]):
            if chance is not None and chance.random() < exploring:
                chosen.append(int(chance.integers(first, end)))
            else:
                chosen.append(first + int(values[first:end].argmax()))
        return [moves[number] for number in chosen], observations[chosen]

    def save(self, path):
        np.savez(path, *self.weights, game=self.game, players=self.players)

    @classmethod
    def load(cls, path):
        """Return the agent in a file that `save` wrote."""
        with np.load(Path(path)) as saved:
            agent = cls(str(saved["game"]), int(saved["players"]))
            agent.weights = [saved[f"arr_{number}"] for number in range(4)]
        return agent
