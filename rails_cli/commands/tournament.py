"""`rails-cli tournament`: Run tournaments with trustworthy ratings."""

import click

from rails_cli.commands import LazyGroup

ORDER = ("init", "run", "compare", "tune", "status", "standings", "games", "report", "export", "audit", "plan")


@click.group(cls=LazyGroup, package="rails_cli.commands.tournaments", order=ORDER)
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
