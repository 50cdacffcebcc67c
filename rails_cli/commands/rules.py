"""`rails-cli rules`: Show the numbered rules of a game."""

import os
import sys

import click

from rails_cli.commands import print_wrapped
from rails_cli.commands.options import cli_command
from rails_cli.commands.parameters import OptionalGame
from rails_cli.games import load_face, load_game, rule_sheet, whole_games


@cli_command
def command(game_name: OptionalGame = None) -> None:
    """Show the numbered rules of GAME: paged on a terminal, as Markdown otherwise. Without GAME, list the games.

    \b
    Examples:
      rails-cli rules
      rails-cli rules last_spike
      rails-cli rules american_rails | grep AR-3
    """
    if game_name is None:
        list_games()
        return
    sheet = rule_sheet(game_name)
    if not sys.stdout.isatty():
        click.echo(sheet, nl=False)
        return
    from rich.console import Console
    from rich.markdown import Markdown

    console = Console()
    with console.capture() as capture:
        console.print(Markdown(sheet))
    pager = next(iter(os.environ.get("PAGER", "less").split()), "")
    is_less = os.path.basename(pager) == "less"
    if is_less:  # less needs -R to show styles, and other pagers may not support them
        os.environ["LESS"] = f"{os.environ.get('LESS', '')} -R".strip()
    click.echo_via_pager(capture.get(), color=is_less)


def list_games() -> None:
    """Print the games whose rules can be shown, and how to read the rules."""
    for name in sorted(whole_games(), key=lambda name: load_face(name).difficulty):
        game = load_game(name)
        players = f"{game.players[0]} to {game.players[-1]} players"
        print_wrapped(f"{game.title} ({players}): rails-cli rules {name}")
    print_wrapped(
        "",
        "Every rule has a number. During a game, `rule NUMBER` or `rule WORD` shows a rule, and `?` those behind the "
        "question. To learn a game by playing it: rails-cli learn GAME",
    )
