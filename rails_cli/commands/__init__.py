"""The commands of the program, one module each. They parse the command line and call the other packages."""

import errno
import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from types import FrameType

    from click.shell_completion import CompletionItem

FAILED = 3
"""Exit code of a command if a bot lost its seat or did not give a legal answer."""
FIRST_LINE = r'"""`rails-cli (?:\w+ )?(?P<name>[a-z-]+)`: (?P<summary>.+)"""'
"""Regular expression for the first line of a command module. It captures the name and the summary of the command."""
COMMAND = r"`[^`]+`|(?<=: )(?:rails-cli|pip) [^;(]*[^;( ]"
"""Regular expression for a command line in a message: in backticks, or after a colon."""
NO_BREAK = "\0"
"""Character that replaces a space while a line is wrapped, so that the line does not break at this space."""
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
REPEAT_S = 0.05
"""Seconds after which SystemExit is raised again if Python ignored it (see `leave_on_signals`)."""


def is_at_terminal() -> bool:
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))


class LazyGroup(click.Group):
    """A command group that imports a command only to run it or to show its help.

    Each module of the package is a command if its first line is a docstring of the form "`rails-cli NAME`: SUMMARY".
    """

    def __init__(self, *, package: str, order: Sequence[str], at_terminal: str | None = None, **settings: Any) -> None:
        """Create a group of the commands in `package`, a dotted name. Commands in `order` come first in the help.

        If the user gives no command at a terminal, run the command called `at_terminal`. Otherwise show the help.
        """
        super().__init__(**settings)
        self.package = package
        self.order = order
        self.at_terminal = at_terminal

    @cached_property
    def summaries(self) -> dict[str, str]:
        """Mapping from the name of each command to its one-line description."""
        names = (file.removesuffix(".py").replace("_", "-") for file in sorted(os.listdir(self._folder)))
        found = {name: summary for name in names if (summary := self._summary(name)) is not None}
        return {name: found[name] for name in self.order if name in found} | found

    @cached_property
    def _folder(self) -> str:
        """Folder of the command modules. Finding it with importlib.resources would take 5 ms longer."""
        folder: str = import_module(self.package).__path__[0]
        return folder

    def _summary(self, name: str) -> str | None:
        """Return the one-line description of the command `name`, or None if there is no such command.

        Only the first line of the command's module is read.
        """
        try:
            with open(os.path.join(self._folder, f"{name.replace('-', '_')}.py"), encoding="utf-8") as lines:
                command = re.fullmatch(FIRST_LINE, lines.readline().rstrip())
        except (OSError, ValueError):
            return None
        return command["summary"] if command is not None and command["name"] == name else None

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args and self.at_terminal is not None and not ctx.resilient_parsing and is_at_terminal():
            args = [self.at_terminal]
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.summaries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if self._summary(cmd_name) is None:
            return None
        command = import_module(f"{self.package}.{cmd_name.replace('-', '_')}").command
        assert isinstance(command, click.Command)
        command.name = cmd_name  # all modules call it `command`
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.NoSuchCommand as error:
            raise click.NoSuchCommand(error.command_name, possibilities=self.summaries, ctx=ctx) from None

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list["CompletionItem"]:
        """Return completions of command names and options, without importing the commands."""
        from click.shell_completion import CompletionItem

        fitting = [name for name in self.summaries if name.startswith(incomplete)]
        return [CompletionItem(name, help=self.summaries[name]) for name in fitting] + click.Command.shell_complete(
            self, ctx, incomplete
        )

    def invoke(self, ctx: click.Context) -> object:
        """Run a command. Raise ClickException if the disk is full or a game does not exist."""
        try:
            return super().invoke(ctx)
        except click.ClickException as error:
            error.message = _fitting(printable_lines(error.message), error)  # type: ignore[misc]
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


def printable_lines(text: str) -> str:
    """Return `text` with `?` in place of control characters, except line ends."""
    from rails_cli.games.shared.text import printable

    return "\n".join(map(printable, text.split("\n")))


def _fitting(message: str, error: click.ClickException) -> str:
    """Return `message`, the message of `error`, wrapped to fit behind the prefix that click prints.

    Without a terminal on standard error, return `message` unchanged.
    """
    if sys.stderr is None or not sys.stderr.isatty():
        return message
    before = " " * (len("Error: ") + max(0, error.format_message().find(error.message)))
    return "\n".join(_wrapped(message, before, "  ")).lstrip() if "\n" not in message else message


def print_lines(*lines: str, err: bool = False) -> None:
    """Print `lines` with `?` for control characters, because the lines may quote files, bots or servers."""
    for line in lines:
        click.echo(printable_lines(line), err=err)


WIDTH = 100
"""Maximum number of columns of text for people, and the width of text that is not printed to a terminal."""
NARROWEST = 20
"""Minimum width of texts, in columns."""


def output_width() -> int:
    """Return the number of columns for printed text: WIDTH, or fewer if the terminal is narrower."""
    if sys.stdout is None or not sys.stdout.isatty():
        return WIDTH
    return min(terminal_width(), WIDTH)


def terminal_width() -> int:
    """Return the number of columns of the terminal minus 1, but at least NARROWEST."""
    from shutil import get_terminal_size

    return max(NARROWEST, get_terminal_size().columns - 1)


def print_wrapped(*lines: str, err: bool = False) -> None:
    """Print `lines` with `?` for control characters. At a terminal, wrap long lines between words."""
    stream = sys.stderr if err else sys.stdout
    if stream is None or not stream.isatty():
        print_lines(*lines, err=err)
        return
    for line in "\n".join(lines).split("\n") if lines else ():
        indent = " " * (len(line) - len(line.lstrip()) + 2)
        print_lines(*(_wrapped(line, "", indent) if len(line) > terminal_width() else [line]), err=err)


def _wrapped(line: str, first: str, indent: str) -> list[str]:
    """Return `line` as lines that fit the terminal. The first begins with `first`, the others begin with `indent`.

    Words stay whole. A command line also stays whole, on its own line if necessary, so that it can be copied.
    """
    from textwrap import wrap

    whole = re.sub(COMMAND, lambda found: found[0].replace(" ", NO_BREAK), line)
    lines = wrap(
        whole,
        terminal_width(),
        initial_indent=first,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [line.replace(NO_BREAK, " ") for line in lines]


def print_json(value: Any) -> None:
    import msgspec

    click.echo(msgspec.json.encode(value))


@contextmanager
def reported(
    *errors: type[Exception],
    prefix: str = "",
    option: str | None = None,
    kind: type[click.ClickException] = click.ClickException,
) -> Iterator[None]:
    """If the `with` block raises one of `errors`, raise an exception of type `kind` instead.

    The new message is `prefix` and the original message. With `option`, raise BadParameter, which names the
    command-line option `option`.
    """
    try:
        yield
    except errors as error:
        message = f"{prefix}{getattr(error, 'strerror', None) or error}"
        raise (kind(message) if option is None else click.BadParameter(message, param_hint=option)) from None


@contextmanager
def worker_errors() -> Iterator[None]:
    """Raise ClickException if a worker process is killed during the `with` block."""
    from concurrent.futures.process import BrokenProcessPool

    try:
        yield
    except BrokenProcessPool:
        words = "a worker process was killed, perhaps because memory ran out; try fewer --workers"
        raise click.ClickException(words) from None


@contextmanager
def write_errors(path: object = None) -> Iterator[None]:
    """If the `with` block cannot write a file, raise ClickException.

    The message names `path`. If `path` is None, the message names the file that the system reports.
    """
    try:
        yield
    except OSError as error:
        raise click.ClickException(f"cannot write {path or error.filename}: {error.strerror or error}") from None


def _drop_unwritten() -> None:
    """Discard output that cannot be written. Otherwise the interpreter prints an error about it at exit."""
    try:
        sys.stdout.flush()
    except OSError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def leave_on_signals() -> None:
    """Let SIGTERM and SIGHUP raise SystemExit, so that the program stops its bots and closes its logs.

    Python ignores exceptions in some functions, such as those that it calls when a process is forked. If Python ignores
    SystemExit, it is raised again after REPEAT_S seconds.
    """

    import signal

    def leave(number: int, frame: "FrameType | None") -> None:
        raise SystemExit(128 + number)

    def leave_again(ignored: "sys.UnraisableHookArgs") -> None:
        if isinstance(ignored.exc_value, SystemExit):
            signal.setitimer(signal.ITIMER_REAL, REPEAT_S)
        else:
            sys.__unraisablehook__(ignored)

    signal.signal(signal.SIGALRM, lambda number, frame: leave(signal.SIGTERM, frame))
    sys.unraisablehook = leave_again
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:  # with nohup, SIGHUP must stay ignored
            signal.signal(number, leave)
