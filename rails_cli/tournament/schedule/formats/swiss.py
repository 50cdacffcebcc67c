"""The format Swiss: in each round, entrants with similar results share a table. Few entrants meet more than once."""

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, islice
from typing import ClassVar

import msgspec

from rails_cli.games.shared.luck import draws
from rails_cli.tournament.model import PlayedGame, SeedGroup
from rails_cli.tournament.rating.standings import ScopeTable
from rails_cli.tournament.schedule.answer import (
    FinalAnswer,
    answer_of,
    by_rating,
    games_words,
    is_first,
    open_places,
    open_words,
)
from rails_cli.tournament.schedule.format import (
    Format,
    Results,
    ScheduleLength,
    check_enough,
    check_positive,
    fixed_length,
    is_complete,
    mean_points,
    missing,
    ranked,
    seed_group,
)
from rails_cli.tournament.schedule.format_report import Cell, Figures, FormatReport, Words
from rails_cli.tournament.schedule.seatings import seating_count
from rails_cli.tournament.words import listed

_HALF = Fraction(1, 2)
_TRIES = 20_000  # swaps tried to remove the last repeated meetings


class Swiss(Format, frozen=True, kw_only=True, tag="swiss", tag_field="kind"):
    """A format with rounds in which entrants with similar points share a table.

    - A round starts when the round before is complete.
    - The possible sizes of tables are the numbers of players of the settings. Settings listed first are preferred.
    - Each table plays all settings of its size.
    - Large and small tables are shared fairly: a seat goes to an entrant that has rarely sat at a table of that size.
    - Entrants without a seat have a bye. No entrant gets a second bye before all others had one.
    - The points of an entrant are the mean over the rounds in which it played.
    """

    title: ClassVar = "Swiss tournament"
    decides: ClassVar = True

    rounds: int
    groups_a_table: int = 1
    """Number of seeds that a table plays for each setting of its size."""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_positive("rounds", self.rounds)
        check_positive("groups_a_table", self.groups_a_table)
        check_enough(len(self.entrants), [min(self.settings, key=lambda setting: setting.players)])

    def groups(self, played: Results) -> Iterator[SeedGroup]:
        for made in self.rounds_made(played):
            yield from missing((group for table in made for group in table.groups), played)

    def order(self, played: Results) -> list[list[str]]:
        """Return the entrants, best first: by mean points, then by the mean points of the opponents that they met.

        Equal entrants share an inner list.
        """
        standing = self._standing(played)
        return ranked(
            self.entrants, {name: (standing.points(name), standing.company_points(name)) for name in self.entrants}
        )

    def _standing(self, played: Results) -> "_Standing":
        standing = _Standing(self.entrants)
        for made in self.rounds_made(played):
            standing.add(made, played)
        return standing

    def length(self) -> ScheduleLength:
        groups = games = 0
        for size in self._sizes():
            number = self.groups_a_table * sum(setting.players == size for setting in self.settings)
            groups += number
            games += number * seating_count(size, self.seatings)
        return fixed_length(groups * self.rounds, games * self.rounds)

    def cycle(self) -> int:
        return (self.length().groups_most or 0) // self.rounds

    def uneven_words(self) -> list[str]:
        sizes, count = self._sizes(), len(self.entrants)
        said = []
        for size in dict.fromkeys(sizes):
            fewest, rest = divmod(self.rounds * size * sizes.count(size), count)
            if rest:
                said.append(
                    f"tables of {size} have {size * sizes.count(size)} seats for {count} entrants in a round, so some "
                    f"will have played {fewest} rounds there and others {fewest + 1}"
                )
        return said

    def answer(self, played: Results, table: ScopeTable) -> FinalAnswer:
        """Return an answer that names the entrant with most points and the places that are uncertain by rating.

        The answer says whether the ratings agree with the points.
        """
        if not table.standings:
            return by_rating(table)
        standing = self._standing(played)
        best, *others = self.order(played)
        is_over = next(self.groups(played), None) is None
        verb = ("has won" if len(best) == 1 else "have won") if is_over else "leads" if len(best) == 1 else "lead"
        text = f"{listed(best)} {verb} with {float(standing.points(best[0])):.2f} points a round"
        if others:
            text += f", {others[0][0]} has {float(standing.points(others[0][0])):.2f}"
        first = table.standings[0]
        is_sure = best == [first.name] and is_first(table.standings)
        text += f"; {games_words(table.games)}{'; by rating it is first as well' if is_sure else ''}"
        text += open_words(open_places(table.standings), "by rating places")
        return answer_of(table, f"{text}.", best[0] if len(best) == 1 else None, first.beaten, is_sure=is_sure)

    def report(self, played: Results) -> FormatReport:
        rounds = [
            points
            for made in self.rounds_made(played)
            if (points := mean_points(game for table in made for game in table.games(played)))
        ]
        rows: list[list[Cell]] = []
        for place, name in enumerate([name for equals in self.order(played) for name in equals], 1):
            gained = [float(points[name]) if name in points else None for points in rounds]
            known = [one for one in gained if one is not None]
            mean = sum(known) / len(known) if known else None
            cells: list[Cell] = [None if one is None else (f"{one:.2f}", one) for one in gained]
            rows.append([name, place, *cells, None if mean is None else (f"{mean:.3f}", mean)])
        heads = ["Entrant", "Place", *[f"Round {number}" for number in range(1, len(rounds) + 1)], "Mean"]
        return FormatReport(
            "Rounds",
            [
                Words(
                    "Points of a round are the share of opponents beaten, from 0 to 1. The mean over the rounds "
                    "decides, then that of those met; a round without a game changes nothing."
                ),
                Figures("Points by round", heads, rows),
            ],
        )

    def _sizes(self) -> tuple[int, ...]:
        allowed = dict.fromkeys(setting.players for setting in self.settings)
        return table_sizes(len(self.entrants), tuple(allowed))

    def rounds_made(self, played: Results) -> Iterator[list["SwissTable"]]:
        """Yield the tables of each round whose entrants are known. The last round may be incomplete."""
        standing = _Standing(self.entrants)
        for number in range(self.rounds):
            made = [
                self._table(names, f"round {number + 1} table {place + 1}")
                for place, names in enumerate(self._seated(standing, number))
            ]
            yield made
            if not all(is_complete(group, played) for table in made for group in table.groups):
                return
            standing.add(made, played)

    def _seated(self, standing: "_Standing", number: int) -> list[list[str]]:
        sizes = self._sizes()
        order = sorted(self.entrants, key=standing.points, reverse=True)
        byes = sorted(order, key=standing.played.__getitem__)[sum(sizes) :]  # most rounds played, then fewest points
        order = [name for name in order if name not in byes]
        if number == 0:
            return deal(order, sizes)
        tables = []
        for size in dict.fromkeys(sizes):
            own = tuple(one for one in sizes if one == size)
            seldom = set(sorted(order, key=lambda name: standing.sizes[name][size])[: sum(own)])
            here = [name for name in order if name in seldom]
            order = [name for name in order if name not in seldom]
            met = tuple(tuple(standing.met[one][other] for other in here) for one in here)
            tables += [[here[place] for place in table] for table in _arranged(own, met)]
        return tables

    def _table(self, names: list[str], stage: str) -> "SwissTable":
        settings = [setting for setting in self.settings if setting.players == len(names)]
        groups = [
            seed_group(self, setting, names, stage, number, stage)
            for number in range(self.groups_a_table)
            for setting in settings
        ]
        return SwissTable(names=names, groups=groups)


class SwissTable(msgspec.Struct, frozen=True):
    names: list[str]
    groups: list[SeedGroup]

    def games(self, played: Results) -> Iterator[PlayedGame]:
        return (game for group in self.groups for game in played.get(group.id, ()))


class _Standing:
    """Points, rounds played, sizes of tables and meetings of each entrant, from which the next round is computed."""

    def __init__(self, entrants: Sequence[str]) -> None:
        self.gained: dict[str, list[Fraction]] = {name: [] for name in entrants}
        self.played = dict.fromkeys(entrants, 0)
        self.met = {name: dict.fromkeys(entrants, 0) for name in entrants}
        self.sizes: dict[str, Counter[int]] = {name: Counter() for name in entrants}

    def add(self, made: Sequence[SwissTable], played: Results) -> None:
        for table in made:
            for one, other in combinations(table.names, 2):
                self.met[one][other] += 1
                self.met[other][one] += 1
            points = mean_points(table.games(played))
            for name in table.names:
                self.played[name] += 1
                self.sizes[name][len(table.names)] += 1
                if name in points:
                    self.gained[name].append(points[name])

    def points(self, name: str) -> Fraction:
        gained = self.gained[name]
        return sum(gained, Fraction()) / len(gained) if gained else _HALF

    def company_points(self, name: str) -> Fraction:
        times = self.met[name]
        total = sum((self.points(other) * number for other, number in times.items() if number), Fraction())
        return total / sum(times.values()) if any(times.values()) else _HALF


def deal(order: Sequence[str], sizes: Sequence[int]) -> list[list[str]]:
    """Distribute names over tables of the given sizes in snake order, so that the best are at different tables.

    `order` has the names, best first. Return the names at each table.
    """
    tables: list[list[str]] = [[] for _ in sizes]
    names = iter(order)
    for row in range(max(sizes)):
        places = range(len(sizes)) if row % 2 == 0 else reversed(range(len(sizes)))
        for place in places:
            if row < sizes[place]:
                tables[place].append(next(names))
    return tables


@lru_cache
def table_sizes(count: int, allowed: tuple[int, ...]) -> tuple[int, ...]:
    """Return the sizes of the tables that seat as many of `count` entrants as possible.

    The sizes are from `allowed`, with earlier sizes preferred.
    """
    can_be = [True]
    for number in range(1, count + 1):
        can_be.append(any(size <= number and can_be[number - size] for size in allowed))
    seated = max(number for number in range(count + 1) if can_be[number])
    sizes = []
    for size in allowed:
        while seated >= size and can_be[seated - size]:
            sizes.append(size)
            seated -= size
    return tuple(sizes)


@lru_cache(maxsize=128)
def _arranged(sizes: tuple[int, ...], met: tuple[tuple[int, ...], ...]) -> tuple[tuple[int, ...], ...]:
    """Return tables of the given sizes with few repeated meetings, and with players that are close in the ranking.

    A player is the index of a place in the ranking. `met` is a matrix with the number of meetings of each two players.
    """
    count = len(met)
    heavy = count**4
    cost = [[heavy * times + (one - other) ** 2 for other, times in enumerate(row)] for one, row in enumerate(met)]
    tables = _greedy(sizes, cost)
    _improve(tables, cost)
    if _total(tables, met):
        _part(tables, met)
        _improve(tables, cost)
    return tuple(tuple(sorted(table)) for table in tables)


def _greedy(sizes: Sequence[int], cost: Sequence[Sequence[int]]) -> list[list[int]]:
    free = list(range(len(cost)))
    tables = []
    for size in sizes:
        table = [free.pop(0)]
        while len(table) < size:
            dear = {one: sum(cost[one][other] for other in table) for one in free}
            guest = min(free, key=dear.__getitem__)
            table.append(guest)
            free.remove(guest)
        tables.append(table)
    return tables


def _improve(tables: list[list[int]], cost: Sequence[Sequence[int]]) -> None:
    """Swap players between tables as long as a swap lowers the total cost. `cost` is a matrix of costs of pairs."""
    moved = True
    while moved:
        moved = False
        for here, there in combinations(tables, 2):
            for first in range(len(here)):
                for second in range(len(there)):
                    if _growth(here, first, there, second, cost) < 0:
                        here[first], there[second] = there[second], here[first]
                        moved = True


def _part(tables: list[list[int]], met: Sequence[Sequence[int]]) -> None:
    """Swap random players between tables, if this does not add repeated meetings.

    Stop when there are no repeated meetings, or after `_TRIES` random pairs of seats. `met` is a matrix with the number
    of meetings of each two players.
    """
    seats = [(table, place) for table in tables for place in range(len(table))]
    count = len(seats)
    pairs = count**2
    left = _total(tables, met)
    for word in islice(draws(0), _TRIES):
        choice = word * pairs >> 64
        (here, first), (there, second) = seats[choice // count], seats[choice % count]
        if here is there:
            continue
        growth = _growth(here, first, there, second, met)
        if growth <= 0:
            here[first], there[second] = there[second], here[first]
            left += growth
            if left == 0:
                return


def _growth(here: list[int], first: int, there: list[int], second: int, cost: Sequence[Sequence[int]]) -> int:
    """Return the growth of the total cost if two players of different tables are swapped.

    The players are in seat `first` of table `here` and seat `second` of table `there`. `cost` is a matrix of costs of
    pairs.
    """
    leaver, comer = cost[here[first]], cost[there[second]]
    growth = -2 * leaver[there[second]]  # the two do not share a table, before or after
    for player in here:
        growth += comer[player] - leaver[player]
    for player in there:
        growth += leaver[player] - comer[player]
    return growth


def _total(tables: Sequence[Sequence[int]], cost: Sequence[Sequence[int]]) -> int:
    return sum(cost[one][other] for table in tables for one, other in combinations(table, 2))
