"""The games that can be played: announced by entry points, loaded when they are asked for.

An entry point of the group `rails_cli.games` has the name of a game and leads to its package. The package has the rules
(`GAME`), `board.json` and `RULES.md`; beside them `face` shows the game to people (`FACE`), and `players` has the
players that come with it (`PLAYERS`).
"""

from collections.abc import Callable
from functools import cache
from importlib import import_module, resources
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any

from rails_cli.games.game import Game

if TYPE_CHECKING:
    from rails_cli.games.face import Face

GROUP = "rails_cli.games"
_PACKAGES = {point.name: point.value for point in sorted(entry_points(group=GROUP))}
GAME_NAMES = tuple(_PACKAGES)


@cache
def load_game(name: str) -> Game[Any, Any]:
    game = import_module(_PACKAGES[name]).GAME
    assert isinstance(game, Game)
    assert game.name == name
    return game


@cache
def load_face(name: str) -> "Face":
    """How a game is shown to people; who shows none starts faster without."""
    from rails_cli.games.face import Face

    face = import_module(f"{_PACKAGES[name]}.face").FACE
    assert isinstance(face, Face)
    return face


@cache
def standard_board(name: str) -> Any:
    """The board that comes with a game."""
    return load_game(name).read_board(resources.files(_PACKAGES[name]).joinpath("board.json").read_bytes())


@cache
def rule_sheet(name: str) -> str:
    """The numbered rules of a game, as Markdown."""
    return resources.files(_PACKAGES[name]).joinpath("RULES.md").read_text(encoding="utf-8")


@cache
def load_players(name: str) -> dict[str, Callable[[Any, list[Any], Any], Any]]:
    """The players that come with a game, by name: each makes an action of a view, the legal list and the board."""
    players: dict[str, Callable[[Any, list[Any], Any], Any]] = import_module(f"{_PACKAGES[name]}.players").PLAYERS
    return players
