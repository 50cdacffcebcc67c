"""The texts of a board that comes from a file or a server, as a terminal may show them."""

from typing import Any

from rails_cli.games.phrases import printable

TEXTS = ("name", "title")


def printable_board(board: dict[str, Any]) -> dict[str, Any]:
    """The same board, without anything in its names that would move the cursor."""
    return {key: _printable(key, value) for key, value in board.items()}


def _printable(key: str, value: Any) -> Any:
    if isinstance(value, dict):
        return printable_board(value)
    if isinstance(value, list | tuple):
        return [_printable(key, entry) for entry in value]
    return printable(value) if key in TEXTS and isinstance(value, str) else value
