"""Shared code of the commands that read the results of a tournament: opening the results and printing tables."""

import sys
import tomllib
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click
import msgspec

from rails_cli.commands import print_lines, print_wrapped, reported
from rails_cli.commands.options import argument
from rails_cli.games.shared.text import printable
from rails_cli.match.faults import fault_words
from rails_cli.tournament.results.group_results import GameFault
from rails_cli.tournament.results.store import Store, StoreError, ask_commands
from rails_cli.tournament.words import mark_words, marked

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

    from rails_cli.tournament.rating.forfeits import Suspended
    from rails_cli.tournament.rating.standings import ShortRow

SHORT_HEADS = ["", "entrant", "rating", "95%", "games", "mean rank", "wins", "faults"]
LEAST_NAME = 16
"""Number of characters to which names are shortened in a table that is too wide, before columns are left out."""
GAP = 2
"""Number of spaces between two columns of a table."""

ResultsArgument = Annotated[Path, argument("FOLDER|FILE.toml", type=click.Path(exists=True, path_type=Path))]


@contextmanager
def open_results(results: Path) -> Iterator[Store]:
    """Yield the opened results of a tournament for a `with` block. Raise ClickException if the results cannot be read.

    `results` is the folder of the results, or the file of the plan of the tournament.
    """
    folder = results
    if results.is_file():
        with reported(tomllib.TOMLDecodeError, UnicodeDecodeError, prefix=f"{results}: "):
            plan = tomllib.loads(results.read_text(encoding="utf-8"))
        folder = results.parent / str(plan.get("output") or f"{plan.get('name') or results.stem}-results")
    with reported(StoreError), Store(folder) as store:
        yield store


def show_table(title: str, heads: list[str], rows: list[list[str]]) -> None:
    """Print a table whose first two columns are left-aligned.

    `heads` are the headings of the columns. The last columns are left out if the window is narrow.
    """
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False, width=None if sys.stdout.isatty() else 120)
    is_ascii = console.options.ascii_only
    words = fitted(Text(title, "italic"), is_ascii=is_ascii)
    words.no_wrap = False
    console.print(words, soft_wrap=not console.is_terminal)
    shown = _columns_that_fit(heads, rows, console.width)
    console.print(fitted_table(heads[:shown], [row[:shown] for row in rows], console.width, is_ascii=is_ascii))
    if shown < len(heads):
        more = Text(f"a wider window also shows: {', '.join(heads[shown:])}", "dim")
        console.print(more, soft_wrap=not console.is_terminal)


def _columns_that_fit(heads: list[str], rows: list[list[str]], width: int) -> int:
    """Return how many columns of a table fit in `width` characters if the second column, with names, is shortened."""
    used = 0
    for number, column in enumerate(zip(heads, *rows, strict=True)):
        longest = max(map(len, column))
        used += min(longest, LEAST_NAME) if number == 1 else longest
        if used > width and number > 1:
            return number
        used += GAP
    return len(heads)


def fitted_table(heads: list[str], rows: list[list[str]], width: int, *, is_ascii: bool, left: int = 2) -> "Table":
    """Return a table with `left` left-aligned columns. Names in the second column are shortened to fit `width`.

    With `is_ascii`, the table has only ASCII characters.
    """
    from rich import box
    from rich.cells import cell_len
    from rich.table import Table
    from rich.text import Text

    widths = [max(map(cell_len, column)) for column in zip(heads, *rows, strict=True)]
    others = sum(widths) - widths[1] + GAP * (len(heads) - 1)
    widths[1] = min(widths[1], max(LEAST_NAME, width - others))
    table = Table(
        box=None if is_ascii else box.SIMPLE_HEAD,
        pad_edge=False,
        show_edge=False,
        padding=(0, GAP if is_ascii else GAP - 1, 0, 0),  # the column separator is drawn as a blank
    )
    for index, head in enumerate(heads):
        justify: Any = "left" if index < left else "right"
        table.add_column(head, justify=justify, no_wrap=True, width=widths[index])
    for row in rows:
        cells = zip(heads, row, strict=True)
        table.add_row(*(fitted(Text(words, "bold" * (head == "rating")), is_ascii=is_ascii) for head, words in cells))
    return table


def fitted(text: "Text", *, is_ascii: bool) -> "Text":
    """Change `text` so that it is shown in one line and, with `is_ascii`, in ASCII characters. Return `text`."""
    if not text.plain.isprintable():
        text.plain = printable(text.plain)
    text.no_wrap = True
    text.overflow = "crop" if is_ascii else "ellipsis"
    if is_ascii and not text.plain.isascii():
        text.plain = text.plain.encode("ascii", "replace").decode()
    return text


def between(low: float | None, high: float | None, no_limit: str = "…") -> str:
    """Return the interval from `low` to `high` as text. A limit that is None is shown as `no_limit`."""
    return " to ".join(no_limit if end is None else whole(end) for end in (low, high))


def whole(number: float) -> str:
    """Format a number without decimals. A number that rounds to zero has no sign."""
    return f"{number:z.0f}"


def games_words(games: int, copies: int) -> str:
    """Return text with the number `games` of games that count, such as `90`.

    `copies` is the number of repeated games, which do not count. If `copies` is not 0, the text also has the total, as
    in `90 of 100`.
    """
    return f"{games:,} of {games + copies:,}" if copies else f"{games:,}"


def print_fault_notes(
    lost_seats: Mapping[str, int], suspended: Sequence["Suspended"], shown: Collection[str] = ()
) -> None:
    """Print notes below a table: what the mark after some names means, and which entrants are suspended.

    `lost_seats` maps names of entrants to numbers of lost seats. Entrants that have lost seats are marked. The note
    about a suspended entrant has the end of its stderr, unless the entrant is in `shown`: its stderr is then shown
    elsewhere.
    """
    words = mark_words(lost_seats)
    reasons = [one.summary if one.entrant in shown else str(one) for one in suspended]
    print_wrapped(*([words] if words else []), *reasons)


def print_fault(words: str, fault: GameFault, ask: str | None, indent: str) -> None:
    """Print `words` about a fault, the last stderr lines of the bot, and `ask`, the command that asks the bot again.

    `ask` is None if there is no such command. `indent` is printed before each line except the first.
    """
    print_wrapped(words)
    print_lines(*(f"{indent}| {line}" for line in fault.stderr.splitlines()))
    if ask is not None:
        print_wrapped(f"{indent}to ask the bot again: {ask}")


class LastFault(msgspec.Struct, frozen=True):
    """The last fault of an entrant, and the command that asks the bot the same question again.

    `game` is the name of the game with this fault. `ask` is the command, or None if the question cannot be asked again.
    `codes` maps fault codes to numbers: how many faults of the entrant have this code.
    """

    game: str
    fault: GameFault
    ask: str | None
    codes: dict[str, int]

    def say(self) -> None:
        print_wrapped(f"{self.fault.entrant}: {fault_words(self.codes)}")
        print_fault(f"last fault of {self.fault}, in game {self.game}", self.fault, self.ask, indent="  ")

    def as_object(self) -> dict[str, Any]:
        return {"game": self.game, **msgspec.to_builtins(self.fault), "ask": self.ask, "codes": self.codes}


def last_faults_of(store: Store) -> dict[str, LastFault]:
    """Return a mapping from the name of each entrant with faults to its last fault, in alphabetical order."""
    last: dict[str, tuple[str, GameFault]] = {}
    codes: dict[str, Counter[str]] = {}
    for group, fault in store.faults():
        last[fault.entrant] = group, fault
        codes.setdefault(fault.entrant, Counter())[fault.code] += 1
    ask = ask_commands(store)
    return {
        name: LastFault(f"{group}-{fault.number}", fault, ask(group, fault), dict(sorted(codes[name].items())))
        for name, (group, fault) in sorted(last.items())
    }


def row_words(row: "ShortRow", no_limit: str = "…", *, has_left: bool = False) -> dict[str, str]:
    """Return an entrant's row in the short standings: a mapping from the headings of columns to the texts of cells.

    An unknown limit of an interval is shown as `no_limit`. `has_left` marks an entrant that has left the tournament.
    """
    return {
        "": str(row.place or ""),
        "entrant": marked(f"{row.name} (left)" if has_left else row.name, row.lost_seats),
        "rating": "none" if row.rating is None else whole(row.rating),
        "95%": "" if row.rating is None else between(row.low, row.high, no_limit),
        "games": games_words(row.games, row.copies),
        "mean rank": f"{row.mean_rank:.2f}",
        "wins": f"{row.win_share:.1%}",
        "faults": f"{row.faults:,}",
    }
