"""`rails-cli learn`: A guided first game."""

from typing import Annotated

import click

from rails_cli.basics.seeds import new_seed
from rails_cli.basics.settings import setting
from rails_cli.commands.options import with_options
from rails_cli.commands.parameters import Fast, OptionalGame, SeedOption
from rails_cli.commands.play import BARONS, offer_game, play_new
from rails_cli.commands.questions import ask_game, own_name
from rails_cli.commands.seating import BUILTIN, PERSON, check_level
from rails_cli.games import load_evaluation, load_game, standard_board
from rails_cli.games.shared.text import printable
from rails_cli.match.match import Match, header_of
from rails_cli.protocol.log import PlayerLine
from rails_cli.terminal.lessons import Lessons

PLAYERS = 3
"""Number of players, or the nearest that the game allows."""


@click.command
@with_options
def command(
    game_name: OptionalGame = None,
    name: Annotated[str | None, setting("Your name.")] = None,
    bots: Annotated[
        str | None,
        setting(
            "Your opponents: easy, medium, hard, expert, or another built-in player.  [default: easy]", type=BUILTIN
        ),
    ] = None,
    seed: SeedOption = None,
    fast: Fast = False,
    rules: Annotated[bool, setting("Cite the numbered rules in every lesson, not only on request.")] = False,
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
    check_level(level, game_name)
    lines += [PlayerLine(baron, f"builtin:{level}") for baron in BARONS[: players - 1]]
    seed = new_seed() if seed is None else seed
    match = Match(game, standard_board(game_name), header_of(game, game.options_type(), seed, lines))
    if play_new(match, is_fast=fast, lessons=Lessons(game_name, has_rules=rules)) == "normal":
        offer_game(game, lines[0].name, players)
