"""`rails-cli tournament audit`: checks the results against the logs."""

import re
import sys
from pathlib import Path

import click
import msgspec

from rails_cli.commands.tournaments.results import (
    SHORT_HEADS,
    open_results,
    results_argument,
    row_words,
    say,
    show_table,
)
from rails_cli.commands.verify import NOT_CHECKED, PUBLIC_KEY
from rails_cli.cores import all_cores
from rails_cli.games.phrases import counted
from rails_cli.tournament.results.audit import audit
from rails_cli.tournament.run.workers import InProcess, Pool, abandon


def _read_head(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    if value is not None and not re.fullmatch("[0-9a-fA-F]{64}", value):
        raise click.BadParameter("a head has 64 hexadecimal digits, as `standings` shows it")
    return value


@click.command
@results_argument
@click.option("--head", metavar="HEX", callback=_read_head, help="The head shown when the tournament ended.")
@click.option(
    "--key", type=PUBLIC_KEY, metavar="FILE|URL|KEY", help="Name each log that is not signed with this public key."
)
@click.option("--workers", type=click.IntRange(1, 1024), help="Processes to use.  [default: all cores]")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object for programs.")
def command(results: Path, head: str | None, key: str | None, workers: int | None, as_json: bool) -> None:
    """Check the results of the tournament in FOLDER (or of the plan FILE.toml) against its logs.

    All logs are replayed. Ranks, faults, times and standings are recomputed from them alone and compared with the
    database; the schedule is rebuilt from the plan. A missing or changed log, a changed row, swapped or renamed
    players, and added or missing games are each named; the exit code is 1 if there are any.

    What this does not prove: that nobody rewrote logs and database together. The head does, if you have one from
    before: it is shown at the end of a run and by `standings`, and covers every game and every log. If more was played
    since, a note says how much. Nor can anyone rewrite signed logs without the key that signs them (`tournament run
    --sign`): the audit says who signed them, and --key compares it. Exit code 3 means that something could not be
    checked: signatures, because rails-cli[sign] is not installed; with --key, a game without a log; or everything,
    because no log is left.

    \b
    Examples:
      rails-cli tournament audit league-results
      rails-cli tournament audit league-results --head 5f0c19…
      rails-cli tournament audit league-results --key league.key
      rails-cli tournament audit league.toml --json
    """
    count = workers or all_cores()
    with open_results(results) as store:
        name = store.plan().name
        executor = InProcess() if count == 1 else Pool(count)
        try:
            found = audit(store, executor, head, key)
        finally:
            abandon(executor)
    if not found.games and not found.findings:
        raise click.ClickException(f"there is nothing to check in {results}: no seed group was finished")
    if as_json:
        click.echo(msgspec.json.encode(found))
    else:
        for finding in found.findings:
            say(f"{finding.about}: {finding.words}")
        for note in found.notes:
            say(f"note: {note}")
        verdict = "everything matches the results" if found.logs else "no log is left to check the results against"
        if found.findings:
            verdict = counted(len(found.findings), "finding")
        title = (
            f"{name}, by its logs: {counted(found.games, 'game')}, {counted(found.logs, 'log')} played again; {verdict}"
        )
        show_table(title, SHORT_HEADS, [list(row_words(row).values()) for row in found.table])
        click.echo(f"head of all games: {found.head}")
        for words in found.signatures.words():
            click.echo(words)
        if head is None and key is None:
            click.echo("without --head this does not prove that logs and database were not rewritten together")
    is_checked = not found.signatures.unchecked and found.logs and (key is None or not found.unproven)
    sys.exit(1 if found.findings else 0 if is_checked else NOT_CHECKED)
