"""`rails-cli learn`: A guided first game."""

from typing import Annotated

from rails_cli.basics.settings import setting
from rails_cli.commands.options import cli_command
from rails_cli.commands.parameters import Fast, OptionalGame, OwnName, SeedOption
from rails_cli.commands.play import offer_game, play_standard
from rails_cli.commands.questions import ask_game, own_name
from rails_cli.commands.seating import LEVEL_TYPE, check_level
from rails_cli.games import load_evaluation, load_game
from rails_cli.games.shared.text import printable
from rails_cli.match.seat_specs import BUILTIN, PERSON
from rails_cli.study.lessons import usual_players
from rails_cli.terminal.lessons import Lessons


@cli_command
def command(
    game_name: OptionalGame = None,
    name: OwnName = None,
    bots: Annotated[
        str | None,
        setting(
            "Your opponents: easy, medium, hard, expert, or another built-in player.  [default: easy]",
            type=LEVEL_TYPE,
        ),
    ] = None,
    seed: SeedOption = None,
    fast: Fast = False,
    rules: Annotated[bool, setting("Cite the numbered rules in every lesson, not only on request.")] = False,
) -> None:
    """Learn GAME by playing it: a real game against two bots, with each rule explained when it first matters.

    Every question comes with a suggestion and its reasons. While a lesson is shown, tab shows the map, and ? shows the
    numbered rules that the lesson explains. At the end you see your place and your costliest move. Everything that
    `rails-cli play` offers is there, too: ?, hint, why, undo, and `rails-cli play --resume` to continue later.

    \b
    Examples:
      rails-cli learn last_spike
      rails-cli learn chicago-express --name Anna --bots medium --fast
    """
    game_name = game_name or ask_game()
    game = load_game(game_name)
    players = usual_players(game_name)
    name = printable(name or own_name())
    level = bots or ("easy" if load_evaluation(game_name) else "greedy")
    check_level(level, game_name)
    seats = [PERSON, *[f"{BUILTIN}{level}"] * (players - 1)]
    lessons = Lessons(game_name, has_rules=rules)
    if play_standard(game, seats, name, seed, is_fast=fast, lessons=lessons) == "normal":
        offer_game(game, name, players)
