"""`rails-cli games`: List the games: theme, length, players, options, boards."""

from typing import Annotated, Any

import click
import msgspec

from rails_cli.basics.schemas import field_docs
from rails_cli.basics.settings import setting
from rails_cli.commands import print_json, print_lines
from rails_cli.commands.options import cli_command
from rails_cli.commands.parameters import Json
from rails_cli.games import load_face, load_game, problems, standard_board, whole_games
from rails_cli.games.faces.interface import options_in_words
from rails_cli.games.options import option_choices

MOST_DIFFICULT = 5


@cli_command
def command(
    saved: Annotated[bool, setting("Your own games instead: saved ones, past ones, and statistics.")] = False,
    as_json: Json = False,
) -> None:
    """List the games: theme, length and difficulty, players, options, and where the board data come from.

    With --saved, the games you started here with `play` and `learn`, and how they went. A file that cannot be read
    is named on standard error and skipped.

    \b
    Examples:
      rails-cli games
      rails-cli games --json
      rails-cli games --saved
      rails-cli games --saved --json | jq -r '.saved[] | select(.ranks == null) | .id'
    """
    if saved:
        list_saved(as_json=as_json)
        return
    described = [_describe(name) for name in whole_games()]
    print_lines(*(f"Error: {problem}" for problem in problems()), err=True)
    if as_json:
        print_json({"games": described})
        return
    for game in described:
        click.echo(_in_words(game))


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
        print_lines(f"{title}{'' if games else ': none'}", *(f"  {game.id}  {described(game)}" for game in games), "")
    click.echo("\n".join(record_lines(rows)))
    if kept.unfinished:
        click.echo(f"\nResume one: rails-cli play --resume {kept.unfinished[0].id}")


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


def _in_words(game: dict[str, Any]) -> str:
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
        lines += [f"    --option {option}={value}: {meaning}" for value, meaning in choices.items()]
    notes = game["board"]
    counts = ", ".join(f"{count} {origin.replace('_', '-')}" for origin, count in notes["counts"].items())
    lines += [f"  board {notes['name']}: {notes['provenance']}", f"  values: {counts}"]
    if notes["uncertain"]:
        lines.append(f"  uncertain: {len(notes['uncertain'])} entries; `rails-cli games --json` lists them")
    return "\n".join([*lines, ""])
