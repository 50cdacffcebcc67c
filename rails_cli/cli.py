"""The command line: a table of commands. Each is a module of `rails_cli.commands`, imported when it is used."""

import sys
from importlib.util import find_spec

import click

from rails_cli import __version__
from rails_cli.commands import LazyGroup

COMMANDS = {
    "learn": "A guided first game.",
    "play": "Play at this terminal against bots and people.",
    "watch": "Watch bots play, or a server's table.",
    "home": "Your games: resume, learn, play, watch, past games, statistics.",
    "games": "List the games: theme, length, players, options, boards.",
    "rules": "Show the numbered rules of a game.",
    "run": "Play one match between bots.",
    "tournament": "Run tournaments with trustworthy ratings.",
    "check-bot": "Check a bot and report what to fix.",
    "ask": "Ask a bot a question from a logged game again.",
    "new-bot": "Create a starter bot in the language of your choice.",
    "host": "Host matches over standard input and output.",
    "serve": "Run a websocket server for people and bots.",
    "connect": "Connect a bot to a server table.",
    "pool": "Enter a server's rated pool, or run one.",
    "sandbox": "Show which sandboxes for bots work on this machine.",
    "player": "Run a built-in player as a bot on standard input and output.",
    "engine": "Serve the rules to a bot that looks ahead.",
    "tables": "List a server's tables, or create one.",
    "resume": "Resume an interrupted game.",
    "verify": "Verify logs line by line.",
    "key": "Create or show a key that signs logs.",
    "replay": "Step through a logged game.",
    "branches": "Compare a logged game with others that continue from its positions.",
    "analyse": "Judge the moves of logged games and find the moments that decided them.",
    "export": "Export a logged game as a web page or a picture.",
    "simulate": "Play many games quickly and summarise them.",
    "completion": "Set up completion of commands, options and games in your shell.",
    "schemas": "Check or write the JSON Schemas of the protocol.",
}


def show_version(ctx: click.Context, param: click.Parameter, is_wanted: bool) -> None:
    if is_wanted and not ctx.resilient_parsing:
        engine = find_spec("rails_cli.match.match")
        is_compiled = engine is not None and engine.origin is not None and not engine.origin.endswith(".py")
        click.echo(f"rails-cli {__version__}{' (compiled)' if is_compiled else ''}")
        ctx.exit()


@click.group(
    cls=LazyGroup,
    package="rails_cli.commands",
    summaries=COMMANDS,
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
