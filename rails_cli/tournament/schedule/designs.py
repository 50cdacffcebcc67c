"""Which players share a table: all tables of a size, or a balanced sample if there are too many.

Players are numbers from 0.
"""

import math
from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations, islice, permutations

from rails_cli.games.shared.luck import draws

Party = tuple[int, ...]

DESIGNS = 8  # number of different samples, each balanced with those before it, before they repeat

_WINDOW = 60  # tables between which players are swapped: after each window all players have played equally often
_TRIES = 300  # swaps tried per table


def tables_of(count: int, size: int, most: int, number: int = 0) -> tuple[Party, ...]:
    """Return the tables of round `number`.

    Each player has equally many tables, and pairs meet as equally often as can be found. All tables are returned if
    there are at most `most`, else the largest sample in which all players have equally many.
    """
    if math.comb(count, size) <= most:
        return _all_tables(count, size)
    return _designs(count, size, sample_size(count, size, most), number % DESIGNS)[0]


def sample_size(count: int, size: int, most: int) -> int:
    """Return the number of tables that `tables_of` returns. Raises ValueError if no such sample exists."""
    if count < size:
        raise ValueError(f"{count} players are too few for a table of {size}.")
    every = math.comb(count, size)
    run = run_length(count, size)
    if most < min(every, run):
        raise ValueError(
            f"With at most {most} tables of {size}, {count} players cannot sit equally often; {run} would do."
        )
    return every if every <= most else most - most % run


def run_length(count: int, size: int) -> int:
    """Return the smallest number of tables at which all players play equally often."""
    return count // math.gcd(count, size)


@lru_cache(maxsize=64)
def _all_tables(count: int, size: int) -> tuple[Party, ...]:
    """Return all tables, ordered in runs.

    A run shifts one table through all players, so all play equally often in it.
    """
    tables: list[Party] = []
    for rest in combinations(range(1, count), size - 1):
        first = (0, *rest)
        run = [tuple(sorted((player + step) % count for player in first)) for step in range(count)]
        if first == min(run):
            tables += dict.fromkeys(run)
    return tuple(tables)


@lru_cache(maxsize=64)
def _designs(count: int, size: int, tables: int, number: int) -> tuple[tuple[Party, ...], tuple[Party, ...]]:
    """Return the sample of round `number`, and how often each pair has met up to and including that round."""
    before = _designs(count, size, tables, number - 1)[1] if number else ((0,) * count,) * count
    met = [list(row) for row in before]
    run = run_length(count, size)
    made: list[list[int]] = []
    for _ in range(tables // run):
        made += _run(count, size, run, met)
    window = max(run, _WINDOW - _WINDOW % run)
    for start in range(0, len(made), window):
        _even_out(made[start : start + window], met, number)
    return tuple(tuple(sorted(table)) for table in made), tuple(tuple(row) for row in met)


def _run(count: int, size: int, run: int, met: list[list[int]]) -> Iterator[list[int]]:
    """Yield a run of tables. Each table takes the players with most games left that its members have met least."""
    left = [run * size // count] * count
    for tables_left in range(run, 0, -1):
        table = [player for player in range(count) if left[player] == tables_left]
        while len(table) < size:
            table.append(_next_guest(table, left, met))
        for player in table:
            left[player] -= 1
        for one, other in permutations(table, 2):
            met[one][other] += 1
        yield table


def _next_guest(table: list[int], left: list[int], met: list[list[int]]) -> int:
    free = [player for player, times in enumerate(left) if times and player not in table]
    if not table:
        return max(free, key=lambda player: (left[player], -player))
    return min(free, key=lambda player: (sum(met[player][other] for other in table), -left[player], player))


def _even_out(tables: list[list[int]], met: list[list[int]], number: int) -> None:
    """Swap random players between tables if the sum of the squares of `met` does not grow."""
    size = len(tables[0])
    seats = len(tables) * size
    pairs = seats**2
    for word in islice(draws(number), _TRIES * len(tables)):
        first, second = divmod(word * pairs >> 64, seats)
        here, there = tables[first // size], tables[second // size]
        one, other = here[first % size], there[second % size]
        if one in there or other in here:
            continue
        met_one, met_other = met[one], met[other]
        growth = 0
        for player in here:
            if player != one and player not in there:
                growth += 1 + met_other[player] - met_one[player]
        for player in there:
            if player != other and player not in here:
                growth += 1 + met_one[player] - met_other[player]
        if growth > 0:
            continue
        lost = [player for player in here if player != one and player not in there]
        won = [player for player in there if player != other and player not in here]
        here[first % size], there[second % size] = other, one
        for players, step in ((lost, -1), (won, 1)):
            for player in players:
                met_one[player] += step
                met[player][one] += step
                met_other[player] -= step
                met[player][other] -= step
