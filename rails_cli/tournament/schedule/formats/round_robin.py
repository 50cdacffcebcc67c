"""Round robin: every entrant plays every other."""

from collections.abc import Iterator
from typing import ClassVar

import msgspec

from rails_cli.tournament.model import SeedGroup, Setting
from rails_cli.tournament.schedule.designs import sample_size
from rails_cli.tournament.schedule.format import (
    Format,
    Results,
    ScheduleLength,
    all_games,
    check_enough,
    check_frame,
    check_positive,
    fixed_length,
    mean_points,
    ranked,
    seed_group,
)
from rails_cli.tournament.schedule.formats.lineups import MOST_TABLES, round_of
from rails_cli.tournament.schedule.seatings import MAX_PLAYERS, seating_count


class RoundRobin(Format, frozen=True, kw_only=True, tag="round_robin", tag_field="kind"):
    """Every table of n entrants, or a balanced sample of tables, with new seeds in each round."""

    title: ClassVar = "Round robin"

    rounds: int = 1
    tables: int = MOST_TABLES
    """Most tables of a setting in a round. If there are more, a sample is played in which all play equally often."""
    seeds: dict[str, int] = msgspec.field(default_factory=dict)
    """Seeds of each table in a round, by number of players (default 1). Small tables need more."""

    def __post_init__(self) -> None:
        check_frame(self)
        check_positive("rounds", self.rounds)
        check_enough(len(self.entrants), self.settings)
        for setting in self.settings:
            sample_size(len(self.entrants), setting.players, self.tables)
        for players, times in self.seeds.items():
            check_positive(f"seeds: that for {players}", times)
            if players not in map(str, range(2, MAX_PLAYERS + 1)):
                raise ValueError(f"seeds: a table has 2 to {MAX_PLAYERS} players, not {players!r}.")

    def order(self, played: Results) -> list[list[str]]:
        return ranked(self.entrants, mean_points(all_games(played)))

    def length(self) -> ScheduleLength:
        games = sum(self._groups(setting) * seating_count(setting.players, self.seatings) for setting in self.settings)
        return fixed_length(self.rounds * self.cycle(), self.rounds * games)

    def cycle(self) -> int:
        return sum(map(self._groups, self.settings))

    def _groups(self, setting: Setting) -> int:
        times = self.seeds.get(str(setting.players), 1)
        return times * sample_size(len(self.entrants), setting.players, self.tables)

    def all_groups(self) -> Iterator[SeedGroup]:
        for round_number in range(self.rounds):
            for setting, number, turn, names in round_of(
                self, self.entrants, self.tables, round_number, seeds=self.seeds
            ):
                yield seed_group(self, setting, names, f"round {round_number + 1}", number, turn=turn)
