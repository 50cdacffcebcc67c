"""`rails-cli games`: List the games: theme, length, players, options, boards."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import click
import msgspec

from rails_cli.basics.schemas import field_docs
from rails_cli.basics.settings import setting
from rails_cli.commands import is_at_terminal, output_width, print_json, print_lines, print_wrapped, reported
from rails_cli.commands.log_names import NEW_NAME, SAVED_NAME
from rails_cli.commands.options import WrappedHelp, argument, with_options
from rails_cli.commands.parameters import Json
from rails_cli.games import NoSuchGame, game_named, load_face, load_game, problems, standard_board, whole_games
from rails_cli.games.faces.interface import options_in_words
from rails_cli.games.options import option_choices, typed_value
from rails_cli.games.shared.text import printable

MOST_DIFFICULT = 5
"""Highest value on the scale of difficulty of games, which starts at 1."""


class GamesGroup(WrappedHelp, click.Group):
    """The command `games` with its subcommands for saved games. `games NAME` describes one game."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        found = super().get_command(ctx, cmd_name)
        if found is not None or cmd_name.startswith("-"):
            return found
        try:
            name = game_named(cmd_name)
        except NoSuchGame as error:
            raise click.UsageError(f"{error}; the commands are {' and '.join(self.commands)}", ctx) from None

        @click.command(name)
        @with_options
        def one_game(as_json: Json = False) -> None:
            """Describe this game."""
            describe([name], as_json=as_json or ctx.params["json"])

        return one_game


@click.group(cls=GamesGroup, invoke_without_command=True, subcommand_metavar="[GAME|delete|rename]")
@with_options
def command(
    saved: Annotated[bool, setting("Your own games instead: saved ones, past ones, and statistics.")] = False,
    as_json: Json = False,
) -> None:
    """List the games: theme, length and difficulty, players, options, and where the board data come from.

    With GAME, only that game.

    With --saved, the games you started here with `play` and `learn`, and how they went. A file that cannot be read
    is named on standard error and skipped. Every command that takes a log also takes the name of a saved game, a part
    of it, or last.

    \b
    Examples:
      rails-cli games
      rails-cli games chicago_express
      rails-cli games --json
      rails-cli games --saved
      rails-cli games rename last first-win
      rails-cli games delete 20260301-195512
      rails-cli games --saved --json | jq -r '.saved[] | select(.ranks == null) | .id'
    """
    if click.get_current_context().invoked_subcommand is not None:
        return
    if saved:
        list_saved(as_json=as_json)
        return
    describe(whole_games(), as_json=as_json)


def describe(names: Sequence[str], *, as_json: bool) -> None:
    """Print the descriptions of the games `names`, and problems of installed games on standard error."""
    described = [_describe(name) for name in names]
    print_lines(*(f"Error: {problem}" for problem in problems()), err=True)
    if as_json:
        print_json({"games": described})
        return
    for game in described:
        print_wrapped(*_in_words(game))


@command.command("delete")
@with_options
def delete(
    names: Annotated[tuple[Path, ...], argument("NAME...", type=SAVED_NAME, required=True)],
    is_sure: Annotated[bool, setting("Do not ask.", "--yes")] = False,
) -> None:
    """Delete saved games, with their branches. NAME is the name of a game, a part of it, or last.

    \b
    Examples:
      rails-cli games delete 20260301-195512-last_spike
      rails-cli games delete last --yes
    """
    from rails_cli.terminal.saving import NotSaved, delete_saved

    files = list(dict.fromkeys(names))
    if not is_sure:
        if not is_at_terminal():
            raise click.UsageError("deleting cannot be undone; confirm it with --yes")
        click.confirm(f"Delete {', '.join(file.stem for file in files)}?", abort=True)
    with reported(NotSaved):
        for file in files:
            delete_saved(file)
            click.echo(f"Deleted {printable(file.stem)}.")


@command.command("rename")
@with_options
def rename(
    old: Annotated[Path, argument("OLD", type=SAVED_NAME)], new: Annotated[str, argument("NEW", type=NEW_NAME)]
) -> None:
    """Give the saved game OLD the name NEW. OLD is the name of a game, a part of it, or last.

    \b
    Examples:
      rails-cli games rename last first-win
      rails-cli games rename 20260301-195512-last_spike close-finish
    """
    from rails_cli.terminal.saving import NotSaved, rename_saved

    with reported(NotSaved):
        file = rename_saved(old, new)
    click.echo(f"{printable(old.stem)} is now called {printable(file.stem)}.")


def list_saved(*, as_json: bool) -> None:
    """Print the saved games of the user, unfinished games first, and statistics of finished games."""
    from rails_cli.terminal.kept_games import described, kept_games, record_lines, records
    from rails_cli.terminal.saving import games_folder

    kept = kept_games(games_folder())
    rows = records(kept.games)
    print_lines(*(f"Error: {problem}" for problem in kept.problems), err=True)
    if as_json:
        document = {"saved": kept.games, "statistics": rows, "problems": kept.problems}
        print_json(document)
        return
    for title, games in (("Saved games", kept.unfinished), ("Past games", kept.over)):
        print_wrapped(f"{title}{'' if games else ': none'}", *(f"  {game.id}  {described(game)}" for game in games), "")
    click.echo("\n".join(record_lines(rows, output_width())))
    hints = [f"Resume one: rails-cli play --resume {game.id}" for game in kept.unfinished[:1]]
    hints += [f"See one again: rails-cli replay {game.id}" for game in kept.over[:1]]
    print_wrapped(*(["", *hints] if hints else []))


def _describe(name: str) -> dict[str, Any]:
    game = load_game(name)
    return {
        "name": game.name,
        "title": game.title,
        "aliases": list(game.aliases),
        "about": load_face(name).about,
        "difficulty": load_face(name).difficulty,
        "rules_version": game.rules_version,
        "players": list(game.players),
        "options": option_choices(game),
        "option_words": {name: " ".join(words.split()) for name, words in field_docs(game.options_type).items()},
        "board": msgspec.to_builtins(game.board_notes(standard_board(name))),
    }


def _in_words(game: dict[str, Any]) -> list[str]:
    players = game["players"]
    also = f" (or: {', '.join(game['aliases'])})" if game["aliases"] else ""
    lines = [
        game["title"],
        f"  {game['about']}",
        f"  {players[0]} to {players[-1]} players, difficulty {game['difficulty']} of {MOST_DIFFICULT}",
        f"  Play: rails-cli play {game['name']}{also}",
    ]
    for option, (question, choices) in options_in_words(load_game(game["name"]), load_face(game["name"])).items():
        lines.append(f"  {question}")
        lines += [f"    --option {option}={typed_value(value)}: {meaning}" for value, meaning in choices.items()]
    notes = game["board"]
    lines.append(f"  board {notes['name']}{': ' if notes['provenance'] else ''}{notes['provenance']}")
    if notes["uncertain"]:
        lines.append(f"  uncertain: {len(notes['uncertain'])} entries; `rails-cli games --json` lists them")
    return [*lines, ""]
