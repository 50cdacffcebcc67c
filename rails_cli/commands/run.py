"""`rails-cli run`: one match between bots."""

import sys
from pathlib import Path
from typing import Any

import click
import msgspec

from protocol.log import ActionLine, FaultLine, ResultLine, SetupLine
from rails_cli.commands.parameters import game_argument
from rails_cli.commands.seating import Seating, SeatSpec, match_options, set_up
from rails_cli.games import load_face
from rails_cli.games.phrases import printable
from rails_cli.log_file import LogFile
from rails_cli.match.match import Match
from rails_cli.match.replay import Unfinished
from rails_cli.referee import Referee


@click.command
@game_argument
@click.option(
    "--seat",
    "specs",
    type=SeatSpec(),
    multiple=True,
    required=True,
    metavar="SPEC",
    help="Who plays the next seat: builtin:random, builtin:busy, builtin:greedy, or a command line. One for each seat.",
)
@match_options
@click.option("--quiet", is_flag=True, help="Do not tell the game, only its result.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as one JSON object for programs.")
def command(
    game_name: str,
    specs: tuple[str, ...],
    names: tuple[str, ...],
    log_file: Path | None,
    quiet: bool,
    as_json: bool,
    **values: Any,
) -> None:
    """Play one match of GAME between bots and tell it.

    Bots are programs that read requests from their standard input and write answers to their standard output, one JSON
    object a line. What they write to standard error is kept beside the log.

    \b
    Examples:
      rails-cli run chicago_express --seat builtin:greedy --seat builtin:busy --seat builtin:random
      rails-cli run last_spike --seat 'python3 mybot.py' --seat builtin:greedy --clock 60+0.5 --log game.jsonl
      rails-cli run american_rails --seat ./bot --seat ./bot --seat ./bot --seed 7 --json
    """
    for name in names:
        if not name.isprintable() or not name.strip():
            raise click.BadParameter(f"{name!r} cannot be shown", param_hint="--name")
    if len(names) > len(specs):
        raise click.UsageError(f"{len(names)} names for {len(specs)} seats")
    match, table = set_up(game_name, specs, names, log_file=log_file, **values)
    log = None if log_file is None else new_log(log_file, match)
    play_out(match, table, log_file, log, quiet=quiet, as_json=as_json)


class Narrator:
    """Says what each line of a log means; silent if nobody listens."""

    def __init__(self, match: Match, *, is_silent: bool) -> None:
        self.match = match
        self.is_silent = is_silent
        self.names = [printable(player.name) for player in match.header.players]

    def tell(self, line: Any) -> None:
        if self.is_silent:
            return
        if isinstance(line, ActionLine | SetupLine):
            face = load_face(self.match.game.name)
            for event in line.events:
                click.echo(printable(face.tell(event, self.names)))
        elif isinstance(line, FaultLine):
            click.echo(printable(f"  ! {self.names[line.seat]}: {line.code}: {line.message}"))

    def conclude(self, result: ResultLine, faults: list[int]) -> None:
        """The final table."""
        click.echo(f"Result after {self.match.number} actions:")
        for seat in sorted(range(len(self.names)), key=lambda seat: result.ranks[seat]):
            line = f"  {result.ranks[seat]}. {self.names[seat]}: ${result.scores[seat]:,}"
            if faults[seat]:
                line += f" ({faults[seat]} fault{'s' if faults[seat] > 1 else ''})"
            click.echo(line)


def play_out(
    match: Match,
    table: Seating,
    log_file: Path | None,
    log: LogFile | None,
    *,
    quiet: bool,
    as_json: bool,
    left: Unfinished | None = None,
) -> None:
    """Plays a match to its end, writes its log, and shows what happened."""
    narrator = Narrator(match, is_silent=quiet or as_json)

    def write(line: Any) -> None:
        if log is not None:
            log.write(line)
        narrator.tell(line)

    try:
        sitting = table.sit()
        referee = Referee(match, sitting, table.rules, write=write, left=left)
        narrator.tell(match.setup_line)
        result = referee.play()
    except OSError as error:
        raise click.ClickException(f"cannot write {error.filename or log_file}: {error.strerror}") from None
    finally:
        table.close()
        if log is not None:
            log.close()
    if as_json:
        shown = {
            "game": match.game.name,
            "seed": match.header.seed,
            "players": [player.name for player in match.header.players],
            "scores": result.scores,
            "ranks": result.ranks,
            "reason": result.reason,
            "faults": referee.faults,
            "actions": match.number,
            "digest": result.digest,
            "log": None if log_file is None else str(log_file),
        }
        click.echo(msgspec.json.encode(shown))
    else:
        narrator.conclude(result, referee.faults)
    if result.reason != "normal":
        click.echo(f"the match is void: {result.reason}", err=True)
        sys.exit(1)


def new_log(log_file: Path, match: Match) -> LogFile:
    """A log with its header and set-up."""
    try:
        log_file.parent.mkdir(parents=True, exist_ok=True)
        log = LogFile(log_file)
    except FileExistsError:
        raise click.UsageError(
            f"{log_file} exists already; choose another name, or carry it on with: rails-cli resume {log_file}"
        ) from None
    except OSError as error:
        raise click.ClickException(f"cannot write {log_file}: {error.strerror}") from None
    log.write_all([match.header, match.setup_line])
    return log
