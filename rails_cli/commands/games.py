"""`rails-cli games`: what can be played."""

from typing import Any

import click
import msgspec

from rails_cli.commands.parameters import option_words
from rails_cli.games import load_game, problems, standard_board, whole_games
from rails_cli.games.options import option_choices


@click.command
@click.option("--saved", is_flag=True, help="Your own games instead: saved ones, past ones, and statistics.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object for programs.")
def command(saved: bool, as_json: bool) -> None:
    """What can be played: players, options, and where the numbers of each board come from.

    With --saved, the games that were begun here with `play` and `learn`, and how they went. A file that cannot be read
    is named on standard error and passed over.

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
    for problem in problems():
        click.echo(f"Error: {problem}", err=True)
    if as_json:
        click.echo(msgspec.json.encode({"games": described}))
        return
    for game in described:
        click.echo(_in_words(game))


def list_saved(*, as_json: bool) -> None:
    """The games in the user's folder, those that are not over first, and statistics of the others."""
    from rails_cli.terminal.kept_games import described, kept_games, record_lines, records
    from rails_cli.terminal.saving import games_folder

    kept = kept_games(games_folder())
    rows = records(kept.games)
    for problem in kept.problems:
        click.echo(f"Error: {problem}", err=True)
    if as_json:
        document = {"saved": kept.games, "statistics": rows, "problems": kept.problems}
        click.echo(msgspec.json.encode(document))
        return
    for title, games in (("Saved games", kept.unfinished), ("Past games", kept.over)):
        click.echo(f"{title}{'' if games else ': none'}")
        for game in games:
            click.echo(f"  {game.id}  {described(game)}")
        click.echo()
    click.echo("\n".join(record_lines(rows)))
    if kept.unfinished:
        click.echo(f"\nResume one: rails-cli play --resume {kept.unfinished[0].id}")


def _describe(name: str) -> dict[str, Any]:
    game = load_game(name)
    return {
        "name": game.name,
        "title": game.title,
        "rules_version": game.rules_version,
        "players": list(game.players),
        "options": option_choices(game),
        "option_words": option_words(game),
        "board": msgspec.to_builtins(game.board_notes(standard_board(name))),
    }


def _in_words(game: dict[str, Any]) -> str:
    lines = [f"{game['name']}: {game['title']}, {game['players'][0]} to {game['players'][-1]} players"]
    for option, choices in game["options"].items():
        lines.append(f"  --option {option}={choices[0]} (default) or {' or '.join(choices[1:])}")
        lines.append(f"    {game['option_words'][option]}")
    lines.extend(f"  {line}" for line in _provenance(game["board"]))
    return "\n".join([*lines, ""])


def _provenance(notes: dict[str, Any]) -> list[str]:
    counts = ", ".join(f"{count} {origin.replace('_', '-')}" for origin, count in notes["counts"].items())
    lines = [f"board {notes['name']}: {notes['provenance']}", f"values: {counts}"]
    if notes["uncertain"]:
        lines.append(f"uncertain: {len(notes['uncertain'])} entries; `rails-cli games --json` lists them")
    return lines
