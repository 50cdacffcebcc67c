"""A package that announces a game and has none leaves the other games alone, and is told of in one line."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from rails_cli.games import board_file
from tests.support.packages import announce
from tests.support.tools import rails
from tests.support.ws_client import Client, ServerProcess, create, table_of

BORROWED = "from dataclasses import replace\nfrom rails_cli.games.last_spike import GAME as OTHER\n"

SEATS = ("--seat", "builtin:busy", "--seat", "builtin:greedy")
NO_FACE = "No module named 'bad_package.face'"

BAD = {
    "cannot be imported": ({"__init__.py": "import no_such_module\n"}, "No module named 'no_such_module'"),
    "fails when it is": ({"__init__.py": "1 / 0\n"}, "ZeroDivisionError"),
    "has no game": ({"__init__.py": ""}, "has no attribute 'GAME'"),
    "has something else": ({"__init__.py": "GAME = 3\n"}, "its GAME is not a Game"),
    "has a game of another name": ({"__init__.py": f"{BORROWED}GAME = OTHER\n"}, "its GAME is called 'last_spike'"),
    "has no face": (
        {"__init__.py": f"{BORROWED}GAME = replace(OTHER, name='bad')\n"},
        NO_FACE,
    ),
}


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return rails(*words, env={**os.environ, "PYTHONPATH": str(folder)}, cwd=folder)


def is_told_in_one_line(done: subprocess.CompletedProcess[str], *words: str) -> None:
    (line,) = done.stderr.splitlines()
    assert line.startswith("Error: ")
    for word in words:
        assert word in line


def listed(folder: Path, *problem: str) -> set[str]:
    """The games that are shown beside what is wrong with another."""
    done = run(folder, "games", "--json")
    assert done.returncode == 0
    is_told_in_one_line(done, *problem)
    return {game["name"] for game in json.loads(done.stdout)["games"]}


@pytest.mark.parametrize(("files", "problem"), BAD.values(), ids=BAD.keys())
def test_a_bad_package(files: dict[str, str], problem: str, tmp_path: Path) -> None:
    announce(tmp_path, "bad_package", files, bad="bad_package")
    assert listed(tmp_path, "'bad'", "bad_package", problem) == {"american_rails", "chicago_express", "last_spike"}
    done = run(tmp_path, "run", "bad", *SEATS)
    assert done.returncode == 1, done.stderr
    is_told_in_one_line(done, "'bad'", "bad_package", "board.json" if problem == NO_FACE else problem)


def test_a_game_that_cannot_be_shown_leaves_no_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {**BAD["has no face"][0], "board.json": board_file("last_spike").decode(), "RULES.md": ""}
    announce(tmp_path, "bad_package", files, bad="bad_package")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    done = run(tmp_path, "play", "bad", "--players", "2", "--bots", "busy", "--name", "Anna")
    assert done.returncode == 1
    is_told_in_one_line(done, "'bad'", NO_FACE)
    assert not list((tmp_path / "state").rglob("*.jsonl"))


def test_a_name_that_is_announced_twice(tmp_path: Path) -> None:
    announce(tmp_path, "other_spike", {"__init__.py": f"{BORROWED}GAME = OTHER\n"}, last_spike="other_spike")
    assert listed(tmp_path, "'last_spike'", "other_spike") == {"american_rails", "chicago_express"}
    done = run(tmp_path, "rules", "last_spike")
    assert done.returncode == 1
    is_told_in_one_line(done, "'last_spike'", "other_spike", "rails_cli.games.last_spike", "announced more than once")


@pytest.mark.long
def test_other_games_are_not_disturbed(tmp_path: Path) -> None:
    """Neither by themselves nor where all games are looked at."""
    announce(tmp_path, "bad_package", {"__init__.py": "1 / 0\n"}, bad="bad_package")
    entrants = [word for name in ("busy", "random", "greedy") for word in ("--entrant", f"builtin:{name}")]
    for words in (
        ("run", "last_spike", *SEATS, "--log", "game.jsonl"),
        ("verify", "game.jsonl"),
        ("schemas", "--write"),
        ("tournament", "run", *entrants, "--games", "3", "--output", "results"),
        ("check-bot", "--quick", "--limit", "1", "--", "true"),
    ):
        done = run(tmp_path, *words)
        assert "Traceback" not in done.stderr
        assert done.returncode == (words[0] == "check-bot"), done.stderr
    assert {file.stem for file in (tmp_path / "schemas").iterdir()} == {
        "american_rails",
        "chicago_express",
        "engine",
        "last_spike",
        "lobby",
        "pool_api",
    }


@pytest.mark.parametrize("name", ["Bad-Name", "bad name", "bad__name"])
def test_a_name_that_is_none(name: str, tmp_path: Path) -> None:
    announce(tmp_path, "bad_package", {"__init__.py": ""}, **{name: "bad_package"})
    is_told_in_one_line(
        run(tmp_path, "games"), repr(name), "bad_package", "lower-case letters, digits and single underscores"
    )


def test_a_server_says_what_it_does_not_offer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    announce(tmp_path, "bad_package", {"__init__.py": "1 / 0\n"}, bad="bad_package")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with ServerProcess(tmp_path / "data") as server, Client(server.url) as client:
        assert any("bad_package" in line and "ZeroDivisionError" in line for line in server.said)
        answer = client.ask(type="create", game="bad", players=2)
        assert (answer["type"], answer["code"]) == ("error", "bad_request")
        assert "bad_package" in answer["message"]
        assert table_of(create(client))
