"""`rails-cli run`: plays one match between bots."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import msgspec
from click.core import ParameterSource

from rails_cli.asking import CannotAsk, before
from rails_cli.basics.files import read_file, shown_path
from rails_cli.commands import FAILED
from rails_cli.commands.parameters import EXISTING_FILE, GAME_NAME, settings_of
from rails_cli.commands.seating import (
    SEAT_SPEC,
    BotSettings,
    Seating,
    check_signer,
    clock_is_given,
    match_options,
    new_log,
    new_log_option,
    seats_of_log,
    set_up,
    sign_option,
)
from rails_cli.games import load_face
from rails_cli.games.faces.phrases import counted
from rails_cli.games.game import ranked_last
from rails_cli.games.shared.text import printable
from rails_cli.logs.reading import BadLog, last_clock, last_terms, read_log
from rails_cli.logs.resume import resume_point
from rails_cli.logs.signing import SigningKey
from rails_cli.match.match import Match, ResumePoint
from rails_cli.match.session import Session
from rails_cli.players.builtin import remind
from rails_cli.protocol.log import ActionLine, FaultLine, ResultLine, SetupLine
from rails_cli.protocol.messages import Clock
from rails_cli.referee.single import Referee
from rails_cli.study.branches import beginning

OF_THE_LOG = ("seed", "options", "board_file", "openings", "names")
"""Parameters that the log decides with --from."""


@click.command
@click.argument("game_name", type=GAME_NAME, metavar="GAME", required=False)
@click.option(
    "--seat",
    "specs",
    type=SEAT_SPEC,
    multiple=True,
    metavar="SPEC",
    help="Who plays the next seat: builtin:medium (or easy, hard, expert, …), or a command line. Once for each seat.",
)
@match_options
@new_log_option
@sign_option
@click.option("--from", "from_file", type=EXISTING_FILE, metavar="LOG", help="Continue from a position in this log.")
@click.option(
    "--at", type=int, metavar="N", help="With --from: start just before action N of the log; -1 is the last one."
)
@click.option("--quiet", is_flag=True, help="Print only the result.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as one JSON object for programs.")
def command(
    game_name: str | None,
    specs: tuple[str, ...],
    names: tuple[str, ...],
    from_file: Path | None,
    at: int | None,
    quiet: bool,
    as_json: bool,
    **values: Any,
) -> None:
    """Play one match of GAME between bots and tell the story.

    Bots are programs that read requests from standard input and write answers to standard output, one JSON object per
    line. What they write to standard error is kept next to the log.

    With --from, the match starts just before action N of a log: with the options, names and clock of that log, and with
    its players unless others are given. The position includes its luck, so no seed is needed.

    Exits with 0 after a clean match, with 3 if a bot lost its seat and was replaced, and with 1 if the match is void or
    a bot could not be started. Bots with faults are named on standard error, with the last lines they wrote there.

    \b
    Examples:
      rails-cli run chicago_express --seat builtin:greedy --seat builtin:busy --seat builtin:random
      rails-cli run last_spike --seat 'python3 mybot.py' --seat builtin:greedy --clock 60+0.5 --log game.jsonl
      rails-cli run american_rails --seat ./bot --seat ./bot --seat ./bot --seed 7 --json
      rails-cli run --from game.jsonl --at 42 --seat ./bot --seat builtin:greedy --log other.jsonl
    """
    if from_file is not None:
        run_from(from_file, at, game_name, specs, quiet=quiet, as_json=as_json, **values)
        return
    if at is not None:
        raise click.UsageError("--at says where to start in a log; name the log with --from")
    if game_name is None:
        raise click.MissingParameter(param_hint="'GAME'", param_type="argument")
    if not specs:
        raise click.MissingParameter(param_hint="'--seat'", param_type="option")
    match, table = set_up(game_name, specs, names, **values)
    play_out(match, table, quiet=quiet, as_json=as_json)


def run_from(
    from_file: Path,
    at: int | None,
    game_name: str | None,
    specs: tuple[str, ...],
    *,
    clock: Clock | None,
    log_file: Path | None,
    signer: SigningKey | None,
    quiet: bool,
    as_json: bool,
    **values: Any,
) -> None:
    """Play from a position of a log. The new log begins with the lines of the old one."""
    context = click.get_current_context()
    for parameter in context.command.params:
        if parameter.name in OF_THE_LOG and context.get_parameter_source(parameter.name) is not ParameterSource.DEFAULT:
            raise click.UsageError(f"{parameter.opts[0]} cannot be combined with --from: the log decides it")
    check_signer(signer, log_file)
    if at is None:
        raise click.UsageError("choose where in the log to start: --at N")
    name = shown_path(from_file)
    try:
        content = read_file(from_file)
        log, at = before(read_log(content), at)
        clock = clock if clock_is_given() else last_clock(log)
        left = resume_point(log, clock)
    except CannotAsk as error:
        raise click.BadParameter(str(error), param_hint="--at") from None
    except BadLog as bad:
        raise click.ClickException(f"{name}: {bad}") from None
    except OSError as error:
        raise click.ClickException(f"cannot read {name}: {error.strerror}") from None
    header = log.header
    if game_name not in (None, header.game):
        raise click.UsageError(f"{name} is a game of {header.game}, not of {game_name}")
    if specs and len(specs) != len(header.players):
        raise click.UsageError(f"{counted(len(specs), '--seat')} for {len(header.players)} seats; give all or none")
    seats = seats_of_log(log, left, dict(enumerate(specs)), in_order=True)
    settings = settings_of(BotSettings, values)
    table = Seating(seats, header.game, header.seed or 0, clock, settings, log_file, signer=signer)
    if log_file is not None:
        players = [table.line(player.name, spec) for player, spec in zip(last_terms(log).players, seats, strict=True)]
        table.log, table.log_file = new_log(log_file, signer), log_file
        table.log.begin(beginning(content, from_file.name, log, at, players, clock))
    if not quiet and not as_json:
        click.echo(f"From {name}, action {at}:")
    play_out(left.match, table, quiet=quiet, as_json=as_json, left=left)


def tell(match: Match, names: list[str], line: Any, stderr: Sequence[str] = ()) -> None:
    """Print a log line in words."""
    if isinstance(line, ActionLine | SetupLine):
        if isinstance(line, ActionLine) and match.opening and line.number == 1:
            click.echo("Opening:")
        if isinstance(line, ActionLine) and match.opening and line.number == len(match.opening) + 1:
            click.echo("End of the opening.")
        face, board = load_face(match.game.name), match.game.wire_board(match.board)
        for event in line.events:
            click.echo(printable(face.tell(board, event, names)))
    elif isinstance(line, FaultLine):
        click.echo(printable(f"  ! {names[line.seat]}: {line.code}: {line.message}"))
        for words in stderr:
            click.echo(f"    | {words}")


def conclude(match: Match, names: list[str], result: ResultLine, session: Session) -> None:
    """Print the final table. Players who lost their seat come last, whatever a substitute achieved."""
    click.echo(f"Result after {match.number} actions, seed {match.header.seed}:")
    ranks = ranked_last(result.ranks, session.lost_seats)
    for seat in sorted(session.seats, key=lambda seat: (seat.is_lost, ranks[seat.index])):
        name, score = names[seat.index], f"${result.scores[seat.index]:,}"
        faults = f" ({seat.faults} fault{'s' if seat.faults > 1 else ''})" if seat.faults else ""
        if not seat.is_lost:
            click.echo(f"  {ranks[seat.index]}. {name}: {score}{faults}")
        elif seat.has_substitute:
            click.echo(f"  {name} lost its seat{faults}; its substitute finished with {score}")
        else:
            click.echo(f"  {name} lost its seat{faults}")


def play_out(match: Match, table: Seating, *, quiet: bool, as_json: bool, left: ResumePoint | None = None) -> None:
    """Play a match to its end, write its log, and print what happens."""
    names = [printable(player.name) for player in match.header.players]

    def write(line: Any) -> None:
        table.write(line)
        if not quiet and not as_json:
            tell(match, names, line, table.news_of(line))

    with table.seated() as sitting:
        if left is not None:
            remind(sitting, left)
        referee = Referee(match, sitting, table.rules, write=write, left=left)
        if not quiet and not as_json and left is None:
            tell(match, names, match.setup_line)
        result = referee.play()
    session, lost = referee.session, referee.session.lost_seats
    if as_json:
        ranks = ranked_last(result.ranks, lost)
        shown = {
            "game": match.game.name,
            "seed": match.header.seed,
            "players": names,
            "scores": result.scores,
            "ranks": [None if seat in lost else rank for seat, rank in enumerate(ranks)],
            "reason": result.reason,
            "faults": session.faults,
            "lost": lost,
            "failures": table.failures,
            "actions": match.number,
            "opening": len(match.opening),
            "digest": result.digest,
            "log": None if table.log_file is None else str(table.log_file),
        }
        click.echo(msgspec.json.encode(shown))
    else:
        conclude(match, names, result, session)
    table.say_failures(lost, names, only_lost=not quiet and not as_json)
    if result.reason != "normal":
        click.echo(f"the match is void: {result.reason}", err=True)
    if result.reason == "normal" and lost:
        sys.exit(FAILED)
    if result.reason != "normal" or table.not_started:
        sys.exit(1)
