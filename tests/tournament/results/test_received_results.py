"""Tests of commands on results that were received from others.

Every command ends without a traceback, and its error message explains the problem with the folder in words.
"""

import json
import os
import shutil
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from rails_cli.cli import main
from tests.support.databases import opened
from tests.support.short_boards import short_board
from tests.support.tournaments import BUILTINS, plan_of, played

pytestmark = pytest.mark.usefixtures("no_charts")
PARTS = ("standings", "status", "games", "export", "report", "audit")


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the results and logs of a finished tournament of two games. Tests change only copies of it."""
    folder = tmp_path_factory.mktemp("played")
    games = [{"game": "last_spike", "players": 2, "board": str(short_board("last_spike", folder, pieces=2))}]
    plan = plan_of(folder, games=games, entrants=BUILTINS[1:], logs=True)
    played(plan)
    return plan.folder


@pytest.fixture
def results(finished: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(finished, tmp_path / "results"))


def run(part: str, folder: Path, *more: str) -> Result:
    words = [*more, "--workers", "1"] if part == "audit" else more
    result = CliRunner().invoke(main, ["tournament", part, str(folder), *words])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def change(folder: Path, *statements: str, **values: Any) -> None:
    with opened(folder / "results.sqlite") as database:
        for statement in statements:
            database.execute(statement, values)


def change_row(folder: Path, path: str, value: Any) -> None:
    change(folder, f"UPDATE games SET played = json_set(played, '{path}', json(:value))", value=json.dumps(value))


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("$.lost", [99], "names a seat that does not exist"),
        ("$.absent", [-7], "names a seat that does not exist"),
        ("$.ranks", [-5, 10**18], "rank that is not from 1 to 2"),
        ("$.ranks", [1], "one value for each seat"),
        ("$.seating", [], "one value for each seat"),
        ("$.economy", [{}], "one value for each seat"),
        ("$.group", "../../x", "is not the id of a group"),
        ("$.reason", "boredom", "the reasons are normal, timeout"),
        ("$.reason", "timeout", "the reason 'timeout', but no seat that was lost"),
        ("$.reason", "worker_died", "the reason 'worker_died', but no seat that was lost"),
        ("$.seating", ["busy", "stranger"], "stranger"),
    ],
)
def test_an_impossible_game_is_refused(results: Path, path: str, value: Any, words: str) -> None:
    change_row(results, path, value)
    check_refused(results, words)


def check_refused(results: Path, words: str, parts: Sequence[str] = PARTS) -> None:
    """Check that each command in `parts` fails and prints `words`."""
    for part in parts:
        result = run(part, results)
        assert result.exit_code == 1, part
        assert words in result.output, part


def test_entrants_that_all_lost_their_seats_are_shown_without_a_rating(results: Path) -> None:
    """Entrants that all lost their seats are shown without a rating, and all commands succeed.

    No game compares such entrants, because none of them finishes ahead of another.
    """
    change_row(results, "$.reason", "timeout")
    change_row(results, "$.lost", [0, 1])
    for part in PARTS[:-1]:
        assert run(part, results).exit_code == 0, part
    shown = run("standings", results).output
    rows = [line.split()[:3] for line in shown.splitlines() if " none " in line]
    assert rows == [["busy", "!", "none"], ["random", "!", "none"]]
    assert "no game compares these with others, so they have no rating: busy, random" in shown
    assert "It has no rating" in (results / "report.html").read_text()


def test_a_row_that_is_nested_too_deeply_is_refused(results: Path) -> None:
    deep = "[" * 100_000 + "]" * 100_000
    change(results, "UPDATE games SET played = '{\"economy\":[{\"x\":' || :deep || '}]}'", deep=deep)
    check_refused(results, "cannot read")


def test_a_fault_with_wrong_types_is_refused(results: Path) -> None:
    wrong = "(SELECT max(key) FROM groups), 0, 'x', 'y', 'busy', 'code', 'words', ''"
    change(results, f"INSERT INTO faults VALUES ({wrong})")
    check_refused(results, "Expected `int`, got `str`", ("status", "games", "audit"))


def test_an_invalid_clock_is_named(results: Path) -> None:
    change(results, "UPDATE facts SET value = json_set(value, '$.clock', 'banana') WHERE name = 'plan'")
    check_refused(results, "'banana' is not a clock", ("audit",))


def test_no_escape_sequence_from_a_folder_is_printed(results: Path) -> None:
    nasty = "\x1b]0;owned\x07\u202e"
    change(
        results,
        "UPDATE facts SET value = json_set(value, '$.name', :nasty) WHERE name = 'plan'",
        "UPDATE facts SET value = json_set(value, '$.words', :nasty, '$.winner', :nasty, '$.head', :nasty) "
        "WHERE name = 'ending'",
        "UPDATE groups SET stage = :nasty",
        "INSERT INTO faults VALUES ((SELECT max(key) FROM groups), 0, 1, 0, :nasty, :nasty, :nasty, :nasty)",
        "UPDATE games SET played = json_set(played, '$.log', :nasty, '$.head', :nasty, "
        "'$.setting.game', :nasty, '$.faults', json('[1, 0]'))",
        nasty=nasty,
    )
    for words in ("standings --seats", "standings --scope x", "status", "games --faults", "audit", "report"):
        part, *more = words.split()
        output = run(part, results, *more).output
        assert output
        assert all(letter.isprintable() for letter in output.replace("\n", "")), (part, output)


@pytest.mark.parametrize(
    ("statements", "words"),
    [
        (
            [
                "ALTER TABLE games RENAME TO others",
                (
                    "CREATE VIEW games AS WITH RECURSIVE endless(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM endless) "
                    "SELECT group_key, number + i AS number, played FROM endless, others"
                ),
            ],
            "it has the view games",
        ),
        (["CREATE TRIGGER sly AFTER INSERT ON games BEGIN DELETE FROM games; END"], "it has the trigger sly"),
    ],
)
def test_a_database_with_views_or_triggers_is_refused(results: Path, statements: list[str], words: str) -> None:
    change(results, *statements)
    check_refused(results, words)


def test_a_named_pipe_in_place_of_a_log_does_not_block(results: Path) -> None:
    log = next((results / "logs").iterdir())
    log.unlink()
    os.mkfifo(log)
    os.mkfifo(results / "stderr" / "busy.txt")
    change(results, "INSERT INTO faults VALUES ((SELECT max(key) FROM groups), 0, 1, 0, 'busy', 'code', 'words', '')")
    assert f"logs/{log.name} cannot be read: not a regular file" in run("audit", results).output
    assert "not a regular file" in run("report", results).output
    verified = CliRunner().invoke(main, ["verify", str(results)])
    assert verified.exit_code == 1
    assert f"{log}: not a regular file" in verified.output


def test_a_pipe_that_a_shell_passes_as_an_argument_is_read(results: Path) -> None:
    """`rails-cli verify` reads a log from a pipe whose path is an argument.

    A shell makes such a pipe for `<(cat LOG)` and passes a path such as `/dev/fd/63`.
    """
    readable, writable = os.pipe()
    content = next((results / "logs").iterdir()).read_bytes()

    def write() -> None:
        with open(writable, "wb") as file:
            file.write(content)

    writer = threading.Thread(target=write)
    writer.start()
    assert CliRunner().invoke(main, ["verify", f"/dev/fd/{readable}"]).exit_code == 0
    writer.join()
    os.close(readable)


def test_a_report_does_not_write_through_links(results: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (results / "replays").symlink_to(tmp_path / "elsewhere")
    result = run("report", results, "--replays", "1")
    assert result.exit_code == 1
    assert "is a link to somewhere else" in result.output
    assert not list((tmp_path / "elsewhere").iterdir())
    (results / "replays").unlink()
    written = json.loads(run("report", results, "--replays", "1", "--json").stdout)["replays"]
    (tmp_path / "kept.html").write_text("mine")
    Path(written[0]).unlink()
    Path(written[0]).symlink_to(tmp_path / "kept.html")
    assert run("report", results, "--replays", "1").exit_code == 0
    assert (tmp_path / "kept.html").read_text() == "mine"


def test_a_report_reads_only_logs_in_the_folder(results: Path) -> None:
    change_row(results, "$.log", "../../../../../../etc/passwd")
    result = run("report", results)
    assert result.exit_code == 0
    assert "no replay" not in result.output
    assert "passwd" not in (results / "report.html").read_text()


@pytest.mark.parametrize("leave", [b"", None])
def test_old_logs_without_results_are_not_overwritten(results: Path, leave: bytes | None) -> None:
    """A new tournament is refused in a folder that has logs but no results. The logs stay unchanged.

    A user who has lost the database with the results may still need the logs.
    """
    for part in ("", "-wal", "-shm"):
        (results / f"results.sqlite{part}").unlink(missing_ok=True)
    if leave is not None:
        (results / "results.sqlite").write_bytes(leave)
    before = {log.name: log.read_bytes() for log in (results / "logs").iterdir()}
    words = ["--game", "last_spike", "--players", "2", "--entrant", "builtin:busy", "--entrant", "builtin:random"]
    refused = CliRunner().invoke(main, ["tournament", "run", *words, "--workers", "1", "--output", str(results)])
    assert refused.exit_code == 1
    assert "there are 2 logs in" in refused.output
    assert "choose another output folder to start anew" in refused.output
    assert {log.name: log.read_bytes() for log in (results / "logs").iterdir()} == before
