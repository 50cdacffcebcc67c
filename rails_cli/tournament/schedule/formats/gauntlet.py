"""Gauntlet: a few challengers against a field of other entrants, which play only in the challengers' games."""

from collections.abc import Iterator
from itertools import pairwise
from typing import ClassVar

from rails_cli.tournament.model import SeedGroup
from rails_cli.tournament.rating.standings import ScopeTable, Standing
from rails_cli.tournament.schedule.answer import (
    NO_GAME,
    FinalAnswer,
    answer_of,
    games_words,
    may_swap,
    placed,
    share_words,
)
from rails_cli.tournament.schedule.format import (
    Format,
    Results,
    ScheduleLength,
    all_games,
    check_frame,
    check_known,
    check_names,
    check_positive,
    fixed_length,
    mean_points,
    ranked,
    seed_group,
)
from rails_cli.tournament.schedule.format_report import FormatReport, Words
from rails_cli.tournament.schedule.formats.lineups import (
    MOST_TABLES,
    check_lineups,
    lineup_length,
    may_meet_in_lineup,
    round_of,
)
from rails_cli.tournament.words import listed


class Gauntlet(Format, frozen=True, kw_only=True, tag="gauntlet", tag_field="kind"):
    """Each challenger plays against every set of opponents from the field, or against a balanced sample of sets.

    All challengers meet the same opponents with the same seeds.
    """

    title: ClassVar = "Gauntlet"

    challengers: tuple[str, ...]
    rounds: int = 1
    tables: int = MOST_TABLES
    """Maximum number of tables of a setting in a round."""
    repeatable: tuple[str, ...] = ()
    """Entrants of the field that may take several seats at a table if the field is too small."""

    def __post_init__(self) -> None:
        check_frame(self)
        check_positive("rounds", self.rounds)
        check_names("The challengers", self.challengers)
        check_known("The challengers", self.challengers, self.entrants)
        check_lineups(self.field, self.settings, self.tables, self.repeatable)

    @property
    def field(self) -> tuple[str, ...]:
        return tuple(name for name in self.entrants if name not in self.challengers)

    def order(self, played: Results) -> list[list[str]]:
        """Rank the challengers only, because the field has played only in their games."""
        return ranked(self.challengers, mean_points(all_games(played)))

    def length(self) -> ScheduleLength:
        groups, games = lineup_length(self.field, self, self.tables, self.repeatable)
        return fixed_length(groups * self.rounds * len(self.challengers), games * self.rounds * len(self.challengers))

    def cycle(self) -> int:
        return lineup_length(self.field, self, self.tables, self.repeatable)[0] * len(self.challengers)

    def all_groups(self) -> Iterator[SeedGroup]:
        for round_number in range(self.rounds):
            for setting, number, turn, lineup in round_of(
                self, self.field, self.tables, round_number, free=1, repeatable=self.repeatable
            ):
                for challenger in self.challengers:
                    stage = f"round {round_number + 1}: {challenger}"
                    yield seed_group(self, setting, [challenger, *lineup], stage, number, turn=turn)

    def may_share_a_seed(self, one: str, other: str) -> bool:
        return may_meet_in_lineup(self.field, self.settings, one, other)

    def answer(self, played: Results, table: ScopeTable) -> FinalAnswer:
        """Say how the challengers do against the field, and which of them is better."""
        rows = [row for row in table.standings if row.name in self.challengers]
        if not rows:
            return answer_of(table, NO_GAME, None, None, is_sure=False)
        said = [_against_the_field(row) for row in rows]
        known = {one.row.name: one for one in placed(table.standings)}
        pairs = [(one.name, other.name) for one, other in pairwise(rows)]
        open_pairs = [
            f"{one} and {other}"
            for one, other in pairs
            if not {one, other} <= known.keys() or may_swap(known[one], known[other])
        ]
        text = f"{'; '.join(said)}; {games_words(table.games)}"
        if open_pairs:
            text += f"; {listed(open_pairs)} cannot be told apart"
        is_sure = not pairs or " and ".join(pairs[0]) not in open_pairs
        return answer_of(table, f"{text}.", rows[0].name, rows[0].beaten, is_sure=is_sure)

    def report(self, played: Results) -> FormatReport:
        order = [f"{place}. {listed(names)}" for place, names in enumerate(self.order(played), 1)]
        return FormatReport(
            "Challengers and field",
            [
                Words(
                    f"{listed(self.challengers)} played, with the same seeds, against the field: {listed(self.field)}."
                ),
                Words(f"By mean points: {'; '.join(order)}."),
                Words(
                    "Challengers do not meet each other; their ratings compare through the opponents that they have in "
                    "common.",
                    is_aside=True,
                ),
            ],
        )


def _against_the_field(row: Standing) -> str:
    mean, sure = share_words(row.beaten)
    than = ""
    if row.beaten.low is not None and row.beaten.high is not None:
        than = "no different from"
        if row.beaten.low > 0.5 or row.beaten.high < 0.5:
            than = "better than" if row.beaten.mean > 0.5 else "worse than"
        than = f", {than} the field"
    return f"{row.name} is ahead of its opponents in {mean} of all cases ({sure}){than}"
