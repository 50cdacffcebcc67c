"""Simulated tournaments of known strengths, with games that are as dependent within a seed group as wished."""

import math
from collections.abc import Callable, Sequence
from itertools import permutations

from rails_cli.tournament.luce import Ranking


def ranked(values: Sequence[float], chance: Callable[[], float]) -> list[int]:
    """Ranks by seat of a Plackett-Luce game: the order of strengths, each with a Gumbel error."""
    marks = [value - math.log(-math.log(chance() or 0.5)) for value in values]
    return [1 + sum(other > mark for other in marks) for mark in marks]


def ranked_with_ties(values: Sequence[float], deltas: dict[int, float], chance: Callable[[], float]) -> list[int]:
    """Ranks by seat of a Davidson-Luce game: the sets that come next are drawn from the top."""
    from itertools import combinations

    ranks = [0] * len(values)
    left = list(range(len(values)))
    place = 1
    while left:
        sets = [(seat,) for seat in left]
        weights = [math.exp(values[seat]) for seat in left]
        if len(left) > 1:
            for size, delta in sorted(deltas.items()):
                for tied in combinations(left, size):
                    sets.append(tied)  # type: ignore[arg-type]
                    weights.append(delta * math.exp(sum(values[seat] for seat in tied) / size))
        mark = chance() * sum(weights)
        chosen = sets[-1]
        for members, weight in zip(sets, weights, strict=True):
            mark -= weight
            if mark < 0:
                chosen = members
                break
        for seat in chosen:
            ranks[seat] = place
            left.remove(seat)
        place += len(chosen)
    return ranks


def tournament(
    strengths: dict[str, float],
    groups: int,
    players: int,
    chance: Callable[[], float],
    *,
    alike: float = 0.0,
    seatings: int | None = None,
    seats: Sequence[float] = (),
    deltas: dict[int, float] | None = None,
) -> list[Ranking]:
    """Groups of random entrants in all seatings (or the first few). A game repeats the group's own order with the chance
    `alike`, which makes the games of a group dependent and leaves each of them true to the strengths."""
    names = sorted(strengths)
    played = []
    for group in range(groups):
        mixed = sorted(names, key=lambda _: chance())[:players]
        values = [strengths[name] for name in mixed]
        draw = (lambda v: ranked_with_ties(v, deltas, chance)) if deltas else (lambda v: ranked(v, chance))
        common = dict(zip(mixed, draw(values), strict=True))
        for seating in list(permutations(mixed))[:seatings]:
            if alike and chance() < alike:
                ranks = [common[name] for name in seating]
            else:
                bonus = seats or [0.0] * players
                ranks = draw([strengths[name] + bonus[seat] for seat, name in enumerate(seating)])
            played.append(Ranking(f"g{group}", tuple(seating), tuple(ranks), f"toy/{players}"))
    return played
