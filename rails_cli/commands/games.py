"""`rails-cli games`: what can be played."""

from typing import Any

import click
import msgspec

from rails_cli.commands.parameters import option_words
from rails_cli.games import load_face, load_game, problems, standard_board, whole_games
from rails_cli.games.face import options_in_words
from rails_cli.games.options import option_choices

MOST_DIFFICULT = 5


@click.command
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object for programs.")
def command(as_json: bool) -> None:
    """List the games: theme, length and difficulty, players, options, and where the board data come from.

    \b
    Examples:
      rails-cli games
      rails-cli games --json
    """
    described = [_describe(name) for name in whole_games()]
    for problem in problems():
        click.echo(f"Error: {problem}", err=True)
    if as_json:
        click.echo(msgspec.json.encode({"games": described}))
        return
    for game in described:
        click.echo(_in_words(game))


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
        "option_words": option_words(game),
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
    lines.extend(f"  {line}" for line in _provenance(game["board"]))
    return "\n".join([*lines, ""])


def _provenance(notes: dict[str, Any]) -> list[str]:
    counts = ", ".join(f"{count} {origin.replace('_', '-')}" for origin, count in notes["counts"].items())
    lines = [f"board {notes['name']}: {notes['provenance']}", f"values: {counts}"]
    if notes["uncertain"]:
        lines.append(f"uncertain: {len(notes['uncertain'])} entries; `rails-cli games --json` lists them")
    return lines
