"""Fit the weights of an evaluation with an evolution strategy.

Weights are good if a player that uses them often wins against other players. Each generation plays games with other
seeds than the generation before. No generation uses seeds from `HELD_BACK` on. They are kept for measuring the fitted
weights.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from math import exp, log, sqrt
from typing import Any

import msgspec

from rails_cli.games import load_evaluation
from rails_cli.games.shared.luck import stream
from tests.arena.tables import Table, play_seed

HELD_BACK = 1_000_000
STEP = 0.12
"""Initial standard deviation of a weight, relative to its value."""
MONEY = 0.3
"""Importance of money in the score of a game. The importance of a win is 1.

The player's share of all money is added to the score, because this share depends less on chance than a win does.
"""


def fit(
    game: str,
    tables: Sequence[Sequence[str]],
    *,
    generations: int,
    population: int,
    seeds: int,
    seed: int,
    workers: int,
    say: Callable[[str], None],
) -> Any:
    """Return the weights of the evaluation of `game`, fitted in the given number of generations.

    Each generation tries `population` variants of the weights, each with `seeds` seeds at every table. In `tables`,
    `me` is the player whose weights are fitted. `say` is called with lines that report the progress.
    """
    evaluation = load_evaluation(game)
    assert evaluation is not None
    weights = evaluation.weights
    names = [name for name in weights.__struct_fields__ if getattr(weights, name)]
    start = [float(getattr(weights, name)) for name in names]
    chance = stream(f"fit/{game}/{seed}")
    mean = [0.0] * len(names)
    steps = [STEP] * len(names)
    parents = population // 2
    ranks = [log(parents + 0.5) - log(place + 1) for place in range(parents)]
    shares = [rank / sum(ranks) for rank in ranks]
    with ProcessPoolExecutor(workers) as pool:
        for generation in range(generations):
            drawn = [[_normal(chance) for _ in names] for _ in range(population)]
            tried = [[m + s * d for m, s, d in zip(mean, steps, one, strict=True)] for one in drawn]
            given = [_weights(weights, names, start, one) for one in [mean, *tried]]
            first = (generation * seeds) % HELD_BACK
            jobs = [
                (table, number)
                for one in given
                for table in _tables(game, tables, one)
                for number in range(first, first + seeds)
            ]
            results = list(pool.map(_score, *zip(*jobs, strict=True), chunksize=2))
            each = len(results) // len(given)
            scores = [sum(results[place : place + each]) / each for place in range(0, len(results), each)]
            order = sorted(range(population), key=lambda one: -scores[1 + one])[:parents]
            for place in range(len(names)):
                moved = sum(share * tried[one][place] for share, one in zip(shares, order, strict=True))
                spread = sum(share * drawn[one][place] ** 2 for share, one in zip(shares, order, strict=True))
                mean[place] = moved
                steps[place] *= exp(0.3 * (sqrt(spread) - 1) - 0.02)
            step = sum(steps) / len(steps)
            say(f"generation {generation + 1}: mean {scores[0]:.3f}, best {max(scores[1:]):.3f}, step {step:.3f}")
            say(msgspec.json.encode(_weights(weights, names, start, mean)).decode())
    return _weights(weights, names, start, mean)


def _tables(game: str, tables: Sequence[Sequence[str]], weights: Any) -> list[Table]:
    """Return `tables` as `Table` objects, with `me` replaced by a `hard` player that uses `weights`."""
    written = (("me", msgspec.json.encode(weights)),)
    return [Table(game, tuple("hard/me" if name == "me" else name for name in table), written) for table in tables]


def _score(table: Table, seed: int) -> float:
    """Return the mean score of the fitted player in the games with `seed`.

    The score of a game is 1 for a win, less for a shared win, plus `MONEY` times the player's share of all money.
    """
    place = table.players.index("hard/me")
    played = play_seed(table, seed)
    return sum(outcome.won[place] + MONEY * outcome.money[place] for outcome in played) / len(played)


def _weights(weights: Any, names: Sequence[str], start: Sequence[float], logs: Sequence[float]) -> Any:
    """Return `weights` in which the weight named `names[i]` has the value `start[i] * exp(logs[i])`, for each i."""
    changed = {name: round(was * exp(by), 4) for name, was, by in zip(names, start, logs, strict=True)}
    return msgspec.structs.replace(weights, **changed)


def _normal(chance: Callable[[], float]) -> float:
    """Return a random number with approximately a standard normal distribution."""
    return sum(chance() for _ in range(12)) - 6
