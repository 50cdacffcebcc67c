"""`rails-cli tournament tune`: Find better values for the parameters of a bot."""

import sys
import tomllib
from pathlib import Path
from typing import Annotated, Any

import click
import msgspec

from rails_cli.basics.cores import usable_cores
from rails_cli.basics.files import read_file
from rails_cli.basics.settings import setting
from rails_cli.commands import print_json, print_wrapped
from rails_cli.commands.options import ParsedType, argument, cli_command
from rails_cli.commands.parameters import EXISTING_FILE, OutcomeJson, Quiet
from rails_cli.commands.tournaments.plan_options import plan_value
from rails_cli.commands.tournaments.progress import ProgressLines
from rails_cli.commands.tournaments.run import check_sandboxes, playing_in, print_interrupted, show_outcome
from rails_cli.commands.tournaments.verdicts import INTERRUPTED, NOT_BETTER, exit_code, faults_of
from rails_cli.games.faces.phrases import count_phrase
from rails_cli.tournament.plan.bot_parameters import value_words
from rails_cli.tournament.plan.plan import TournamentPlan
from rails_cli.tournament.plan.reading import PlanError, change
from rails_cli.tournament.report.tuning_page import tuning_page
from rails_cli.tournament.results.store import Store, StoreError, locked
from rails_cli.tournament.run.events import RunResult
from rails_cli.tournament.run.runner import Runner
from rails_cli.tournament.run.tuning import Iteration, Tuning
from rails_cli.tournament.run.workers import WorkersLost, local_workers

PAGE = "tuning.html"
PAGE_EVERY = 10
"""Number of iterations after which the page is written again."""


@cli_command
def command(
    file: Annotated[Path, argument("FILE.toml", type=EXISTING_FILE)],
    settings: Annotated[
        tuple[tuple[str, Any], ...],
        setting(
            "Set a value of the plan, such as tune.iterations=50.", "--set", type=ParsedType("path=value", plan_value)
        ),
    ] = (),
    quiet: Quiet = False,
    as_json: OutcomeJson = False,
) -> None:
    """Tune the parameters of a bot with SPSA, then compare the tuned bot with the untuned bot.

    The bot declares its parameters as [[parameters]] in its bot.toml, each with name, min, max, step and default. It
    receives each value in the environment variable of that name.

    The plan has the [[games]], the opponents as [[entrants]] (not needed in games for 2), and a table [tune] with the
    folder of the bot. Each iteration lets two versions of the bot play with the same seeds in the same seats, and moves
    the parameters towards the better one. The final comparison uses other seeds.

    You may stop the program at any moment, and the same command resumes. A page shows the parameters over time.

    \b
    Exit codes:
      0    the tuned bot is better
      1    failure
      2    wrong usage
      4    the tuned bot is not better, or the best values found are the untuned ones
      5    undecided when the comparison ended
      6    the tuned bot made faults in the comparison, whatever the answer
      130  interrupted

    \b
    Examples:
      rails-cli new-bot tuning saver                      (an example)
      rails-cli tournament tune saver/plan.toml
      rails-cli tournament tune saver/plan.toml --set tune.iterations=100 --set output=long --json
    """
    tuning = _tuning(file, settings)
    check_sandboxes(tuning.comparison())
    try:
        with playing_in(tuning.folder), locked(tuning.folder):
            code = _run(tuning, is_quiet=quiet, as_json=as_json)
    except KeyboardInterrupt:
        print_interrupted("iterations")
        code = INTERRUPTED
    sys.exit(code)


def _tuning(file: Path, settings: tuple[tuple[str, Any], ...]) -> Tuning:
    """Return the tuning that the plan in `file` describes, changed by `settings`.

    Raise UsageError if the plan is invalid.
    """
    try:
        tables = tomllib.loads(read_file(file).decode())
        for path, value in settings:
            change(tables, path, value)
        return Tuning(tables, file.stem, file.parent)
    except PlanError as error:
        mistakes = "\n".join(f"  {mistake}" for mistake in error.mistakes)
        raise click.UsageError(f"{file} cannot be tuned:\n{mistakes}") from None
    except (ValueError, RecursionError) as error:
        raise click.UsageError(f"{file}: not TOML: {error}") from None
    except (StoreError, OSError) as error:
        raise click.ClickException(str(error)) from None


def _run(tuning: Tuning, *, is_quiet: bool, as_json: bool) -> int:
    """Play the games of a tuning, write the page, and print the outcome. Return the exit code.

    Raise KeyboardInterrupt if the user interrupts the run.
    """
    page = tuning.folder / PAGE

    def tell(one: Iteration) -> None:
        number = len(tuning.state.done)
        if number % PAGE_EVERY == 0:
            page.write_text(tuning_page(tuning, ""), encoding="utf-8")
        if not is_quiet:
            faults = f", {count_phrase(one.faults, 'fault')}" if one.faults else ""
            result = f"plus - minus {one.difference:+.2f} in {count_phrase(one.games, 'game')}{faults}"
            print_wrapped(f"  {number} of {tuning.table.iterations}: {_value_words(tuning)}; {result}", err=True)

    if not is_quiet:
        names = ", ".join(one.name for one in tuning.parameters)
        played = f"; {len(tuning.state.done)} already played" if tuning.state.done else ""
        total = count_phrase(tuning.table.iterations, "iteration")
        print_wrapped(f"{tuning.name}: tuning {names} in {total}{played}; results in {tuning.folder}", err=True)
    tuning.run(lambda plan: _played(plan)[0].counting_games, tell)
    report: dict[str, Any] = {
        "folder": str(tuning.folder),
        "page": str(page),
        "seed": tuning.state.seed,
        "iterations": len(tuning.state.done),
        "games": sum(one.games for one in tuning.state.done),
        "parameters": [
            {"name": one.name, "untuned": one.default, "tuned": value}
            for one, value in zip(tuning.parameters, tuning.values, strict=True)
        ],
        "verdict": "the best values found are the untuned ones",
        "compare": None,
    }
    code = NOT_BETTER
    if tuning.values != tuning.defaults:
        runner, outcome = _played(tuning.comparison(), None if is_quiet else ProgressLines())
        assert outcome.ending is not None
        ending = outcome.ending
        code = exit_code(outcome, faults_of(runner.counting_games))
        report["verdict"] = ending.words if ending.why == "better" else f"undecided, {ending.words}"
        results = {"table": runner.table, "answer": runner.answer}
        report["compare"] = {"folder": str(runner.plan.folder), **msgspec.to_builtins(outcome), **results}
        if not as_json:
            show_outcome(runner.plan, outcome, runner.table, runner.answer, ())
            click.echo()
    words = f"tuned: {_value_words(tuning)}; on other seeds: {report['verdict']}"
    page.write_text(tuning_page(tuning, words), encoding="utf-8")
    if as_json:
        print_json(report)
    else:
        print_wrapped(f"page with the parameters over time: {page}\n{words}")
    return code


def _played(plan: TournamentPlan, listen: ProgressLines | None = None) -> tuple[Runner, RunResult]:
    """Play a tournament of two versions, or resume the tournament. Raise WorkersLost if a version fails too often.

    `listen` prints the progress, or is None.
    """
    with Store(plan.folder, create=True) as store:
        plan = store.begin(plan)
        runner = Runner(plan, store, local_workers(plan.workers or usable_cores()), listen, tells_games=False)
        outcome = runner.run()
    if outcome.ending is None:
        raise KeyboardInterrupt
    if outcome.suspended:
        raise WorkersLost("; ".join(map(str, outcome.suspended)))
    return runner, outcome


def _value_words(tuning: Tuning) -> str:
    pairs = zip(tuning.parameters, tuning.values, strict=True)
    return ", ".join(f"{one.name} = {value_words(value)}" for one, value in pairs)
