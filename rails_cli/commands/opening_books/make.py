"""`rails-cli openings make`: a book of balanced openings."""

import sys
from pathlib import Path

import click
import msgspec

from protocol.log import MAX_SEED
from rails_cli.book_making import NotEnough, Wish, make_book
from rails_cli.commands.parameters import (
    NEW_FILE,
    board_and_content,
    board_option,
    check_players,
    game_argument,
    game_options,
    no_openings,
    options_option,
)
from rails_cli.cores import all_cores
from rails_cli.games import load_game, load_openings
from rails_cli.games.phrases import counted
from rails_cli.match.chain import log_of
from rails_cli.players.builtin import check_player, players_of
from rails_cli.players.chance import POLICIES


@click.command
@game_argument
@click.option("--players", type=int, required=True, help="Number of players.")
@click.option("--count", type=click.IntRange(1, 100_000), default=100, help="Number of openings.")
@click.option("--out", "file", type=NEW_FILE, required=True, help="Write the book to this file.")
@click.option(
    "--seed", type=click.IntRange(0, MAX_SEED), default=0, help="Random seed: the same one makes the same book."
)
@click.option("--games-each", type=click.IntRange(2, 10_000), default=24, help="Games played to measure each opening.")
@click.option(
    "--by", "names", multiple=True, metavar="PLAYER", help="Built-in players who play them.  [default: medium]"
)
@click.option("--workers", type=click.IntRange(1, 1024), help="Processes to use.  [default: all cores]")
@options_option
@board_option
def command(
    game_name: str,
    players: int,
    count: int,
    file: Path,
    seed: int,
    games_each: int,
    names: tuple[str, ...],
    workers: int | None,
    options: tuple[str, ...],
    board_file: Path | None,
) -> None:
    """Create an opening book for GAME.

    Each opening starts at random and is continued by good players. Games played from there measure how often each seat
    wins; openings that favour one seat too much are dropped. The same seed makes the same book.

    \b
    Examples:
      rails-cli openings make chicago_express --players 3 --count 100 --out ce3.jsonl
      rails-cli openings make american_rails --players 4 --games-each 12 --by hard --by medium --out ar4.jsonl
    """
    game = load_game(game_name)
    check_players(game, players)
    if load_openings(game_name) is None:
        raise no_openings(game, "GAME")
    for name in names:
        try:
            check_player(name, game_name, is_alone=False)
        except ValueError as error:
            raise click.BadParameter(str(error), param_hint="--by") from None
        if name in POLICIES:
            raise click.BadParameter(f"{name} plays at random, so its games would show nothing", param_hint="--by")
    chosen = game_options(game, options)
    board, content = board_and_content(game, board_file)
    if not game.is_luckless(board, players, chosen):
        raise click.UsageError(f"{game.title} for {players} is dealt from the seed, so no two games are alike anyway")
    if file.exists():
        raise click.UsageError(f"{file} already exists; nothing is overwritten")
    by = names or ("medium" if "medium" in players_of(game_name) else "greedy",)
    wish = Wish(game_name, players, msgspec.to_builtins(chosen), content, by, seed, games_each)
    with click.progressbar(length=count, label="openings", file=sys.stderr, hidden=not sys.stderr.isatty()) as bar:
        try:
            book = make_book(wish, count, workers or all_cores(), bar.update)
        except NotEnough as error:
            raise click.ClickException(f"{error}; ask for fewer") from None
    try:
        file.write_bytes(log_of([book.header, *book.entries]))
    except OSError as error:
        raise click.ClickException(f"cannot write {file}: {error.strerror}") from None
    click.echo(f"{file}: {counted(count, 'opening')} of {game.title} for {players}")
