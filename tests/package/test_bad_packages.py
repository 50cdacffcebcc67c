"""Tests of faulty game packages: each is reported in one line, and the other games still work."""

import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from rails_cli.games import board_file
from tests.support.forking import fork_with
from tests.support.packages import announce
from tests.support.tools import rails
from tests.support.ws_client import Client, ServerProcess, create, table_of

BORROWED = "from dataclasses import replace\nfrom rails_cli.games.last_spike import GAME as OTHER\n"

SEATS = ("--seat", "builtin:busy", "--seat", "builtin:greedy")
OURS = {"american_rails", "chicago_express", "last_spike"}
NO_FACE = "No module named 'no_face_package.face'"

BAD = {
    "no_import": ("import no_such_module\n", "No module named 'no_such_module'"),
    "failing": ("1 / 0\n", "ZeroDivisionError"),
    "exiting": ("raise SystemExit(3)\n", "SystemExit: 3"),
    "no_game": ("", "has no attribute 'GAME'"),
    "something_else": ("GAME = 3\n", "its GAME is not a Game"),
    "another_name": (f"{BORROWED}GAME = OTHER\n", "its GAME is called 'last_spike'"),
    "no_players": (
        f"{BORROWED}GAME = replace(OTHER, name='no_players', players=())\n",
        "its GAME.players is empty; expected",
    ),
    "too_many_players": (
        f"{BORROWED}GAME = replace(OTHER, name='too_many_players', players=(2, 7))\n",
        "its GAME.players is (2, 7); expected numbers from 1 to 6",
    ),
    "no_face": (f"{BORROWED}GAME = replace(OTHER, name='no_face')\n", NO_FACE),
}
"""For each kind of faulty game: the source of its package, and the problem that must be reported."""
INVALID_NAMES = ["Bad-Name", "bad name", "bad__name"]


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    fork_with(str(folder))
    return rails(*words, env={**os.environ, "PYTHONPATH": str(folder)}, cwd=folder)


def assert_one_error_line(done: subprocess.CompletedProcess[str], *words: str) -> None:
    assert_error_lines(done, words)


def assert_error_lines(done: subprocess.CompletedProcess[str], *problems: Sequence[str]) -> None:
    """Check that stderr has one line for each of `problems`, in any order.

    Each line contains all words of its problem.
    """
    lines = done.stderr.splitlines()
    assert len(lines) == len(problems), done.stderr
    assert all(line.startswith("Error: ") for line in lines)
    for words in problems:
        assert sum(all(word in line for word in words) for line in lines) == 1, (words, lines)


def listed_games(folder: Path, *problems: Sequence[str]) -> set[str]:
    """Return the games that `rails-cli games` lists. Check that exactly `problems` are reported."""
    done = run(folder, "games", "--json")
    assert done.returncode == 0
    assert_error_lines(done, *problems)
    return {game["name"] for game in json.loads(done.stdout)["games"]}


@pytest.fixture(scope="module")
def bad_packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a faulty package for each entry of `BAD`, and a package whose games have invalid names."""
    folder = tmp_path_factory.mktemp("packages")
    for name, (code, _) in BAD.items():
        announce(folder, f"{name}_package", {"__init__.py": code}, **{name: f"{name}_package"})
    announce(folder, "misnamed", {"__init__.py": ""}, **dict.fromkeys(INVALID_NAMES, "misnamed"))
    return folder


def test_all_faulty_packages_are_reported_when_games_are_listed(bad_packages: Path) -> None:
    problems = [(f"'{name}'", f"{name}_package", problem) for name, (_, problem) in BAD.items()]
    wanted = "lower-case letters, digits and single underscores"
    misnamed = [(repr(name), "misnamed", wanted) for name in INVALID_NAMES]
    assert listed_games(bad_packages, *problems, *misnamed) == OURS


@pytest.mark.parametrize("name", ["failing", "another_name", "no_face"])
def test_using_a_faulty_game_reports_its_problem(name: str, bad_packages: Path) -> None:
    """Only the problem of the game in use is reported, not those of other faulty games."""
    _, problem = BAD[name]
    done = run(bad_packages, "run", name, *SEATS)
    assert done.returncode == 1, done.stderr
    assert_one_error_line(done, f"'{name}'", f"{name}_package", "board.json" if problem == NO_FACE else problem)


def test_a_game_without_a_user_interface_leaves_no_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {"__init__.py": BAD["no_face"][0], "board.json": board_file("last_spike").decode(), "RULES.md": ""}
    announce(tmp_path, "no_face_package", files, no_face="no_face_package")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    done = run(tmp_path, "play", "no_face", "--players", "2", "--bots", "busy", "--name", "Anna")
    assert done.returncode == 1
    assert_one_error_line(done, "'no_face'", NO_FACE)
    assert not list((tmp_path / "state").rglob("*.jsonl"))


def test_a_name_announced_by_two_packages_is_refused(tmp_path: Path) -> None:
    for package in ("one_spur", "other_spur"):
        announce(tmp_path, package, {"__init__.py": f"{BORROWED}GAME = OTHER\n"}, spur=package)
    assert listed_games(tmp_path, ("'spur'", "one_spur", "other_spur", "announced more than once")) == OURS


@pytest.mark.parametrize("package", ["other_spike", "rails_cli"])
def test_a_package_cannot_replace_a_built_in_game(tmp_path: Path, package: str) -> None:
    """A package that uses the name or alias of a built-in game is reported, even if it calls itself `rails_cli`."""
    announce(tmp_path, "other_spike", {"__init__.py": "1 / 0\n"}, last_spike="other_spike", ce="other_spike")
    (tmp_path / "other_spike-1.dist-info").rename(tmp_path / f"{package}-1.dist-info")
    ignored, broken = ("other_spike", "'last_spike'", "is ignored"), ("other_spike", "'ce'", "ZeroDivisionError")
    assert listed_games(tmp_path, ignored, broken) == OURS
    for name in ("last_spike", "ce"):
        done = run(tmp_path, "run", name, *SEATS)
        assert (done.returncode, "other_spike" in done.stderr) == (0, False), done.stderr


def test_other_games_still_work(tmp_path: Path) -> None:
    """Faulty games affect neither commands for one game nor commands that use all games."""
    announce(tmp_path, "bad_package", {"__init__.py": "1 / 0\n"}, bad="bad_package")
    entrants = [word for name in ("busy", "random", "greedy") for word in ("--entrant", f"builtin:{name}")]
    for words in (
        ("run", "last_spike", *SEATS, "--log", "game.jsonl"),
        ("schemas", "--write"),
        ("tournament", "run", *entrants, "--games", "3", "--output", "results"),
        ("check-bot", "--quick", "--limit", "1", "--", "true"),
    ):
        done = run(tmp_path, *words)
        assert "Traceback" not in done.stderr
        assert done.returncode == (words[0] == "check-bot"), done.stderr
    schemas = {file.stem for file in (tmp_path / "schemas").iterdir()}
    assert schemas == OURS | {"engine", "lobby", "pool_api"}


def test_a_server_reports_a_faulty_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    announce(tmp_path, "bad_package", {"__init__.py": "1 / 0\n"}, bad="bad_package")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    fork_with(str(tmp_path))
    with ServerProcess(tmp_path / "data") as server, Client(server.url) as client:
        assert any("bad_package" in line and "ZeroDivisionError" in line for line in server.said)
        answer = client.ask(type="create", game="bad", players=2)
        assert (answer["type"], answer["code"]) == ("error", "bad_request")
        assert "bad_package" in answer["message"]
        assert table_of(create(client))
