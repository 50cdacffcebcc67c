"""Random positions that are consistent with one seat's view. The draw depends only on a key and the view."""

from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import Any

import msgspec

from rails_cli.games.game import Game
from rails_cli.games.shared.luck import stream

IMAGINED = 8
"""Number of positions imagined for a one-ply search in a game with hidden information."""

Chance = Callable[[], float]


def chance_of(key: str, view: Any) -> Chance:
    """Return a function that returns random numbers in [0, 1), seeded with `key` and the view."""
    return stream(f"{key}/{sha256(msgspec.json.encode(view)).hexdigest()}")


def imagined(game: Game[Any, Any], board: Any, view: Any, chance: Chance) -> Iterator[Any]:
    """Yield random positions consistent with `view`, without end. All are equal if nothing is hidden."""
    while True:
        yield game.imagine(view, board, int(chance() * 2**53))
