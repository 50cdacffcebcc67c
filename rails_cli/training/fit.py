"""Fitting of value networks to games, by gradient descent (AdamW) in numpy, or in cupy where it is installed."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rails_cli.games.network import BITS, INPUT_BITS, MOST_SEATS, TURNED
from rails_cli.players.search.outcome import HAND_MADE, UNITS

Arrays = dict[str, Any]

DECAY: Final = 0.1
"""Weight decay. In each step, a weight is reduced by this fraction of its value times the learning rate."""
RATE: Final = 1.5e-3
"""Highest learning rate. The learning rate rises for WARM_UP steps, then falls along a cosine."""
WARM_UP: Final = 100
"""Number of steps in which the learning rate rises."""
BATCH: Final = 8_192
"""Number of positions in a batch. One step changes the weights according to the positions of one batch."""
DROPOUT: Final = 0.1
"""Fraction of the values of the first hidden layer that are set to 0 in each step of the fitting."""
SECOND: Final = 32
"""Largest number of values in the second hidden layer. Larger layers are slower and did not play better."""
LATER: Final = 12
"""Number of positions between an earlier and a later position of a game.

The prediction for the later position is part of the target for the earlier one.
"""
LEAST_DEVIATION: Final = 1e-3
"""Standard deviation below which an input counts as constant."""
MOST_ROWS: Final = 65_536
"""Largest number of positions whose predictions are computed at the same time."""


PLACES: Final = {
    **dict.fromkeys(("shared", "own", "first", "direct"), INPUT_BITS),
    **dict.fromkeys(("hidden", "out"), BITS),
    "second": 2 * BITS,
}
"""Number of binary digits after the point of the weights in each array of a network."""


class FitSettings(NamedTuple):
    width: int
    epochs: int
    seed: int


@dataclass
class Examples:
    """Positions with the results of their games, all with the same number of seats.

    - `rows`: the inputs of each position.
    - `won`: each seat's part of the win in the position's game: 1 for a single winner.
    - `money`: each seat's fraction of all money at the end of this game.
    - `games`: the number of the position's game.
    """

    seats: int
    rows: Any
    won: Any
    money: Any
    games: Any

    def part(self, chosen: Any) -> "Examples":
        """Return the positions that `chosen` selects, a slice or an array of indices or booleans."""
        return Examples(self.seats, self.rows[chosen], self.won[chosen], self.money[chosen], self.games[chosen])

    def on(self, xp: Any) -> "Examples":
        """Return the same positions with their arrays converted to the module `xp`, which is numpy or cupy."""
        return Examples(self.seats, *map(xp.asarray, (self.rows, self.won, self.money, self.games)))


class Model:
    """A network that is being fitted, with weights in floats.

    - `parts`: the weight arrays by name, as in `Network`.
    - `mean` and `deviation`: numbers with which the inputs are normalised.
    - `width`: the number of values in the first hidden layer.
    """

    def __init__(self, xp: Any, shared: int, own: int, width: int, seed: int) -> None:
        self.xp, self.shared, self.own, self.width = xp, shared, own, width
        random = np.random.default_rng(seed)

        def drawn(rows: int, columns: int, inputs: int) -> Any:
            return xp.asarray(random.normal(0, math.sqrt(2 / inputs), (rows, columns)).astype(np.float32))

        inputs = shared + 4 * own  # of a seat in a game with four seats
        second = min(width, SECOND)
        self.parts: Arrays = {
            "shared": drawn(shared, width, inputs),
            "own": drawn(MOST_SEATS * own, width, inputs),
            "first": xp.zeros((MOST_SEATS, width), np.float32),
            "hidden": drawn(width, second, width),
            "second": xp.zeros(second, np.float32),
            "out": xp.zeros((second, 2), np.float32),
            "direct": xp.zeros((own, 2), np.float32),
        }
        self.mean = xp.zeros(shared + own, np.float32)
        self.deviation = xp.ones(shared + own, np.float32)

    def normalise(self, examples: list[Examples]) -> None:
        """Compute the mean and the deviation of each input from `examples`.

        Set the weights in `direct` so that the new network at first predicts the same as the hand-made evaluation.
        """
        xp, shared, own = self.xp, self.shared, self.own
        some = [one.rows[:: max(1, len(one.rows) // 100_000)].astype(np.float32) for one in examples]
        commons = xp.concatenate([rows[:, :shared] for rows in some])
        owns = xp.concatenate([rows[:, shared:].reshape(-1, own) for rows in some])
        self.mean = xp.concatenate([commons.mean(0), owns.mean(0)])
        deviation = xp.concatenate([commons.std(0), owns.std(0)])
        self.deviation = xp.where(deviation < LEAST_DEVIATION, 1, deviation).astype(np.float32)
        for output, column in enumerate((own - HAND_MADE + 1, own - HAND_MADE + 2)):
            self.parts["direct"][column, output] = self.deviation[shared + column] / UNITS

    def copy_weights(self, other: "Model") -> None:
        """Copy the weights of `other`, a model without normalisation. The predictions are then those of `other`."""
        xp, shared, parts = self.xp, self.shared, other.parts
        own = parts["own"].reshape(MOST_SEATS, self.own, -1)
        bias = xp.cumsum(xp.einsum("i,sih->sh", self.mean[shared:], own), 0) + self.mean[:shared] @ parts["shared"]
        deviation = self.deviation[:, None]
        copied = parts | {
            "shared": parts["shared"] * deviation[:shared],
            "own": (own * deviation[shared:]).reshape(MOST_SEATS * self.own, -1),
            "first": parts["first"] + bias,
            "direct": parts["direct"] * deviation[shared:],
        }
        self.parts = {name: array.astype(np.float32) for name, array in copied.items()}

    def inputs(self, rows: Any, seats: int) -> tuple[Any, Any, Any]:
        """Return three arrays of normalised inputs: shared inputs, own inputs by seat, and turned own inputs by seat.

        Turned own inputs are the own inputs of all seats in turn order, starting with the seat to which the row
        belongs.
        """
        shared, own = self.shared, self.own
        rows = rows.astype(np.float32)
        common = (rows[:, :shared] - self.mean[:shared]) / self.deviation[:shared]
        owns = (rows[:, shared:].reshape(-1, seats, own) - self.mean[shared:]) / self.deviation[shared:]
        turned = owns[:, self.xp.asarray(TURNED[seats])].reshape(-1, seats * own)
        return common, owns.reshape(-1, own), turned

    def forward(self, rows: Any, seats: int, mask: Any = None) -> tuple[Any, ...]:
        """Return the two outputs for each position and seat, and after them the values that `gradients` needs.

        If `mask` is given, the values of the first hidden layer are multiplied by its factors.
        """
        xp, parts = self.xp, self.parts
        common, owns, turned = self.inputs(rows, seats)
        count = len(common)
        one = turned @ parts["own"][: seats * self.own]
        one = one.reshape(count, seats, -1) + (common @ parts["shared"] + parts["first"][seats - 1])[:, None]
        one = xp.maximum(one, 0).reshape(count * seats, -1)
        if mask is not None:
            one *= mask
        two = xp.maximum(one @ parts["hidden"] + parts["second"], 0)
        outputs = two @ parts["out"] + owns @ parts["direct"]
        return outputs.reshape(count, seats, 2), common, owns, turned, one, two

    def gradients(self, batch: Examples, mask: Any) -> Arrays:
        """Return the gradients of the loss.

        The loss is the sum of two losses: of the chances of winning, and of the shares of money. The values of the
        first hidden layer are multiplied by the factors in `mask`.
        """
        xp, parts, seats = self.xp, self.parts, batch.seats
        outputs, common, owns, turned, one, two = self.forward(batch.rows, seats, mask)
        count = len(common)
        wins, shares = log_softmax(xp, outputs[:, :, 0]), log_softmax(xp, outputs[:, :, 1])
        slope = xp.stack([xp.exp(wins) - batch.won, xp.exp(shares) - batch.money], 2).reshape(-1, 2) / count
        found = {"out": two.T @ slope, "direct": owns.T @ slope}
        back = (slope @ parts["out"].T) * (two > 0)
        found["hidden"], found["second"] = one.T @ back, back.sum(0)
        back = (back @ parts["hidden"].T) * (one > 0) * mask
        own, first = xp.zeros_like(parts["own"]), xp.zeros_like(parts["first"])
        own[: seats * self.own] = turned.T @ back
        back = back.reshape(count, seats, -1).sum(1)
        first[seats - 1] = back.sum(0)
        found |= {"own": own, "shared": common.T @ back, "first": first}
        return found

    def loss(self, examples: list[Examples]) -> float:
        """Return the mean log loss of the predicted chances of winning in `examples`."""
        total = count = 0.0
        for one in examples:
            for start in range(0, len(one.rows), MOST_ROWS):
                part = one.part(slice(start, start + MOST_ROWS))
                wins = log_softmax(self.xp, self.forward(part.rows, one.seats)[0][:, :, 0])
                total -= float((part.won * wins).sum())
                count += len(part.rows)
        return total / max(count, 1)

    def predictions(self, examples: Examples) -> tuple[Any, Any]:
        """Return two arrays of predictions by position and seat: chances of winning, and shares of all money."""
        wins, shares = [], []
        for start in range(0, len(examples.rows), MOST_ROWS):
            outputs = self.forward(examples.rows[start : start + MOST_ROWS], examples.seats)[0]
            wins.append(self.xp.exp(log_softmax(self.xp, outputs[:, :, 0])))
            shares.append(self.xp.exp(log_softmax(self.xp, outputs[:, :, 1])))
        return self.xp.concatenate(wins), self.xp.concatenate(shares)

    def whole(self) -> dict[str, NDArray[np.int32]]:
        """Return the arrays of the network in whole numbers, with the normalisation included in the weights."""
        to_numpy: Callable[[Any], NDArray[Any]] = getattr(self.xp, "asnumpy", np.asarray)
        parts = {name: to_numpy(array).astype(np.float64) for name, array in self.parts.items()}
        mean, deviation = (to_numpy(array).astype(np.float64) for array in (self.mean, self.deviation))
        shared = self.shared
        common = parts["shared"] / deviation[:shared, None]
        own = parts["own"].reshape(MOST_SEATS, self.own, -1) / deviation[None, shared:, None]
        # The bias depends on the number of seats: absent seats have no inputs, and so no mean to subtract.
        bias = parts["first"] - mean[:shared] @ common
        first = bias - np.cumsum(np.einsum("i,sih->sh", mean[shared:], own), 0)
        parts |= {"shared": common, "own": own.reshape(MOST_SEATS * self.own, -1), "first": first}
        parts["direct"] /= deviation[shared:, None]
        return {name: scaled(part, PLACES[name]) for name, part in parts.items()}


def read_model(xp: Any, file: Path) -> Model:
    """Return the network in `file`, whose weights are whole numbers, as a model without normalisation.

    `xp` is numpy or cupy.
    """
    with np.load(file) as arrays:
        parts = {name: arrays[name] / 2.0**bits for name, bits in PLACES.items()}
    model = Model(xp, len(parts["shared"]), len(parts["direct"]), parts["shared"].shape[1], 0)
    model.parts = {name: xp.asarray(part.astype(np.float32)) for name, part in parts.items()}
    return model


def scaled(array: NDArray[np.float64], bits: int) -> NDArray[np.int32]:
    """Return `array` times 2**bits in whole numbers. Raise OverflowError if they need more than 32 bits."""
    numbers = np.round(array * 2.0**bits)
    if not np.abs(numbers).max() < 2.0**31:
        raise OverflowError("the weights of the network are too large")
    return numbers.astype(np.int32)


def log_softmax(xp: Any, outputs: Any) -> Any:
    outputs = outputs - outputs.max(1, keepdims=True)
    return outputs - xp.log(xp.exp(outputs).sum(1, keepdims=True))


def batches(xp: Any, examples: list[Examples], random: np.random.Generator) -> Iterator[Examples]:
    """Yield batches of all examples in random order. All positions of a batch have the same number of seats."""
    chosen = []
    for one in examples:
        order = random.permutation(len(one.rows))
        chosen += [(one, order[start : start + BATCH]) for start in range(0, len(order), BATCH)]
    for number in random.permutation(len(chosen)):
        one, rows = chosen[number]
        yield one.part(xp.asarray(rows))


def fitted(
    xp: Any,
    examples: list[Examples],
    held_back: list[Examples],
    sizes: tuple[int, int],
    settings: FitSettings,
    start: Model | None = None,
) -> tuple[Model, list[float]]:
    """Fit a network to `examples`. Return the network, and the losses in `held_back` after each epoch.

    `sizes` are the numbers of shared and own inputs. The first weights are random, or those of `start`. The weights of
    the network are running averages. They are taken from the epoch with the lowest loss.

    With `start`, the result is the mean of `start` and this network. It keeps more of what `start` had learned from
    other games.
    """
    random = np.random.default_rng(settings.seed)
    generator = xp.random.RandomState(settings.seed)
    model = Model(xp, *sizes, settings.width, settings.seed)
    model.normalise(examples)
    if start is not None:
        model.copy_weights(start)
    adam = Adam(model)
    first = {name: array.copy() for name, array in model.parts.items()}
    average = best = {name: array.copy() for name, array in first.items()}
    steps = settings.epochs * sum(math.ceil(len(one.rows) / BATCH) for one in examples)
    keep = min(0.999, 1 - 1 / max(10, steps / settings.epochs / 2))
    losses: list[float] = []
    step = 0
    for _ in range(settings.epochs):
        for batch in batches(xp, examples, random):
            size = (len(batch.rows) * batch.seats, settings.width)
            mask = (generator.random_sample(size).astype(np.float32) >= DROPOUT) / np.float32(1 - DROPOUT)
            rate = RATE * min(1.0, (step + 1) / WARM_UP) * (0.02 + 0.49 * (1 + math.cos(math.pi * step / steps)))
            step += 1
            adam.change(model.gradients(batch, mask), rate, step)
            for name, part in model.parts.items():
                average[name] += (1 - keep) * (part - average[name])
        latest, model.parts = model.parts, average
        losses.append(model.loss(held_back))
        model.parts = latest
        if losses[-1] == min(losses):
            best = {name: array.copy() for name, array in average.items()}
    model.parts = best
    if start is not None:
        model.parts = {name: (first[name] + best[name]) / 2 for name in best}
    return model, losses


class Adam:
    """Optimizer that changes the weights of a model by the method AdamW. The norm of the gradients is limited to 1."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.means = {name: model.xp.zeros_like(array) for name, array in model.parts.items()}
        self.squares = {name: model.xp.zeros_like(array) for name, array in model.parts.items()}

    def change(self, slopes: Arrays, rate: float, step: int) -> None:
        """Make the step number `step`, counted from 1, with the learning rate `rate`. `slopes` are the gradients."""
        xp = self.model.xp
        norm = xp.sqrt(sum((slope * slope).sum() for slope in slopes.values()))
        scale = xp.minimum(1.0, 1.0 / (norm + 1e-9))
        for name, slope in slopes.items():
            mean, square, part = self.means[name], self.squares[name], self.model.parts[name]
            mean += 0.1 * (slope * scale - mean)
            square += 0.001 * ((slope * scale) ** 2 - square)
            change = (mean / (1 - 0.9**step)) / (xp.sqrt(square / (1 - 0.999**step)) + 1e-8)
            if name in ("shared", "own", "hidden", "out"):
                change = change + DECAY * part
            part -= rate * change


def blended(model: Model, examples: Examples) -> Examples:
    """Return `examples` with new targets.

    A target is the mean of the game's result and of a prediction by `model`. The prediction is for a later position of
    the same game, LATER positions after this one. Near the end of a game, the target is only the result.
    """
    xp, games = model.xp, examples.games
    wins, shares = model.predictions(examples)
    later = xp.minimum(xp.arange(len(games)) + LATER, len(games) - 1)
    is_same = (games[later] == games)[:, None]
    won = xp.where(is_same, (examples.won + wins[later]) / 2, examples.won).astype(np.float32)
    money = xp.where(is_same, (examples.money + shares[later]) / 2, examples.money).astype(np.float32)
    return Examples(examples.seats, examples.rows, won, money, games)
