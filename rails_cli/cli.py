"""The command line: a table of commands. Each is a module of `rails_cli.commands`, imported when it is called."""

import errno
from importlib import import_module
from importlib.util import find_spec

import click

from rails_cli import __version__

COMMANDS = {
    "play": "Play at this terminal against bots and people.",
    "learn": "A guided first game.",
    "games": "What can be played: players, options, boards.",
    "rules": "Show the numbered rules of a game.",
    "run": "Play one match between bots.",
    "tournament": "Run tournaments with trustworthy ratings.",
    "check-bot": "Check a bot and report what to fix.",
    "new-bot": "Write a starting point for a bot in a language of your choice.",
    "host": "Host one match over standard input and output.",
    "serve": "Run a websocket server for people and bots.",
    "connect": "Connect a bot to a server table.",
    "tables": "List and make tables of a server.",
    "resume": "Resume an interrupted game.",
    "verify": "Verify logs line by line.",
    "replay": "Step through a logged game.",
    "export": "A logged game as a web page or a picture.",
    "simulate": "Play many games in this process and sum them up.",
    "schemas": "Compare or write the JSON Schemas of the protocol.",
}

NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class LazyGroup(click.Group):
    """A group that knows its commands by name and imports one only to run it or show its help."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command = import_module(f"rails_cli.commands.{cmd_name.replace('-', '_')}").command
        assert isinstance(command, click.Command)
        return command

    def invoke(self, ctx: click.Context) -> object:
        """Runs a command; no room for its output, or a game that cannot be played, is told in one line.

        Click itself minds closed pipes.
        """
        try:
            return super().invoke(ctx)
        except OSError as error:
            if error.errno not in NO_ROOM:
                raise
            raise click.ClickException(f"cannot write {error.filename or 'the output'}: {error.strerror}") from None
        except LookupError as error:
            from rails_cli.games import NoSuchGame

            if not isinstance(error, NoSuchGame):
                raise
            raise click.ClickException(str(error)) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


def show_version(ctx: click.Context, param: click.Parameter, is_wanted: bool) -> None:
    if is_wanted and not ctx.resilient_parsing:
        engine = find_spec("rails_cli.match.match")
        is_compiled = engine is not None and engine.origin is not None and not engine.origin.endswith(".py")
        click.echo(f"rails-cli {__version__}{' (compiled)' if is_compiled else ''}")
        ctx.exit()


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option(
    "-V",
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=show_version,
    help="Show the version and exit.",
)
def main() -> None:
    """A game server for Chicago Express, The Last Spike and American Rails.

    Try: rails-cli games; rails-cli rules last_spike; rails-cli simulate chicago_express --players 4 --games 100
    """
