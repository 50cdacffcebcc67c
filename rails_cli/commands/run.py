"""`rails-cli run`: one match between bots."""

import sys
from pathlib import Path
from typing import Any

import click
import msgspec

from rails_cli.commands.narrator import Narrator
from rails_cli.commands.parameters import (
    board_and_content,
    board_option,
    check_players,
    game_argument,
    game_options,
    options_option,
    seed_option,
)
from rails_cli.commands.seating import SeatSpec, Table, bot_options
from rails_cli.games import load_game
from rails_cli.log_file import LogFile
from rails_cli.match.match import Match, header_of
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
@click.option("--name", "names", multiple=True, help="A name for the next seat.")
@seed_option
@options_option
@board_option
@bot_options
@click.option(
    "--log", "log_file", type=click.Path(dir_okay=False, path_type=Path), help="Write the game to this new file."
)
@click.option("--quiet", is_flag=True, help="Do not tell the game, only its result.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as one JSON object for programs.")
def command(
    game_name: str,
    specs: tuple[str, ...],
    names: tuple[str, ...],
    seed: int,
    options: tuple[str, ...],
    board_file: Path | None,
    log_file: Path | None,
    quiet: bool,
    as_json: bool,
    **settings: Any,
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
    game = load_game(game_name)
    check_players(game, len(specs))
    for name in names:
        if not name.isprintable() or not name.strip():
            raise click.BadParameter(f"{name!r} cannot be shown", param_hint="--name")
    if len(names) > len(specs):
        raise click.UsageError(f"{len(names)} names for {len(specs)} seats")
    chosen = game_options(game, options)
    board, content = board_and_content(game, board_file)
    table = Table(specs, game_name, seed, settings, log_file)
    header = header_of(
        game,
        chosen,
        seed,
        table.players(names),
        board="standard" if content is None else msgspec.json.decode(content),
        clock=None if table.rules.clock is None else msgspec.to_builtins(table.rules.clock),
    )
    match = Match(game, board, header)
    play_out(match, table, log_file, None, quiet=quiet, as_json=as_json)


def play_out(
    match: Match,
    table: Table,
    log_file: Path | None,
    log: LogFile | None,
    *,
    quiet: bool,
    as_json: bool,
    banks_s: list[float | None] | None = None,
    faults: list[int] | None = None,
) -> None:
    """Plays a match to its end, writes its log, and shows what happened."""
    narrator = Narrator(match, is_silent=quiet or as_json)
    if log_file is not None and log is None:
        log = new_log(log_file)
        log.write_all([match.header, match.setup_line])

    def write(line: Any) -> None:
        if log is not None:
            log.write(line)
        narrator.tell(line)

    try:
        sitting = table.sit()
        referee = Referee(match, sitting, table.rules, write=write, banks_s=banks_s, faults=faults)
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


def new_log(log_file: Path) -> LogFile:
    try:
        log_file.parent.mkdir(parents=True, exist_ok=True)
        return LogFile(log_file)
    except FileExistsError:
        raise click.UsageError(
            f"{log_file} exists already; choose another name, or carry it on with: rails-cli resume {log_file}"
        ) from None
    except OSError as error:
        raise click.ClickException(f"cannot write {log_file}: {error.strerror}") from None
