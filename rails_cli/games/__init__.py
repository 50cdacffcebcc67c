"""The games that can be played, loaded when they are asked for."""

from functools import cache
from importlib import import_module, resources
from typing import Any

from rails_cli.games.game import Game

GAME_NAMES = ("chicago_express", "american_rails", "last_spike")


@cache
def load_game(name: str) -> Game[Any, Any]:
    game = import_module(f"rails_cli.games.{name}").GAME
    assert isinstance(game, Game)
    return game


@cache
def standard_board(name: str) -> Any:
    """The board that comes with a game."""
    return load_game(name).read_board(resources.files(f"rails_cli.games.{name}").joinpath("board.json").read_bytes())


def rule_sheet(name: str) -> str:
    """The numbered rules of a game, as Markdown."""
    return resources.files(f"rails_cli.games.{name}").joinpath("RULES.md").read_text(encoding="utf-8")
