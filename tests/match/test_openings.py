"""Tests of matches that start from an opening: requests, marks in the log, verification and resumption.

An opening is a series of random first moves.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from rails_cli.cli import main
from rails_cli.logs.verify import verify
from tests.support.line_process import LineProcess
from tests.support.tools import bot
from tests.support.waiting import HANG_S

GREEDY, RANDOM = "builtin:greedy", "builtin:random"
SEED = "5"
FROM_BOOK = Path(__file__).with_name("recorded") / "book_opening.jsonl"


def run(*words: str) -> Result:
    return CliRunner().invoke(main, words)


def lines_of(log: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.read_bytes().splitlines()]


def played(log: Path, *seats: str, game: str = "chicago_express", openings: str = "drawn") -> list[dict[str, Any]]:
    words = [word for seat in seats or (GREEDY, RANDOM, GREEDY) for word in ("--seat", seat)]
    words += ["--clock", "300/move"]
    result = run("run", game, *words, "--seed", SEED, "--openings", openings, "--log", str(log), "--quiet")
    assert result.exit_code == 0, result.output
    return lines_of(log)


def opening_in(lines: list[dict[str, Any]]) -> list[Any]:
    """Return the actions in the log `lines` that are marked as part of the opening."""
    return [line["action"] for line in lines if line.get("opening") and line["type"] == "action"]


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("openings") / "game.jsonl"
    played(file)
    return file


def test_the_log_marks_the_actions_of_the_opening(log: Path) -> None:
    lines = lines_of(log)
    actions = [line for line in lines if line["type"] == "action"]
    opening = lines[0]["opening"]
    count = len(opening["actions"])
    assert (opening["source"], opening["version"]) == ("drawn", 2)
    assert opening_in(lines) == opening["actions"]
    assert [line.get("opening", False) for line in actions] == [True] * count + [False] * (len(actions) - count)
    assert not any("ms" in line or "info" in line for line in actions[:count])
    assert verify(log.read_bytes()).mistake is None


def test_no_action_is_marked_in_a_game_without_an_opening(tmp_path: Path) -> None:
    lines = played(tmp_path / "game.jsonl", openings="none")
    assert "opening" not in lines[0]
    assert opening_in(lines) == []


def test_run_and_host_draw_the_same_opening(log: Path, tmp_path: Path) -> None:
    """From the same seed, `run` and `host` make the same opening.

    The first request of a bot contains the events of the opening, and a view of the position after it.
    """
    opening = opening_in(lines_of(log))
    lines = played(tmp_path / "bots.jsonl", bot("honest"), GREEDY, GREEDY)
    assert opening_in(lines) == opening
    host = LineProcess(
        "host", "chicago_express", "--players", "3", "--seat", "2", GREEDY, "--seat", "3", GREEDY, "--seed", SEED,
        "--openings", "drawn", "--clock", "none", "--log", str(tmp_path / "host.jsonl"),
    )  # fmt: skip
    assert [host.read()["type"], host.read()["type"]] == ["hello", "start"]
    request = host.read()
    events = [event for line in lines_of(tmp_path / "host.jsonl") if "events" in line for event in line["events"]]
    assert request["events"] == events
    bids = [event["amount"] for event in request["events"] if event["type"] == "bid_made"]
    assert bids[: sum(action["type"] == "bid" for action in opening)] == [
        action["amount"] for action in opening if action["type"] == "bid"
    ]
    sold = [event for event in request["events"] if event["type"] == "share_sold"]
    cash = [player["cash"] for player in request["view"]["players"]]
    assert cash == [40 - sum(event["price"] for event in sold if event["seat"] == seat) for seat in range(3)]
    assert host.process.stdin is not None
    host.process.stdin.close()
    assert host.process.wait(timeout=HANG_S) == 1
    host.process.stdout.close()  # type: ignore[union-attr]
    host.process.stderr.close()  # type: ignore[union-attr]
    assert opening_in(lines_of(tmp_path / "host.jsonl")) == opening


def shorten_opening(lines: list[dict[str, Any]]) -> None:
    """Remove the last opening action from the header and from the actions, as if the opening were shorter."""
    count = len(lines[0]["opening"]["actions"])
    del lines[0]["opening"]["actions"][count - 1 :]
    del lines[1 + count]["opening"]


def raise_first_bid(lines: list[dict[str, Any]]) -> None:
    lines[0]["opening"]["actions"][0]["amount"] += 1


def at(*path: Any, value: Any = None) -> Callable[[list[dict[str, Any]]], None]:
    """Return a function that changes the lines of a log: it sets the value at `path` to `value`.

    `path` holds the index of the line and the keys. If `value` is None, the function deletes the value at `path`.
    """

    def change(lines: Any) -> None:
        for key in path[:-1]:
            lines = lines[key]
        if value is None:
            del lines[path[-1]]
        else:
            lines[path[-1]] = value

    return change


FIRST = (0, "opening", "actions", 0)
FAULT = {"type": "fault", "number": 2, "seat": 1, "code": "too_slow", "message": "x"}


@pytest.mark.parametrize(
    ("change", "line", "words"),
    [
        (at(2, "opening"), 3, "not marked as opening"),
        (at(-2, "opening", value=True), None, "marked as opening"),
        (raise_first_bid, 1, "draws another one"),
        (shorten_opening, 1, "draws another one"),
        (at(0, "opening"), 3, "marked as opening"),
        (at(3, "ms", value=4), 4, "neither time"),
        (lambda lines: lines.insert(3, FAULT), 4, "nobody is to move"),
        (at(*FIRST, value={"type": "dance"}), 1, "opening: "),
        (
            at(*FIRST, value={"type": "build", "company": "PRR", "hex": "A2"}),
            1,
            "opening: build PRR A2 is not possible now",
        ),
    ],
)
def test_verify_finds_tampered_openings(
    change: Callable[[list[dict[str, Any]]], None], line: int | None, words: str, log: Path
) -> None:
    lines = lines_of(log)
    change(lines)
    mistake = verify("".join(json.dumps(one) + "\n" for one in lines).encode()).mistake
    assert mistake is not None
    assert words in mistake
    assert line is None or mistake.startswith(f"line {line}: ")


def test_an_opening_of_another_version_is_played_but_not_compared_with_a_draw(log: Path) -> None:
    lines = lines_of(log)
    shorten_opening(lines)
    lines[0]["opening"]["version"] = 0
    assert verify("".join(json.dumps(one) + "\n" for one in lines[:-1]).encode()).mistake is None


def test_verify_reports_openings_that_it_cannot_check(log: Path, tmp_path: Path) -> None:
    lines = lines_of(log)
    del lines[-1]["chain"]
    drawn = lines[0]["opening"]
    for changed, count in (
        (drawn, 0),
        (drawn | {"version": 0}, 1),
        ({"source": "book", "actions": drawn["actions"], "book": "b", "entry": 0}, 1),
    ):
        lines[0]["opening"] = changed
        (tmp_path / "game.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        verified = run("verify", str(tmp_path))
        assert verified.exit_code == 0
        assert ("the opening of 1 log was not checked" in verified.output) == bool(count)
        assert json.loads(run("verify", str(tmp_path), "--json").output)["unchecked_openings"] == count


def test_a_log_with_an_opening_from_a_book_verifies_and_replays(tmp_path: Path) -> None:
    """A log of an earlier version can be verified and replayed, although its opening is from a list (the book).

    Openings are now made of random moves. If `rules_version` changes, update `FROM_BOOK`: change the version in its
    first line, delete the other lines, and let `rails-cli resume` play the game again.
    """
    assert verify(FROM_BOOK.read_bytes()).mistake is None
    verified = json.loads(run("verify", str(FROM_BOOK), "--json").output)
    assert (verified["good"], verified["unchecked_openings"]) == (1, 1)
    opening = lines_of(FROM_BOOK)[0]["opening"]
    assert opening["source"] == "book"
    assert run("replay", str(FROM_BOOK)).output.count("(opening)") == len(opening["actions"])
    cut = tmp_path / "cut.jsonl"
    cut.write_bytes(b"".join(FROM_BOOK.read_bytes().splitlines(keepends=True)[:5]))
    assert run("resume", str(cut), "--quiet").exit_code == 0
    assert opening_in(lines_of(cut)) == opening["actions"]
    assert verify(cut.read_bytes()).mistake is None


def test_an_opening_of_a_newer_version_is_refused(log: Path) -> None:
    lines = lines_of(log)
    lines[0]["opening"]["version"] += 1
    mistake = verify("".join(json.dumps(line) + "\n" for line in lines).encode()).mistake
    assert mistake == "line 1: opening: drawn by version 3; this program draws by version 2"


@pytest.mark.parametrize("kept", [1, 5, 60])
def test_a_game_cut_in_or_after_its_opening_resumes_to_the_same_game(kept: int, tmp_path: Path) -> None:
    seats = [GREEDY, GREEDY, GREEDY]
    whole = played(tmp_path / "whole.jsonl", *seats)
    cut = tmp_path / "cut.jsonl"
    cut.write_bytes(b"".join((tmp_path / "whole.jsonl").read_bytes().splitlines(keepends=True)[:kept]))
    result = run("resume", str(cut), "--quiet")
    assert result.exit_code == 0, result.output
    lines = [line for line in lines_of(cut) if line["type"] != "resumed"]
    assert [{**line, "chain": None} for line in lines] == [{**line, "chain": None} for line in whole]
    assert verify(cut.read_bytes()).mistake is None


def test_replays_mark_the_actions_of_the_opening(log: Path) -> None:
    count = len(opening_in(lines_of(log)))
    replayed = run("replay", str(log)).output
    assert replayed.count("(opening)") == count
    result = run("run", "chicago_express", *["--seat", GREEDY] * 3, "--seed", SEED, "--openings", "drawn")
    assert "\nOpening:\n" in result.output
    assert "\nEnd of the opening.\n" in result.output


def test_simulated_games_start_from_openings(tmp_path: Path) -> None:
    words = ("simulate", "american_rails", "--players", "4", "--games", "3", "--workers", "1", "--seed", "0", "--json")
    plain, drawn = run(*words), run(*words, "--openings", "drawn", "--log-dir", str(tmp_path))
    assert json.loads(plain.stdout)["openings"] == "none"
    assert json.loads(drawn.stdout)["openings"] == "drawn"
    logs = sorted(tmp_path.glob("*.jsonl"))
    assert all(opening_in(lines_of(log)) and verify(log.read_bytes()).mistake is None for log in logs)
    again = json.loads(run(*words, "--openings", "drawn").stdout)
    assert {**again, "timing": {}} == {**json.loads(drawn.stdout), "timing": {}}


@pytest.mark.parametrize("command", ["run", "simulate"])
def test_openings_are_refused_for_a_game_that_has_none(command: str) -> None:
    seats = ["--seat", GREEDY, "--seat", GREEDY] if command == "run" else ["--players", "2"]
    result = run(command, "last_spike", *seats, "--openings", "drawn")
    assert result.exit_code == 2
    assert "The Last Spike has no openings" in result.output
