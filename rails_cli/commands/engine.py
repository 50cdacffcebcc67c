"""`rails-cli engine`: Serve the rules to a bot that looks ahead."""

import sys
from typing import Annotated

import click
import msgspec

from rails_cli.basics.settings import setting
from rails_cli.commands.options import cli_command
from rails_cli.commands.parameters import (
    BoardFile,
    GameOptions,
    OptionalGame,
    board_and_content,
    check_players,
    game_options,
)
from rails_cli.games import load_game
from rails_cli.library import Engine
from rails_cli.library.service import Service, serve


@cli_command
def command(
    game_name: OptionalGame = None,
    players: Annotated[int | None, setting("Number of players, if a request for a new game does not give it.")] = None,
    options: GameOptions = (),
    board_file: BoardFile = None,
) -> None:
    """Serve the rules to a bot that looks ahead: legal moves, play, undo, evaluations, playouts, searches.

    A request is a line of JSON on standard input, its answer a line on standard output. A line may also hold a list of
    requests. If the bot forwards the `start` and `request` messages it gets, GAME is not needed. The bot can also
    start new games. The manual is protocol/ENGINE.md. Exits when the input ends.

    \b
    Examples:
      rails-cli engine
      rails-cli engine chicago_express --players 3
    """
    service = Service()
    if game_name is not None:
        game = load_game(game_name)
        if players is not None:
            check_players(game, players)
        engine = Engine(game_name)
        engine.board, _ = board_and_content(game, board_file)
        service = Service(engine, players, msgspec.to_builtins(game_options(game, options)))
    elif players is not None or options or board_file is not None:
        raise click.UsageError("--players, --option and --board need a GAME")
    if sys.stdin is None or sys.stdout is None:
        raise click.ClickException("there is no standard input or output to read requests from and answer on")
    serve(service, sys.stdin.buffer, sys.stdout.buffer)
