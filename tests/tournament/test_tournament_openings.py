"""Tournaments of games without luck: seed groups start from different openings, so that games are not echoes."""

import json
import sqlite3
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner, Result

from rails_cli.cli import main
from rails_cli.log_file import verify_file
from rails_cli.tournament.config import PlanError, make_plan
from rails_cli.tournament.model import Played
from rails_cli.tournament.plan import TournamentPlan, differences, seen_in
from rails_cli.tournament.run import Runner, local_workers
from rails_cli.tournament.store import Store

DETERMINISTIC = [{"name": name, "builtin": "greedy"} for name in ("ann", "ben", "cat")]


def plan_of(folder: Path, **tables: Any) -> TournamentPlan:
    usual = {
        "games": [{"game": "chicago_express", "players": 3}],
        "entrants": DETERMINISTIC,
        "seed": 3,
        "output": "results",
        "format": {"rounds": 8},
    }
    folder.mkdir(exist_ok=True)
    return make_plan({**usual, **tables}, "test", folder)


def played(plan: TournamentPlan, workers: int = 1) -> list[Played]:
    with Store(plan.folder, create=True) as store:
        store.begin(plan)
        Runner(plan, store, local_workers(workers)).run()
        return list(store.played())


def logs_of(plan: TournamentPlan) -> dict[str, list[dict[str, Any]]]:
    folder = plan.folder / "logs"
    return {log.name: [json.loads(line) for line in log.read_bytes().splitlines()] for log in folder.iterdir()}


def opening_of(log: list[dict[str, Any]]) -> Any:
    return log[0].get("opening")


def actions_in(log: list[dict[str, Any]]) -> str:
    return json.dumps([line["action"] for line in log if line["type"] == "action"])


def run(*words: str) -> Result:
    return CliRunner().invoke(main, words)


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("books") / "ce3.jsonl"
    words = (
        "openings",
        "make",
        "chicago_express",
        "--players",
        "3",
        "--count",
        "3",
        "--games-each",
        "2",
        "--by",
        "greedy",
    )
    assert run(*words, "--out", str(file)).exit_code == 0
    return file


def test_games_of_several_seeds_are_no_echoes(tmp_path: Path) -> None:
    """The same player in all seats: a group is one game in six seatings, and no two groups are alike."""
    drawn = plan_of(tmp_path / "drawn", format={"rounds": 4})
    assert len(played(drawn)) == 24
    games = logs_of(drawn)
    by_group: dict[str, set[str]] = {}
    for name, log in games.items():
        by_group.setdefault(name.split("-")[0], set()).add(actions_in(log))
    assert [len(found) for found in by_group.values()] == [1] * 4
    assert len(set.union(*by_group.values())) == 4
    assert all(verify_file(log).mistake is None for log in (drawn.folder / "logs").glob("*-0.jsonl"))
    echoes = plan_of(tmp_path / "none", openings="none", format={"rounds": 2})
    played(echoes)
    assert len({actions_in(log) for log in logs_of(echoes).values()}) == 1


def test_all_seatings_of_a_seed_share_the_opening_with_any_number_of_workers(tmp_path: Path) -> None:
    entrants = [{"name": name, "builtin": "random"} for name in ("ann", "ben", "cat")]
    plans = [plan_of(tmp_path / f"{workers}", entrants=entrants, format={"rounds": 2}) for workers in (1, 2)]
    games = [played(plan, workers) for plan, workers in zip(plans, (1, 2), strict=True)]
    assert [msgspec.structs.replace(game, ms=[]) for game in games[0]] == [
        msgspec.structs.replace(game, ms=[]) for game in games[1]
    ]
    openings = [{name: opening_of(log) for name, log in logs_of(plan).items()} for plan in plans]
    assert openings[0] == openings[1]
    assert len({json.dumps(opening) for opening in openings[0].values()}) == 2
    quick = plan_of(tmp_path / "quick", entrants=entrants, format={"rounds": 2}, logs=False, economy=True)
    found = [[(game.scores, game.actions, game.economy) for game in some] for some in (played(quick), games[0])]
    assert found[0] == found[1]


def test_a_game_with_luck_has_no_openings_unless_said(tmp_path: Path) -> None:
    games = [{"game": "last_spike", "players": 2}, {"game": "american_rails", "players": 3}]
    plan = plan_of(tmp_path, games=games, format={"rounds": 1, "seatings": "rotations"})
    played(plan)
    assert not any(opening_of(log) for log in logs_of(plan).values())


def test_entries_of_a_book_differ_while_there_are_enough(book: Path, tmp_path: Path) -> None:
    plan = plan_of(tmp_path, openings=str(book), format={"rounds": 5, "seatings": "rotations"})
    played(plan)
    entries: dict[str, set[int]] = {}
    for name, log in logs_of(plan).items():
        opening = opening_of(log)
        assert opening["book"] == "ce3.jsonl"
        entries.setdefault(name.split("-")[0], set()).add(opening["entry"])
    assert all(len(found) == 1 for found in entries.values())
    counts = [sum(entry in found for found in entries.values()) for entry in (1, 2, 3)]
    assert sorted(counts) == [1, 2, 2]
    again = plan_of(tmp_path / "again", openings=str(book), format={"rounds": 3, "seatings": "rotations"})
    played(again)
    played(msgspec.structs.replace(again, format={**again.format, "rounds": 5}))
    assert {name: opening_of(log) for name, log in logs_of(again).items()} == {
        name: opening_of(log) for name, log in logs_of(plan).items()
    }


def test_more_groups_than_entries_are_told(book: Path, tmp_path: Path) -> None:
    words = ["tournament", "run", "--game", "chicago_express", "--openings", str(book), "--output", str(tmp_path / "x")]
    words += [word for name in ("a", "b", "c") for word in ("--entrant", f"{name}=builtin:greedy")]
    told = run(*words, "--check", "--rounds", "4")
    assert "ce3.jsonl has 3 openings, fewer than the seed groups of chicago_express for 3" in told.stderr
    assert run(*words, "--check", "--rounds", "3").stderr == ""
    words[1] = "plan"
    assert "they will be used again" in run(*words, "--games", "24", "--pilot", "4", "--within", "40").stderr


def test_other_openings_make_another_tournament(book: Path, tmp_path: Path) -> None:
    drawn, none, from_book = (plan_of(tmp_path, openings=given) for given in ("drawn", "none", str(book)))
    assert differences(none, drawn, seen_in(none)) == ["openings were none and are drawn"]
    assert differences(drawn, from_book, seen_in(drawn)) == ["openings were drawn and are from ce3.jsonl"]
    assert differences(from_book, from_book, seen_in(from_book)) == []


def test_mistakes_about_openings(book: Path, tmp_path: Path) -> None:
    for games, given, words in (
        ([{"game": "american_rails", "players": 4}], book, "a book of chicago_express, not of american_rails"),
        ([{"game": "chicago_express", "players": [4, 5]}], book, "a book for 3 players, not for 4"),
        (
            [{"game": "chicago_express", "players": 3}],
            "nothing.jsonl",
            "openings must be drawn, none or an opening book file",
        ),
        ([{"game": "chicago_express", "players": 3}], "bad.jsonl", "not the header of an opening book"),
    ):
        (tmp_path / "bad.jsonl").write_text("{}\n")
        entrants = [{"name": name, "builtin": "greedy"} for name in "abcde"]
        with pytest.raises(PlanError, match=words):
            plan_of(tmp_path, games=games, openings=str(given), entrants=entrants)


@pytest.mark.parametrize("source", ["drawn", "book", "league"])
def test_an_audit_knows_which_opening_each_game_should_have(source: str, book: Path, tmp_path: Path) -> None:
    entrants = [{"name": name, "builtin": "random"} for name in ("ann", "ben", "cat", "dan")]
    tables: dict[str, Any] = {"openings": "drawn" if source == "drawn" else str(book)}
    form = {"rounds": 1, "seatings": "rotations"}
    if source == "league":
        form = {"kind": "league", "seatings": "rotations"}
        played(plan_of(tmp_path, **tables, entrants=entrants[:3], format=form, stop={"games": 6}))
        entrants, tables["stop"] = entrants[1:], {"games": 12}
    plan = plan_of(tmp_path, **tables, entrants=entrants, format=form)
    played(plan)
    honest = run("tournament", "audit", str(plan.folder), "--workers", "1")
    assert honest.exit_code == 0, honest.output
    with sqlite3.connect(plan.folder / "results.sqlite") as database:
        written = json.loads(database.execute("SELECT value FROM facts WHERE name = 'plan'").fetchone()[0])
        if source == "drawn":
            written["openings"] = "none"
        else:
            _, _, entries = written["book"]
            for entry in entries:
                entry["actions"].pop()
        database.execute("UPDATE facts SET value = ? WHERE name = 'plan'", (json.dumps(written),))
    forged = run("tournament", "audit", str(plan.folder), "--workers", "1")
    assert forged.exit_code == 1
    assert "not the opening that the plan gives" in forged.output


def test_status_and_report_name_the_kind_of_openings(book: Path, tmp_path: Path) -> None:
    two = [{"game": "chicago_express", "players": players} for players in (2, 3)]
    cases: list[tuple[dict[str, Any], str]] = [
        ({}, "drawn"),
        ({"openings": "none"}, "none"),
        ({"openings": str(book)}, "from ce3.jsonl"),
        ({"openings": str(book), "games": two}, "from ce3.jsonl, drawn for other games"),
    ]
    for number, (tables, words) in enumerate(cases):
        plan = plan_of(tmp_path / str(number), **tables)
        with Store(plan.folder, create=True) as store:
            store.begin(plan)
        told = CliRunner().invoke(main, ["tournament", "status", str(plan.folder)])
        assert f"openings: {words}\n" in told.output
    CliRunner().invoke(main, ["tournament", "report", str(plan.folder)])
    assert f"<dt>Openings</dt><dd>{words}</dd>" in (plan.folder / "report.html").read_text()
