"""Types of command-line parameters that name a log.

A log is named by its file, by the name of a saved game or a part of this name, or as `last`. Saved games are the logs
in the folder in which `rails-cli play` keeps them.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from rails_cli.commands.options import ParsedType
from rails_cli.games.shared.text import printable

MOST_BYTES = 100
"""Maximum number of bytes, in UTF-8, of a name that the user gives to a saved game."""
MOST_LISTED = 10
"""Maximum number of saved games that an error message lists."""


def saved_log(words: str, *, last_unfinished: bool = False) -> Path:
    """Return the path of the saved game that `words` name: by its name, by a part of its name, or as `last`.

    With `last_unfinished`, `last` is the unfinished game played last. Raise ValueError if no saved game fits, or if
    several fit.
    """
    from rails_cli.terminal.kept_games import LAST, fitting, saved_files  # imported here: other commands start faster

    files = saved_files()
    found = fitting(_unfinished(files) if last_unfinished and words.lower() == LAST else files, words)
    if len(found) == 1:
        return found[0]
    there = "`rails-cli games --saved` lists your games" if files else "you have no saved games"
    if not found:
        raise ValueError(f"there is no file and no saved game {printable(words)!r}; {there}")
    names = [printable(file.stem) for file in found[:MOST_LISTED]]
    more = f", and {len(found) - MOST_LISTED} more" if len(found) > MOST_LISTED else ""
    listed = f"{', '.join(names)}{more}"
    raise ValueError(
        f"several saved games fit {printable(words)!r}: {listed}; type a whole name, or a part that no other name has"
    )


def complete_saved(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return completions of `incomplete`: names of saved games, most recently played first, and `last`."""
    from rails_cli.terminal.kept_games import saved_files

    return _completions(saved_files(), incomplete)


def complete_unfinished(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return completions of `incomplete` as `complete_saved`, but without finished games."""
    from rails_cli.terminal.kept_games import saved_files

    return _completions(_unfinished(saved_files()), incomplete)


def _unfinished(files: Sequence[Path]) -> list[Path]:
    from rails_cli.terminal.kept_games import is_finished

    return [file for file in files if not is_finished(file)]


def _completions(files: Sequence[Path], incomplete: str) -> list[CompletionItem]:
    names = [*(file.stem for file in files), *(["last"] if files else [])]
    return [CompletionItem(name) for name in names if name.startswith(incomplete)]


class LogName(click.Path):
    """A type of command-line parameters that name a log file or a saved game. With `dir_okay`, they may also name a
    folder.

    The shell completes the names. With `is_unfinished`, it completes only unfinished games, and `last` is one of them.
    """

    def __init__(self, *, dir_okay: bool = False, allow_dash: bool = False, is_unfinished: bool = False) -> None:
        super().__init__(exists=True, dir_okay=dir_okay, allow_dash=allow_dash, path_type=Path)
        self._is_unfinished = is_unfinished

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        is_dash = self.allow_dash and value == "-"
        if isinstance(value, str) and value and os.sep not in value and not is_dash and not os.path.lexists(value):
            try:
                return saved_log(value, last_unfinished=self._is_unfinished)
            except ValueError as error:
                self.fail(str(error), param, ctx)
        return super().convert(value, param, ctx)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        complete = complete_unfinished if self._is_unfinished else complete_saved
        names = [] if os.sep in incomplete else complete(ctx, param, incomplete)
        return [*super().shell_complete(ctx, param, incomplete), *names]  # bash drops the items before a file


def _saved_name(words: str) -> Path:
    """Return the path of the saved game that `words` name: by its name, a part of its name, its path, or as `last`.

    Raise ValueError if there is no such saved game.
    """
    from rails_cli.terminal.saving import games_folder

    file = Path(words)
    if os.sep not in words:
        return saved_log(words)
    if not file.is_file() or file.resolve().parent != games_folder().resolve():
        raise ValueError(f"{printable(words)} is not a saved game; name one as `rails-cli games --saved` lists it")
    return file


def _new_name(words: str) -> str:
    """Check a new name of a saved game, and return it. Raise ValueError if it cannot be used."""
    name = words.removesuffix(".jsonl")
    is_plain = name.isprintable() and name == name.strip() and not name.startswith((".", "-"))
    if not name or not is_plain or os.sep in name or len(name.encode()) > MOST_BYTES:
        raise ValueError(
            f"{printable(words)!r} cannot be a name; expected 1 to {MOST_BYTES} characters without {os.sep}, "
            "not starting with . or -"
        )
    if name.lower() == "last":
        raise ValueError("'last' always means the game played last; choose another name")
    return name


class SavedName(ParsedType[Path]):
    """A type of command-line parameters that name a saved game. The shell completes the names."""

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        return complete_saved(ctx, param, incomplete)


SAVED_NAME = SavedName("name", _saved_name)
NEW_NAME = ParsedType("name", _new_name)
LOG = LogName()
ANY_LOG = LogName(allow_dash=True)
"""Type of command-line parameters that name a log, or standard input as `-`."""
UNFINISHED_LOG = LogName(is_unfinished=True)
LOG_OR_FOLDER = LogName(dir_okay=True)
