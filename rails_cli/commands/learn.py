"""`rails-cli learn`: a guided first game."""

import click

from protocol.log import PlayerLine, Seed
from rails_cli.commands.parameters import Parsed, game_argument, seed_option
from rails_cli.commands.play import BARONS, own_name, play_new
from rails_cli.games import load_evaluation, load_game, standard_board
from rails_cli.games.phrases import printable
from rails_cli.match.match import Match, header_of
from rails_cli.players.builtin import check_player, player_name
from rails_cli.seeds import new_seed
from rails_cli.terminal.hot_seat import PERSON
from rails_cli.terminal.lessons import Lessons

PLAYERS = 3
"""Or as near to that as a game allows."""


@click.command
@game_argument
@click.option("--name", help="Your name.")
@click.option(
    "--bots",
    type=Parsed("player", player_name),
    metavar="LEVEL",
    help="Your opponents: easy, medium, hard, expert, or another built-in player.  [default: easy]",
)
@seed_option
@click.option("--fast", is_flag=True, help="Do not pause between the moves of the others.")
def command(game_name: str, name: str | None, bots: str | None, seed: Seed | None, fast: bool) -> None:
    """Learn GAME by playing it: a real game against two bots, with each rule explained when it first matters.

    Every question comes with a suggestion. Everything that `rails-cli play` offers is there, too: ?, hint, why, undo,
    and `rails-cli play --resume` to continue the lessons later.

    \b
    Examples:
      rails-cli learn last_spike
      rails-cli learn chicago-express --name Anna --bots medium --fast
    """
    game = load_game(game_name)
    players = min(game.players, key=lambda number: abs(number - PLAYERS))
    lines = [PlayerLine(printable(name or own_name()), PERSON)]
    level = bots or ("easy" if load_evaluation(game_name) else "greedy")
    try:
        check_player(level, game_name)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--bots") from None
    lines += [PlayerLine(baron, f"builtin:{level}") for baron in BARONS[: players - 1]]
    seed = new_seed() if seed is None else seed
    match = Match(game, standard_board(game_name), header_of(game, game.options_type(), seed, lines))
    play_new(match, is_fast=fast, lessons=Lessons(game_name))
