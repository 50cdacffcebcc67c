"""The format knockout: the best entrants of each table advance to the next round, until one table is left."""

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

import msgspec

from rails_cli.tournament.model import SeedGroup
from rails_cli.tournament.rating.standings import ScopeTable
from rails_cli.tournament.schedule.answer import FinalAnswer, by_rating
from rails_cli.tournament.schedule.format import (
    WHOLE_POINT,
    Format,
    Results,
    ScheduleLength,
    check_enough,
    check_positive,
    counting_games,
    is_complete,
    missing,
    rank_points,
    seed_group,
)
from rails_cli.tournament.schedule.format_report import (
    Bracket,
    BracketPlace,
    BracketRound,
    BracketTable,
    FormatReport,
    Words,
)
from rails_cli.tournament.schedule.seatings import seating_count
from rails_cli.tournament.words import listed


class Knockout(Format, frozen=True, kw_only=True, tag="knockout", tag_field="kind"):
    """Rounds of tables from which the best entrants advance. `entrants` is the seeding, best first.

    - Before each round, entrants are ordered by the place at their last table. The seeding decides between equal
      places.
    - If there are too few seats, the first entrants in this order advance without a game (a bye).
    - The best of the other entrants go to different tables, and so do entrants that have met before, if possible.
    - If the numbers do not divide evenly, more entrants advance from some tables than from others.
    """

    title: ClassVar = "Knockout"
    decides: ClassVar = True

    advance: int = 1
    """Number of entrants that advance from a table, if the numbers divide evenly."""
    groups_a_table: int = 1
    """Number of seeds played at a table for each setting. The points in all these games decide who advances."""
    extras: int = 3
    """Maximum number of additional seeds for each setting, played at a table where a tie decides who advances.

    If the entrants are still tied after these seeds, the sum of ranks at the table decides, then the seeding.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        check_positive("groups_a_table", self.groups_a_table)
        if self.extras < 0:
            raise ValueError(f"extras must be at least 0, not {self.extras}.")
        sizes = sorted({setting.players for setting in self.settings})
        if len(sizes) > 1:
            raise ValueError(f"A knockout has tables of one size, but there are games for {sizes[0]} and {sizes[1]}.")
        if not 1 <= self.advance < self.size:
            raise ValueError(f"Of a table of {self.size}, 1 to {self.size - 1} can advance, not {self.advance}.")
        check_enough(len(self.entrants), self.settings)

    @property
    def size(self) -> int:
        return self.settings[0].players

    def groups(self, played: Results) -> Iterator[SeedGroup]:
        for made in self.rounds_made(played):
            for table in made:
                yield from missing(table.groups, played)

    def order(self, played: Results) -> list[list[str]]:
        """Return the entrants, best first. Equal entrants share an inner list.

        First come the entrants that are not eliminated yet, or after the final the finalists by place. Then come the
        eliminated entrants, those of later rounds first, and by place at their last table.
        """
        order: list[list[str]] = []
        going = set(self.entrants)
        for made in self.rounds_made(played):
            if not all(table.is_decided for table in made):
                break
            is_final = len(going) == self.size
            lost: list[list[str]] = [[] for _ in range(self.size)]
            for table in made:
                for place in range(0 if is_final else table.advance, self.size):
                    lost[place].append(table.places[place])
            order = [names for names in lost if names] + order
            going -= {name for names in lost for name in names}
        still = [name for name in self.entrants if name in going]
        return [still, *order] if still else order

    def winner(self, played: Results) -> str | None:
        """Return the winner of the final, or None if the final is not decided."""
        *_, final = self.rounds_made(played)
        is_final = len(final) == 1 and final[0].groups[0].stage.startswith("final")
        return final[0].places[0] if is_final and final[0].is_decided else None

    def length(self) -> ScheduleLength:
        tables, count = 1, len(self.entrants)
        while count > self.size:
            going_on = self._going_on(count)
            tables += len(going_on)
            count -= sum(self.size - number for number in going_on)
        least = tables * self.groups_a_table * len(self.settings)
        most = tables * (self.groups_a_table + self.extras) * len(self.settings)
        games = seating_count(self.size, self.seatings)
        return ScheduleLength(groups_least=least, groups_most=most, games_least=least * games, games_most=most * games)

    def uneven_words(self) -> list[str]:
        rounds, count = 1, len(self.entrants)
        while count > self.size:
            rounds += 1
            count -= sum(self.size - number for number in self._going_on(count))
        words = f"only those who advance play on in a knockout: entrants will have played 1 to {rounds} rounds"
        return [words] if rounds > 1 else []

    def answer(self, played: Results, table: ScopeTable) -> FinalAnswer:
        """Return an answer that names the winner of the knockout, then the best entrant by rating."""
        rated = by_rating(table)
        winner = self.winner(played)
        if winner is None:
            going = self.order(played)[0]
            said = f"The knockout is not decided: {listed(going)} are still in. {rated.text}"
            return msgspec.structs.replace(rated, text=said)
        text = f"{winner} has won the knockout. By rating, over all games: {rated.text}"
        return msgspec.structs.replace(rated, text=text, best=winner, is_sure=rated.is_sure and rated.best == winner)

    def report(self, played: Results) -> FormatReport:
        made = list(self.rounds_made(played))
        last = made[-1]
        won = [Words(f"{last[0].places[0]} has won the final.")] if len(last) == 1 and last[0].is_decided else []
        rounds = []
        going = list(self.entrants)
        for number, tables in enumerate(made, 1):
            seated = {name for table in tables for name in table.names}
            is_final = len(tables) == 1 and len(tables[0].names) == len(going)
            rounds.append(
                BracketRound(
                    "Final" if is_final else f"Round {number}",
                    [_shown(table, "wins" if is_final else "advances") for table in tables],
                    [name for name in going if name not in seated],
                )
            )
            out = {name for table in tables for name in table.places[table.advance :]}
            going = [name for name in going if name not in out]
        decided_by = (
            "Points are the share of opponents beaten, summed over games; ties are broken by extra seeds, "
            "then by the sum of ranks, then by the seeding."
        )
        if any(one.byes for one in rounds):
            decided_by += (
                " Byes go to the top of the seeding: with one round fewer to survive, those entrants win more often "
                "than others who are just as good."
            )
        return FormatReport("Rounds", [*won, Bracket(rounds), Words(decided_by, is_aside=True)])

    def rounds_made(self, played: Results) -> Iterator[list["KnockoutTable"]]:
        """Yield the tables of each round whose entrants are known. The last round may be undecided."""
        seeding = {name: place for place, name in enumerate(self.entrants)}
        order = list(self.entrants)
        met: dict[str, set[str]] = {name: set() for name in order}
        number = 0
        while True:
            number += 1
            is_final = len(order) == self.size
            going_on = [1] if is_final else self._going_on(len(order))
            byes = len(order) - len(going_on) * self.size
            tables = _apart(order[byes:], len(going_on), met)
            stage = "final" if is_final else f"round {number}"
            made = [
                self._table_in_round(names, advance, f"{stage} table {place + 1}", seeding, played)
                for place, (names, advance) in enumerate(zip(tables, going_on, strict=True))
            ]
            yield made
            if is_final or not all(table.is_decided for table in made):
                return
            places = dict.fromkeys(order[:byes], 0)
            for table in made:
                places |= {name: place for place, name in enumerate(table.places[: table.advance])}
                for name in table.names:
                    met[name].update(table.names)
            order = sorted(places, key=lambda name: (places[name], seeding[name]))

    def _going_on(self, count: int) -> list[int]:
        """Return, for each table of a round with `count` entrants, the number of entrants that advance.

        Entrants for whom no table has a seat advance without a game (a bye) and are not counted.
        """
        target = self.size
        if self.size % self.advance == 0:
            while target * self.size // self.advance < count:
                target = target * self.size // self.advance
        drops = self.size - self.advance
        tables = min(count // self.size, -((target - count) // drops))
        least, more = divmod(tables * self.size - min(tables * drops, count - target), tables)
        going_on = [least + (place < more) for place in range(tables)]
        return going_on if least % 2 == 0 else going_on[::-1]  # extra places go where the next entrant is seeded best

    def _table_in_round(
        self, names: list[str], advance: int, stage: str, seeding: Mapping[str, int], played: Results
    ) -> "KnockoutTable":
        groups: list[SeedGroup] = []
        for number in range(self.groups_a_table + self.extras):
            is_extra = number >= self.groups_a_table
            if is_extra and not all(is_complete(group, played) for group in groups):
                break
            if is_extra and _is_settled(_worth(names, groups, played), advance):
                break
            kind = f"{stage} extra {number - self.groups_a_table + 1}" if is_extra else stage
            groups += [seed_group(self, setting, names, kind, number, stage) for setting in self.settings]
        worth = _worth(names, groups, played)
        places = sorted(names, key=lambda name: (-worth[name][0], worth[name][1], seeding[name]))
        is_decided = all(is_complete(group, played) for group in groups)
        return KnockoutTable(
            names=names, advance=advance, groups=groups, places=places, worth=worth, is_decided=is_decided
        )


class KnockoutTable(msgspec.Struct, frozen=True):
    """A table in a round of a knockout, and its result. `advance` is the number of entrants that advance."""

    names: list[str]
    advance: int
    groups: list[SeedGroup]
    """Seed groups (games with one seed) to play at the table.

    Additional seed groups are included once they are needed.
    """
    places: list[str]
    """Names of the entrants at the table, best first, by the games played so far."""
    worth: dict[str, tuple[int, int]]
    """Mapping from the name of an entrant to its points (in units of 1/WHOLE_POINT) and its sum of ranks."""
    is_decided: bool


def _worth(names: Sequence[str], groups: Sequence[SeedGroup], played: Results) -> dict[str, tuple[int, int]]:
    """Return a mapping from each of `names` to its points and its sum of ranks in the games of `groups`."""
    points, ranks = dict.fromkeys(names, 0), dict.fromkeys(names, 0)
    for group in groups:
        for game in counting_games(played.get(group.id, ())):
            for name, gained, rank in zip(game.seating, rank_points(game.ranks), game.ranks, strict=True):
                points[name] += gained
                ranks[name] += rank
    return {name: (points[name], ranks[name]) for name in names}


def _is_settled(worth: Mapping[str, tuple[int, int]], advance: int) -> bool:
    """Return whether the worst of the `advance` best entrants has more points than the next entrant.

    `worth` maps a name to its points and sum of ranks.
    """
    order = sorted((points for points, _ in worth.values()), reverse=True)
    return order[advance - 1] > order[advance]


def _apart(order: Sequence[str], tables: int, met: Mapping[str, set[str]]) -> list[list[str]]:
    """Distribute the names in `order`, best first, over `tables` tables, with as few repeated meetings as possible.

    The names are distributed in snake order: forwards and backwards in turn. `met` maps a name to the names that it
    has met. Return the names at each table.
    """
    made: list[list[str]] = [[] for _ in range(tables)]
    for row in range(len(order) // tables):
        names = order[row * tables : (row + 1) * tables]
        places = list(range(tables)) if row % 2 == 0 else list(reversed(range(tables)))
        for place, name in _matched(names, places, made, met).items():
            made[place].append(name)
    return made


def _matched(
    names: Sequence[str], places: Sequence[int], made: Sequence[Sequence[str]], met: Mapping[str, set[str]]
) -> dict[int, str]:
    """Assign one of `names` to each table in `places`, with few repeated meetings. Return a mapping from table to name.

    `places` has the indices of the tables to fill, and `made` the names at each table so far. `met` maps a name to the
    names that it has met.
    """
    taken: dict[int, str] = {}

    def find(name: str, start: int, tried: set[int]) -> bool:
        for place in [*places[start:], *places[:start]]:
            if place in tried or not met[name].isdisjoint(made[place]):
                continue
            tried.add(place)
            if place not in taken or find(taken[place], start, tried):
                taken[place] = name
                return True
        return False

    left = [name for start, name in enumerate(names) if not find(name, start, set())]
    free = [place for place in places if place not in taken]
    return taken | dict(zip(free, left, strict=True))


def _shown(table: KnockoutTable, reached: str) -> BracketTable:
    places = []
    for place, name in enumerate(table.places):
        points, ranks = table.worth[name]
        goes_on = table.is_decided and place < table.advance
        words = f"{points / WHOLE_POINT:.1f} points, sum of ranks {ranks}"
        places.append(BracketPlace(name, words, reached if goes_on else ""))
    return BracketTable(places, table.is_decided)
