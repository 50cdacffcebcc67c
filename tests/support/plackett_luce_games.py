"""Simulated tournaments with known strengths and an adjustable dependence between the games of a seed group.

A seed group is a set of games with the same seed and the same entrants, who change seats from game to game.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import combinations, permutations
from typing import Any

import msgspec

from rails_cli.protocol.log import Seed
from rails_cli.tournament.model import PlayedGame, Setting
from rails_cli.tournament.rating.rating_types import Ranking

Chance = Callable[[], float]


def ranked(values: Sequence[float], chance: Chance) -> list[int]:
    """Return the ranks by seat of a random game in the Plackett-Luce model.

    `values` are the strengths by seat. A random error with a Gumbel distribution is added to each strength.
    """
    marks = [value - math.log(-math.log(chance() or 0.5)) for value in values]
    order = sorted(marks, reverse=True)
    return [1 + order.index(mark) for mark in marks]


def ranked_with_ties(values: Sequence[float], deltas: dict[int, float], chance: Chance) -> list[int]:
    """Return the ranks by seat of a random game in the Davidson-Luce model, in which players can tie.

    `values` are the strengths by seat. A key of `deltas` is a number of seats that share a rank. The value of the key
    is the weight of such a tie: the larger the weight, the more frequent the tie.
    """
    ranks = [0] * len(values)
    left = list(range(len(values)))
    while left:
        place = 1 + len(values) - len(left)
        drawn = draw([(1, 1.0), *sorted(deltas.items())], values, left, chance) if len(left) > 1 else tuple(left)
        for seat in drawn:
            ranks[seat] = place
            left.remove(seat)
    return ranks


def draw(
    sizes: Iterable[tuple[int, float]], values: Sequence[float], left: Sequence[int], chance: Chance
) -> tuple[int, ...]:
    """Return the seats that share the next rank, chosen at random from the remaining seats `left`.

    `sizes` are pairs of a number of seats and the weight of a tie of this size. `values` are the strengths by seat.
    """
    weights = {
        members: delta * math.exp(sum(values[seat] for seat in members) / size)
        for size, delta in sizes
        for members in combinations(left, size)
    }
    mark = chance() * sum(weights.values())
    reached = 0.0
    for members, weight in weights.items():
        reached += weight
        if reached > mark:
            return members
    return next(reversed(weights))


def tournament(
    strengths: dict[str, float],
    groups: int,
    players: int,
    chance: Chance,
    *,
    alike: float = 0.0,
    seatings: int | None = None,
    seats: Sequence[float] | None = None,
    deltas: dict[int, float] | None = None,
) -> list[Ranking]:
    """Simulate `groups` seed groups, each of `players` random entrants. Return one ranking for each game.

    A group has one game for each order of its entrants at the table, or only the first `seatings` of these games. The
    games of a group depend on each other: with probability `alike`, a game has the ranking of the group instead of a
    ranking of its own. `strengths` holds the strength of each entrant, and `seats` the advantage of each seat. If ties
    are possible, `deltas` holds the weight of a tie by the number of tied seats.
    """

    def play(values: Sequence[float]) -> list[int]:
        return ranked_with_ties(values, deltas, chance) if deltas else ranked(values, chance)

    bonus = seats or [0.0] * players
    games = []
    for group in range(groups):
        mixed = sorted(sorted(strengths), key=lambda _: chance())[:players]
        common = dict(zip(mixed, play([strengths[name] for name in mixed]), strict=True))
        for seating in list(permutations(mixed))[:seatings]:
            if alike and chance() < alike:
                ranks = [common[name] for name in seating]
            else:
                ranks = play([strengths[name] + more for name, more in zip(seating, bonus, strict=True)])
            games.append(Ranking(f"g{group:05}", tuple(seating), tuple(ranks), f"toy/{players}"))
    return games


def game_result(
    group: str, number: int, setting: Setting, seed: Seed, seating: Sequence[str], ranks: Sequence[int], **more: Any
) -> PlayedGame:
    """Return the result of a game that ended normally, as a tournament stores it.

    Its scores agree with `ranks`. `more` sets other fields.
    """
    scores, zeros = [10 * (len(ranks) - rank) for rank in ranks], [0] * len(ranks)
    places = list(seating), scores, list(ranks)
    game = PlayedGame(group, number, setting, seed, *places, "normal", zeros, False, zeros, 9)
    return msgspec.structs.replace(game, **more)


def as_played(rankings: Iterable[Ranking]) -> list[PlayedGame]:
    """Return the games in `rankings` as `PlayedGame` objects with invented points, times and economic figures."""
    numbers: dict[str, int] = {}
    seeds: dict[str, int] = {}
    played = []
    for ranking in rankings:
        number = numbers[ranking.group] = numbers.get(ranking.group, -1) + 1
        seats, seed = len(ranking.ranks), seeds.setdefault(ranking.group, len(seeds))
        more = {
            "ms": [100 + 10 * seat for seat in range(seats)],
            "actions": 20 * seats,
            "economy": [{"paid": 30 + rank, "shares": {"red": rank}} for rank in ranking.ranks],
        }
        setting = Setting("toy", seats)
        played.append(game_result(ranking.group, number, setting, seed, ranking.entrants, ranking.ranks, **more))
    return played


def by_group(played: Iterable[PlayedGame]) -> list[list[PlayedGame]]:
    groups: dict[str, list[PlayedGame]] = {}
    for game in played:
        groups.setdefault(game.group, []).append(game)
    return list(groups.values())
