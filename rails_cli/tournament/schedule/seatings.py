"""Fair seatings: the orders of players in the games of one seed, chosen so that advantages of seats cancel out."""

import math
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import permutations
from typing import Literal, TypeVar

T = TypeVar("T")

SeatingChoice = Literal["all", "balanced", "rotations"] | int
"""Which seating orders n players play with one seed. Each order is one game.

- `all`: all n! orders.
- `balanced`: n(n-1) orders. Each player has each seat n-1 times, and is as often before each other player as after. On
  each pair of neighbouring seats, each player directly follows each other player once.
- `rotations`: the n rotations of one order. The next seed uses another order. So over many seeds, all players are
  neighbours equally often.
- a number: the maximum number of games. This means `all` if the maximum allows it, otherwise `balanced` if the maximum
  allows that, and otherwise as many rotations as the maximum allows.
"""

MOST_SEATINGS = 30
"""Default for the maximum number of seatings of a table."""
MAX_PLAYERS = 6
"""Maximum number of players at a table."""

# Balanced seatings of n players, for even n. One player is fixed, and has the seat given by the index of the row. A row
# lists the other players, from the next seat on. Adding 0 to n-2 to a row, modulo n-1, gives n-1 seatings. For any two
# adjacent seats, each difference between the players there occurs in exactly one row.
_STARTERS = {
    4: ((0, 1, 2), (0, 2, 1), (0, 1, 2), (0, 2, 1)),
    6: ((0, 1, 2, 4, 3), (0, 2, 1, 4, 3), (0, 1, 3, 4, 2), (0, 1, 4, 3, 2), (0, 2, 3, 1, 4), (0, 2, 4, 3, 1)),
}


def fair_seatings(players: Sequence[T], choice: SeatingChoice, turn: int = 0) -> list[list[T]]:
    """Return the seatings of all games with one seed. A seating has the players in the order of their seats.

    For rotations, `turn` selects the circular order. If a player has several seats, some seatings are equal. Then the
    numbers of equal seatings are divided by their greatest common divisor, unless the divisor could depend on `turn`.
    Raise ValueError if the number of players is not allowed, or if `choice` is less than the number of players.
    """
    size = len(players)
    if not 2 <= size <= MAX_PLAYERS:
        raise ValueError(f"A table has 2 to {MAX_PLAYERS} players, not {size}.")
    if isinstance(choice, int) and choice < size:
        raise ValueError(f"With at most {choice} seatings not everybody at a table of {size} can sit in each seat.")
    rows = _rows(size, choice, turn % len(_circles(size)))
    if len(set(players)) == size:
        return [[players[place] for place in row] for row in rows]
    seated = Counter(tuple(players[place] for place in row) for row in rows)
    # How many seatings of several circular orders are equal depends on `turn`. Merge only where all turns do the same.
    times = 1 if size < len(rows) < size * (size - 1) else math.gcd(*seated.values())
    return [list(seating) for seating, count in seated.items() for _ in range(count // times)]


def seating_count(size: int, choice: SeatingChoice = MOST_SEATINGS) -> int:
    """Return the number of games with one seed at a table of `size` different players.

    `choice` selects the seating orders that are played.
    """
    return len(fair_seatings(range(size), choice))


@lru_cache(maxsize=256)
def _rows(size: int, choice: SeatingChoice, turn: int) -> tuple[tuple[int, ...], ...]:
    if choice == "rotations":
        choice = size
    if choice == "all" or (isinstance(choice, int) and choice >= math.factorial(size)):
        return tuple(permutations(range(size)))
    if choice == "balanced" or choice >= size * (size - 1):
        return tuple(_balanced(size))
    circles = _circles(size)
    fitting = choice // size
    chosen = [circles[(turn * fitting + step) % len(circles)] for step in range(min(fitting, len(circles)))]
    return tuple(circle[start:] + circle[:start] for circle in chosen for start in range(size))


def _balanced(size: int) -> list[tuple[int, ...]]:
    if size in _STARTERS:
        fixed, turns = size - 1, size - 1
        rows = []
        for turn in range(turns):
            for seat, starter in enumerate(_STARTERS[size]):
                row = (fixed, *((place + turn) % turns for place in starter))
                rows.append(row[size - seat :] + row[: size - seat])
        return rows
    # The maps x -> ax + b modulo a prime: any two seats have any two players exactly once.
    return [
        tuple((factor * seat + shift) % size for seat in range(size))
        for factor in range(1, size)
        for shift in range(size)
    ]


@lru_cache
def _circles(size: int) -> tuple[tuple[int, ...], ...]:
    """Return circular orders of `size` players.

    In all these orders together, each player follows each other player equally often.
    """
    if size % 2 == 1 or size == 2:
        return tuple(tuple(factor * seat % size for seat in range(size)) for factor in range(1, size))
    fixed, turns = size - 1, size - 1
    zigzag = [0] + [step // 2 + 1 if step % 2 == 0 else turns - 1 - step // 2 for step in range(turns - 1)]
    circles = []
    for turn in range(turns):
        circle = (fixed, *((place + turn) % turns for place in zigzag))
        circles += [circle, circle[::-1]]
    return tuple(circles)
