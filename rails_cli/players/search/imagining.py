"""Random positions that one seat's view allows.

They depend only on the view and on a text that is used as a random seed.
"""

from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import Any

import msgspec

from rails_cli.games.game import Game
from rails_cli.games.shared.luck import stream

IMAGINED = 8
"""Number of random positions that a one-ply search evaluates in a game with hidden information."""

Chance = Callable[[], float]


def chance_of(key: str, view: Any) -> Chance:
    """Return a function that returns random numbers from 0 to below 1. Its seed is made from `key` and `view`."""
    return stream(f"{key}/{sha256(msgspec.json.encode(view)).hexdigest()}")


def imagined(game: Game[Any, Any], board: Any, view: Any, chance: Chance) -> Iterator[Any]:
    """Yield an endless sequence of random positions consistent with `view`. If nothing is hidden, all are equal."""
    while True:
        yield game.imagine(view, board, int(chance() * 2**53))
