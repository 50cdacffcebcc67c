"""`rails-cli host`: the server's end of the protocol on our own standard input and output."""

import sys
from pathlib import Path
from typing import Any

import click
import msgspec

from rails_cli.commands.parameters import (
    board_and_content,
    board_option,
    check_players,
    game_argument,
    game_options,
    options_option,
    seed_option,
)
from rails_cli.commands.run import new_log
from rails_cli.commands.seating import SeatSpec, Table, bot_options
from rails_cli.games import load_game
from rails_cli.match.match import Match, header_of
from rails_cli.referee import Referee
from rails_cli.seats import Gone, StdioSeat


@click.command
@game_argument
@click.option("--players", type=int, required=True, help="How many play.")
@click.option(
    "--seat",
    "filled",
    nargs=2,
    type=(int, SeatSpec()),
    multiple=True,
    metavar="SEAT SPEC",
    help="Fill a seat with builtin:NAME or a command line; the others are played over standard input and output.",
)
@click.option("--name", "names", multiple=True, help="A name for the next seat.")
@seed_option
@options_option
@board_option
@bot_options
@click.option(
    "--log", "log_file", type=click.Path(dir_okay=False, path_type=Path), help="Write the game to this new file."
)
def command(
    game_name: str,
    players: int,
    filled: tuple[tuple[int, str], ...],
    names: tuple[str, ...],
    seed: int,
    options: tuple[str, ...],
    board_file: Path | None,
    log_file: Path | None,
    **settings: Any,
) -> None:
    """Host one match of GAME for the program that started this one.

    Requests for all open seats come on standard output, each naming its seat; answers are read from standard input. The
    manual of the messages is protocol/PROTOCOL.md. Ends with 0 after the game, with 1 if the input ends before.

    \b
    Examples:
      rails-cli host last_spike --players 2 --clock none
      rails-cli host chicago_express --players 3 --seat 1 builtin:greedy --seat 2 './bot --fast' --seed 7
    """
    game = load_game(game_name)
    check_players(game, players)
    specs = ["stdio"] * players
    for seat, spec in filled:
        if not 0 <= seat < players:
            raise click.BadParameter(f"seat {seat} is not one of 0 to {players - 1}", param_hint="--seat")
        if specs[seat] != "stdio":
            raise click.BadParameter(f"seat {seat} is filled twice", param_hint="--seat")
        specs[seat] = spec
    if "stdio" not in specs:
        raise click.UsageError("no seat is left to play over standard input; use: rails-cli run")
    table = Table(specs, game_name, seed, settings, log_file)
    board, content = board_and_content(game, board_file)
    match = Match(
        game,
        board,
        header_of(
            game,
            game_options(game, options),
            seed,
            table.players(names),
            board="standard" if content is None else msgspec.json.decode(content),
            clock=None if table.rules.clock is None else msgspec.to_builtins(table.rules.clock),
        ),
    )
    log = None if log_file is None else new_log(log_file)

    def write(line: Any) -> None:
        if log is not None:
            log.write(line)

    if log is not None:
        log.write_all([match.header, match.setup_line])
    ours = StdioSeat()
    try:
        sitting = [ours if spec == "stdio" else seat for spec, seat in zip(specs, table.sit(), strict=True)]
        Referee(match, sitting, table.rules, write=write).play()
    except Gone as gone:
        click.echo(f"rails-cli host: {gone}; the game is not finished", err=True)
        sys.exit(1)
    except OSError as error:
        raise click.ClickException(f"cannot write {error.filename or log_file}: {error.strerror}") from None
    finally:
        table.close()
        if log is not None:
            log.close()
