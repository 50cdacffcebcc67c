"""Value networks: small neural networks that predict the result of a game from whole numbers that describe a position.

The same weights serve all seats. The inputs for a seat are the shared numbers of the position, the seat's own numbers,
and those of the other seats in turn order. There are two hidden layers and two outputs per seat. The outputs of all
seats become chances of winning and shares of the final money.

All weights and inputs are whole numbers. Every product and sum is a whole number below 2**53, which a float stores
exactly. So a position has the same prediction on every platform, in whatever order the terms are added.
"""

from collections.abc import Sequence
from io import BytesIO
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

MOST_SEATS: Final = 6
INPUT_BITS: Final = 20
"""Number of binary digits after the point of the weights of the first layer."""
BITS: Final = 12
"""Number of binary digits after the point of hidden values and of the other weights."""
DIGITS: Final = 9
"""Number of decimal digits to which a prediction is rounded.

Without rounding, predictions would differ between platforms, because their exponential functions differ.
"""


class Network:
    """A value network.

    The arrays contain whole numbers as floats. In arrays of weights, the first index is the input and the second the
    hidden value.

    - `shared`: weights of the shared inputs.
    - `own`: weights of the own inputs of MOST_SEATS seats.
    - `first`: biases of the first hidden layer, by number of seats.
    - `hidden` and `second`: weights and biases of the second hidden layer.
    - `out`: weights of the two outputs.
    - `direct`: weights of a seat's own inputs for its outputs, without a hidden layer.
    """

    def __init__(self, arrays: dict[str, NDArray[Any]]) -> None:
        self.shared, self.own, self.first, self.hidden, self.second, self.out, self.direct = (
            np.ascontiguousarray(arrays[name], np.float64)
            for name in ("shared", "own", "first", "hidden", "second", "out", "direct")
        )
        self.shared_inputs: int = len(self.shared)
        self.own_inputs: int = len(self.direct)

    def predict(self, rows: Sequence[Sequence[int]], seats: int) -> tuple[Floats, Floats]:
        """Return, by position and seat, the chances of winning and the shares of all money at the end.

        Each row has the shared inputs of a position, then the own inputs of each seat.
        """
        inputs: Floats = np.array(rows, np.float64)
        count, shared, width = len(inputs), self.shared_inputs, self.own_inputs
        own = inputs[:, shared:].reshape(count, seats, width)
        turned = own[:, TURNED[seats]].reshape(count * seats, seats * width)
        values: Floats = turned @ self.own[: seats * width]
        values += np.repeat(inputs[:, :shared] @ self.shared + self.first[seats - 1], seats, 0)
        values = rectified(values, INPUT_BITS - BITS)
        values = rectified(values @ self.hidden + self.second, BITS)
        outputs: Floats = values @ self.out
        outputs += (own.reshape(count * seats, width) @ self.direct) * 2.0 ** (2 * BITS - INPUT_BITS)
        wins, shares = (outputs / 2.0 ** (2 * BITS)).T.reshape(2, count, seats)
        return softmax(wins), softmax(shares)


TURNED: Final = {
    seats: np.array([[(seat + number) % seats for number in range(seats)] for seat in range(seats)])
    for seats in range(2, MOST_SEATS + 1)
}
"""Seats in turn order, for each number of seats.

Row `seat` of an array has all seats in turn order, starting with `seat`.
"""


def rectified(values: Floats, bits: int) -> Floats:
    """Return `values` divided by 2**bits and rounded down.

    Negative values become 0. The array `values` is overwritten.
    """
    np.maximum(values, 0.0, out=values)
    values *= 2.0**-bits
    np.floor(values, out=values)
    return values


def softmax(outputs: Floats) -> Floats:
    powers = np.exp(outputs - outputs.max(1, keepdims=True))
    powers /= powers.sum(1, keepdims=True)
    rounded: Floats = np.round(powers, DIGITS)
    return rounded


def read_network(content: bytes) -> Network:
    """Return the network whose arrays `content` contains, in the format of `numpy.savez`."""
    with np.load(BytesIO(content)) as arrays:
        return Network({name: arrays[name] for name in arrays.files})
