"""`rails-cli openings show`: the openings of a book in words."""

from pathlib import Path
from typing import Any

import click
import msgspec

from protocol.openings import BookEntry
from rails_cli.commands.parameters import board_option, book_argument, book_in, table_of_book
from rails_cli.games import load_face
from rails_cli.games.phrases import printable
from rails_cli.match.opening_book import BadBook, Table, check_entries


@click.command
@book_argument
@click.option("--entry", "numbers", type=click.IntRange(1), multiple=True, help="Only this opening, by its number.")
@board_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object for programs.")
def command(file: Path, numbers: tuple[int, ...], board_file: Path | None, as_json: bool) -> None:
    """Show the openings of the book in FILE: what happens, and how often each seat won from there.

    \b
    Examples:
      rails-cli openings show ce3.jsonl
      rails-cli openings show ce3.jsonl --entry 7 --entry 8
    """
    try:
        book = book_in(file)
        table = table_of_book(book, board_file)
        check_entries(book, table)
    except BadBook as bad:
        raise click.ClickException("\n".join(f"{file}: {mistake}" for mistake in bad.mistakes)) from None
    for number in numbers:
        if number > len(book.entries):
            raise click.BadParameter(f"{number}; the last one is {len(book.entries)}", param_hint="--entry")
    chosen = [entry for entry in book.entries if not numbers or entry.number in numbers]
    if as_json:
        click.echo(msgspec.json.encode({"header": book.header, "entries": chosen}))
        return
    by = ", ".join(map(printable, book.header.by))
    click.echo(f"{table.game.title} for {table.players}: {len(book.entries)} openings by {by}")
    for entry in chosen:
        click.echo(f"\n{entry.number}. {_balance(entry)}")
        for line in _story(entry, table):
            click.echo(f"   {line}")


def _balance(entry: BookEntry[Any]) -> str:
    shares = ", ".join(
        f"seat {seat + 1} {won.share:.0%} ({won.low:.0%} to {won.high:.0%})" for seat, won in enumerate(entry.balance)
    )
    return f"won in {entry.games} games: {shares}"


def _story(entry: BookEntry[Any], table: Table) -> list[str]:
    events: list[Any] = []
    state = table.game.setup(table.board, table.players, table.options, 0, events)
    for action in entry.actions:
        table.game.apply(state, table.board, action, events)
    tell, board = load_face(table.game.name).tell, table.game.wire_board(table.board)
    names = [f"seat {seat + 1}" for seat in range(table.players)]
    return [printable(tell(board, event, names)) for event in events]
