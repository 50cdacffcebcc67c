"""Tests of identical games in a tournament: copies are found, reported, and counted as one game."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from rails_cli.cli import main
from rails_cli.tournament.rating.copies import distinct
from rails_cli.tournament.results.store import Store
from tests.support import tournaments

COPIES = "12 of 18 games are copies of others: these bots always play the same game. Use openings."
WITHOUT_LUCK = ["--game", "chicago_express", "--set", "openings=none", "--players", "3"]
FOR_TWO = [*WITHOUT_LUCK[:-1], "2"]
THREE = ["--entrant", "ant=builtin:greedy", "--entrant", "bee=builtin:greedy", "--entrant", "cow=builtin:greedy"]


def ran(*words: str) -> str:
    return tournaments.ran(*words).stdout


@pytest.fixture(scope="module")
def copied_rounds(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """The results folder of a tournament whose three rounds have identical games, and the JSON output of its run."""
    folder = tmp_path_factory.mktemp("copied_rounds") / "results"
    words = [*WITHOUT_LUCK, *THREE, "--rounds", "3", "--workers", "1", "--no-logs", "--output", str(folder)]
    return folder, json.loads(ran("run", *words, "--quiet", "--json"))


def test_copies_are_counted_once_and_reported(copied_rounds: tuple[Path, dict[str, Any]]) -> None:
    folder, report = copied_rounds
    assert (report["games"], report["copies"]) == (18, 12)
    assert [(row["games"], row["copies"]) for row in report["table"]] == [(6, 12)] * 3
    with Store(folder) as store:
        games = list(store.played())
    assert len({game.fingerprint for game in games}) == 6 == len(distinct(games))
    table = json.loads(ran("standings", str(folder), "--json"))["tables"][0]
    assert (table["games"], table["groups"], table["copies"]) == (6, 1, 12)
    for standing in table["standings"]:
        assert standing["rating"]["low"] is None or standing["rating"]["low"] == standing["rating"]["high"]
        assert (standing["rating"]["best_place"], standing["rating"]["worst_place"]) == (1, 3)
    assert COPIES in ran("standings", str(folder))
    assert COPIES in ran("run", *WITHOUT_LUCK, *THREE, "--rounds", "3", "--no-logs", "--output", str(folder), "--quiet")


def test_a_stopping_rule_stops_when_only_copies_are_played(tmp_path: Path) -> None:
    words = [*FOR_TWO, *THREE[:4], "--workers", "1", "--no-logs", "--output", str(tmp_path / "results"), "--quiet"]
    report = json.loads(ran("run", *words, "--set", "stop.better.entrant=ant", "--json"))
    assert report["ending"]["why"] == "copies"
    expected = "the last 20 seed groups are copies of others: more games would show nothing new"
    assert report["ending"]["words"] == expected


def test_plan_warns_of_copies() -> None:
    words = [*FOR_TWO, *THREE[:4], "--workers", "1", "--pilot", "4"]
    result = CliRunner().invoke(main, ["tournament", "plan", *words, "--within", "50"])
    assert "6 of 8 games of the pilot are copies of others" in result.stdout
    assert "ant and bee will play the same game with every seed at chicago_express for 2: " in result.stderr


def test_the_fingerprint_of_a_game_does_not_depend_on_logging(tmp_path: Path) -> None:
    found = []
    for more in (["--no-logs"], ["--logs"]):
        folder = tmp_path / more[0]
        words = ["--game", "last_spike", "--players", "3", "--seed", "5", "--workers", "1", "--output", str(folder)]
        ran("run", *words, *THREE, "--quiet", *more)
        with Store(folder) as store:
            found.append([game.fingerprint for game in store.played()])
    assert found[0] == found[1]
    assert len(set(found[0])) == 6
