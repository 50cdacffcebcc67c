"""Functions that change board files, and that return the mistakes reported for a board file."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from rails_cli.games import board_file, load_game
from rails_cli.games.game import BoardError

Change = Callable[[dict[str, Any]], Any]


def changed(name: str, change: Change) -> bytes:
    """Return the standard board file of the game `name` after `change` was applied to its decoded content."""
    board = json.loads(board_file(name))
    change(board)
    return json.dumps(board).encode()


def mistakes(name: str, data: bytes) -> list[str]:
    """Return the mistakes reported for the board file `data` of the game `name`. Fail if the file is accepted."""
    with pytest.raises(BoardError) as error:
        load_game(name).read_board(data)
    assert all(line.isprintable() for line in error.value.mistakes)
    return error.value.mistakes


def hex_of(board: dict[str, Any], id: str) -> dict[str, Any]:
    entry: dict[str, Any] = next(entry for entry in board["hexes"] if entry["id"] == id)
    return entry
