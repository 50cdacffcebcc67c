"""Hexes as numbers and sets of hexes as int bitmasks: neighbours, masks to numbers and back, ways across the map."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from heapq import heappop, heappush

STEPS = ((1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1))


def neighbour_numbers(places: Sequence[tuple[int, int]]) -> list[tuple[int, ...]]:
    """For each axial place (q, r) the numbers of the places beside it, in rising order."""
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
    """The numbers in a mask, in rising order."""
    numbers = []
    while mask:
        lowest = mask & -mask
        numbers.append(lowest.bit_length() - 1)
        mask ^= lowest
    return numbers


@lru_cache(maxsize=1 << 14)
def few_numbers_in(mask: int) -> tuple[int, ...]:
    """The same for masks that are met again and again, such as those of neighbours."""
    return tuple(numbers_in(mask))


def grown(found: list[str], names: Sequence[str], before: int, after: int) -> list[str]:
    """The names of the places in the mask `after`, given those in `before`; sets of places only grow, mostly by one."""
    assert not before & ~after
    if before == after:
        return found
    found = found[:]
    added = after ^ before
    while added:
        place = added.bit_length() - 1
        bit = 1 << place
        added ^= bit
        found.insert((before & bit - 1).bit_count(), names[place])
    return found


def reachable(neighbours: Sequence[Sequence[int]], start: int, within: int) -> int:
    """The mask of places that can be reached from `start` through places of the mask `within`."""
    seen = 1 << start
    frontier = [start]
    while frontier:
        for beside in neighbours[frontier.pop()]:
            if within >> beside & 1 and not seen >> beside & 1:
                seen |= 1 << beside
                frontier.append(beside)
    return seen


def beside(around: Sequence[int], places: int) -> int:
    """The mask of what is next to the places of a mask, these left out; `around` are the masks of neighbours."""
    found = 0
    for place in numbers_in(places):
        found |= around[place]
    return found & ~places


def way_costs(around: Sequence[int], costs: Sequence[int | None], goal: int) -> list[int | None]:
    """What the cheapest way costs from each place to the mask `goal`; None if there is none.

    `around` are the masks of neighbours, `costs` what it costs to enter each place; None if it cannot be entered.
    """
    found: list[int | None] = [None] * len(costs)
    front = [(0, place) for place in numbers_in(goal)]
    while front:
        spent, place = heappop(front)
        if found[place] is None:
            found[place] = spent
            cost = costs[place]
            if cost is not None:
                for neighbour in few_numbers_in(around[place]):
                    if found[neighbour] is None:
                        heappush(front, (spent + cost, neighbour))
    return found
