"""`rails-cli tournament init`: Write an example plan to start from."""

from importlib import resources
from pathlib import Path
from typing import Annotated

import click

from rails_cli.commands import print_wrapped, write_errors
from rails_cli.commands.options import argument, cli_command
from rails_cli.commands.parameters import NEW_FILE
from rails_cli.games import whole_games
from rails_cli.tournament.schedule.formats import planned


@cli_command
def command(file: Annotated[Path, argument("[FILE]", type=NEW_FILE)] = Path("tournament.toml")) -> None:
    """Write an example plan with comments to FILE (default: tournament.toml). It can be run as it is.

    \b
    Examples:
      rails-cli tournament init
      rails-cli tournament init league.toml && rails-cli tournament run league.toml
    """
    example = resources.files("rails_cli.tournament.plan").joinpath("example.toml").read_text(encoding="utf-8")
    name = "".join(letter for letter in file.stem if letter.isalnum() or letter in "-_ ")[:60] or "example"
    example = example.replace("{formats}", ", ".join(planned())).replace("{games}", ", ".join(whole_games()))
    example = example.replace('"example', f'"{name}').replace("run FILE", f"run {file}")
    with write_errors(file):
        try:
            with file.open("x", encoding="utf-8") as written:
                written.write(example)
        except FileExistsError:
            raise click.UsageError(f"{file} already exists; nothing is overwritten") from None
    print_wrapped(f"{file}: written; try: rails-cli tournament run {file}")
