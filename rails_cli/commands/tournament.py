"""`rails-cli tournament`: tournaments, from their plan to their results. Each part is imported when it is called."""

from importlib import import_module

import click

PARTS = {
    "init": "Write a plan to start from.",
    "run": "Play a tournament, or go on with it.",
    "status": "How far a tournament is.",
    "standings": "Who is best, and how sure that is.",
    "games": "List the games.",
    "report": "Write the results as a web page with charts and replays.",
    "export": "Write the results for other programs.",
    "plan": "How many games and minutes a question will take.",
}


class Parts(click.Group):
    """A group that imports a command only to run it or show its help."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(PARTS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in PARTS:
            return None
        command = import_module(f"rails_cli.commands.tournaments.{cmd_name}").command
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(PARTS.items()))


@click.group(cls=Parts)
def command() -> None:
    """Run tournaments with trustworthy ratings: fair seatings, ratings with intervals, nothing lost by a crash.

    \b
    Examples:
      rails-cli tournament init league.toml
      rails-cli tournament run league.toml
      rails-cli tournament run --bots mybots --game last_spike --players 3 --minutes 10
      rails-cli tournament standings league-results
      rails-cli tournament report league-results
    """
