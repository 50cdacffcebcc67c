"""`rails-cli tournament report`: Write the results as a web page with charts and replays."""

import sys
from pathlib import Path
from typing import Annotated

import click

from rails_cli.basics.extras import install_command
from rails_cli.basics.settings import setting
from rails_cli.commands import print_json, print_wrapped, write_errors
from rails_cli.commands.options import ParsedType, cli_command
from rails_cli.commands.parameters import NEW_FILE
from rails_cli.commands.tournaments.results import ResultsArgument, open_results
from rails_cli.tournament.report.charts import can_draw
from rails_cli.tournament.report.writing import write_report

USUAL_REPLAYS = 20
"""Number of replays in a report if the command names none."""
PAGE = "report.html"


def replay_count(words: str) -> int | None:
    """Parse `all`, `none` or a number of replays. Return the number, or None for all.

    Raise ValueError if `words` is none of these.
    """
    if words.lower() in ("all", "none"):
        return None if words.lower() == "all" else 0
    if not words.isdecimal():
        raise ValueError(
            f"{words!r} is not a number of replays; expected all, none or a number such as {USUAL_REPLAYS}"
        )
    return int(words)


@cli_command
def command(
    results: ResultsArgument,
    out: Annotated[
        Path | None,
        setting(f"Where the page goes.  [default: {PAGE} in the folder of the results]", metavar="FILE", type=NEW_FILE),
    ] = None,
    replays: Annotated[
        int | None,
        setting("Games to write replays for.", metavar="all|none|N", type=ParsedType("all|none|N", replay_count)),
    ] = USUAL_REPLAYS,
    as_json: Annotated[
        bool, setting("Print a summary of what was written as one JSON object for programs.", "--json")
    ] = False,
) -> None:
    """Write the results of the tournament in FOLDER (or of the plan FILE.toml) as one web page.

    The page has standings with intervals, head to head results, ratings over time, the advantage of each seat, and the
    economy of each entrant. It lists faults, and the games with links to their logs. Replays, pages to step through a
    game, are written to the folder replays next to the page. If there are many games, only the most interesting ones
    get replays, and the page says which. The page opens from disk in any browser. Keep the folder together when you
    move it. The page can be written while the tournament runs. Charts need an extra: pip install 'rails-cli[report]'.
    Without the extra, there are tables.

    \b
    Examples:
      rails-cli tournament report league-results
      rails-cli tournament report league.toml --replays all
      rails-cli tournament report league-results --out site/index.html --replays 100
    """
    with open_results(results) as store:
        page = out or store.folder / PAGE
        with write_errors(page):
            written = write_report(store, page, replays, _progress)
    if sys.stderr.isatty():
        click.echo(err=True)
    for mistake in written.mistakes:
        print_wrapped(f"no replay written: {mistake}", err=True)
    if not can_draw():
        print_wrapped(f"no charts were drawn; they need an extra: {install_command('report')}", err=True)
    if as_json:
        print_json(written)
        return
    print_wrapped(f"{written.report}: {written.games:,} games, {len(written.replays):,} replays")


def _progress(step: str) -> None:
    """Print a step of the work on standard error. At a terminal, replace the previous step."""
    if sys.stderr.isatty():
        click.echo(f"\r\x1b[K{step}", err=True, nl=False)
    else:
        click.echo(step, err=True)
