"""Small value networks for tests."""

from typing import Any

import numpy as np

from rails_cli.games import load_evaluation, standard_board
from rails_cli.games.network import MOST_SEATS, Network
from rails_cli.players.search.outcome import HAND_MADE

WIDTH = 6
LARGEST = {"shared": 1 << 12, "own": 1 << 13, "first": 1 << 20, "hidden": 1 << 13, "second": 1 << 24}
"""Largest absolute value of the weights, by the name of the array.

Arrays that are not listed contain smaller weights.
"""


def small_arrays(game: str) -> dict[str, Any]:
    """Return the arrays of a network for the standard board of a game.

    The values do not depend on a random number generator of numpy, which may change between versions.
    """
    evaluation, board = load_evaluation(game), standard_board(game)
    assert evaluation is not None
    assert evaluation.inputs is not None
    shared, own = evaluation.inputs.shared(board), evaluation.inputs.own(board) + HAND_MADE
    shapes = {
        "shared": (shared, WIDTH),
        "own": (MOST_SEATS * own, WIDTH),
        "first": (MOST_SEATS, WIDTH),
        "hidden": (WIDTH, WIDTH),
        "second": (WIDTH,),
        "out": (WIDTH, 2),
        "direct": (own, 2),
    }
    arrays = {}
    for number, (name, shape) in enumerate(shapes.items(), 1):
        largest = LARGEST.get(name, 1 << 9)
        numbers = np.arange(1, 1 + np.prod(shape)) * (7919 * number) % (2 * largest + 1) - largest
        arrays[name] = numbers.reshape(shape).astype(np.int32)
    return arrays


def small_network(game: str) -> Network:
    return Network(small_arrays(game))
