"""`rails-cli openings check`: is a book good?"""

import sys
from pathlib import Path

import click
import msgspec

from rails_cli.commands.parameters import board_option, book_argument, book_in, table_of_book
from rails_cli.match.opening_book import BadBook, check_entries


@click.command
@book_argument
@board_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object for programs.")
def command(file: Path, board_file: Path | None, as_json: bool) -> None:
    """Replay every opening of the book in FILE and report errors: actions, positions, duplicate openings.

    How often each seat wins is only checked for impossible values. The games that measured it are not played again: to
    verify it, make the book again with the players and the random seed named in its first line.

    \b
    Examples:
      rails-cli openings check ce3.jsonl
      rails-cli openings check ce3.jsonl --json
    """
    mistakes: list[str] = []
    entries = 0
    try:
        book = book_in(file)
        entries = len(book.entries)
        check_entries(book, table_of_book(book, board_file))
    except BadBook as bad:
        mistakes = bad.mistakes
    if as_json:
        click.echo(msgspec.json.encode({"file": str(file), "entries": entries, "mistakes": mistakes}))
    else:
        for mistake in mistakes:
            click.echo(f"{file}: {mistake}")
        if not mistakes:
            click.echo(f"{file}: {entries} openings, all valid; how often each seat wins was not measured again")
    sys.exit(1 if mistakes else 0)
