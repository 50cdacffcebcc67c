"""`rails-cli tournament run`: Play a tournament, or resume it."""

import shlex
import signal
import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import click
import msgspec

from rails_cli.basics.cores import usable_cores
from rails_cli.basics.settings import setting
from rails_cli.commands import print_json, print_wrapped, reported, write_errors
from rails_cli.commands.options import ParsedType, cli_command
from rails_cli.commands.parameters import NEW_FILE, OutcomeJson, Quiet
from rails_cli.commands.sandbox import check_sandbox, warn_without_sandbox
from rails_cli.commands.seating import SignOption, signing_key
from rails_cli.commands.tournaments.notify import Notifier, read_url
from rails_cli.commands.tournaments.plan_options import PlanOptions, plan_from, warn_of_copies
from rails_cli.commands.tournaments.progress import Listener, ProgressLines, Stream
from rails_cli.commands.tournaments.results import (
    SHORT_HEADS,
    LastFault,
    last_faults_of,
    print_fault_notes,
    row_words,
    show_table,
)
from rails_cli.commands.tournaments.verdicts import exit_code, faults_of, junit
from rails_cli.games.faces.phrases import count_phrase
from rails_cli.games.plain import tag_of
from rails_cli.logs.signing import KEY_NAME, SigningKey
from rails_cli.tournament.plan.membership import (
    games_planned,
    membership_of,
    schedule_of,
    settled_games,
    uneven_words,
    used_up_words,
)
from rails_cli.tournament.plan.plan import (
    STOP_KEYS,
    TournamentPlan,
    differences,
    has_limit,
    limits_of,
    make_format,
    time_words,
    unanswered_words,
)
from rails_cli.tournament.rating.copies import copies_words
from rails_cli.tournament.rating.standings import ShortRow, by_group
from rails_cli.tournament.results.store import DATABASE, PlanDiffers, Store, StoreError, entries_to_keep, locked
from rails_cli.tournament.run.events import Event, RunResult
from rails_cli.tournament.run.runner import Runner
from rails_cli.tournament.run.workers import Workers, WorkersLost, local_workers
from rails_cli.tournament.schedule.answer import FinalAnswer
from rails_cli.tournament.schedule.formats import FORMATS
from rails_cli.tournament.schedule.stopping_rules import FixedGames
from rails_cli.tournament.words import STOPPED_BY_RESULTS, listed


class RunOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Command-line options that say where games are played and what is printed."""

    cluster: Annotated[
        str | None,
        setting("Play on the workers of this Dask scheduler, such as tcp://10.0.0.5:8786.", metavar="ADDRESS"),
    ] = None
    signer: SignOption = None
    events_file: Annotated[str | None, setting("Write all progress as JSON lines.", "--events", "FILE|-")] = None
    junit_file: Annotated[
        Path | None,
        setting("Write faults and verdict as test results for build servers.", "--junit", "FILE", type=NEW_FILE),
    ] = None
    notify: Annotated[
        str | None,
        setting(
            "Post JSON to URL at the end, a decision or a suspension.", metavar="URL", type=ParsedType("url", read_url)
        ),
    ] = None
    check: Annotated[bool, setting("Check the plan and show how many games it would play, without playing.")] = False
    quiet: Quiet = False
    as_json: OutcomeJson = False


@cli_command
def command(options: PlanOptions, how: RunOptions) -> None:
    """Play a tournament, or resume it: finished games are not played again.

    The plan is a file (see `rails-cli tournament init`), or made from flags. Results are kept in a folder. You may stop
    the program at any moment, and the same command resumes. The manual is docs/TOURNAMENT.md.

    With --sign, or a key in the file signing-key of that folder, the logs are signed, and `tournament audit` says by
    whom.

    In a round robin, entrants may be added and removed between runs: new ones catch up, and the games of a removed one
    still count. The bots in a folder of --bots are its source files (.py, .js, .mjs, .pl, .sh, .rb, .php), its
    executables, and some of its folders. A folder is a bot if it has a bot.toml with the keys of one of [[entrants]] in
    a plan. It is also a bot if it has a README.md with a line "Run: `COMMAND`", as `rails-cli new-bot` writes it, or
    one file named bot or bot.*.

    \b
    Exit codes:
      0    the tournament has ended (with [stop.better]: the entrant is better)
      1    failure
      2    wrong usage
      4    [stop.better]: the entrant is not better
      5    [stop.better]: undecided when the tournament ended
      6    [stop.better]: the entrant made faults, whatever the answer
      130  interrupted

    \b
    Examples:
      rails-cli tournament run league.toml
      rails-cli tournament run league.toml --workers 8 --set stop.settled_top=3
      rails-cli tournament run --game last_spike --players 3 --entrant builtin:greedy --entrant builtin:busy \\
          --entrant mine='python3 mybot.py' --rounds 10 --output trial
      rails-cli tournament run --bots mybots --minutes 10 --events -
      rails-cli tournament run --bots mybots --entrant builtin:medium --versions old new
      rails-cli tournament run --entrant mine='python3 mybot.py' --entrant builtin:medium --challengers mine
      rails-cli tournament run league.toml --cluster tcp://10.0.0.5:8786
    """
    check_outputs(options.workers, how)
    play(plan_from(options), how)


def check_outputs(workers: int | None, how: RunOptions) -> None:
    """Raise UsageError if options contradict each other. `workers` is the value of --workers."""
    if how.cluster is not None and workers is not None:
        raise click.UsageError("--workers is for this machine; a cluster plays as many games as it has threads")
    if how.as_json and how.events_file == "-":
        raise click.UsageError("--events - and --json both write to stdout; give --events a file")


def play(plan: TournamentPlan, how: RunOptions, note: str = "") -> None:
    """Play a tournament, or resume it, and print its outcome. The text `note` is printed above the final table."""
    cluster, events_file, quiet = how.cluster, how.events_file, how.quiet
    signer = _signer(plan, how.signer)
    warn_of_copies(plan)
    if how.check:
        _print_size(plan)
        _print_size_with_results(plan)
        return
    check_sandboxes(plan, is_local=cluster is None)
    listeners: list[Listener] = []

    def tell(event: Event) -> None:
        for listener in listeners:
            listener(event)

    with playing_in(plan.folder):
        try:
            if events_file is not None:
                listeners.append(Stream(events_file))
            if not quiet:
                listeners.append(_progress(events_file))
            if how.notify is not None:
                listeners.append(Notifier(how.notify))
            with locked(plan.folder), Store(plan.folder, create=True) as store:
                plan = store.begin(plan)
                with _workers(plan, cluster, signer) as workers:
                    tells_games = any(listener.hears_games for listener in listeners)
                    on_event = tell if listeners else None
                    runner = Runner(plan, store, workers, on_event, tells_games=tells_games, signer=signer)
                    print_wrapped(*(f"warning: {words}" for words in runner.warnings), err=True)
                    outcome = runner.run()
                table, answer = runner.table, runner.answer
                last_faults = last_faults_of(store)
        finally:
            for listener in listeners:
                listener.close()
    faults_by = faults_of(runner.counting_games)
    if how.junit_file is not None:
        with write_errors(how.junit_file):
            how.junit_file.write_bytes(junit(plan, outcome, answer, faults_by, last_faults))
    if quiet:
        print_wrapped(*(one.summary for one in outcome.suspended), err=True)
    if how.as_json:
        about = {"folder": str(plan.folder), "seed": plan.seed, **msgspec.to_builtins(outcome)}
        faults = {name: last.as_object() for name, last in last_faults.items()}
        report = {**about, "last_faults": faults, "table": table, "answer": answer}
        print_json(report)
    elif events_file != "-":
        print_wrapped(*filter(None, [note]))
        show_outcome(plan, outcome, table, answer, last_faults.values())
    if outcome.ending is None:
        print_interrupted("games")
    sys.exit(exit_code(outcome, faults_by))


def check_sandboxes(plan: TournamentPlan, *, is_local: bool = True) -> None:
    """Raise ClickException if the sandbox of a bot does not work here. Warn of bots that run without a sandbox.

    If not `is_local`, the bots run on other machines, so that their sandboxes are not checked.
    """
    for entrant in plan.entrants if is_local else ():
        check_sandbox(limits_of(entrant), f"{entrant.name} cannot play: ")
    if any(entrant.is_program and entrant.sandbox == "none" for entrant in plan.entrants):
        warn_without_sandbox()


@contextmanager
def playing_in(folder: Path) -> Iterator[None]:
    """Return a context manager for playing games whose results are stored in `folder`.

    In the `with` block, SIGTERM raises KeyboardInterrupt. Raise ClickException if the results cannot be stored or the
    workers are lost.
    """
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    except (StoreError, WorkersLost) as error:
        raise click.ClickException(str(error)) from None
    except OSError as error:
        raise click.ClickException(f"cannot continue: {error.strerror}: {error.filename or folder}") from None
    finally:
        signal.signal(signal.SIGTERM, before)


def print_interrupted(kept: str) -> None:
    """Print how to resume a run that the user interrupted.

    `kept` names the finished parts that are stored, such as `games`.
    """
    again = shlex.join([Path(sys.argv[0]).name, *sys.argv[1:]])
    print_wrapped(f"interrupted; finished {kept} are kept. To resume: {again}", err=True)


def _signer(plan: TournamentPlan, given: SigningKey | None) -> SigningKey | None:
    """Return the key that signs the logs: `given`, or else the key in the folder of the results.

    Return None if there is no key. Raise UsageError if a key is given but the plan keeps no logs.
    """
    if not plan.logs:
        if given is not None:
            raise click.UsageError("--sign signs logs, and the plan keeps none; set logs = true in it")
        return None
    file = plan.folder / KEY_NAME
    if given is not None or not file.exists():
        return given
    with reported(ValueError):
        return signing_key(str(file))


@contextmanager
def _workers(plan: TournamentPlan, address: str | None, signer: SigningKey | None) -> Iterator[Workers]:
    """Provide the workers that play games: processes on this machine, or the cluster at `address` if it is not None."""
    if address is None:
        yield local_workers(plan.workers or usable_cores())
        return
    from rails_cli.tournament.run.cluster import Cluster, ClusterError

    with reported(ClusterError):
        cluster = Cluster(address, plan, None if signer is None else signer.file)
    try:
        yield cluster.as_workers()
    finally:
        cluster.shutdown(wait=False)


def show_outcome(
    plan: TournamentPlan,
    outcome: RunResult,
    table: list[ShortRow],
    answer: FinalAnswer,
    last_faults: Collection[LastFault],
) -> None:
    title = f"{plan.name}: {count_phrase(outcome.games, 'game')}"
    if outcome.ending is not None:
        title += f"; {outcome.ending.words}"
    rows = [list(row_words(row, has_left=row.name not in plan.names).values()) for row in table]
    show_table(title, SHORT_HEADS, rows)
    if outcome.tainted:
        print_wrapped(f"{outcome.tainted:,} games are tainted by faults; without them: standings --without-tainted")
    shown = {last.fault.entrant for last in last_faults}
    print_fault_notes({row.name: row.lost_seats for row in table}, outcome.suspended, shown)
    for last in last_faults:
        last.say()
    if outcome.absent:
        games = count_phrase(outcome.absent, "game")
        print_wrapped(f"{games} not played, because at most one entrant at the table was not suspended")
    if unfinished := outcome.void - outcome.absent:
        print_wrapped(
            f"{unfinished:,} games are void: they could not be finished, through no one's fault, and do not count"
        )
    if outcome.died:
        programs = listed([f"{name} ({groups})" for name, groups in outcome.died.items()])
        print_wrapped(f"seed groups in which workers died at every attempt, by who played in them: {programs}")
    if outcome.copies:
        print_wrapped(copies_words(outcome.copies, outcome.games - outcome.void))
    if outcome.ending is not None and outcome.ending.why in ("better", "top"):
        print_wrapped(STOPPED_BY_RESULTS)
    if outcome.ending is not None and outcome.ending.why in ("games", "time") and outcome.idle:
        key = STOP_KEYS[outcome.ending.why]
        flag = key.replace("stop.", "--")
        print_wrapped(
            f"{listed(outcome.idle)} played no game, because {key} is used up; raise it ({flag}) and run again"
        )
    print_wrapped(*map(str, outcome.evidence))
    if outcome.ending is not None and (words := unanswered_words(plan, outcome.ending.why)):
        print_wrapped(words)
    folder = shlex.quote(str(plan.folder))
    print_wrapped(f"\nrandom seed: {plan.seed}")
    if outcome.games:
        print_wrapped(f"results: {plan.folder}; full standings: rails-cli tournament standings {folder}")
        print_wrapped(f"web page with charts and replays: rails-cli tournament report {folder}")
    if outcome.ending is not None and outcome.ending.head:
        print_wrapped(f"to check it against its logs: rails-cli tournament audit {folder} --head {outcome.ending.head}")
    print_wrapped(f"\n{answer.text}")


def _print_size(plan: TournamentPlan) -> None:
    much = make_format(plan).length()
    print_wrapped(f"{plan.name}: {plan.kind}, {len(plan.entrants)} entrants, results in {plan.folder}")
    if plan.stop:
        rules = ", ".join(STOP_KEYS[tag_of(rule)] for rule in plan.stop)
        most = much.games_most if has_limit(plan) else None
        limit = "" if most is None else f", and for at most the {count_phrase(most, 'game')} of the format"
        fixed = min((rule.games for rule in plan.stop if isinstance(rule, FixedGames)), default=None)
        if fixed is not None and (most is None or fixed < most):
            limit = f", and for at most {count_phrase(fixed, 'game')} (the last seed group is completed)"
        print_wrapped(f"it runs until a stopping rule is met: {rules}{limit}")
    elif much.games_most is None or much.groups_most is None:
        print_wrapped("it runs until interrupted")
    elif much.games_least == much.games_most:
        print_wrapped(f"{count_phrase(much.games_most, 'game')} in {count_phrase(much.groups_most, 'seed group')}")
    else:
        print_wrapped(f"{much.games_least:,} to {much.games_most:,} games")
    print_wrapped(*time_words(plan))


def _print_size_with_results(plan: TournamentPlan) -> None:
    """Print warnings about entrants that will play unequally often, and about a time limit that is used up.

    Games in the results folder are counted, too. If the tournament in this folder has ended, also print why.

    Raise ClickException if the folder has the results of another plan, so that `run` would refuse to continue. If
    entrants were added or removed between runs, also print the total number of games. This number differs from
    that of a new tournament: games of removed entrants still count, and new entrants catch up.
    """
    members, games, suspended = None, [], {}
    warnings = []
    if (plan.folder / DATABASE).is_file():
        with reported(StoreError, ValueError), Store(plan.folder) as store:
            if found := differences(store.plan(), plan, entries_to_keep(store)):
                raise PlanDiffers(plan.folder, found)
            stored, ending = store.plan(), store.ending()
            if ending is not None and all(
                getattr(plan, name) == getattr(stored, name) for name in ("stop", "format", "settings", "names")
            ):
                print_wrapped(f"already ended: {ending.words}")
            plan = msgspec.structs.replace(plan, seed=stored.seed)
            games, suspended = list(store.played()), store.suspended()
            warnings += used_up_words(plan, store.used_s())
            before = store.membership()
            if before is not None and FORMATS[plan.kind].has_members:
                members = membership_of(plan, before, by_group(games))
    schedule = schedule_of(plan, members)
    history = settled_games(schedule, members, by_group(games))
    total = games_planned(plan, schedule, history)
    if members is not None and len(members.rosters) > 1 and total is not None:
        print_wrapped(
            f"with the results in this folder: {count_phrase(total, 'game')}, of which {len(games):,} are played"
        )
    warnings += uneven_words(plan, schedule, history, suspended)
    print_wrapped(*(f"warning: {words}" for words in warnings), err=True)


def _progress(events_file: str | None) -> Listener:
    """Return a listener that shows the progress: full-screen if stderr is a terminal, otherwise line by line.

    `events_file` is the value of --events. If it is `-` and stdout is a terminal, the listener does not use the full
    screen.
    """
    if sys.stderr.isatty() and not (events_file == "-" and sys.stdout.isatty()):
        from rich.console import Console

        from rails_cli.commands.tournaments.live import LiveTable

        console = Console(stderr=True, highlight=False)
        if console.is_terminal and not console.is_dumb_terminal:
            return LiveTable(console)
    return ProgressLines()
