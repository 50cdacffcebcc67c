"""`rails-cli bench-agent`: Rate a bot against the built-in players."""

import re
import sys
from pathlib import Path
from typing import Annotated

import click
import msgspec

from rails_cli.basics.cores import usable_cores
from rails_cli.basics.settings import setting
from rails_cli.commands import print_json, print_lines, print_wrapped, write_errors
from rails_cli.commands.check_bot import check_command
from rails_cli.commands.options import POSITIVE, ParsedType, with_options
from rails_cli.commands.parameters import FOLDER, GAME_NAME, BotCommand, Json, Quiet
from rails_cli.commands.seating import BOT_CLOCK_HELP, StartUp
from rails_cli.commands.tournaments.progress import ProgressLines
from rails_cli.commands.tournaments.results import show_table
from rails_cli.commands.tournaments.run import check_sandboxes, playing_in, print_interrupted
from rails_cli.commands.tournaments.verdicts import INTERRUPTED
from rails_cli.match.clock import read_clock
from rails_cli.match.seat_specs import BUILTIN
from rails_cli.programs.limits import BotLimits
from rails_cli.tournament.benchmark.definition import Budget, benchmark_games, benchmark_plan, levels
from rails_cli.tournament.benchmark.result import BenchmarkResult, benchmark_result
from rails_cli.tournament.plan.plan import TournamentPlan
from rails_cli.tournament.plan.reading import PlanError
from rails_cli.tournament.report.benchmark_page import benchmark_page
from rails_cli.tournament.results.store import Store, locked
from rails_cli.tournament.run.events import RunResult
from rails_cli.tournament.run.runner import Runner
from rails_cli.tournament.run.workers import local_workers
from rails_cli.tournament.words import between, signed

RESULT, PAGE = "benchmark.json", "benchmark.html"


def _clock(words: str) -> str:
    """Check `words`, the description of a clock, and return it. Raise ValueError if it is invalid or sets no limit."""
    if read_clock(words) is None:
        raise ValueError("a bot may hang, so a limit is needed; try 120/move")
    return words


@click.command(context_settings={"allow_interspersed_args": False})
@with_options
def command(
    *,
    games: Annotated[
        tuple[str, ...],
        setting("Rate the bot in this game. May be repeated.  [default: all]", "--game", type=GAME_NAME),
    ] = (),
    name: Annotated[str | None, setting("Name in the results.  [default: the command]")] = None,
    output: Annotated[
        Path | None, setting("Folder of the results.  [default: the name and -benchmark]", type=FOLDER)
    ] = None,
    most_games: Annotated[int | None, setting("Play at most this many games.", "--games", least=1)] = None,
    hours: Annotated[float | None, setting("Play for at most this many hours, over all runs.", type=POSITIVE)] = None,
    seconds: Annotated[
        float | None, setting("Play for at most this many seconds, over all runs.", type=POSITIVE)
    ] = None,
    tokens: Annotated[
        int | None, setting("Stop when the bot has reported this many tokens in `info` of its answers.", least=1)
    ] = None,
    half_width: Annotated[
        float, setting("Play until the rating in each game is known to plus or minus this many points.", type=POSITIVE)
    ] = 50.0,
    opponents: Annotated[
        tuple[str, ...],
        setting(
            "Play against this built-in player. Give it at least three times.  [default: all]",
            "--opponent",
            type=click.Choice(list(levels().opponents)),
        ),
    ] = (),
    clock: Annotated[str, setting(BOT_CLOCK_HELP, type=ParsedType("clock", _clock))] = "120/move",
    start_up_s: StartUp = 20,
    workers: Annotated[
        int | None, setting("Number of games at the same time.  [default: one per core]", least=1, most=1024)
    ] = None,
    quiet: Quiet = False,
    as_json: Json = False,
    limits: BotLimits,
    bot: BotCommand = (),
) -> None:
    """Rate a bot against the built-in players, on the scale of their fixed ratings.

    The bot plays games of 3 and 4 players from published openings. Its opponents are the built-in players whose fixed
    ratings are nearest to its own. It plays until its rating in each game is known or the budget is used up. COMMAND
    may also be builtin:NAME. A bot that uses a language model reports its tokens in `info` of each answer, as
    {"tokens": 1234}.

    The results are one JSON file and one web page, in a folder. You may stop the program at any moment, and the same
    command resumes. With a larger budget it continues. The manual is docs/BENCHMARK.md.

    \b
    Exit codes:
      0    the ratings are known, or the budget is used up
      1    failure, or the bot is suspended because it fails in all games
      2    wrong usage
      130  interrupted

    \b
    Examples:
      rails-cli bench-agent -- python3 mybot.py
      rails-cli bench-agent --game last_spike --games 40 -- ./bot --fast
      rails-cli bench-agent --hours 8 --tokens 5000000 --sandbox auto --sandbox-network -- python3 agent.py
      rails-cli bench-agent --seconds 60 --name medium -- builtin:medium
    """
    is_builtin = len(bot) == 1 and bot[0].startswith(BUILTIN)
    if not is_builtin:
        check_command(bot, "bench-agent", limits)
    if hours is not None and seconds is not None:
        raise click.UsageError("--hours and --seconds both limit the time; give one of them")
    if unknown := [one for one in games if one not in benchmark_games()]:
        raise click.UsageError(f"there are no openings for {unknown[0]}; expected {', '.join(benchmark_games())}")
    chosen = [one for one in levels().opponents if not opponents or one in opponents]
    if len(chosen) < 3:
        raise click.UsageError("a table of four needs three opponents; give --opponent at least three times")
    known = name or " ".join(Path(word).name for word in bot)[:60]
    folder = output or Path(f"{re.sub(r'[^A-Za-z0-9._-]+', '-', known).strip('-.') or 'agent'}-benchmark")
    try:
        plan = benchmark_plan(
            known,
            bot,
            folder,
            games=[one for one in benchmark_games() if not games or one in games],
            opponents=chosen,
            budget=Budget(most_games, seconds if hours is None else 3600 * hours, tokens),
            limits=limits,
            clock=clock,
            start_up_s=start_up_s,
            half_width=half_width,
            workers=workers,
        )
    except PlanError as error:
        raise click.UsageError("; ".join(map(str, error.mistakes))) from None
    check_sandboxes(plan)
    result, outcome = _played(plan, None if quiet else ProgressLines())
    with write_errors(plan.folder):
        (plan.folder / RESULT).write_bytes(msgspec.json.format(msgspec.json.encode(result)) + b"\n")
        (plan.folder / PAGE).write_text(benchmark_page(result), encoding="utf-8")
    if as_json:
        print_json(result)
    else:
        _show(result, plan)
    if result.cost.warning is not None:
        print_lines(f"warning: {result.cost.warning}", err=True)
    print_lines(*map(str, outcome.suspended), err=True)
    if outcome.ending is None:
        print_interrupted("games")
        sys.exit(INTERRUPTED)
    sys.exit(1 if outcome.suspended else 0)


def _played(plan: TournamentPlan, listen: ProgressLines | None) -> tuple[BenchmarkResult, RunResult]:
    """Play the games of a benchmark, or resume the benchmark. Return its result, and how the run ended.

    `listen` prints the progress, or is None.
    """
    with playing_in(plan.folder), locked(plan.folder), Store(plan.folder, create=True) as store:
        plan = store.begin(plan)
        runner = Runner(plan, store, local_workers(plan.workers or usable_cores()), listen, tells_games=False)
        outcome = runner.run()
        counting = {(game.group, game.number) for game in runner.counting_games}
        faults = [fault for group, fault in store.faults() if (group, fault.number) in counting]
        return benchmark_result(plan, runner.counting_games, faults, outcome.ending), outcome


def _show(result: BenchmarkResult, plan: TournamentPlan) -> None:
    heads = ["game", "rating", "95% interval", "place among the levels", "games", "faults"]
    rows = [
        [
            one.title,
            "-" if one.rating is None else signed(one.rating, "+,.0f"),
            between(one.low, one.high, "+,.0f"),
            one.place or "-",
            f"{one.games:,}",
            f"{one.faults:,}",
        ]
        for one in result.results.values()
    ]
    title = f"{result.name}: {result.games:,} games; {result.ending}"
    if rows:
        show_table(title, heads, rows)
    else:
        print_wrapped(title)
    cost = result.cost
    if cost.ms_per_answer is not None:
        spent = "" if cost.tokens is None else f"; {cost.tokens:,} tokens, {cost.tokens_per_answer:,.0f} per answer"
        print_wrapped(f"{cost.answers:,} answers, {cost.ms_per_answer / 1000:,.3f} s each{spent}")
    unknown = [one.title for one in result.results.values() if not one.is_known]
    if unknown:
        print_wrapped(f"not known to plus or minus {result.half_width:g} yet: {', '.join(unknown)}")
    print_lines(f"results: {plan.folder / RESULT}", f"web page: {plan.folder / PAGE}")
