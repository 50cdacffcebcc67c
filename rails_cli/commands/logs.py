"""Log files named on the command line: reading a log, its errors, and its positions."""

from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rails_cli.basics.files import TooLong, open_regular, printable_path, read_file
from rails_cli.commands import reported
from rails_cli.commands.parameters import seat_named
from rails_cli.games.game import ALL_SEATS
from rails_cli.logs.reading import BadLog

if TYPE_CHECKING:
    from rails_cli.study.playback.feed import Feed
    from rails_cli.study.playback.recorded import Moment, Recorded

STANDARD_INPUT = 0


def name_of(log_file: Path) -> str:
    return "standard input" if str(log_file) == "-" else printable_path(log_file)


def log_errors(log_file: Path) -> AbstractContextManager[None]:
    """Return a context manager that raises ClickException if `log_file` is invalid or too large."""
    return reported(BadLog, TooLong, prefix=f"{name_of(log_file)}: ")


def content_of(file: Path) -> bytes:
    with reported(OSError, prefix=f"cannot read {printable_path(file)}: "):
        return read_file(file)


def whole_log(log_file: Path) -> bytes:
    """Return the content of a log file, or of standard input for `-`. Raise TooLong if the log is too large."""
    feed = open_feed(log_file)
    try:
        return feed.read()
    finally:
        if str(log_file) != "-":
            feed.close()


def open_feed(log_file: Path) -> "Feed":
    from rails_cli.study.playback.feed import Feed  # imported here so that commands that play games start faster

    with reported(OSError, prefix=f"cannot read {printable_path(log_file)}: ", kind=click.UsageError):
        return Feed(STANDARD_INPUT if str(log_file) == "-" else open_regular(log_file))


def check_whole(recorded: "Recorded", log_file: Path) -> None:
    if recorded.mistake is not None:
        raise click.ClickException(f"{name_of(log_file)}: {recorded.mistake}")


def seer_of(recorded: "Recorded", seat: str | None) -> int:
    """Return the index of the seat that `seat` names: the number of the seat, from 1, or the name of its player.

    If `seat` is None, return ALL_SEATS.
    """
    return ALL_SEATS if seat is None else seat_named(seat, recorded.names)


def own_seat(log_file: Path, recorded: "Recorded") -> int | None:
    """Return the seat of the user in the game of the log `log_file`, or None if this seat is unknown.

    The seat is known if exactly one person plays, and if the log is a saved game or continues a saved game.
    """
    from rails_cli.terminal.saving import games_folder

    people = [seat for seat, player in enumerate(recorded.header.players) if player.seat == "person"]
    is_saved = games_folder().resolve() in log_file.resolve().parents
    return people[0] if is_saved and len(people) == 1 else None


def moment_at(recorded: "Recorded", at: int, option: str) -> "Moment":
    """Return the position after action `at`, counted from the end if negative.

    If there is no such action, raise BadParameter, which names the command-line option `option`.
    """
    if not -len(recorded.moments) <= at <= recorded.last:
        wrong = "" if recorded.mistake is None else f"; {recorded.mistake}"
        there = f"the log has 0 (the set-up) to {recorded.last}, or, from the end, -1 to -{len(recorded.moments)}"
        raise click.BadParameter(f"there is no action {at}; {there}{wrong}", param_hint=option)
    return recorded.moments[at]
