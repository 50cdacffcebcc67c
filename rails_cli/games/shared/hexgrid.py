"""Functions on maps of hexes: neighbours, masks and paths. Hexes are numbers, and sets of hexes are int bitmasks."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from heapq import heappop, heappush

STEPS = ((1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1))
"""Differences of the axial coordinates (q, r) between a hex and its six neighbours."""


def neighbour_numbers(places: Sequence[tuple[int, int]]) -> list[tuple[int, ...]]:
    """Return, for each hex given as axial coordinates (q, r), the sorted indices of the adjacent hexes."""
    number_at = {place: number for number, place in enumerate(places)}
    return [
        tuple(sorted(number_at[q + dq, r + dr] for dq, dr in STEPS if (q + dq, r + dr) in number_at)) for q, r in places
    ]


def mask_of(numbers: Iterable[int]) -> int:
    mask = 0
    for number in numbers:
        mask |= 1 << number
    return mask


def numbers_in(mask: int) -> list[int]:
    """Return the numbers of the bits that are set in `mask`, in ascending order.

    For a negative mask, the list is empty.
    """
    numbers = []
    while mask > 0:
        lowest = mask & -mask
        numbers.append(lowest.bit_length() - 1)
        mask ^= lowest
    return numbers


@lru_cache(maxsize=1 << 14)
def few_numbers_in(mask: int) -> tuple[int, ...]:
    """Return the same numbers as `numbers_in`, from a cache. Use this function for masks that occur often."""
    return tuple(numbers_in(mask))


def reachable(neighbours: Sequence[Sequence[int]], start: int, within: int) -> int:
    """Return the mask of hexes that can be reached from the hex `start` through hexes of the mask `within`."""
    seen = 1 << start
    frontier = [start]
    while frontier:
        for beside in neighbours[frontier.pop()]:
            if within >> beside & 1 and not seen >> beside & 1:
                seen |= 1 << beside
                frontier.append(beside)
    return seen


def adjacent(around: Sequence[int], places: int) -> int:
    """Return the mask of hexes next to those in the mask `places`. `around` has the mask of neighbours by hex."""
    found = 0
    for place in numbers_in(places):
        found |= around[place]
    return found & ~places


def way_costs(around: Sequence[int], costs: Sequence[int | None], goal: int) -> list[int | None]:
    """Return the cost of the cheapest path from each hex to a goal, or None if there is no path.

    A goal is any hex in the mask `goal`. The cost of a path is the cost to enter all its hexes except the first.
    `around` has the mask of neighbours of each hex. `costs` has the cost to enter each hex, or None if the hex cannot
    be entered.
    """
    found: list[int | None] = [None] * len(costs)
    front: list[tuple[int, int]] = []  # hexes, each after the cost of a path that enters it from a neighbour

    def reach(place: int, spent: int) -> None:
        found[place] = spent
        cost = costs[place]
        if cost is not None:
            heappush(front, (spent + cost, place))

    for place in numbers_in(goal):
        reach(place, 0)
    while front:
        spent, place = heappop(front)
        for neighbour in few_numbers_in(around[place]):
            if found[neighbour] is None:
                reach(neighbour, spent)
    return found
