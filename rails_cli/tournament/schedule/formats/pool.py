"""The format of games on a server that pairs waiting players. No games are scheduled in advance."""

from collections.abc import Iterator
from typing import ClassVar

from rails_cli.tournament.model import SeedGroup
from rails_cli.tournament.rating.standings import ScopeTable
from rails_cli.tournament.schedule.answer import FinalAnswer, by_rating
from rails_cli.tournament.schedule.format import Format, Results, ScheduleLength


class PoolFormat(Format, frozen=True, kw_only=True, tag="pool", tag_field="kind"):
    """A format without a schedule: games between waiting players on a server, in the order in which they ended."""

    title: ClassVar = "Pool"
    in_plans: ClassVar = False
    is_open: ClassVar = True

    def groups(self, played: Results) -> Iterator[SeedGroup]:
        return iter(())

    def length(self) -> ScheduleLength:
        return ScheduleLength(groups_least=0, groups_most=None, games_least=0, games_most=None)

    def answer(self, played: Results, table: ScopeTable) -> FinalAnswer:
        return by_rating(table, leads="leads the pool")
