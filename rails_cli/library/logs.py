"""Logged games as sequences of positions."""

from collections.abc import Iterator
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

from rails_cli.basics.files import read_file
from rails_cli.games.moves import number_of
from rails_cli.library.engine import Engine
from rails_cli.library.errors import BadArgument, shown
from rails_cli.library.position import Position
from rails_cli.logs.reading import BadLog, log_board
from rails_cli.logs.reading import read_log as log_lines
from rails_cli.logs.replay import replay
from rails_cli.protocol.log import ActionLine, ResultLine, ResumedLine, Seed, SetupLine


class LoggedStep(NamedTuple):
    """One action of a logged game.

    - `before`, `after`: the positions before and after the action.
    - `seat`, `player`: the seat that acted, and the name of its player at that time.
    - `move`, `action`: the action as a number and as a struct.
    - `events`: everything that the action caused. Some seats did not see all of it.
    - `is_opening`: whether the action belongs to a random opening, so that no player chose it.
    """

    before: Position
    seat: int
    player: str
    move: int
    action: Any
    events: list[Any]
    after: Position
    is_opening: bool


class LoggedGame:
    """A logged game. Iterating over it yields each `LoggedStep`. Actions that were taken back are left out."""

    __slots__ = {
        "engine": "The rules and the board.",
        "events": "The events of the set-up.",
        "players": "The names of the players by seat, at the end of the log.",
        "seed": "The random seed. If it is None, the positions contain other future draws than those of the log.",
        "start": "The first position, before any opening.",
        "steps": "The actions in order, each as a `LoggedStep`.",
    }

    engine: Engine
    events: list[Any]
    players: list[str]
    seed: Seed | None
    start: Position
    steps: list[LoggedStep]

    def __iter__(self) -> Iterator[LoggedStep]:
        return iter(self.steps)

    def __len__(self) -> int:
        return len(self.steps)

    def __repr__(self) -> str:
        return f"<LoggedGame {self.engine.game.name}: players={self.players}, {len(self)} steps>"

    @property
    def positions(self) -> list[Position]:
        """All positions, from the first to the last. There is one position more than there are steps."""
        return [self.start, *(step.after for step in self.steps)]

    @property
    def end(self) -> Position:
        """The last position. If the game was not finished, its `seat` is the seat to move, and otherwise None."""
        return self.steps[-1].after if self.steps else self.start


def read_log(path: str | PathLike[str]) -> LoggedGame:
    """Read a log file and return its game.

    The game is verified as `rails-cli verify` does, but signatures are not checked. Raise OSError if the file cannot be
    read, BadLog at the first wrong line, and BadArgument if `path` is not a path.
    """
    try:
        content = read_file(Path(path))
    except (TypeError, ValueError) as error:
        raise BadArgument(f"path: expected the path of a log, got {shown(path)}: {error}") from None
    log = log_lines(content)
    game = LoggedGame()
    game.steps, game.seed = [], log.header.seed
    game.players = [player.name for player in log.header.players]
    position: Position | None = None
    for replayed in replay(log):
        message, match = replayed.message, replayed.match
        if isinstance(message, SetupLine):
            game.engine = Engine(log.header.game)
            game.engine.board = log_board(log.header)
            game.start = position = game.engine.position_of(match.state.copy())
            game.events = replayed.events
        elif isinstance(message, ResumedLine):
            game.players = [player.name for player in message.players]
        elif isinstance(message, ActionLine):
            assert position is not None
            after = Position(game.engine, match.state.copy())
            move = number_of(game.engine.game.moves, game.engine.board, message.action)
            name = game.players[message.seat]
            step = LoggedStep(
                position, message.seat, name, move, message.action, replayed.events, after, message.opening
            )
            game.steps.append(step)
            position = after
        elif isinstance(message, ResultLine):
            break
    if position is None:
        raise BadLog(len(log.lines) + 1, "the set-up is missing")
    return game
