"""`rails-cli openings`: books of openings. Each part is imported when it is called."""

import click

from rails_cli.commands import LazyGroup

PARTS = {
    "make": "Create a book of balanced openings.",
    "check": "Check every opening of a book.",
    "show": "Show the openings of a book in words.",
}


@click.group(cls=LazyGroup, package="rails_cli.commands.opening_books", summaries=PARTS)
def command() -> None:
    """Create, check and show opening books, for games without luck.

    Without luck, players who never vary play the same game again and again. With --openings FILE, games of `run`,
    `host`, `simulate` and `tournament run` start from the openings of a book instead.

    \b
    Examples:
      rails-cli openings make chicago_express --players 3 --count 100 --out ce3.jsonl
      rails-cli openings check ce3.jsonl
      rails-cli openings show ce3.jsonl --entry 7
    """
