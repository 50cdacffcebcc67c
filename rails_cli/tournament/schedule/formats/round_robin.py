"""The format round robin: every entrant plays against every other one. Entrants may join and leave."""

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, count
from typing import ClassVar

import msgspec

from rails_cli.tournament.model import SeedGroup, Setting
from rails_cli.tournament.schedule.designs import added_tables, run_length, sample_size
from rails_cli.tournament.schedule.format import (
    Format,
    Results,
    ScheduleLength,
    check_enough,
    check_positive,
    fixed_length,
)
from rails_cli.tournament.schedule.format_report import FormatReport, Words
from rails_cli.tournament.schedule.formats.lineups import MOST_TABLES, lineup_group, round_of, tables_among
from rails_cli.tournament.schedule.seatings import MAX_PLAYERS, seating_count
from rails_cli.tournament.words import listed


class Roster(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The entrants of a tournament during a period in which no entrant joins or leaves."""

    names: tuple[str, ...]
    first_round: int = 0
    """Index of the first round that had not begun at the start of the period."""


def names_in(rosters: Iterable[Roster]) -> tuple[str, ...]:
    """Return the names of all entrants in `rosters`, in the order in which they joined."""
    return tuple(dict.fromkeys(name for roster in rosters for name in roster.names))


def most_rounds(groups: int) -> int:
    """Return an upper limit of the number of rounds in which `groups` seed groups (games with one seed) can be."""
    return 1000 + 10 * groups


class RoundRobin(Format, frozen=True, kw_only=True, tag="round_robin", tag_field="kind"):
    """A format in which each round has a table for every set of entrants, or for a balanced sample of these sets.

    Each round has new seeds. If an entrant joins, tables are added to the rounds that have begun. The other games of
    these rounds keep their seeds.
    """

    title: ClassVar = "Round robin"
    has_members: ClassVar = True

    rounds: int = 1
    tables: int = MOST_TABLES
    """Maximum number of tables of a setting in a round.

    If there are more sets of entrants, a balanced sample is played. If not all entrants can play equally often at this
    number of tables, the number is raised until they can.
    """
    seeds: dict[str, int] = msgspec.field(default_factory=dict)
    """Mapping from a number of players, as text, to the number of seeds per table in a round. The default is 1."""
    rosters: tuple[Roster, ...] = ()
    """The entrants at the start, then the entrants after the first change, and so on. Empty if there was no change."""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_positive("rounds", self.rounds)
        check_enough(len(self.present), self.settings)
        check_positive("tables", self.tables)
        for players, times in self.seeds.items():
            check_positive(f"seeds: that for {players}", times)
            if players not in map(str, range(2, MAX_PLAYERS + 1)):
                raise ValueError(f"seeds: a table has 2 to {MAX_PLAYERS} players, not {players!r}.")

    @property
    def present(self) -> tuple[str, ...]:
        """Names of the current entrants, without the entrants that have left."""
        return self._rosters[-1].names

    @property
    def _rosters(self) -> tuple[Roster, ...]:
        return self.rosters or (Roster(self.entrants),)

    def length(self) -> ScheduleLength:
        begun = list(self.begun_groups())
        rounds = max(0, self.rounds - self.first_round)
        games = sum(self._groups(setting) * seating_count(setting.players, self.seatings) for setting in self.settings)
        begun_games = sum(len(group.seatings) for group in begun)
        return fixed_length(len(begun) + rounds * self.cycle(), begun_games + rounds * games)

    def cycle(self) -> int:
        return sum(map(self._groups, self.settings))

    def _groups(self, setting: Setting) -> int:
        """Return the number of seed groups of a setting in a round with the current entrants."""
        times = self.seeds.get(str(setting.players), 1)
        count, size = len(self.present), setting.players
        return times * sample_size(count, size, self._most_tables(count, size))

    def _most_tables(self, count: int, size: int) -> int:
        """Return the maximum number of tables of `size` players in a round that begins with `count` entrants."""
        return max(self.tables, run_length(count, size))

    def all_groups(self) -> Iterator[SeedGroup]:
        return chain.from_iterable(map(self.round_groups, range(self.rounds)))

    def begun_groups(self, *, with_left: bool = False) -> Iterator[SeedGroup]:
        begun = min(self.first_round, self.rounds)
        return chain.from_iterable(map(self._round_groups if with_left else self.round_groups, range(begun)))

    @property
    def first_round(self) -> int:
        return self._rosters[-1].first_round

    def round_groups(self, number: int) -> Iterator[SeedGroup]:
        present = set(self.present)
        return (group for group in self._round_groups(number) if present.issuperset(group.seatings[0]))

    @property
    def peers(self) -> list[Sequence[str]]:
        return [self.present]

    def rounds_begun(self, groups: Iterable[str]) -> int:
        """Return the number of rounds that have begun.

        `groups` has the ids of the seed groups played so far. Raise ValueError if one of the ids is not in any round.
        """
        unseen = set(groups)
        most = most_rounds(len(unseen))
        for number in count():
            if not unseen:
                return number
            if number > most:
                break
            unseen.difference_update(group.id for group in self._round_groups(number))
        raise ValueError(f"Group {min(unseen)} was played, but not in this tournament.")

    def _round_groups(self, number: int) -> Iterator[SeedGroup]:
        """Yield the seed groups of round `number`.

        Those with entrants that have left are included.
        """
        tables = [self._tables_in(number, setting.players) for setting in self.settings]
        for lineup in round_of(self, number, tables, self.seeds):
            yield lineup_group(self, lineup, f"round {number + 1}")

    def _tables_in(self, number: int, size: int) -> list[list[str]]:
        """Return the tables of `size` players in round `number`, each as a list of names.

        The tables of the entrants with which the round began come first. Then come the tables added for each entrant
        that joined later.
        """
        rosters = self._rosters
        first = max(place for place, roster in enumerate(rosters) if roster.first_round <= number)
        names = list(rosters[first].names)
        tables = tables_among(self, names, size, self._most_tables(len(names), size), number)
        is_whole = len(tables) == math.comb(len(names), size)
        for roster in rosters[first + 1 :]:
            if not set(roster.names) - set(names):
                continue
            names = list(dict.fromkeys((*names, *roster.names)))
            every = math.comb(len(names), size)
            is_whole = is_whole and every <= self._most_tables(len(names), size)
            if is_whole:
                tables = tables_among(self, names, size, every, number)
            else:
                tables += added_tables(roster.names, size, tables, number)
        return tables

    def report(self, played: Results) -> FormatReport | None:
        """Return a section that names the entrants that have left, or None if no entrant has left."""
        left = [name for name in self.entrants if name not in self.present]
        if not left:
            return None
        return FormatReport(
            "Entrants that left",
            [Words(f"Left the tournament: {listed(left)}; their games still count, and the tables mark them (left).")],
        )
