"""Functions that change board files, and that return the mistakes reported for a board file."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import strategies as st

from rails_cli.games import board_file, load_game
from rails_cli.games.game import BoardError

Change = Callable[[dict[str, Any]], Any]

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


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


def mutate(board: Any, data: st.DataObject) -> None:
    """Make one to three random changes in the decoded board file `board`. Hypothesis chooses them with `data`."""
    for _ in range(data.draw(st.integers(1, 3))):
        _change_random_part(board, data)


def _change_random_part(board: Any, data: st.DataObject) -> None:
    part = board
    while True:
        keys = list(part) if isinstance(part, dict) else list(range(len(part)))
        if not keys:
            return
        key = data.draw(st.sampled_from(keys))
        if isinstance(part[key], dict | list) and data.draw(st.integers(0, 9)):
            part = part[key]
            continue
        change = data.draw(st.sampled_from(["replace", "number", "remove", "double"]))
        if change == "replace":
            part[key] = data.draw(JSON)
        elif change == "number":
            part[key] = data.draw(st.integers(-3, 10) | st.integers())
        elif change == "remove":
            del part[key]
        elif isinstance(part, list):
            part.append(part[key])
        return
