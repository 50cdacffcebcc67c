"""The command line. Each command is a module of `rails_cli.commands`, imported when it is used."""

import gc
import sys
from importlib.util import find_spec

import click

from rails_cli import __version__
from rails_cli.commands import LazyGroup

ORDER = (
    *(
        "learn",
        "play",
        "daily",
        "watch",
        "home",
        "games",
        "rules",
        "run",
        "tournament",
        "check-bot",
        "bench-agent",
        "new-game",
        "check-game",
        "ask",
        "new-bot",
        "host",
    ),
    *(
        "serve",
        "server",
        "backup",
        "restore",
        "connect",
        "pool",
        "sandbox",
        "player",
        "engine",
        "mcp",
        "tables",
        "resume",
        "verify",
        "key",
        "replay",
    ),
    *("branches", "analyse", "export", "simulate", "train", "completion", "schemas"),
)
"""Order of the commands in the help. Commands that are not listed here follow in alphabetical order."""

gc.set_threshold(100_000)  # with the default, 700, the start of `play` takes 12% more CPU time


def show_version(ctx: click.Context, param: click.Parameter, is_wanted: bool) -> None:
    if is_wanted and not ctx.resilient_parsing:
        engine = find_spec("rails_cli.match.match")
        is_compiled = engine is not None and engine.origin is not None and not engine.origin.endswith(".py")
        click.echo(f"rails-cli {__version__}{' (compiled)' if is_compiled else ''}")
        ctx.exit()


@click.group(
    cls=LazyGroup,
    package="rails_cli.commands",
    order=ORDER,
    at_terminal="home",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100, "show_default": True},
)
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

    Without a command, at a terminal: your games, and everything you can play, learn and watch.

    New here? rails-cli games; rails-cli learn last_spike; rails-cli play
    """
    if any("seed" in word for word in sys.argv):
        from rails_cli.basics.seeds import hide_seed

        hide_seed()
