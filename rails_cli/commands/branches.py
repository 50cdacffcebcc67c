"""`rails-cli branches`: compares a logged game with the games that branch from it."""

from pathlib import Path

import click
import msgspec

from rails_cli.basics.files import TooLong, shown_path
from rails_cli.commands.logs import the_moment, whole_log
from rails_cli.commands.parameters import EXISTING_FILE
from rails_cli.logs.reading import BadLog
from rails_cli.study.playback.recorded import read_recorded


@click.command
@click.argument("log_file", type=EXISTING_FILE, metavar="FILE")
@click.option(
    "--at",
    type=int,
    metavar="N",
    help="Also compare the positions after action N; -1 is the last.  [default: the last that all of them reach]",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object for programs.")
def command(log_file: Path, at: int | None, as_json: bool) -> None:
    """Compare the game logged in FILE with its branches: games that continue from one of its positions.

    Branches are kept in a folder beside the log, `game.branches` for `game.jsonl`; every log in it counts. You create
    them with `rails-cli play --from`, with the key f in `rails-cli replay`, or with `rails-cli run --from` and --log.
    The analysis estimates what each player is worth and how likely they win, as a strong player sees it. A file that
    cannot be read, or comes from another game, is named on standard error and skipped.

    \b
    Examples:
      rails-cli branches game.jsonl
      rails-cli branches game.jsonl --at 42
      rails-cli branches game.jsonl --json | jq '.games[] | [.name, .last.scores]'
    """
    from rails_cli.commands.what_if import compared_all, found_branches
    from rails_cli.study.analysis.comparing import table

    try:
        content = whole_log(log_file)
        recorded = read_recorded(content)
    except (BadLog, TooLong) as bad:
        raise click.ClickException(
            f"{shown_path(log_file)}: {bad.strerror if isinstance(bad, TooLong) else bad}"
        ) from None
    if recorded.mistake is not None:
        raise click.ClickException(f"{shown_path(log_file)}: {recorded.mistake}")
    chosen = None if at is None else the_moment(recorded, at, "--at").number
    games, problems, action = compared_all(log_file, recorded, found_branches(log_file, content), chosen)
    for problem in problems:
        click.echo(f"Error: {problem}", err=True)
    if as_json:
        document = {"file": shown_path(log_file), "game": recorded.game.name, "action": action, "games": games}
        click.echo(msgspec.json.encode({**document, "problems": problems}))
        return
    if len(games) == 1:
        click.echo(f"No branches yet; to continue from an action: rails-cli play --from {shown_path(log_file)} --at N")
        return
    click.echo("\n".join(table(games, recorded.names)))
