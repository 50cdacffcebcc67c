"""Errors of log files named on the command line."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from rails_cli.basics.files import TooLong, printable_path, read_file
from rails_cli.logs.reading import BadLog


def name_of(log_file: Path) -> str:
    """Return the name of a log file for messages."""
    return "standard input" if str(log_file) == "-" else printable_path(log_file)


@contextmanager
def log_errors(log_file: Path) -> Iterator[None]:
    """Raise ClickException if a log is invalid or too large."""
    try:
        yield
    except BadLog as bad:
        raise click.ClickException(f"{name_of(log_file)}: {bad}") from None
    except TooLong as error:
        raise click.ClickException(f"{name_of(log_file)}: {error.strerror}") from None


def content_of(file: Path) -> bytes:
    """Read a file. Raise ClickException if that fails."""
    try:
        return read_file(file)
    except OSError as error:
        raise click.ClickException(f"cannot read {printable_path(file)}: {error.strerror}") from None
