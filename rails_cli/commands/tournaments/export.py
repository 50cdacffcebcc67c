"""`rails-cli tournament export`: writes the results for other programs."""

import sys
from contextlib import nullcontext
from importlib.util import find_spec
from pathlib import Path

import click

from rails_cli.commands.parameters import NEW_FILE
from rails_cli.commands.tournaments.results import open_results, results_argument
from rails_cli.tournament.results.export import write_csv, write_json, write_parquet


@click.command
@results_argument
@click.option("--format", "kind", type=click.Choice(["csv", "json", "parquet"]), default="csv", help="File format.")
@click.option("--output", type=NEW_FILE, help="The file to write.  [default: standard output]")
@click.option("--with-surplus", is_flag=True, help="Include games played after the tournament was decided.")
def command(results: Path, kind: str, output: Path | None, with_surplus: bool) -> None:
    """Write the games of the tournament in FOLDER (or of the plan FILE.toml).

    csv and parquet have a row for each seat of each game; json has the plan, all games and all faults. Parquet needs
    pyarrow: pip install 'rails-cli[parquet]'. The database itself is FOLDER/results.sqlite.

    \b
    Examples:
      rails-cli tournament export league-results > games.csv
      rails-cli tournament export league-results --format json --output games.json
      rails-cli tournament export league-results --format parquet --output games.parquet
    """
    if kind == "parquet":
        if find_spec("pyarrow") is None:
            raise click.ClickException("parquet needs pyarrow: pip install 'rails-cli[parquet]'")
        if output is None:
            raise click.UsageError("parquet is a binary format: name a file with --output")
    write = {"csv": write_csv, "json": write_json, "parquet": write_parquet}[kind]
    with open_results(results) as store:
        try:
            with nullcontext(sys.stdout.buffer) if output is None else output.open("wb") as file:
                write(store, file, with_surplus=with_surplus)
        except OSError as error:
            if output is None:
                raise
            raise click.ClickException(f"cannot write {output}: {error.strerror}") from None
