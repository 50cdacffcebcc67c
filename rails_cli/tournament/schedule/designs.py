"""The tables of a round: all sets of players of a given size, or a balanced sample if there are too many sets."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations, islice, permutations

from rails_cli.games.shared.luck import draws

Party = tuple[int, ...]
"""The players at a table, as numbers from 0."""

DESIGNS = 8  # number of different samples, each balanced with those before it, before they repeat

_WINDOW = 60  # number of consecutive tables between which players are swapped: in them all play equally often
_TRIES = 300  # swaps tried per table


def tables_of(count: int, size: int, most: int, number: int = 0) -> tuple[Party, ...]:
    """Return the tables of round `number`. A table is a set of `size` out of `count` players.

    If there are at most `most` such sets, all of them are returned, in every round. Sets without the last player come
    first, so an additional player only appends sets.

    If there are more sets, a sample of at most `most` sets is returned. In a sample, all players play equally often,
    and all pairs of players meet almost equally often. The sample depends on `number`. After `DESIGNS` rounds, samples
    repeat.
    """
    if math.comb(count, size) <= most:
        return tuple(sorted(combinations(range(count), size), key=lambda table: table[::-1]))
    return _designs(count, size, sample_size(count, size, most), number % DESIGNS)[0]


def sample_size(count: int, size: int, most: int) -> int:
    """Return the number of tables that `tables_of` returns. Raise ValueError if `count` or `most` is too small."""
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
    """Return the smallest number of tables of `size` players at which all of `count` players play equally often."""
    return count // math.gcd(count, size)


def added_tables(
    names: Sequence[str], size: int, tables: Sequence[Sequence[str]], round_number: int
) -> list[list[str]]:
    """Return additional tables for a round that began before some of `names` joined.

    `tables` are the tables of the round so far. With the additional tables, all entrants in `names` play equally often
    in the round. If that is impossible, some play one table more than others. Earlier entrants play at least one
    additional table, so that they meet new entrants. Return an empty list if `names` has at most `size` entrants.
    """
    count = len(names)
    if count <= size:
        return []
    start = round_number % count
    names = [*names[start:], *names[:start]]
    place = {name: number for number, name in enumerate(names)}
    known = [[place[name] for name in table if name in place] for table in tables]
    played = Counter(player for table in known for player in table)
    met = [[0] * count for _ in names]
    for table in known:
        for one, other in permutations(table, 2):
            met[one][other] += 1
    # After T tables all have played `level` tables. Nobody can play more than T of them.
    enough = max(max(played.values(), default=0) + 1, -(-played.total() // (count - size)))
    level = next((level for level in range(enough, enough + size) if (level * count - played.total()) % size == 0), 0)
    left = [(level or enough) - played[player] for player in range(count)]
    for player in sorted(range(count), key=left.__getitem__)[: -sum(left) % size]:
        left[player] += 1
    return [[names[player] for player in table] for table in _run(size, left, met)]


@lru_cache(maxsize=64)
def _designs(count: int, size: int, tables: int, number: int) -> tuple[tuple[Party, ...], tuple[Party, ...]]:
    """Return the sample of tables of round `number`, and a matrix of meetings.

    The sample has `tables` tables of `size` out of `count` players. The matrix has, for each two players, the number of
    their meetings in the rounds from 0 to `number`.
    """
    before = _designs(count, size, tables, number - 1)[1] if number else ((0,) * count,) * count
    met = [list(row) for row in before]
    run = run_length(count, size)
    made: list[list[int]] = []
    for _ in range(tables // run):
        made += _run(size, [run * size // count] * count, met)
    window = max(run, _WINDOW - _WINDOW % run)
    for start in range(0, len(made), window):
        _even_out(made[start : start + window], met, number)
    return tuple(tuple(sorted(table)) for table in made), tuple(tuple(row) for row in met)


def _run(size: int, left: list[int], met: list[list[int]]) -> Iterator[list[int]]:
    """Yield tables of `size` players, until each player has played as many tables as its entry in `left` says.

    Each table gets players that have rarely met. `met` is a matrix: how often each two players have met. Both arguments
    are changed: the new meetings are added to `met`, and `left` is counted down to zeros.
    """
    for tables_left in range(sum(left) // size, 0, -1):
        table = [player for player, times in enumerate(left) if times == tables_left]
        while len(table) < size:
            free = [player for player, times in enumerate(left) if times and player not in table]
            table.append(
                min(free, key=lambda player: (sum(met[player][other] for other in table), -left[player], player))
            )
        for player in table:
            left[player] -= 1
        for one, other in permutations(table, 2):
            met[one][other] += 1
        yield table


def _even_out(tables: list[list[int]], met: list[list[int]], number: int) -> None:
    """Swap random players between `tables`, so that all pairs of players meet more equally often.

    `met` is a matrix with the number of meetings of each two players. A swap is made if the sum of the squares of `met`
    does not grow.
    """
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
