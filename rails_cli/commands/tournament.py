"""`rails-cli tournament`: subcommands for tournaments. Each is imported when it is called."""

import click

from rails_cli.commands import LazyGroup

PARTS = {
    "init": "Write an example plan to start from.",
    "run": "Play a tournament, or resume it.",
    "status": "Show a tournament's progress.",
    "standings": "Show who is best, and how certain that is.",
    "games": "List the games.",
    "report": "Write the results as a web page with charts and replays.",
    "export": "Write the results for other programs.",
    "audit": "Check the results against the logs.",
    "plan": "Estimate the games and minutes a question will take.",
}


@click.group(cls=LazyGroup, package="rails_cli.commands.tournaments", summaries=PARTS)
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
