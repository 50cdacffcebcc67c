"""Tests of openings: random first moves in games without luck.

A seed group is a set of games with one seed, one game for each seating. All games of a group have the same opening.
Different groups have different openings.
"""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner, Result

from rails_cli.cli import main
from rails_cli.logs.verify import verify_file
from rails_cli.tournament.model import PlayedGame
from rails_cli.tournament.plan.plan import TournamentPlan, differences, seen_in
from rails_cli.tournament.plan.reading import PlanError
from rails_cli.tournament.results.store import Store
from tests.support import tournaments
from tests.support.databases import opened
from tests.support.short_boards import short_board

DETERMINISTIC = [{"name": name, "builtin": "greedy"} for name in ("ann", "ben", "cat")]


def plan_of(folder: Path, **tables: Any) -> TournamentPlan:
    """Return the plan of a tournament of Chicago Express with eight rounds on a short board.

    All entrants use the same player. `tables` adds or replaces keys of the plan.
    """
    boards = folder / "boards"
    boards.mkdir(parents=True, exist_ok=True)
    games = [{"game": "chicago_express", "players": 3, "board": str(short_board("chicago_express", boards))}]
    usual = {"games": games, "entrants": DETERMINISTIC, "logs": True, "format": {"rounds": 8}}
    return tournaments.plan_of(folder, **{**usual, **tables})


def played(plan: TournamentPlan, workers: int = 1) -> list[PlayedGame]:
    return tournaments.played(plan, workers)[1]


def logs_of(plan: TournamentPlan) -> dict[str, list[dict[str, Any]]]:
    folder = plan.folder / "logs"
    return {log.name: [json.loads(line) for line in log.read_bytes().splitlines()] for log in folder.iterdir()}


def opening_of(log: list[dict[str, Any]]) -> Any:
    return log[0].get("opening")


def actions_in(log: list[dict[str, Any]]) -> str:
    return json.dumps([line["action"] for line in log if line["type"] == "action"])


def run(*words: str) -> Result:
    return CliRunner().invoke(main, words)


def test_drawn_openings_make_seed_groups_differ(tmp_path: Path) -> None:
    """Games of one seed group have the same opening, and other groups have other openings.

    All seats use the same deterministic player. So the six games of a group are identical, and other groups have other
    games. Without openings, the games of all groups are identical.
    """
    drawn = plan_of(tmp_path / "drawn", format={"rounds": 2})
    assert len(played(drawn)) == 12
    games = logs_of(drawn)
    by_group: dict[str, set[str]] = {}
    for name, log in games.items():
        by_group.setdefault(name.split("-")[0], set()).add(actions_in(log))
    assert [len(found) for found in by_group.values()] == [1] * 2
    assert len(set.union(*by_group.values())) == 2
    assert all(verify_file(log).mistake is None for log in (drawn.folder / "logs").glob("*-0.jsonl"))
    identical = plan_of(tmp_path / "none", openings="none", format={"rounds": 2})
    played(identical)
    assert len({actions_in(log) for log in logs_of(identical).values()}) == 1


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


def test_a_game_with_luck_has_no_openings_by_default(tmp_path: Path) -> None:
    games = []
    for game, players in (("last_spike", 2), ("american_rails", 3)):
        boards = tmp_path / game
        boards.mkdir()
        games.append({"game": game, "players": players, "board": str(short_board(game, boards))})
    plan = plan_of(tmp_path, games=games, format={"rounds": 1, "seatings": "rotations"})
    played(plan)
    assert not any(opening_of(log) for log in logs_of(plan).values())


def test_a_plan_with_other_openings_is_a_different_tournament(tmp_path: Path) -> None:
    drawn, none = (plan_of(tmp_path, openings=given) for given in ("drawn", "none"))
    assert differences(none, drawn, seen_in(none)) == ["openings were none and are drawn"]
    assert differences(drawn, drawn, seen_in(drawn)) == []


def test_openings_other_than_drawn_or_none_are_refused(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match="drawn"):
        plan_of(tmp_path, openings="ce3.jsonl")


def test_an_audit_finds_games_with_a_wrong_opening(tmp_path: Path) -> None:
    entrants = [{"name": name, "builtin": "random"} for name in ("ann", "ben", "cat", "dan")]
    plan = plan_of(tmp_path, openings="drawn", entrants=entrants, format={"rounds": 1, "seatings": "rotations"})
    played(plan)
    honest = run("tournament", "audit", str(plan.folder), "--workers", "1")
    assert honest.exit_code == 0, honest.output
    change_plan(plan, openings="none")
    forged = run("tournament", "audit", str(plan.folder), "--workers", "1")
    assert forged.exit_code == 1
    assert "not the opening that the plan gives" in forged.output


def change_plan(plan: TournamentPlan, **fields: Any) -> None:
    with opened(plan.folder / "results.sqlite") as database:
        written = json.loads(database.execute("SELECT value FROM facts WHERE name = 'plan'").fetchone()[0])
        database.execute("UPDATE facts SET value = ? WHERE name = 'plan'", (json.dumps(written | fields),))


@pytest.mark.usefixtures("no_charts")
def test_status_and_report_name_the_kind_of_openings(tmp_path: Path) -> None:
    cases: list[tuple[dict[str, Any], str]] = [({}, "drawn"), ({"openings": "none"}, "none")]
    for number, (tables, words) in enumerate(cases):
        plan = plan_of(tmp_path / str(number), **tables)
        with Store(plan.folder, create=True) as store:
            store.begin(plan)
        shown = CliRunner().invoke(main, ["tournament", "status", str(plan.folder)])
        assert f"openings: {words}\n" in shown.output
    CliRunner().invoke(main, ["tournament", "report", str(plan.folder)])
    assert f"<dt>Openings</dt><dd>{words}</dd>" in (plan.folder / "report.html").read_text()
