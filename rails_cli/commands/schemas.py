"""`rails-cli schemas`: the JSON Schemas of the protocol."""

from pathlib import Path

import click

from rails_cli.basics.schemas import all_schemas
from rails_cli.commands.parameters import FOLDER


@click.command
@click.option("--write", is_flag=True, help="Write the files instead of comparing them.")
@click.option("--folder", type=FOLDER, default=Path("schemas"), help="Folder of the schemas.")
def command(write: bool, folder: Path) -> None:
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
            try:
                folder.mkdir(parents=True, exist_ok=True)
                file.write_bytes(content)
            except OSError as error:
                raise click.ClickException(f"cannot write {file}: {error.strerror}") from None
            click.echo(f"{file}: written")
        else:
            wrong.setdefault("out of date" if file.is_file() else "missing", []).append(str(file))
    if wrong:
        told = "; ".join(f"{what}: {', '.join(files)}" for what, files in wrong.items())
        raise click.ClickException(f"{told}; run: rails-cli schemas --write")
