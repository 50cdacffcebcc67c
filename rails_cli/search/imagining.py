"""Positions as one seat may imagine them: what is drawn follows from a word and from what the seat sees."""

from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import Any

import msgspec

from rails_cli.core.luck import stream
from rails_cli.games.game import Game

IMAGINED = 8
"""So many positions are imagined where something is hidden and each run is looked at once."""

Chance = Callable[[], float]


def chance_of(word: str, view: Any) -> Chance:
    """Numbers from 0 up to 1."""
    return stream(f"{word}/{sha256(msgspec.json.encode(view)).hexdigest()}")


def imagined(game: Game[Any, Any], board: Any, view: Any, chance: Chance) -> Iterator[Any]:
    """One position after the other, without end; all the same where nothing is hidden."""
    while True:
        yield game.imagine(view, board, int(chance() * 2**53))
