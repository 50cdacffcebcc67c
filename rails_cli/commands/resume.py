"""`rails-cli resume`: Resume an interrupted game."""

from pathlib import Path
from typing import Annotated

import click

from rails_cli.basics.files import printable_path
from rails_cli.basics.settings import setting
from rails_cli.commands import reported, write_errors
from rails_cli.commands.log_names import UNFINISHED_LOG
from rails_cli.commands.logs import content_of, log_errors
from rails_cli.commands.options import TEXT, argument, cli_command, given_parameters
from rails_cli.commands.parameters import Quiet, ResultJson, seat_named
from rails_cli.commands.run import play_out
from rails_cli.commands.seating import (
    SEAT_SPEC,
    BotSettings,
    Seating,
    SignOption,
    clock_setting,
    seats_of_log,
)
from rails_cli.logs.log_file import LogFile, LogInUse
from rails_cli.logs.reading import last_clock, read_log
from rails_cli.logs.resume import resume_point
from rails_cli.logs.signing import short
from rails_cli.match.clock import clock_line
from rails_cli.protocol.log import ResumedLine
from rails_cli.protocol.messages import Clock


@cli_command
def command(
    *,
    log_file: Annotated[Path, argument("LOG", type=UNFINISHED_LOG)],
    filled: Annotated[
        tuple[tuple[str, str], ...],
        setting(
            "Who plays a seat from now on; SEAT is its player's name or its number, counted from 1. "
            "The others are played as before.",
            "--seat",
            "SEAT SPEC",
            type=(TEXT, SEAT_SPEC),
        ),
    ] = (),
    clock: Annotated[Clock | None, clock_setting(show_default="that of the log")],
    settings: BotSettings,
    signer: SignOption = None,
    quiet: Quiet = False,
    as_json: ResultJson = False,
) -> None:
    """Resume the unfinished game in LOG with the same players, or with others, and append to its log.

    LOG is a file, a saved game, or last for the unfinished game played last.
    An incomplete line at the end of the file is cut off. The clock continues as logged, unless --clock is given. A log
    may come from anyone, so a command it names is run only if you name it, too, or agree at a terminal. Exits with 3 if
    a bot lost its seat, as `rails-cli run` does.

    \b
    Examples:
      rails-cli resume game.jsonl
      rails-cli resume game.jsonl --seat 3 builtin:greedy
      rails-cli resume game.jsonl --seat 1 'python3 mybot.py'
    """
    content = content_of(log_file)
    with log_errors(log_file):
        log = read_log(content)
        if "--clock" not in given_parameters():
            clock = last_clock(log)
        left = resume_point(log, clock)
    if signer is not None and log.header.key != signer.key:
        words = "is not signed" if log.header.key is None else f"is signed by {short(log.header.key)}"
        raise click.BadParameter(f"{printable_path(log_file)} {words}, not by {short(signer.key)}", param_hint="--sign")
    names = [player.name for player in log.header.players]
    seats = seats_of_log(log, left, {seat_named(seat, names): spec for seat, spec in filled}, in_order=False)
    seating = Seating(seats, log.header.game, log.header.seed or 0, clock, settings, log_file, signer=signer)
    seating.mark = f"resumed at action {left.match.number + 1}"
    players = [seating.line(player.name, spec) for player, spec in zip(log.header.players, seats, strict=True)]
    resumed = ResumedLine(left.match.number + 1, players, clock_line(clock))
    with reported(LogInUse), write_errors(printable_path(log_file)):
        seating.log = LogFile(log_file, keep_bytes=left.size, known_bytes=len(content), signer=signer)
        seating.log_file = log_file
        seating.log.write_all([resumed] if left.has_setup else [left.match.setup_line, resumed])
    play_out(left.match, seating, quiet=quiet, as_json=as_json, left=left)
