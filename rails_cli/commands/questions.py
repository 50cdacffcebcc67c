"""Questions to the user at this terminal before a game, and the choice of the display."""

import getpass
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from shutil import get_terminal_size
from typing import Any

import click

from rails_cli.commands import print_wrapped
from rails_cli.commands.options import given_parameters
from rails_cli.commands.parameters import check_players
from rails_cli.games import NoSuchGame, game_named, load_face, title_of, whole_games
from rails_cli.games.faces.interface import options_in_words
from rails_cli.games.faces.vocabulary import whole_number
from rails_cli.games.game import Game
from rails_cli.games.options import typed_value
from rails_cli.games.shared.text import fill, printable
from rails_cli.match.seat_specs import BUILTIN, PERSON
from rails_cli.players.builtin import players_of, usual_level
from rails_cli.players.levels import LEVELS
from rails_cli.terminal.frame import Display
from rails_cli.terminal.input_lines import INPUT
from rails_cli.terminal.saving import state_folder

SIMPLE_PLAYERS = {
    "greedy": "plays to win by simple rules, always the same way",
    "busy": "acts at random, and bids a little",
    "random": "plays any legal move at random",
}
DEFAULT_PLAYERS = 3
SHOWN = 40
"""Maximum number of characters of an invalid answer that an error message quotes."""


class PlayCancelled(SystemExit):
    """Raised if the user leaves before a game was chosen."""


def refuse(options: Iterable[str], why: str) -> None:
    """Raise UsageError if the user has given one of `options`.

    The message is the option, the words "is already decided", and `why`.
    """
    for option in options:
        if option in given_parameters():
            raise click.UsageError(f"{option} is already decided {why}")


def with_display(play: Callable[[Display], Any], *, is_fast: bool) -> bool:
    """Call `play` with a display for this terminal. Return whether the display is full-screen.

    Without a terminal, or on a simple terminal, the display prints lines. With `is_fast`, it does not pause between
    moves.
    """
    if sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb":
        from rails_cli.terminal.window import TerminalWindow

        TerminalWindow(is_fast=is_fast, history=state_folder() / "history").run(play)
        return True
    from rails_cli.terminal.line_display import LineDisplay

    play(LineDisplay(is_fast=is_fast))
    return False


def ask_line(question: str, default: str) -> str:
    """Ask the user a question. Return the typed line, or `default` if the line is empty. Exit if the input ends."""
    click.echo(printable(f"{question} [{default}]: "), nl=False)
    try:
        line = INPUT.next()
    except KeyboardInterrupt:
        line = ""
    if not line:
        click.echo("\nNothing was done.")
        raise PlayCancelled(1)
    if not sys.stdin.isatty():
        click.echo(line.rstrip("\n"))
    return line.strip() or default


def ask_choice(
    question: str,
    choices: Sequence[tuple[str, str]],
    default: str,
    *,
    by_meaning: bool = False,
    known_as: Callable[[str], str] | None = None,
) -> str:
    """Ask the user for one of `choices`, pairs of a name and a description. Return the name.

    The user types the number of a choice or the beginning of its name. An empty line means `default`. With
    `by_meaning`, only descriptions are shown. `known_as` converts other answers to a name, or raises NoSuchGame.
    """
    names = [name for name, _ in choices]
    for number, (name, words) in enumerate(choices, 1):
        line = f"  {number} {words if by_meaning else name + (': ' + words if words else '')}"
        click.echo(fill(printable(line), get_terminal_size().columns - 1, subsequent_indent="      "))
    while True:
        line = ask_line(question, default).lower().replace(" ", "_")
        wanted = whole_number(line)
        if wanted is not None and 1 <= wanted <= len(names):
            return names[wanted - 1]
        fitting = [name for name in names if name.lower().startswith(line)]
        if len(fitting) == 1 or line in names:
            return line if line in names else fitting[0]
        if known_as is not None:
            with suppress(NoSuchGame):
                return known_as(line)
        numbers = f"1 to {len(names)}" if len(names) > 1 else "1"
        click.echo(f"There is no {line[:SHOWN]!r}; choose {numbers}.")


def ask_number(question: str, allowed: Iterable[int], default: int) -> int:
    allowed = list(allowed)
    while True:
        line = ask_line(f"{question} ({allowed[0]} to {allowed[-1]})", str(default))
        wanted = whole_number(line)
        if wanted is not None and wanted in allowed:
            return wanted
        click.echo(f"{line[:SHOWN]!r} is not a number from {allowed[0]} to {allowed[-1]}.")


def ask_game() -> str:
    print_wrapped("Which game? (`rails-cli learn GAME` explains the rules as you play.)")
    names = sorted(whole_games(), key=lambda name: load_face(name).difficulty)
    choices = [(name, f"{title_of(name)}: {load_face(name).about}") for name in names]
    return ask_choice("Game", choices, names[0], by_meaning=True, known_as=game_named)


def own_name() -> str:
    name = ""
    with suppress(Exception):
        name = getpass.getuser()
    return name.capitalize() if name and name != "root" else "Player"


def opponents(game: str) -> list[tuple[str, str]]:
    """Return the built-in players of a game that a user may choose as opponents, as pairs of name and description."""
    return [(name, words) for name, words in {**LEVELS, **SIMPLE_PLAYERS}.items() if name in players_of(game)]


def ask_seats(
    game: Game[Any, Any], players: int | None, bots: str | None, people: int | None, name: str | None
) -> list[str]:
    """Return the player of each seat, such as `person:Anna` or `builtin:hard`. Ask the user for values that are None.

    `players` is the number of seats, and `people` the number of persons. `bots` is the built-in player of the other
    seats. `name` is the name of the person if there is only one.
    """
    if players is None:
        players = ask_number("How many players", game.players, DEFAULT_PLAYERS)
    check_players(game, players)
    if people is None:
        people = 1
        if bots is None and name is None:
            people = ask_number("How many people at this keyboard", range(1, players + 1), 1)
    if people > players:
        raise click.UsageError(f"{people} people at a table for {players}")
    if people == 1:
        seats = [f"{PERSON}:{name or ask_line('Your name', own_name())}" if bots is None or name else PERSON]
    else:
        seats = [
            f"{PERSON}:{ask_line(f'Name of person {number}', f'Player {number}')}" for number in range(1, people + 1)
        ]
    if people < players:
        if bots is None:
            click.echo("Who plays the other seats?")
            bots = ask_choice("Opponents", opponents(game.name), usual_level(game.name))
        seats += [f"{BUILTIN}{bots}"] * (players - people)
    return seats


def ask_options(game: Game[Any, Any]) -> list[str]:
    chosen = []
    for option, (question, meanings) in options_in_words(game, load_face(game.name)).items():
        click.echo(question)
        choices = [(typed_value(value), meaning) for value, meaning in meanings.items()]
        chosen.append(f"{option}={ask_choice('Choice', choices, '1', by_meaning=True)}")
    return chosen
