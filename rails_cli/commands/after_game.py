"""The end of a game at this terminal: replays, and hints on commands with which the user can study the game."""

import shlex
from pathlib import Path

from rails_cli.commands import print_wrapped
from rails_cli.commands.logs import content_of, own_seat
from rails_cli.commands.questions import with_display
from rails_cli.commands.what_if import PlayBranch
from rails_cli.games import load_evaluation
from rails_cli.games.game import ALL_SEATS
from rails_cli.players.builtin import players_of
from rails_cli.study.branches import FOLDER
from rails_cli.study.playback.recorded import read_recorded
from rails_cli.terminal.keyboard import terminal_input
from rails_cli.terminal.last_screen import LastScreen
from rails_cli.terminal.saving import games_folder


def after_game(
    last_screen: LastScreen, path: Path | None, game: str, play_branch: PlayBranch, *, is_screen: bool
) -> None:
    """Show replays of a finished game until the user asks for no more. Then print the result and useful commands.

    `path` is the log of the game, or None if there is no log. `game` is the name of the game. `play_branch` continues
    the game from a position of a replay. `is_screen` says whether the result was shown on a full screen that is now
    closed.
    """
    while last_screen.wants_replay and path is not None:
        _replay(path, last_screen.replay_at or 1, play_branch)
        with_display(last_screen.show, is_fast=True)
    if is_screen:
        print_wrapped(*last_screen.final, "")
    if path is None:
        return
    name, original = game_name(path), original_name(path)
    if original is not None:
        print_wrapped(f"The game is kept as a branch. To watch it again, press b in: rails-cli replay {original}")
        return
    lines = [f"The game is kept. Watch it again: rails-cli replay {name}"]
    if "expert" in players_of(game):
        lines.append(f"What decided it: rails-cli analyse {name}")
    print_wrapped(*lines)


def game_name(path: Path) -> str:
    """Return the name of the log `path` on a command line, quoted for the shell.

    A saved game is named by its file without the suffix, any other log by its path.
    """
    return shlex.quote(path.stem if path.parent == games_folder() else str(path))


def original_name(path: Path) -> str | None:
    """Return the name of the saved game of which the log `path` is a branch. Return None for other logs.

    Messages name the saved game, because the path of such a branch does not fit in a line of a terminal.
    """
    original = path.parent.with_name(f"{path.parent.name.removesuffix(FOLDER)}.jsonl")
    return game_name(original) if original.parent == games_folder() and original.is_file() else None


def _replay(path: Path, number: int, play_branch: PlayBranch) -> None:
    """Show the replay of the finished game in the log `path`, from just before action `number`."""
    from rails_cli.commands.branching import BranchBrowser
    from rails_cli.study.analysis.at_step import StepJudge
    from rails_cli.study.playback.cursor import Cursor

    keys = terminal_input()
    if keys is None:
        return
    recorded = read_recorded(content_of(path))
    judge = None
    if load_evaluation(recorded.game.name) is not None:
        judge = StepJudge(you=own_seat(path, recorded))
    cursor = Cursor(recorded, speed=1.0, at=number - 1)
    BranchBrowser(path, recorded, cursor, ALL_SEATS, judge, play_branch).show(keys)
