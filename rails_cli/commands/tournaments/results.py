"""What the commands that look at results share: finding them, and tables."""

import sys
import tomllib
from pathlib import Path
from typing import Any

import click

from rails_cli.tournament.store import Store, StoreError

results_argument = click.argument("results", type=click.Path(exists=True, path_type=Path), metavar="FOLDER|FILE.toml")


def open_results(results: Path) -> Store:
    """The results in a folder, or those of the plan in a file."""
    folder = results
    if results.is_file():
        try:
            plan = tomllib.loads(results.read_text(encoding="utf-8"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise click.ClickException(f"{results}: {error}") from None
        folder = results.parent / str(plan.get("output") or f"{plan.get('name') or results.stem}-results")
    try:
        return Store(folder)
    except StoreError as error:
        raise click.ClickException(str(error)) from None


def show_table(title: str, heads: list[str], rows: list[list[str]]) -> None:
    """A table of words; the first two columns to the left."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False, width=None if sys.stdout.isatty() else 120)
    table = Table(
        title=title,
        title_justify="left",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        show_edge=False,
        padding=(0, 2, 0, 0),
    )
    for index, head in enumerate(heads):
        table.add_column(head, justify="left" if index < 2 else "right", no_wrap=True)
    for row in rows:
        table.add_row(*row)
    console.print(table)


def between(low: float | None, high: float | None) -> str:
    """An interval in words; an open end where there is no limit."""
    return f"{'…' if low is None else f'{low:.0f}'} to {'…' if high is None else f'{high:.0f}'}"


def in_json(value: Any) -> bytes:
    import msgspec

    return msgspec.json.encode(value)
