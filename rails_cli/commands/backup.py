"""`rails-cli backup`: Copy all data of a server to a file, while the server runs."""

from pathlib import Path
from typing import Annotated

import click

from rails_cli.commands import reported
from rails_cli.commands.options import argument, cli_command
from rails_cli.commands.parameters import DataFolder
from rails_cli.games.faces.phrases import count_phrase
from rails_cli.server.backup import TABLES, BackupError, write_backup


@cli_command
def command(
    file: Annotated[Path, argument("FILE")],
    folder: DataFolder = Path("rails-data"),
) -> None:
    """Write a backup of a server's data to the new file FILE, a compressed tar file.

    The server may be running. The copy is consistent: a server that starts with the restored data resumes every
    game at the last action in the backup. FILE contains the tokens and keys of the server, so only the
    owner of FILE can read it.

    \b
    Examples:
      rails-cli backup rails-$(date +%F).tar.gz
      rails-cli backup /backups/monday.tar.gz --data /var/lib/rails-cli
    """
    with reported(BackupError):
        manifest = write_backup(folder, file)
    logs = sum(name.startswith(f"{TABLES}/") and name.endswith(".jsonl") for name in manifest.files)
    kilobytes = file.stat().st_size / 1e3
    size = f"{kilobytes:.1f} kB" if kilobytes < 1000 else f"{kilobytes / 1e3:.1f} MB"
    click.echo(f"{file}: {count_phrase(logs, 'log')}, {count_phrase(len(manifest.files), 'file')}, {size}")
