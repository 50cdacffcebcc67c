"""`rails-cli tournament init`: Write an example plan to start from."""

from importlib import resources
from pathlib import Path
from typing import Annotated

import click

from rails_cli.commands.options import argument, with_options
from rails_cli.commands.parameters import NEW_FILE
from rails_cli.games import whole_games
from rails_cli.tournament.schedule.formats import planned


@click.command
@with_options
def command(file: Annotated[Path, argument("[FILE]", type=NEW_FILE)] = Path("tournament.toml")) -> None:
    """Write an example plan with comments to FILE (default: tournament.toml). It can be run as it is.

    \b
    Examples:
      rails-cli tournament init
      rails-cli tournament init league.toml && rails-cli tournament run league.toml
    """
    example = resources.files("rails_cli.tournament.plan").joinpath("example.toml").read_text(encoding="utf-8")
    name = "".join(letter for letter in file.stem if letter.isalnum() or letter in "-_ ")[:60] or "example"
    try:
        with file.open("x", encoding="utf-8") as written:
            example = example.replace("{formats}", ", ".join(planned())).replace("{games}", ", ".join(whole_games()))
            written.write(example.replace('"example', f'"{name}').replace("run FILE", f"run {file}"))
    except FileExistsError:
        raise click.UsageError(f"{file} already exists; nothing is overwritten") from None
    except OSError as error:
        raise click.ClickException(f"cannot write {file}: {error.strerror}") from None
    click.echo(f"{file}: written; try: rails-cli tournament run {file}")
