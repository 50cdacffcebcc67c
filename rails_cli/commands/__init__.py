"""The commands of the program, one module each. They parse the command line and connect the other packages."""

import errno
import os
import re
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from importlib import import_module, resources
from types import FrameType
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

FAILED = 3
"""Exit code if a bot lost its seat or failed a check."""
FIRST_LINE = re.compile(r'"""`rails-cli (?:\w+ )?(?P<name>[a-z-]+)`: (?P<summary>.+)"""')
"""First line of a module that is a command."""
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def is_at_terminal() -> bool:
    """Return whether standard input and output are terminals."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))


class LazyGroup(click.Group):
    """A command group that imports a command only to run it or to show its help.

    The commands are those modules of a package whose first line is "`rails-cli NAME`: SUMMARY" as a docstring.
    """

    def __init__(self, *, package: str, order: Sequence[str], at_terminal: str | None = None, **settings: Any) -> None:
        """List the commands of `package`, those named in `order` first. `at_terminal` names the command to run at a
        terminal if none is given. Elsewhere the help is shown."""
        super().__init__(**settings)
        self.package = package
        self.order = order
        self.at_terminal = at_terminal

    @cached_property
    def summaries(self) -> dict[str, str]:
        """A line about each command, by name."""
        found: dict[str, str] = {}
        for file in sorted(resources.files(self.package).iterdir(), key=lambda file: file.name):
            if file.name.endswith(".py"):
                with file.open(encoding="utf-8") as lines:
                    command = FIRST_LINE.fullmatch(lines.readline().rstrip())
                if command is not None:
                    found[command["name"]] = command["summary"]
        return {name: found[name] for name in self.order if name in found} | found

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args and self.at_terminal is not None and not ctx.resilient_parsing and is_at_terminal():
            args = [self.at_terminal]
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.summaries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.summaries:
            return None
        command = import_module(f"{self.package}.{cmd_name.replace('-', '_')}").command
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.NoSuchCommand as error:
            raise click.NoSuchCommand(error.command_name, possibilities=self.summaries, ctx=ctx) from None

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list["CompletionItem"]:
        """Complete command names without importing the commands, and options."""
        from click.shell_completion import CompletionItem

        fitting = [name for name in self.summaries if name.startswith(incomplete)]
        return [CompletionItem(name, help=self.summaries[name]) for name in fitting] + click.Command.shell_complete(
            self, ctx, incomplete
        )

    def invoke(self, ctx: click.Context) -> object:
        """Run a command. A full disk or an unplayable game is reported in one line.

        Click itself handles closed pipes. Control characters are removed from error messages, which may quote files
        or servers.
        """
        try:
            return super().invoke(ctx)
        except click.ClickException as error:
            from rails_cli.games.shared.text import printable

            error.message = "\n".join(map(printable, error.message.split("\n")))  # type: ignore[misc]
            raise
        except OSError as error:
            if error.errno not in NO_ROOM:
                raise
            _drop_unwritten()
            raise click.ClickException(f"cannot write {error.filename or 'the output'}: {error.strerror}") from None
        except LookupError as error:
            from rails_cli.games import NoSuchGame

            if not isinstance(error, NoSuchGame):
                raise
            raise click.ClickException(str(error)) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(self.summaries.items()))


@contextmanager
def write_errors(path: object = None) -> Iterator[None]:
    """Raise ClickException if a file cannot be written. The message names `path`, or else the file of the error."""
    try:
        yield
    except OSError as error:
        raise click.ClickException(f"cannot write {path or error.filename}: {error.strerror or error}") from None


def _drop_unwritten() -> None:
    """Discard unwritten output. Otherwise the interpreter would try again at exit and print its own error."""
    try:
        sys.stdout.flush()
    except OSError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def leave_on_signals() -> None:
    """Exit in an orderly way on SIGTERM and SIGHUP, so that bots are ended and logs are complete."""

    def leave(number: int, frame: FrameType | None) -> None:
        raise SystemExit(128 + number)

    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:  # nohup ignores SIGHUP, so leave that as it is
            signal.signal(number, leave)
