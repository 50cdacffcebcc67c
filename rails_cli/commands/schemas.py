"""`rails-cli schemas`: Check or write the JSON Schemas of the protocol."""

from pathlib import Path
from typing import Annotated

import click

from rails_cli.basics.schemas import all_schemas
from rails_cli.basics.settings import setting
from rails_cli.commands import write_errors
from rails_cli.commands.options import cli_command
from rails_cli.commands.parameters import FOLDER


@cli_command
def command(
    write: Annotated[bool, setting("Write the files instead of comparing them.")] = False,
    folder: Annotated[Path, setting("Folder of the schemas.", type=FOLDER)] = Path("schemas"),
) -> None:
    """Compare the JSON Schemas in a folder with the types they are made from, or write them.

    Exit code 1 if a file is missing or out of date.

    \b
    Examples:
      rails-cli schemas
      rails-cli schemas --write
    """
    wrong: dict[str, list[str]] = {}
    for name, content in all_schemas().items():
        file = folder / name
        if file.is_file() and file.read_bytes() == content:
            click.echo(f"{file}: current")
        elif write:
            with write_errors(file):
                folder.mkdir(parents=True, exist_ok=True)
                file.write_bytes(content)
            click.echo(f"{file}: written")
        else:
            wrong.setdefault("out of date" if file.is_file() else "missing", []).append(str(file))
    if wrong:
        differences = "; ".join(f"{what}: {', '.join(files)}" for what, files in wrong.items())
        raise click.ClickException(f"{differences}; run: rails-cli schemas --write")
