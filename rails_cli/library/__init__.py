"""The rules of the games as a Python library, for bots that search and for programs that learn.

>>> from rails_cli.library import Engine
>>> position = Engine("chicago_express").new(players=3)
>>> position = position.play(position.moves()[0])

`Engine` has the rules of a game, and `Position` is an immutable position. `games` lists the games, and `read_log`
returns the positions of a logged game. All errors are subclasses of `GameError`. Only the names in `__all__` are
public. Everything else in the package may change.
"""

from typing import TYPE_CHECKING, Any

from rails_cli.games import NoSuchGame
from rails_cli.games.evaluation import Run
from rails_cli.games.game import BoardError, GameError, IllegalAction
from rails_cli.library.engine import Engine, GameListing, games
from rails_cli.library.errors import BadArgument, NoSuchAction, Unavailable
from rails_cli.library.logs import LoggedGame, LoggedStep, read_log
from rails_cli.library.position import Outcome, Position, Step
from rails_cli.library.results import Choice, Outlook
from rails_cli.logs.reading import BadLog
from rails_cli.players.search.outcome import Tried

if TYPE_CHECKING:
    from rails_cli.library.batch import Batch
    from rails_cli.library.spaces import Space

__all__ = [
    "BadArgument",
    "BadLog",
    "Batch",
    "BoardError",
    "Choice",
    "Engine",
    "GameError",
    "GameListing",
    "IllegalAction",
    "LoggedGame",
    "LoggedStep",
    "NoSuchAction",
    "NoSuchGame",
    "Outcome",
    "Outlook",
    "Position",
    "Run",
    "Space",
    "Step",
    "Tried",
    "Unavailable",
    "games",
    "read_log",
]


if not TYPE_CHECKING:  # a type checker would accept any name

    def __getattr__(name: str) -> Any:
        """Import `Batch` or `Space` at its first use, because importing numpy takes longer than all the rest."""
        if name == "Batch":
            from rails_cli.library.batch import Batch as found
        elif name == "Space":
            from rails_cli.library.spaces import Space as found
        else:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return found
