"""`rails-cli watch`: Watch bots play, or a server's table."""

from typing import Annotated

import click

from rails_cli.basics.settings import setting
from rails_cli.commands.options import ParsedType, argument, cli_command
from rails_cli.commands.parameters import GAME_NAME, SeedOption, ServerCertificate, check_players, server_link
from rails_cli.commands.play import play_standard
from rails_cli.commands.questions import (
    DEFAULT_PLAYERS,
    ask_choice,
    ask_game,
    ask_number,
    opponents,
    refuse,
)
from rails_cli.commands.seating import LEVEL_TYPE, check_level
from rails_cli.games import load_game
from rails_cli.match.seat_specs import BUILTIN
from rails_cli.players.builtin import usual_level

GAME_OR_SERVER = ParsedType("game", lambda words: words if "://" in words else GAME_NAME.read(words))
"""Type of command-line parameters that are the name of a game, or the URL of a server."""


@cli_command
def command(
    what: Annotated[str | None, argument("[GAME|URL]", type=GAME_OR_SERVER)] = None,
    players: Annotated[int | None, setting("How many bots play.")] = None,
    bots: Annotated[
        str | None, setting("Who plays: easy, medium, hard, expert, or another built-in player.", type=LEVEL_TYPE)
    ] = None,
    seed: SeedOption = None,
    url: Annotated[str | None, setting("Watch a table of this server.", "--server", "URL")] = None,
    at: Annotated[str | None, setting("", hidden=True)] = None,
    table: Annotated[str | None, setting("With --server: the table to watch.  [default: ask]")] = None,
    certificate: ServerCertificate = None,
) -> None:
    """Watch bots play GAME, or a game at a table of a server.

    You are asked for anything you leave out. While you watch, space pauses, + and - change the speed, and enter
    continues at once. In a pause, enter shows one step. `map`, `log`, `scores`, `help` and `quit` work as in `rails-cli
    play`. A game of bots is saved like one of yours: `rails-cli play --resume` resumes it, and `rails-cli replay` shows
    it again.

    \b
    Examples:
      rails-cli watch chicago_express --players 4 --bots hard
      rails-cli watch http://127.0.0.1:8765/#table/3f2a91bc
      rails-cli watch --server ws://127.0.0.1:8765
      rails-cli watch --server ws://127.0.0.1:8765 --table 3f2a91bc
    """
    if at is not None:
        raise click.UsageError(f"--at is not an option of watch; name a server with --server {at}")
    game_name = None if what is None or "://" in what else what
    if what is not None and game_name is None:
        refuse(["--server"], "by the address you gave")
        url = what
    if url is not None:
        if game_name is not None:
            raise click.UsageError("GAME is already decided by the table that is watched")
        refuse(["--players", "--bots", "--seed"], "by the table that is watched")
        from rails_cli.commands.visiting import watch_table

        link = server_link(url)
        watch_table(link.url, table or link.table, certificate)
        return
    if table is not None or certificate is not None:
        raise click.UsageError("--table and --tls-ca are for a table of a server: --server says which")
    game = load_game(game_name or ask_game())
    if players is None:
        players = ask_number("How many players", game.players, DEFAULT_PLAYERS)
    check_players(game, players)
    level = bots or ask_choice("Bots", opponents(game.name), usual_level(game.name))
    check_level(level, game.name)
    play_standard(game, [f"{BUILTIN}{level}"] * players, None, seed)
