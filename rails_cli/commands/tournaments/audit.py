"""`rails-cli tournament audit`: Check the results against the logs."""

import re
import sys
from typing import Annotated

import click

from rails_cli.basics.cores import usable_cores
from rails_cli.basics.settings import setting
from rails_cli.commands import print_json, print_wrapped
from rails_cli.commands.options import ParsedType, cli_command
from rails_cli.commands.parameters import Json, Workers
from rails_cli.commands.tournaments.results import SHORT_HEADS, ResultsArgument, open_results, row_words, show_table
from rails_cli.commands.verify import NOT_CHECKED, PUBLIC_KEY
from rails_cli.games.faces.phrases import count_phrase
from rails_cli.tournament.results.audit import audit
from rails_cli.tournament.run.workers import InProcess, WorkerPool, abandon


def _read_head(words: str) -> str:
    if not re.fullmatch("[0-9a-fA-F]{64}", words):
        raise ValueError("a head has 64 hexadecimal digits, as `standings` shows it")
    return words


@cli_command
def command(
    results: ResultsArgument,
    head: Annotated[
        str | None, setting("The head shown when the tournament ended.", type=ParsedType("hex", _read_head))
    ] = None,
    key: Annotated[
        str | None, setting("Name each log that is not signed with this public key.", type=PUBLIC_KEY)
    ] = None,
    workers: Workers = None,
    as_json: Json = False,
) -> None:
    """Check the results of the tournament in FOLDER (or of the plan FILE.toml) against its logs.

    All logs are replayed. Ranks, faults, times and standings are recomputed from the logs alone and compared with the
    database. The schedule is rebuilt from the plan. Missing or changed logs, changed rows, swapped or renamed players,
    and added or missing games are named. The exit code is 1 if there are any.

    The logs alone do not prove that nobody rewrote logs and database together. The head, a hash of all games and logs,
    proves this. It is shown at the end of a run and by `standings`. Give an earlier head with --head. If more was
    played since, a note says how much. Signed logs (`tournament run --sign`) cannot be rewritten without the key that
    signs them. The audit says which keys have signed logs, and --key compares them. Exit code 3 means that something
    could not be checked. That can be signatures if rails-cli[sign] is not installed, or games without a log if --key is
    given. If no log is left, nothing could be checked.

    \b
    Examples:
      rails-cli tournament audit league-results
      rails-cli tournament audit league-results --head 5f0c19…
      rails-cli tournament audit league-results --key league.key
      rails-cli tournament audit league.toml --json
    """
    count = workers or usable_cores()
    with open_results(results) as store:
        name = store.plan().name
        executor = InProcess() if count == 1 else WorkerPool(count)
        try:
            found = audit(store, executor, head, key)
        finally:
            abandon(executor)
    if not found.games and not found.findings:
        raise click.ClickException(f"there is nothing to check in {results}: no seed group was finished")
    if as_json:
        print_json(found)
    else:
        print_wrapped(*(f"{finding.about}: {finding.words}" for finding in found.findings))
        print_wrapped(*(f"note: {note}" for note in found.notes))
        verdict = "everything matches the results" if found.logs else "no log is left to check the results against"
        if found.findings:
            verdict = count_phrase(len(found.findings), "finding")
        games, logs = count_phrase(found.games, "game"), count_phrase(found.logs, "log")
        title = f"{name}, by its logs: {games}, {logs} played again; {verdict}"
        show_table(title, SHORT_HEADS, [list(row_words(row).values()) for row in found.table])
        print_wrapped(f"head of all games: {found.head}", *found.signatures.words())
        if head is None and key is None:
            print_wrapped("without --head this does not prove that logs and database were not rewritten together")
    is_checked = not found.signatures.unchecked and found.logs and (key is None or not found.unproven)
    sys.exit(1 if found.findings else 0 if is_checked else NOT_CHECKED)
