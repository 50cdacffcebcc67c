"""`rails-cli restore`: Restore the data of a server from a backup."""

from pathlib import Path
from typing import Annotated

import click

from rails_cli.basics.cores import usable_cores
from rails_cli.basics.settings import setting
from rails_cli.commands import print_lines, reported
from rails_cli.commands.options import argument, cli_command
from rails_cli.commands.parameters import Workers
from rails_cli.commands.verify import verify_files
from rails_cli.games.faces.phrases import count_phrase
from rails_cli.server.backup import TABLES, BackupError, unpacked_backup


@cli_command
def command(
    file: Annotated[Path, argument("FILE", type=click.Path(exists=True, dir_okay=False, path_type=Path))],
    folder: Annotated[Path, setting("The new data folder.", "--data", "DIRECTORY")] = Path("rails-data"),
    force: Annotated[bool, setting("Restore even if a log is invalid.")] = False,
    workers: Workers = None,
) -> None:
    """Restore the data of a server from FILE, which `rails-cli backup` wrote, to a new or empty folder.

    The checksums of all files are compared, and all logs are verified line by line. If a file is damaged or a log is
    invalid, nothing is written and the exit code is 1. After a successful restore, `rails-cli serve` with the folder
    resumes the games.

    \b
    Examples:
      rails-cli restore rails-2026-11-18.tar.gz
      rails-cli restore /backups/monday.tar.gz --data /var/lib/rails-cli
    """
    with reported(BackupError), unpacked_backup(file, folder) as unpacked:
        logs = sorted((unpacked / TABLES).glob("*.jsonl"))
        verdicts = verify_files(logs, workers or usable_cores())
        wrong = [(log, verdict) for log, verdict in zip(logs, verdicts, strict=True) if verdict.mistake is not None]
        print_lines(*(f"{log.name}: {verdict.mistake}" for log, verdict in wrong), err=True)
        if wrong and not force:
            raise BackupError(f"{len(wrong)} of {len(logs)} logs are invalid; --force restores them as they are")
    unfinished = sum(not verdict.is_finished for verdict in verdicts)
    good = f"{len(logs) - len(wrong)} verified, {unfinished} unfinished"
    click.echo(f"{folder}: {count_phrase(len(logs), 'log')}, {good}")
