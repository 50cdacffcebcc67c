"""`rails-cli check-bot`: Check a bot and report what to fix."""

import shlex
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, BinaryIO

import click

from rails_cli.basics.settings import setting
from rails_cli.commands import print_json, reported, write_errors
from rails_cli.commands.options import POSITIVE, with_options
from rails_cli.commands.parameters import FOLDER, GAME_SIZES, BotCommand, FirstSeed, Json
from rails_cli.commands.sandbox import check_sandbox
from rails_cli.commands.seating import BOT_CLOCK_HELP, StartUp, clock_setting
from rails_cli.games import load_game, standard_board, whole_games
from rails_cli.games.faces.phrases import count_phrase
from rails_cli.match.session import MatchPolicy
from rails_cli.programs.check import REAL_TIMES, BotChecker, CannotStart, Check, Report, Subject, check_bot
from rails_cli.programs.check.observations import Observations, transcribed
from rails_cli.programs.limits import BotLimits
from rails_cli.programs.starting import command_mistake
from rails_cli.protocol.messages import Clock

WORDS = {"ok": "ok", "warning": "warning", "failed": "FAILED"}
MARKS = {"ok": "✓", "warning": "!", "failed": "✗"}
COLOURS = {"ok": "green", "warning": "yellow", "failed": "red"}
TRANSCRIPT_FILE = click.File("wb", lazy=False)


@click.command(context_settings={"allow_interspersed_args": False})
@with_options
def command(
    *,
    games: Annotated[
        tuple[tuple[str, tuple[int, ...]], ...],
        setting(
            "Check it in this game; with numbers of players: only for those, and without options. May be repeated.  "
            "[default: all]",
            "--game",
            type=GAME_SIZES,
        ),
    ] = (),
    seed: FirstSeed = 0,
    clock: Annotated[Clock | None, clock_setting(BOT_CLOCK_HELP)],
    start_up_s: StartUp = 20,
    limit_s: Annotated[float, setting("Seconds for the whole check.", type=POSITIVE)] = 900,
    is_quick: Annotated[
        bool, setting("Play fewer whole matches, and list those left out. All other checks are run.", "--quick")
    ] = False,
    as_json: Json = False,
    transcript_file: Annotated[
        BinaryIO | None,
        setting(
            "Write all lines to this file: > to the bot, < from the bot, # the check they belong to.",
            "--transcript",
            type=TRANSCRIPT_FILE,
        ),
    ] = None,
    logs_folder: Annotated[
        Path | None,
        setting(
            "Keep logs of failed matches here, and transcripts of other failed checks.  "
            "[default: a new temporary folder]",
            "--logs",
            type=FOLDER,
        ),
    ] = None,
    limits: BotLimits,
    bot: BotCommand = (),
) -> None:
    """Check a bot and report what to fix.

    Starts the bot many times, and plays real matches with it in which every kind of decision and event occurs. Sends it
    unusual messages that the protocol allows, measures its memory, and checks how it exits. A failed match leaves a
    log, and you are shown the command that asks the bot the same question again. If a log cannot show what went wrong,
    all messages are kept. Give this command the limits and the sandbox with which the bot will play. Exits with 0 if
    nothing failed, otherwise with 1.

    \b
    Examples:
      rails-cli check-bot -- python3 mybot.py
      rails-cli check-bot --game last_spike --quick -- ./bot --fast
      rails-cli check-bot --json --transcript lines.txt -- node bot.js
      rails-cli check-bot --sandbox auto --memory 512M -- python3 mybot.py
    """
    check_command(bot, "check-bot", limits)
    if clock is None:
        raise click.BadParameter("a bot may hang, so a limit is needed; try 10/move", param_hint="--clock")
    subjects = subjects_of(games or [(name, ()) for name in whole_games()])
    given_advice: list[str] = []
    if not as_json:
        click.echo(f"Checking {shlex.join(bot)}\n")
    policy = MatchPolicy(clock, start_up_s, max_faults=1, on_faults="void")
    check_sandbox(limits)
    observed = Observations(transcriber(transcript_file))
    times = click.get_current_context().obj or REAL_TIMES  # tests pass their own
    checker = BotChecker(list(bot), subjects, policy, observed, seed, limit_s, is_quick, limits, times=times)
    say = (lambda check: None) if as_json else (lambda check: print_check(check, given_advice))
    with reported(CannotStart, kind=click.UsageError):
        report = check_bot(checker, say, file_writer(logs_folder))
    if as_json:
        print_json(report)
    else:
        conclude(report)
    sys.exit(1 if report.verdict == "failed" else 0)


def subjects_of(games: Sequence[tuple[str, tuple[int, ...]]]) -> list[Subject]:
    """Return the games to check, each with the numbers of players for which it is checked.

    `games` has pairs of a game and numbers of players. An empty tuple requests all numbers. A game may occur in several
    pairs.
    """
    whole = [name for name, sizes in games if not sizes]
    found: list[Subject] = []
    for name in dict.fromkeys(name for name, _ in games):
        sizes = {size for named, sizes in games if named == name for size in sizes}
        found.append(Subject(load_game(name), standard_board(name), () if name in whole else tuple(sorted(sizes))))
    return found


def check_command(bot: tuple[str, ...], command: str, limits: BotLimits) -> None:
    """Raise UsageError if the command line `bot`, given to the rails-cli command `command`, cannot be run."""
    if not bot:
        raise click.UsageError(f"no bot given; try: rails-cli {command} -- python3 mybot.py")
    if limits.image:
        return  # the program is in the image
    if shutil.which(bot[0]) is not None:
        if mistake := command_mistake(bot, Path()):
            raise click.UsageError(mistake)
        return
    if len(bot) == 1 and " " in bot[0]:
        raise click.UsageError(f"{bot[0]!r} is not a program; leave the quotes out: -- {bot[0]}")
    file = Path(bot[0])
    if file.is_dir():
        raise click.UsageError(f"{bot[0]!r} is a folder, not a program")
    if file.is_file():
        hint = f"chmod +x {bot[0]}" if "/" in bot[0] else f"-- ./{bot[0]}"
        raise click.UsageError(f"{bot[0]!r} cannot be run as a program; try: {hint}")
    raise click.UsageError(f"there is no program {bot[0]!r}")


def file_writer(folder: Path | None) -> Callable[[str, bytes], str]:
    """Return a function that writes a file with a given name and content to `folder`, and returns the path of the file.

    If `folder` is None, the function creates a temporary folder.
    """

    def write(name: str, content: bytes) -> str:
        nonlocal folder
        with write_errors():
            folder = folder or Path(tempfile.mkdtemp(prefix="rails-cli-check-"))
            folder.mkdir(parents=True, exist_ok=True)
            file = folder / name
            file.write_bytes(content)
        return str(file)

    return write


def transcriber(file: BinaryIO | None) -> Callable[[str, bytes], None]:
    """Return a function that writes a sign, such as `>`, and a line to `file`, or does nothing if `file` is None."""

    def write(sign: str, line: bytes) -> None:
        if file is not None:
            file.write(transcribed(sign, line))
            file.flush()

    return write


def verdict_mark(verdict: str) -> str:
    """Return a verdict, such as `ok`, for display: at a terminal as a coloured sign, otherwise as a word."""
    if sys.stdout.isatty():
        return click.style(MARKS[verdict], fg=COLOURS[verdict], bold=True)
    return f"{WORDS[verdict]:7}"


def print_check(check: Check, given_advice: list[str]) -> None:
    """Print the result of a check. Advice that is not in `given_advice` is printed and added to `given_advice`."""
    head = verdict_mark(check.verdict)
    if check.verdict == "ok":
        click.echo(f"  {head}  {check.name}{': ' + check.message if check.message else ''}")
    else:
        click.echo(f"  {head}  {check.name}{': as above' if check.message in given_advice else ''}")
        if check.message not in given_advice:
            click.echo(click.wrap_text(check.message, 100, "      ", "      "))
            given_advice.append(check.message)
            if check.stderr:
                click.echo("      The end of its stderr:")
                for line in check.stderr:
                    click.echo(f"        {line}")
            if check.ask is not None:
                click.echo(f"      To ask the bot again: {check.ask}")
            if check.transcript is not None:
                click.echo(f"      Transcript: {check.transcript}")


def conclude(report: Report) -> None:
    """Print the end of the report: decisions, events, answer times, memory, and a summary of all checks."""
    click.echo("\nDecisions asked for in whole matches:")
    kinds = list(dict.fromkeys(kind for asked in report.coverage.values() for kind in asked))
    width = max((len(kind) for kind in kinds), default=0)
    click.echo("  " + " " * width + "".join(f"  {name:>15}" for name in report.coverage))
    for kind in sorted(kinds):
        cells = (asked.get(kind, "-") for asked in report.coverage.values())
        click.echo(f"  {kind:{width}}" + "".join(f"  {cell:>15}" for cell in cells))
    click.echo("\nEvents sent to the bot:")
    for name, counts in report.events.items():
        missing = [tag for tag, count in counts.items() if not count]
        words = f"all {len(counts)} kinds" if not missing else f"{len(counts) - len(missing)} of {len(counts)} kinds"
        click.echo(f"  {name}: {words}{', not ' if missing else ''}{', '.join(missing)}")
    times = report.times_ms
    if times["median"] is not None:
        click.echo(f"\nAnswer time: median {times['median']:.2f} ms, slowest {times['slowest']:.2f} ms")
    if times["median_first"] is not None:
        click.echo(f"First answer of a process: median {times['median_first']:.1f} ms")
    peak, growth = report.memory["peak_bytes"], report.memory["growth_per_answer_bytes"]
    if peak is not None:
        grew = "" if growth is None else f", {growth / 1000:,.0f} kB more with each answer"
        click.echo(f"Memory of a process: {peak / 1_000_000:.0f} MB{grew}")
    if report.left_out:
        click.echo("\nLeft out by --quick:")
        for words in report.left_out:
            click.echo(f"  {words}")
    counts = {verdict: sum(check.verdict == verdict for check in report.checks) for verdict in WORDS}
    warnings = count_phrase(counts["warning"], "warning")
    summary = f"{len(report.checks)} checks: {counts['ok']} ok, {warnings}, {counts['failed']} failed"
    click.echo("\n" + click.style(summary, fg=COLOURS[report.verdict], bold=True))
