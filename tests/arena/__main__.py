"""Measure how often built-in players win against each other, and fit the weights of an evaluation.

python -m tests.arena play chicago_express hard,greedy,greedy,greedy --seeds 25
python -m tests.arena play american_rails search@1s,search@1s/by_hand,search@1s/by_hand,search@1s/by_hand
python -m tests.arena fit chicago_express me,greedy,greedy,medium me,hard,medium,busy --generations 10
"""

import os
from pathlib import Path

import click
import msgspec

from tests.arena.fit import HELD_BACK, fit
from tests.arena.tables import Table, play_seeds, shares


@click.group()
def main() -> None:
    """Measure built-in players, and fit the weights of their evaluations."""


@main.command("play")
@click.argument("game")
@click.argument("tables", nargs=-1, required=True)
@click.option("--seeds", default=25, show_default=True, help="Beginnings; each is played once in every rotation.")
@click.option("--first", default=HELD_BACK, show_default=True, help="The first of them.")
@click.option("--workers", default=os.cpu_count() or 1, show_default=True)
@click.option("--weights", "files", multiple=True, metavar="KEY=FILE", help="Weights for players called NAME/KEY.")
def play_command(
    game: str, tables: tuple[str, ...], seeds: int, first: int, workers: int, files: tuple[str, ...]
) -> None:
    """Play games at tables such as `hard,greedy,greedy,greedy`, and print the share of games that each player won.

    The games use `seeds` seeds from `first` on. Each of `files` is KEY=PATH, where PATH is a file of weights. The
    player NAME/KEY is the player NAME with these weights. The player NAME/by_hand does not use the value network.
    """
    weights = tuple((file.partition("=")[0], Path(file.partition("=")[2]).read_bytes()) for file in files)
    for names in tables:
        table = Table(game, tuple(names.split(",")), weights)
        played = play_seeds(table, range(first, first + seeds), workers)
        games = sum(map(len, played))
        different = len({outcome for group in played for outcome in group})
        moves = sum(outcome.moves for group in played for outcome in group) / games
        click.echo(f"{game} {names}: {games} games, {different} different ends, {moves:.0f} moves a game")
        for name, share in shares(table, played).items():
            low, high = share.low or 0.0, 1.0 if share.high is None else share.high
            click.echo(f"  {name:12} {share.mean:6.1%} ({low:.1%} to {high:.1%})")


@main.command("fit")
@click.argument("game")
@click.argument("tables", nargs=-1, required=True)
@click.option("--generations", default=10, show_default=True)
@click.option("--population", default=12, show_default=True)
@click.option("--seeds", default=8, show_default=True, help="Beginnings a table, player and generation.")
@click.option("--seed", default=1, show_default=True)
@click.option("--workers", default=os.cpu_count() or 1, show_default=True)
@click.option("--output", type=click.Path(path_type=Path), help="Where the weights are written.")
def fit_command(
    game: str,
    tables: tuple[str, ...],
    generations: int,
    population: int,
    seeds: int,
    seed: int,
    workers: int,
    output: Path | None,
) -> None:
    """Fit the weights of an evaluation in games between players such as `me,greedy,medium,busy`.

    The player `me` uses the weights that are fitted.
    """
    found = fit(
        game,
        [table.split(",") for table in tables],
        generations=generations,
        population=population,
        seeds=seeds,
        seed=seed,
        workers=workers,
        say=lambda line: click.echo(line, err=True),
    )
    written = msgspec.json.format(msgspec.json.encode(found), indent=2).decode()
    click.echo(written)
    if output is not None:
        output.write_text(written)


main()
