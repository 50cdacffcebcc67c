"""`rails-cli run`: Play one match between bots."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import click

from rails_cli.basics.files import printable_path
from rails_cli.basics.settings import setting
from rails_cli.commands import FAILED, print_json, print_lines, print_wrapped, reported
from rails_cli.commands.log_names import LOG
from rails_cli.commands.logs import content_of, log_errors
from rails_cli.commands.options import argument, cli_command, given_parameters
from rails_cli.commands.parameters import AT, GAME_NAME, NEW_FILE, Quiet, ResultJson
from rails_cli.commands.seating import (
    SEAT_SPEC,
    MatchOptions,
    Seating,
    Series,
    SignOption,
    check_signer,
    new_log,
    seats_of_log,
)
from rails_cli.games import load_face
from rails_cli.games.faces.phrases import count_phrase
from rails_cli.games.game import final_ranks
from rails_cli.games.shared.text import printable
from rails_cli.logs.reading import last_clock, last_terms, read_log
from rails_cli.logs.resume import resume_point
from rails_cli.logs.signing import SigningKey
from rails_cli.match.faults import fault_words
from rails_cli.match.match import Match, ResumePoint
from rails_cli.match.session import Session
from rails_cli.players.builtin import restore_plan
from rails_cli.protocol.log import ActionLine, FaultLine, ResultLine, SetupLine
from rails_cli.referee.single import Referee
from rails_cli.study.asking import CannotAsk, log_before_question
from rails_cli.study.branches import beginning

OF_THE_LOG = ("--name", "--seed", "--option", "--board", "--openings")
"""Options that cannot be combined with --from, because the log decides their values."""


@cli_command
def command(
    *,
    game_name: Annotated[str | None, argument("GAME", type=GAME_NAME)] = None,
    specs: Annotated[
        tuple[str, ...],
        setting(
            "Who plays the next seat: builtin:medium (or easy, hard, expert, …), or a command line. "
            "Once for each seat.",
            "--seat",
            type=SEAT_SPEC,
        ),
    ] = (),
    options: MatchOptions,
    log_file: Annotated[Path | None, setting("Write the log to this new file.", "--log", type=NEW_FILE)] = None,
    signer: SignOption = None,
    from_file: Annotated[
        Path | None, setting("Continue from a position in this log.", "--from", "LOG", type=LOG)
    ] = None,
    at: Annotated[int | None, AT] = None,
    quiet: Quiet = False,
    as_json: ResultJson = False,
) -> None:
    """Play one match of GAME between bots, and print what happens.

    Bots are programs that read requests from standard input and write answers to standard output, one JSON object per
    line. What they write to standard error is kept next to the log.

    With --from, the match starts after action N of a log. It has the options, names and clock of that log, and its
    players unless others are given. The position determines all later random events, so no seed is needed.

    Exits with 0 after a clean match. Exits with 3 if a bot lost its seat and was replaced. Exits with 1 if the match is
    void or a bot could not be started. Bots with faults are named on standard error, with the last lines they wrote
    there.

    \b
    Examples:
      rails-cli run chicago_express --seat builtin:greedy --seat builtin:busy --seat builtin:random
      rails-cli run last_spike --seat 'python3 mybot.py' --seat builtin:greedy --clock 60+0.5 --log game.jsonl
      rails-cli run american_rails --seat ./bot --seat ./bot --seat ./bot --seed 7 --json
      rails-cli run --from game.jsonl --at 42 --seat ./bot --seat builtin:greedy --log other.jsonl
    """
    check_signer(signer, log_file)
    if from_file is not None:
        left, seating = continued(from_file, at, game_name, specs, options, log_file, signer)
        if not quiet and not as_json:
            click.echo(f"From {printable_path(from_file)}, after action {left.match.number}:")
        play_out(left.match, seating, quiet=quiet, as_json=as_json, left=left)
        return
    if at is not None:
        raise click.UsageError("--at says where to start in a log; name the log with --from")
    if game_name is None:
        raise click.MissingParameter(param_hint="'GAME'", param_type="argument")
    if not specs:
        raise click.MissingParameter(param_hint="'--seat'", param_type="option")
    series = Series(game_name, len(specs), options)
    seating = Seating(specs, game_name, series.seed, options.clock, options.bots, log_file, signer=signer)
    match = series.match(0, seating.players(options.names))
    if log_file is None:
        match.has_digests = False
    else:
        seating.open_log(log_file, match)
    play_out(match, seating, quiet=quiet, as_json=as_json)


def continued(
    from_file: Path,
    at: int | None,
    game_name: str | None,
    specs: Sequence[str],
    options: MatchOptions,
    log_file: Path | None,
    signer: SigningKey | None,
) -> tuple[ResumePoint, Seating]:
    """Return the state of a match after action `at` of the log `from_file`, and the seating of the match.

    A negative `at` counts from the end of the log. `game_name` is the game that the user has named, or None. `specs`
    has the players of all seats, or is empty to keep those of the log. If `log_file` is given, create it with the log
    up to that action, signed by `signer` unless this is None. Raise ClickException if `at` is None, if an option
    contradicts the log, or if a file cannot be used.
    """
    for option in OF_THE_LOG:
        if option in given_parameters():
            raise click.UsageError(f"{option} cannot be combined with --from: the log decides it")
    if at is None:
        raise click.UsageError("choose where in the log to start: --at N")
    content = content_of(from_file)
    with log_errors(from_file), reported(CannotAsk, option="--at"):
        log, number = log_before_question(read_log(content), at)
        clock = options.clock if "--clock" in given_parameters() else last_clock(log)
        left = resume_point(log, clock)
    header = log.header
    if game_name not in (None, header.game):
        raise click.UsageError(f"{printable_path(from_file)} is a game of {header.game}, not of {game_name}")
    if specs and len(specs) != len(header.players):
        raise click.UsageError(
            f"{count_phrase(len(specs), '--seat')} for {len(header.players)} seats; give all or none"
        )
    seats = seats_of_log(log, left, dict(enumerate(specs)), in_order=True)
    seating = Seating(seats, header.game, header.seed or 0, clock, options.bots, log_file, signer=signer)
    if log_file is not None:
        players = [seating.line(player.name, spec) for player, spec in zip(last_terms(log).players, seats, strict=True)]
        seating.log, seating.log_file = new_log(log_file, signer), log_file
        seating.log.begin(beginning(content, from_file.name, log, number, players, clock))
    return left, seating


def print_log_line(match: Match, names: list[str], line: Any, stderr: Sequence[str] = ()) -> None:
    """Print a line of a log in words. For a fault, also print `stderr`, the last stderr lines of the bot."""
    if isinstance(line, ActionLine | SetupLine):
        if isinstance(line, ActionLine) and match.opening and line.number == 1:
            click.echo("Opening:")
        if isinstance(line, ActionLine) and match.opening and line.number == len(match.opening) + 1:
            click.echo("End of the opening.")
        face, board = load_face(match.game.name), match.game.wire_board(match.board)
        print_wrapped(*(sentence for event in line.events if (sentence := face.tell(board, event, names))))
    elif isinstance(line, FaultLine):
        print_lines(f"  ! {names[line.seat]}: {line.code}: {line.message}", *(f"    | {words}" for words in stderr))


def conclude(match: Match, names: list[str], result: ResultLine, session: Session) -> None:
    """Print the final table. A player who lost its seat comes last, whatever the score of the substitute."""
    click.echo(f"Result after {match.number} actions, seed {match.header.seed}:")
    ranks = final_ranks(result.ranks, session.lost_seats, result.reason)
    for seat in sorted(session.seats, key=lambda seat: (seat.is_lost, ranks[seat.index])):
        name, score = names[seat.index], load_face(match.game.name).score_text(result.scores[seat.index])
        faults = f" ({fault_words(seat.fault_codes)})" if seat.faults else ""
        if not seat.is_lost:
            click.echo(f"  {ranks[seat.index]}. {name}: {score}{faults}")
        elif seat.has_substitute:
            click.echo(f"  {name} lost its seat{faults}; its substitute finished with {score}")
        else:
            click.echo(f"  {name} lost its seat{faults}")


def play_out(match: Match, seating: Seating, *, quiet: bool, as_json: bool, left: ResumePoint | None = None) -> None:
    """Play a match to its end, write its log, and print events and the result.

    `left` is the state of a match that continues from a log. Exit with 3 if a bot lost its seat. Exit with 1 if the
    match is void or a bot could not be started.
    """
    names = [printable(player.name) for player in match.header.players]

    def write(line: Any) -> None:
        seating.write(line)
        if not quiet and not as_json:
            print_log_line(match, names, line, seating.new_stderr_lines(line))

    with seating.seated() as sitting:
        if left is not None:
            restore_plan(sitting, left)
        referee = Referee(match, sitting, seating.policy, write=write, left=left)
        if not quiet and not as_json and left is None:
            print_log_line(match, names, match.setup_line)
        result = referee.play()
    session, lost = referee.session, referee.session.lost_seats
    if as_json:
        ranks = final_ranks(result.ranks, lost, result.reason)
        shown = {
            "game": match.game.name,
            "seed": match.header.seed,
            "players": names,
            "scores": result.scores,
            "ranks": [None if seat in lost else rank for seat, rank in enumerate(ranks)],
            "reason": result.reason,
            "faults": session.faults,
            "fault_codes": session.fault_codes,
            "lost": lost,
            "failures": seating.failures,
            "actions": match.number,
            "opening": len(match.opening),
            "digest": result.digest,
            "log": None if seating.log_file is None else str(seating.log_file),
        }
        print_json(shown)
    else:
        conclude(match, names, result, session)
    seating.print_failures(lost, names, only_lost=not quiet and not as_json)
    if result.reason != "normal":
        click.echo(f"the match is void: {result.reason}", err=True)
    if result.reason == "normal" and lost:
        sys.exit(FAILED)
    if result.reason != "normal" or seating.not_started:
        sys.exit(1)
