"""`rails-cli rules`: Show the numbered rules of a game."""

import os
import sys

import click

from rails_cli.commands.options import cli_command
from rails_cli.commands.parameters import GameArgument
from rails_cli.games import rule_sheet


@cli_command
def command(game_name: GameArgument) -> None:
    """Show the numbered rules of GAME: paged on a terminal, as Markdown otherwise.

    \b
    Examples:
      rails-cli rules last_spike
      rails-cli rules american_rails | grep AR-3
    """
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
