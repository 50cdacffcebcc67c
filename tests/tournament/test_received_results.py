"""Results that somebody else has sent: whatever is in the folder, the commands tell it in words and come to an end."""

import json
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from rails_cli.cli import main
from rails_cli.tournament.config import make_plan
from rails_cli.tournament.run import Runner, local_workers
from rails_cli.tournament.store import Store

PARTS = ("standings", "status", "games", "export", "report", "audit")


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tables = {
        "games": [{"game": "last_spike", "players": 2}],
        "entrants": [{"name": name, "builtin": name} for name in ("busy", "random")],
        "seed": 3,
        "output": "results",
    }
    plan = make_plan(tables, "test", tmp_path_factory.mktemp("played"))
    with Store(plan.folder, create=True) as store:
        store.begin(plan)
        Runner(plan, store, local_workers(1)).run()
    return plan.folder


@pytest.fixture
def results(played: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(played, tmp_path / "results"))


def run(part: str, folder: Path, *more: str) -> Result:
    words = [*more, "--workers", "1"] if part == "audit" else more
    result = CliRunner().invoke(main, ["tournament", part, str(folder), *words])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def change(folder: Path, *statements: str, **values: Any) -> None:
    with sqlite3.connect(folder / "results.sqlite") as database:
        for statement in statements:
            database.execute(statement, values)
    database.close()


def change_row(folder: Path, path: str, value: Any) -> None:
    change(folder, f"UPDATE games SET played = json_set(played, '{path}', json(:value))", value=json.dumps(value))


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("$.lost", [99], "names a seat that is not there"),
        ("$.absent", [-7], "names a seat that is not there"),
        ("$.ranks", [-5, 10**18], "rank that is not from 1 to 2"),
        ("$.ranks", [1], "one value for each seat"),
        ("$.seating", [], "one value for each seat"),
        ("$.economy", [{}], "one value for each seat"),
        ("$.reason", "boredom", "the reasons are normal, timeout"),
        ("$.seating", ["busy", "stranger"], "stranger"),
    ],
)
def test_a_game_that_cannot_be_is_refused(results: Path, path: str, value: Any, words: str) -> None:
    change_row(results, path, value)
    for part in PARTS:
        result = run(part, results)
        assert result.exit_code == 1, part
        assert words in result.output, part


def test_a_row_that_is_nested_too_deeply_is_refused(results: Path) -> None:
    deep = "[" * 100_000 + "]" * 100_000
    change(results, "UPDATE games SET played = '{\"economy\":[{\"x\":' || :deep || '}]}'", deep=deep)
    for part in PARTS:
        result = run(part, results)
        assert result.exit_code == 1, part
        assert "cannot read" in result.output, part


def test_a_fault_of_another_kind_is_refused(results: Path) -> None:
    change(results, "INSERT INTO faults VALUES ((SELECT max(key) FROM groups), 0, 'x', 'y', 'busy', 'code', 'words')")
    for part in ("status", "games", "audit"):
        result = run(part, results)
        assert result.exit_code == 1, part
        assert "Expected `int`, got `str`" in result.output, part


def test_a_clock_that_is_none_is_named(results: Path) -> None:
    change(results, "UPDATE facts SET value = json_set(value, '$.clock', 'banana') WHERE name = 'plan'")
    result = run("audit", results)
    assert result.exit_code == 1
    assert "'banana' is not a clock" in result.output


def test_nothing_from_a_folder_steers_the_terminal(results: Path) -> None:
    nasty = "\x1b]0;owned\x07\u202e"
    change(
        results,
        "UPDATE facts SET value = json_set(value, '$.name', :nasty) WHERE name = 'plan'",
        "UPDATE facts SET value = json_set(value, '$.words', :nasty, '$.winner', :nasty, '$.head', :nasty) "
        "WHERE name = 'ending'",
        "UPDATE groups SET stage = :nasty, id = id || :nasty",
        "INSERT INTO faults VALUES ((SELECT max(key) FROM groups), 0, 1, 0, :nasty, :nasty, :nasty)",
        "UPDATE games SET played = json_set(played, '$.log', :nasty, '$.head', :nasty, "
        "'$.setting.game', :nasty, '$.faults', json('[1, 0]'))",
        nasty=nasty,
    )
    for part, *more in [
        ["standings", "--seats"],
        ["standings", "--scope", "x"],
        ["status"],
        ["games", "--faults"],
        ["audit"],
        ["report"],
    ]:
        output = run(part, results, *more).output
        assert output
        assert all(letter.isprintable() for letter in output.replace("\n", "")), (part, output)
