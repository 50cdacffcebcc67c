"""`rails-cli host`: the server's end of the protocol on our own standard input and output."""

import sys
from typing import Any

import click

from rails_cli.commands.parameters import check_players, check_seat, game_argument
from rails_cli.commands.seating import match_options, seat_option, set_up
from rails_cli.games import load_game
from rails_cli.referee import Referee
from rails_cli.seats import Gone, StdioSeat


@click.command
@game_argument
@click.option("--players", type=int, required=True, help="How many play.")
@seat_option("Fill a seat with builtin:NAME or a command line; the others are played over standard input and output.")
@match_options
def command(
    game_name: str, players: int, filled: tuple[tuple[int, str], ...], names: tuple[str, ...], **values: Any
) -> None:
    """Host one match of GAME for the program that started this one.

    Requests for all open seats come on standard output, each naming its seat; answers are read from standard input. The
    manual of the messages is protocol/PROTOCOL.md. Ends with 0 after the game, with 1 if the input ends before.

    \b
    Examples:
      rails-cli host last_spike --players 2 --clock none
      rails-cli host chicago_express --players 3 --seat 1 builtin:greedy --seat 2 './bot --fast' --seed 7
    """
    check_players(load_game(game_name), players)
    specs = ["stdio"] * players
    for seat, spec in filled:
        check_seat(seat, players)
        if specs[seat] != "stdio":
            raise click.BadParameter(f"seat {seat} is filled twice", param_hint="--seat")
        specs[seat] = spec
    if "stdio" not in specs:
        raise click.UsageError("no seat is left to play over standard input; use: rails-cli run")
    match, table = set_up(game_name, specs, names, **values)
    ours = StdioSeat()
    try:
        with table.seated() as seats:
            sitting = [ours if spec == "stdio" else seat for spec, seat in zip(specs, seats, strict=True)]
            referee = Referee(match, sitting, table.rules, write=table.write)
            referee.play()
    except Gone as gone:
        click.echo(f"rails-cli host: {gone}; the game is not finished", err=True)
        sys.exit(1)
    table.say_failures(referee.lost, [player.name for player in match.header.players], only_lost=True)
    if values["seed"] is None:
        click.echo(f"rails-cli host: the seed was {match.header.seed}", err=True)
