"""`rails-cli check-game`: Check the package of a game and report what to fix."""

import sys
from pathlib import Path
from typing import Annotated

import click
import msgspec

from rails_cli.basics.settings import setting
from rails_cli.commands import print_json
from rails_cli.commands.check_bot import COLOURS, file_writer, verdict_mark
from rails_cli.commands.options import cli_command
from rails_cli.commands.parameters import FOLDER, GameArgument, Json
from rails_cli.conformance.checks import CHECKS
from rails_cli.conformance.suite import Case, Failure, cases_of
from rails_cli.games import problem_of


class CheckResult(msgspec.Struct, frozen=True):
    name: str
    description: str
    verdict: str
    """`ok` or `failed`."""
    cases: int
    """Number of runs of the check. The runs differ in the settings of the game and the kinds of players."""
    failures: list[Failure]


@cli_command
def command(
    game: GameArgument,
    seeds: Annotated[int, setting("Games that each check plays with each setting.", least=1, most=10_000)] = 2,
    as_json: Json = False,
    logs_folder: Annotated[
        Path | None,
        setting("Keep logs of failed games here.  [default: a new temporary folder]", "--logs", type=FOLDER),
    ] = None,
) -> None:
    """Check that the package of GAME does what commands, pages, servers and searches expect of every game.

    Plays games with all numbers of players and all options, with random players and the game's own. Checks the rules,
    copies and dumps of positions, options, views, hidden information, imagined positions, the numbering of actions, and
    texts. A failed check names the random seed and leaves a log of the game, for `rails-cli replay`. Exits with 0 if
    nothing failed, otherwise with 1.

    \b
    Examples:
      rails-cli check-game my_game
      rails-cli check-game my_game --seeds 20 --logs failed
      rails-cli check-game my_game --json
    """
    problem = problem_of(game)
    if problem is not None:
        raise click.ClickException(problem)
    cases: dict[str, list[Case]] = {check.name: [] for check in CHECKS}
    for case in cases_of([game], seeds=seeds):
        cases[case.check.name].append(case)
    write = file_writer(logs_folder)
    results = []
    for check in CHECKS:
        try:
            found = [case.run(write) for case in cases[check.name]]
        except KeyboardInterrupt as interrupt:
            click.echo(f"\n{interrupt}", err=True)
            raise
        failures = [failure for failure in found if failure is not None]
        verdict = "failed" if failures else "ok"
        results.append(CheckResult(check.name, check.description, verdict, len(found), failures))
        if not as_json:
            print_result(results[-1])
    failed = sum(result.verdict == "failed" for result in results)
    verdict = "failed" if failed else "ok"
    if as_json:
        print_json({"game": game, "verdict": verdict, "checks": results})
    else:
        click.echo("\n" + click.style(f"{len(results)} checks: {failed} failed", fg=COLOURS[verdict], bold=True))
    sys.exit(1 if failed else 0)


def print_result(result: CheckResult) -> None:
    click.echo(f"  {verdict_mark(result.verdict)}  {result.name}: {result.description}")
    for failure in result.failures[:1]:
        for line in str(failure).splitlines():
            click.echo(click.wrap_text(line, 100, "      ", "      "))
    if len(result.failures) > 1:
        click.echo(f"      It failed with {len(result.failures)} of {result.cases} settings and policies.")
