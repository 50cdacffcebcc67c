"""`rails-cli tournament export`: Write the results for other programs."""

import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Literal

import click

from rails_cli.basics.extras import install_command
from rails_cli.basics.settings import setting
from rails_cli.commands import write_errors
from rails_cli.commands.options import cli_command
from rails_cli.commands.parameters import NEW_FILE
from rails_cli.commands.tournaments.results import ResultsArgument, open_results
from rails_cli.tournament.results.export import write_csv, write_json, write_parquet


@cli_command
def command(
    results: ResultsArgument,
    kind: Annotated[Literal["csv", "json", "parquet"], setting("File format.", "--format")] = "csv",
    output: Annotated[Path | None, setting("The file to write.  [default: standard output]", type=NEW_FILE)] = None,
    with_surplus: Annotated[bool, setting("Include games played after the tournament was decided.")] = False,
) -> None:
    """Write the games of the tournament in FOLDER (or of the plan FILE.toml).

    csv and parquet have a row for each seat of each game. json has the plan, all games and all faults. Parquet needs
    pyarrow: pip install 'rails-cli[parquet]'. The database itself is FOLDER/results.sqlite.

    \b
    Examples:
      rails-cli tournament export league-results > games.csv
      rails-cli tournament export league-results --format json --output games.json
      rails-cli tournament export league-results --format parquet --output games.parquet
    """
    if kind == "parquet":
        if find_spec("pyarrow") is None:
            raise click.ClickException(f"parquet needs pyarrow: {install_command('parquet')}")
        if output is None:
            raise click.UsageError("parquet is a binary format: name a file with --output")
    write = {"csv": write_csv, "json": write_json, "parquet": write_parquet}[kind]
    with open_results(results) as store:
        if output is None:
            write(store, sys.stdout.buffer, with_surplus=with_surplus)
        else:
            with write_errors(output), output.open("wb") as file:
                write(store, file, with_surplus=with_surplus)
