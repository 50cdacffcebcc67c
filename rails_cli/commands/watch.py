"""`rails-cli watch`: a game between bots, or a table of a server, on this terminal."""

from pathlib import Path

import click

from protocol.log import PlayerLine, Seed
from rails_cli.commands.parameters import GAME_NAME, TEXT, Parsed, check_players, seed_option
from rails_cli.commands.play import (
    BARONS,
    DEFAULT_PLAYERS,
    ask_game,
    ask_number,
    ask_one,
    opponents,
    play_new,
    refuse,
    server_address,
    usual_level,
    with_display,
)
from rails_cli.games import load_game, standard_board
from rails_cli.games.phrases import printable
from rails_cli.match.match import Match, header_of
from rails_cli.players.builtin import check_player, player_name
from rails_cli.seeds import new_seed
from rails_cli.terminal.frame import Quit


@click.command
@click.argument("game_name", type=GAME_NAME, metavar="[GAME]", required=False)
@click.option("--players", type=int, help="How many bots play.")
@click.option(
    "--bots",
    type=Parsed("player", player_name),
    metavar="LEVEL",
    help="Who plays: easy, medium, hard, expert, or another built-in player.",
)
@seed_option
@click.option("--at", "url", metavar="URL", type=TEXT, help="Watch a table of this server.")
@click.option("--table", type=TEXT, help="With --at: the table to watch.  [default: ask]")
@click.option(
    "--tls-ca",
    "certificate",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="With --at: certificates to trust.",
)
def command(
    game_name: str | None,
    players: int | None,
    bots: str | None,
    seed: Seed | None,
    url: str | None,
    table: str | None,
    certificate: Path | None,
) -> None:
    """Watch bots play GAME, or a game at a table of a server.

    You are asked for anything you leave out. While you watch, `map`, `log`, `scores`, `help` and `quit` work as in
    `rails-cli play`, and enter continues at once. A game of bots is saved like one of yours: `rails-cli play --resume`
    resumes it, `rails-cli replay` shows it again.

    \b
    Examples:
      rails-cli watch chicago_express --players 4 --bots hard
      rails-cli watch --at ws://127.0.0.1:8765
      rails-cli watch --at ws://127.0.0.1:8765 --table 3f2a91bc
    """
    if url is not None:
        refuse(
            {"GAME": game_name, "--players": players, "--bots": bots, "--seed": seed}, "by the table that is watched"
        )
        watch_table(server_address(url), table, certificate)
        return
    if table is not None or certificate is not None:
        raise click.UsageError("--table and --tls-ca are for a table of a server: --at says which")
    game = load_game(game_name or ask_game())
    if players is None:
        players = ask_number("How many players", game.players, DEFAULT_PLAYERS)
    check_players(game, players)
    level = bots or ask_one("Bots", opponents(game.name), usual_level(game.name))
    try:
        check_player(level, game.name)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--bots") from None
    lines = [PlayerLine(baron, f"builtin:{level}") for baron in BARONS[:players]]
    header = header_of(game, game.options_type(), new_seed() if seed is None else seed, lines)
    play_new(Match(game, standard_board(game.name), header), is_fast=False)


def watch_table(url: str, table: str | None, certificate: Path | None) -> None:
    """A table of a server, until its game is over or the person leaves."""
    import asyncio

    from rails_cli.client import Denied, Unreachable
    from rails_cli.terminal.remote import Spectator

    try:
        table = table or ask_watched(url, certificate)
        spectator = Spectator(url, table=table, certificate=certificate)
        is_screen = with_display(lambda display: asyncio.run(spectator.play(display)), is_fast=False)
    except (Denied, Unreachable) as error:
        raise click.ClickException(printable(str(error))) from None
    except Quit as left:
        if left.how != "quit":
            raise SystemExit(1) from None
        return
    except KeyboardInterrupt:
        raise SystemExit(1) from None
    click.echo("\n".join(spectator.final if is_screen else []))


def ask_watched(url: str, certificate: Path | None) -> str:
    """The table of a server that somebody wants to watch."""
    tables = tables_at(url, certificate)
    click.echo("Which table?")
    return ask_one("Table", tables, tables[0][0])


def tables_at(url: str, certificate: Path | None) -> list[tuple[str, str]]:
    """The tables of a server, each with a line about it. Raises ClickException if there is none, or no server."""
    import asyncio

    from rails_cli.client import Denied, Unreachable
    from rails_cli.terminal.remote import tables_to_watch

    try:
        tables = asyncio.run(tables_to_watch(url, certificate))
    except (Denied, Unreachable) as error:
        raise click.ClickException(printable(str(error))) from None
    if not tables:
        raise click.ClickException(f"no table at {url}; make one: rails-cli tables {url} --create GAME --players 3")
    states = {"open": "waiting for players", "playing": "being played", "ended": "over"}
    return [
        (
            str(table["table"]),
            printable(
                f"{table['name'] or table['game']}, {states[table['state']]}: "
                + ", ".join(seat["name"] or seat["kind"] for seat in table["seats"])
            ),
        )
        for table in tables
    ]
