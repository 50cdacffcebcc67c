"""`host --games`: match after match over one pipe."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from rails_cli.cli import main
from rails_cli.match.replay import verify
from tests.support.host import Host
from tests.support.tools import bot

BUSY = "builtin:busy"
QUICK = ("--clock", "none", "--json")


def play(host: Host) -> tuple[dict[str, Any], list[int]]:
    """One match by defaults: its end, and the seats that were asked."""
    asked = []
    while (message := host.hear())["type"] == "request":
        asked.append(message["seat"])
        host.say(type="action", number=message["number"], choice=message["default"])
    return message, asked


def headers(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(file.read_bytes().splitlines()[0]) for file in sorted(folder.glob("*.jsonl"))]


def test_matches_follow_each_other_until_the_input_is_closed(tmp_path: Path) -> None:
    """Each has its own start, end, seed, log and opening; a wish counts for all; nothing is said to get the next."""
    words = (
        "chicago_express",
        "--players",
        "2",
        "--seat",
        "1",
        BUSY,
        "--games",
        "0",
        "--rotate",
        "--openings",
        "drawn",
    )
    host = Host(*words, *QUICK, "--seed", "5", "--log", str(tmp_path / "games"))
    assert host.hear()["type"] == "hello"
    ends: list[dict[str, Any]] = []
    for number in range(3):
        start = host.hear()
        assert (start["type"], start["seat"]) == ("start", number % 2)
        assert start["players"] == [["stdio", "busy"], ["busy", "stdio"]][number % 2]
        assert (start["board"] is None) == (number > 0), "a wish counts for the matches that follow"
        if number == 0:
            host.say(type="join", protocol=1, board=False)
        end, asked = play(host)
        assert (end["type"], end["match"], end["reason"]) == ("end", start["match"], "normal")
        assert set(asked) == {number % 2}
        ends.append(end)
    assert host.hear()["type"] == "start"
    code, errors = host.end()
    assert code == 0
    summary = json.loads(errors.splitlines()[-1])
    assert (summary["games"], summary["void"], summary["seed"]) == (3, 0, 5)
    cash = [sum(end["scores"][(player + number) % 2] for number, end in enumerate(ends)) / 3 for player in range(2)]
    assert [player["mean_cash"] for player in summary["players"]] == pytest.approx(cash, abs=1e-3)
    logs = headers(tmp_path / "games")
    assert len(logs) == 3, "a match in which nothing was said is not kept"
    assert len({log["seed"] for log in logs}) == len({json.dumps(log["opening"]) for log in logs}) == 3
    again = Host(*words, *QUICK, "--seed", "5")
    again.hear(), again.hear()
    again.say(type="join", protocol=1, board=False)
    assert play(again)[0] == ends[0]
    again.end()


def test_an_answer_that_comes_in_the_next_match_is_not_taken_there() -> None:
    """Numbers go on from the request that was given up, until its answer has come."""
    words = ("last_spike", "--players", "2", "--seat", "1", BUSY, "--games", "0", "--max-faults", "1")
    host = Host(*words, "--clock", "3/move", "--start-up", "0", "--seed", "5")
    assert [host.hear()["type"] for _ in range(2)] == ["hello", "start"]
    given_up = host.hear()["number"]
    assert [host.hear()["type"] for _ in range(3)] == ["error", "end", "start"]
    request = host.hear()
    assert request["type"] == "request"
    assert request["number"] > given_up
    host.say(type="action", number=given_up, choice=0)
    refused = host.hear()
    assert (refused["type"], refused["code"]) == ("error", "stale_request")
    host.say(type="action", number=request["number"], choice=0)
    following = host.hear()
    assert following["type"] == "request"
    assert following["events"][0]["seat"] == 0, "the open request was answered by what answers it"
    host.end()


def test_a_number_of_matches_and_a_bot_that_fails_in_each(tmp_path: Path) -> None:
    """A fault costs the seat in its match; the bot gets another chance in the next."""
    broken = tmp_path / "broken"
    broken.write_bytes(b"\x00\x01 no program")
    broken.chmod(0o755)
    seats = ("--seat", "1", bot("crashes"), "--seat", "2", str(broken))
    words = ("last_spike", "--players", "3", *seats, "--games", "2", "--max-faults", "1", "--rotate")
    host = Host(*words, "--clock", "none", "--seed", "1", "--log", str(tmp_path))
    host.hear()
    faults = []
    for _ in range(2):
        host.hear()
        faults.append(play(host)[0]["faults"])
    assert faults == [[0, 1, 1], [1, 0, 1]]
    code, errors = host.end()
    assert code == 3
    assert re.findall(r"seat (\d) \((\w+)\) lost its seat", errors) == [
        ("2", "crashes"), ("3", "broken"), ("1", "broken"), ("3", "crashes"),
    ]  # fmt: skip
    assert "\nseat 1 (broken) cannot start " in errors
    kept = (tmp_path / "games.player1.stderr").read_text().splitlines()
    marks = [line for line in kept if line.startswith("=== ")]
    assert marks[0::2] == ["=== game-000001.jsonl, seat 1", "=== game-000002.jsonl, seat 2"]
    assert all(mark.startswith("=== action ") for mark in marks[1::2])
    assert kept[0] == marks[0]
    assert "2 games, " in errors
    assert "random seed: 1" in errors
    for log in sorted(tmp_path.glob("*.jsonl")):
        found = verify(log.read_bytes())
        assert found.mistake is None
    assert {path.name for path in tmp_path.iterdir()} == {
        "broken", "game-000001.jsonl", "game-000002.jsonl", "games.player1.stderr", "games.player2.stderr",
    }  # fmt: skip


def test_input_that_ends_too_soon(tmp_path: Path) -> None:
    """Between two matches or in the middle of one: what is missing is told."""
    words = ("last_spike", "--players", "2", "--seat", "1", BUSY, "--clock", "none")
    host = Host(*words, "--games", "3", "--log", str(tmp_path))
    host.hear(), host.hear()
    play(host)
    code, errors = host.end()
    assert (code, "after 1 of 3 games" in errors) == (1, True)
    assert len(headers(tmp_path)) == 1
    host = Host(*words, "--games", "0", "--json")
    host.hear(), host.hear()
    host.say(type="action", number=host.hear()["number"], choice=0)
    host.hear()
    code, errors = host.end()
    assert (code, "game 1 is not finished" in errors) == (1, True)
    summary = json.loads(errors.splitlines()[-1])
    assert (summary["games"], summary["players"][0]["win_share"]) == (0, None)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--games", "3", "--log", "a.jsonl"), "several games are written to a folder"),
        (("--games", "0", "--log", "file"), "several games are written to a folder"),
        (("--log", "folder"), "a single game is written to a new file"),
        (("--games", "2", "--log", "folder"), "already holds logs"),
        (("--games", "-1"), "-1"),
        (("--name", "a", "--name", "b", "--name", "c"), "3 names for 2 seats"),
        (("--name", " "), "' ' cannot be shown"),
        (("--name", "a\x1b[31m"), "cannot be shown"),
    ],
)
def test_what_cannot_be_hosted(
    words: tuple[str, ...], told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "game-000001.jsonl").touch()
    done = CliRunner().invoke(main, ["host", "last_spike", "--players", "2", *words])
    assert done.exit_code == 2
    assert told in done.stderr
