"""Log files named on the command line, and positions in them."""

import os
from pathlib import Path

import click

from rails_cli.basics.files import printable_path
from rails_cli.commands.parameters import seat_named
from rails_cli.games.game import ALL_SEATS
from rails_cli.study.playback.feed import Feed
from rails_cli.study.playback.recorded import Moment, Recorded

STANDARD_INPUT = 0


def whole_log(log_file: Path) -> bytes:
    """Read a whole log from a file or standard input. Raise TooLong if it is too large."""
    feed = open_feed(log_file)
    try:
        return feed.read()
    finally:
        if str(log_file) != "-":
            feed.close()


def open_feed(log_file: Path) -> Feed:
    try:
        return Feed(STANDARD_INPUT if str(log_file) == "-" else os.open(log_file, os.O_RDONLY | os.O_CLOEXEC))
    except OSError as error:
        raise click.UsageError(f"cannot read {printable_path(log_file)}: {error.strerror or error}") from None


def seer_of(recorded: Recorded, seat: str | None) -> int:
    """Return the seat given by number or name, or ALL_SEATS if `seat` is None."""
    return ALL_SEATS if seat is None else seat_named(seat, recorded.names)


def the_moment(recorded: Recorded, at: int, option: str) -> Moment:
    if not -len(recorded.moments) <= at <= recorded.last:
        wrong = "" if recorded.mistake is None else f"; {recorded.mistake}"
        there = f"the log has 0 (the set-up) to {recorded.last}, or, from the end, -1 to -{len(recorded.moments)}"
        raise click.BadParameter(f"there is no action {at}; {there}{wrong}", param_hint=option)
    return recorded.moments[at]
