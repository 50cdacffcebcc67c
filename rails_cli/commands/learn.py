"""`rails-cli learn`: a guided first game."""

import click

from rails_cli.basics.seeds import new_seed
from rails_cli.commands.parameters import GAME_NAME, Parsed, seed_option
from rails_cli.commands.play import BARONS, offer_game, play_new
from rails_cli.commands.questions import ask_game, own_name
from rails_cli.commands.seating import PERSON
from rails_cli.games import load_evaluation, load_game, standard_board
from rails_cli.games.shared.text import printable
from rails_cli.match.match import Match, header_of
from rails_cli.players.builtin import check_player, player_name
from rails_cli.protocol.log import PlayerLine, Seed
from rails_cli.terminal.lessons import Lessons

PLAYERS = 3
"""Number of players, or the nearest that the game allows."""


@click.command
@click.argument("game_name", type=GAME_NAME, metavar="[GAME]", required=False)
@click.option("--name", help="Your name.")
@click.option(
    "--bots",
    type=Parsed("player", player_name),
    metavar="LEVEL",
    help="Your opponents: easy, medium, hard, expert, or another built-in player.  [default: easy]",
)
@seed_option
@click.option("--fast", is_flag=True, help="Do not pause between the moves of the others.")
@click.option("--rules", is_flag=True, help="Cite the numbered rules in every lesson, not only on request.")
def command(
    game_name: str | None, name: str | None, bots: str | None, seed: Seed | None, fast: bool, rules: bool
) -> None:
    """Learn GAME by playing it: a real game against two bots, with each rule explained when it first matters.

    Every question comes with a suggestion and its reasons. While a lesson is shown, tab turns to the map and ? to the
    numbered rules behind it. At the end you see the moments that decided the game. Everything that
    `rails-cli play` offers is there, too: ?, hint, why, undo, and `rails-cli play --resume` to continue later.

    \b
    Examples:
      rails-cli learn last_spike
      rails-cli learn chicago-express --name Anna --bots medium --fast
    """
    game_name = game_name or ask_game()
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
    if play_new(match, is_fast=fast, lessons=Lessons(game_name, has_rules=rules)) == "normal":
        offer_game(game, lines[0].name, players)
