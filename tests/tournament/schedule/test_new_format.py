"""Test that a tournament format needs only one class and an entry in the registry.

A new format is registered, played and reported.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import pytest
from click.testing import CliRunner

from rails_cli.cli import main
from rails_cli.tournament.model import SeedGroup
from rails_cli.tournament.schedule.format import (
    Format,
    Results,
    ScheduleLength,
    all_games,
    check_positive,
    fixed_length,
    mean_points,
    missing,
    ranked,
    seed_group,
)
from rails_cli.tournament.schedule.format_report import FormatReport, Words
from rails_cli.tournament.schedule.formats import FORMATS
from rails_cli.tournament.schedule.seatings import seating_count
from tests.support import tournaments


class FirstTable(Format, frozen=True, kw_only=True, tag="first_table", tag_field="kind"):
    """A tournament format with only one table, at which the first entrants play. The table is played `times` times."""

    title: ClassVar = "First table"
    decides: ClassVar = True

    times: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        check_positive("times", self.times)

    def groups(self, played: Results) -> Iterator[SeedGroup]:
        (setting,) = self.settings
        names = self.entrants[: setting.players]
        return missing((seed_group(self, setting, names, "first", number) for number in range(self.times)), played)

    def order(self, played: Results) -> list[list[str]]:
        return ranked(self.entrants[: self.settings[0].players], mean_points(all_games(played)))

    def length(self) -> ScheduleLength:
        return fixed_length(self.times, self.times * seating_count(self.settings[0].players, self.seatings))

    def winner(self, played: Results) -> str | None:
        return self.order(played)[0][0]

    def report(self, played: Results) -> FormatReport:
        return FormatReport("At the first table", [Words(f"{self.winner(played)} sits at the head.")])


def rails(*words: str) -> str:
    return tournaments.ran(*words).output


@pytest.mark.usefixtures("no_charts")
def test_a_new_format_can_be_played_and_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(FORMATS, "first_table", FirstTable)
    results = str(tmp_path / "results")
    options = ["--game", "last_spike", "--players", "2", "--workers", "1", "--no-logs", "--output", results]
    names = ["--entrant", "builtin:greedy", "--entrant", "builtin:busy", "--entrant", "builtin:random"]
    format_options = ["--set", "format.kind=first_table", "--set", "format.times=2"]
    wrong = CliRunner().invoke(
        main, ["tournament", "run", *names, *options, *format_options, "--set", "format.times=0"]
    )
    assert wrong.exit_code == 2
    assert "times" in wrong.output
    rails("run", *names, *options, *format_options)
    assert "all games are played, and " in rails("status", results)
    assert "has won the first table; " in rails("standings", results)
    rails("report", results)
    page = (tmp_path / "results" / "report.html").read_text(encoding="utf-8")
    assert "First table, 3 entrants" in page
    assert page.index("At the first table") < page.index(">Standings<")
    assert "sits at the head." in page
