"""Simulated tournaments with known strengths and an adjustable dependence between the games of a seed group."""

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import combinations, permutations

from rails_cli.tournament.model import PlayedGame, Setting
from rails_cli.tournament.rating.rating_types import Ranking

Chance = Callable[[], float]


def ranked(values: Sequence[float], chance: Chance) -> list[int]:
    """Draw the ranks by seat of a Plackett-Luce game: each strength in `values` gets a Gumbel error."""
    marks = [value - math.log(-math.log(chance() or 0.5)) for value in values]
    order = sorted(marks, reverse=True)
    return [1 + order.index(mark) for mark in marks]


def ranked_with_ties(values: Sequence[float], deltas: dict[int, float], chance: Chance) -> list[int]:
    """Draw the ranks by seat of a Davidson-Luce game: each place goes to a set of the remaining seats.

    `deltas` holds the weight of ties by their size.
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
    """Draw a set of seats from `left` for the next place."""
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
    """Play `groups` groups of random entrants in all seatings, or in the first `seatings`.

    With probability `alike`, a game repeats the ranking of its group. This makes the games of a group dependent, while
    each single game still follows the strengths. `seats` holds the advantage of each seat.
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


def as_played(rankings: Iterable[Ranking]) -> list[PlayedGame]:
    """Return the same games as `PlayedGame` with points, times and an economic profile."""
    numbers: dict[str, int] = {}
    seeds: dict[str, int] = {}
    played = []
    for ranking in rankings:
        number = numbers[ranking.group] = numbers.get(ranking.group, -1) + 1
        seats = len(ranking.ranks)
        played.append(
            PlayedGame(
                ranking.group,
                number,
                Setting("toy", seats),
                seeds.setdefault(ranking.group, len(seeds)),
                list(ranking.entrants),
                [10 * (seats - rank) for rank in ranking.ranks],
                list(ranking.ranks),
                "normal",
                [0] * seats,
                False,
                [100 + 10 * seat for seat in range(seats)],
                20 * seats,
                [{"paid": 30 + rank, "shares": {"red": rank}} for rank in ranking.ranks],
            )
        )
    return played


def by_group(played: Iterable[PlayedGame]) -> list[list[PlayedGame]]:
    groups: dict[str, list[PlayedGame]] = {}
    for game in played:
        groups.setdefault(game.group, []).append(game)
    return list(groups.values())
