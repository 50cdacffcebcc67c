"""`rails-cli branches`: Compare a logged game with others that continue from its positions."""

from typing import Annotated

import click

from rails_cli.basics.files import printable_path
from rails_cli.basics.settings import setting
from rails_cli.commands import output_width, print_json, print_lines, print_wrapped
from rails_cli.commands.after_game import game_name
from rails_cli.commands.logs import check_whole, log_errors, moment_at, whole_log
from rails_cli.commands.options import cli_command
from rails_cli.commands.parameters import Json, OwnLog
from rails_cli.study.playback.recorded import read_recorded


@cli_command
def command(
    log_file: OwnLog,
    at: Annotated[
        int | None,
        setting(
            "Also compare the positions after action N; -1 is the last.  [default: the last that all of them reach]",
            metavar="N",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Compare a game with its branches: games that continue from one of its positions.

    LOG is a file, a saved game or last.

    Branches are kept in a folder beside the log, `game.branches` for `game.jsonl`. All logs in this folder are
    compared. You create them with `rails-cli play --from`, with the key f in `rails-cli replay`, or with `rails-cli run
    --from` and --log. For each player, the analysis estimates the value of all assets and the chance of winning. A file
    that cannot be read, or comes from another game, is named on standard error and skipped.

    \b
    Examples:
      rails-cli branches game.jsonl
      rails-cli branches game.jsonl --at 42
      rails-cli branches game.jsonl --json | jq '.games[] | [.name, .last.scores]'
    """
    from rails_cli.commands.what_if import compared_all, found_branches
    from rails_cli.study.analysis.comparing import WIDTH, table

    with log_errors(log_file):
        content = whole_log(log_file)
        recorded = read_recorded(content)
    check_whole(recorded, log_file)
    chosen = None if at is None else moment_at(recorded, at, "--at").number
    games, problems, action = compared_all(log_file, recorded, found_branches(log_file, content), chosen)
    print_lines(*(f"Error: {problem}" for problem in problems), err=True)
    if as_json:
        document = {"file": printable_path(log_file), "game": recorded.game.name, "action": action, "games": games}
        print_json({**document, "problems": problems})
        return
    if len(games) == 1:
        print_wrapped(
            f"No branches yet; to continue from an action: rails-cli play --from {game_name(log_file)} --at N"
        )
        return
    click.echo("\n".join(table(games, recorded.names, min(output_width(), WIDTH))))
