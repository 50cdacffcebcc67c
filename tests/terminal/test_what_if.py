"""Tests of branches, which are games continued from a position of a recorded game.

A branch is started by a key in a replay or by a command, and compared with the recorded game.
"""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from rails_cli.cli import main
from rails_cli.logs.verify import verify_file
from rails_cli.study.playback.recorded import read_recorded
from tests.support.analyses import commands_in
from tests.support.analyses import run as transcripts
from tests.support.person import Person, by_lines
from tests.support.tools import GOLDEN, ROOT, rails

LOG = GOLDEN / "last_spike/last_spike-2p.jsonl"
HIDDEN = GOLDEN / "last_spike/last_spike-3p-hidden.jsonl"
HERE = "Which seat is yours?"


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture
def game(tmp_path: Path) -> Path:
    return Path(shutil.copyfile(HIDDEN, tmp_path / "game.jsonl"))


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(main, list(map(str, words)))


def branches(log: Path, *words: str) -> dict[str, Any]:
    """Return the decoded output of `rails-cli branches --json` for `log`. `words` are further arguments."""
    listing: dict[str, Any] = json.loads(run("branches", log, "--json", *words).stdout)
    return listing


def bots(log: Path, at: int, name: str) -> Path:
    """Have bots continue the game in `log` from action `at`, as the branch `name`. Return the log of the branch."""
    file = log.with_name(f"{log.stem}.branches") / f"{name}.jsonl"
    seats = ["--seat", "builtin:greedy"] * len(json.loads(log.read_bytes().partition(b"\n")[0])["players"])
    assert run("run", "--from", log, "--at", str(at - 1), *seats, "--quiet", "--log", file).exit_code == 0
    return file


def test_branches_are_started_resumed_and_compared_from_a_replay(game: Path, tmp_path: Path) -> None:
    """A person can continue a game from step 12 of its replay, alone or with bots.

    Each continuation is a branch. Both branches can be compared with the recorded game.
    """
    with Person("replay", str(game), folder=tmp_path / "state") as person:
        person.wait_for("action 0 of")
        person.press("12\r")
        person.wait_for("action 12 of")
        person.press("f")
        person.wait_for(HERE)
        person.press("2")
        person.wait_until_asked("greedy 1")
        person.press("quit\r")  # without an action no branch is saved
        person.wait_for("action 12 of 75  |  paused")
        person.press("f")
        person.wait_for(HERE)
        person.press("2")
        person.wait_until_asked("greedy 1")
        person.say("1", "greedy 1")
        person.press("quit\r")
        person.wait_for("action 12 of 75  |  1 branch begins here")
        person.press("f")
        person.wait_for(HERE)
        person.press("b")
        person.wait_for("branch after-012-bots-hard  |  action 12 of")
        person.press("G")
        person.wait_for("Result after")
        person.press("u")
        person.wait_for("action 12 of 75  |  2 branches begin here")
        person.press("c")
        person.wait_for(lambda: "At the end" in person.text and "Analysis estimate after action 12" in person.text)
        assert "Branch 2: after-012-seat-2-vs-greedy" in person.text
        person.press("q")
        person.wait_for("action 12 of 75")
        person.press("b")
        person.wait_for("not over, ")
        assert "hard, hard, hard; greedy 2 $" in person.text
        person.press("1")
        person.wait_for("branch after-012-bots-hard")
        person.press("q")
        person.wait_for("2 branches begin here")
        person.press("b")
        person.wait_for("not over, ")
        person.press("2")  # resumes the branch
        person.wait_until_asked("greedy 1")
        person.press("quit\r")
        person.wait_for("2 branches begin here")
        assert not person.spilled
        person.press("q")
        assert person.wait_for_end() == 0
        assert person.is_as_before()
    listing = branches(game, "--at", "12")
    assert [one["name"] for one in listing["games"]] == ["game", "after-012-bots-hard", "after-012-seat-2-vs-greedy"]
    assert [one["players"] for one in listing["games"][1:]] == [["hard"] * 3, ["greedy", "person", "greedy"]]
    over, hidden = listing["games"][1:]
    assert over["now"] == listing["games"][0]["now"]  # same position
    assert sum(over["last"]["scores"]) > 0
    assert (hidden["is_over"], hidden["now"], hidden["last"]) == (False, None, None)  # would reveal hands
    assert listing["problems"] == []
    for one in listing["games"]:
        assert verify_file(Path(one["file"])).mistake is None


def test_an_unfinished_game_is_analysed_but_has_no_branches(tmp_path: Path) -> None:
    log = tmp_path / "short.jsonl"
    log.write_bytes(b"".join((GOLDEN / "chicago_express/chicago_express-2p.jsonl").read_bytes().splitlines(True)[:22]))
    with Person("replay", str(log), folder=tmp_path, width=100, height=35) as person:
        person.wait_for("action 0 of 20")
        person.press("f")
        person.wait_for("this game is not over")
        person.press("q")
        person.wait_for("action 0 of 20")
        person.press("t")
        person.wait_for(lambda: person.is_other_screen and "Analysing decisions: " in person.lines[34])
        person.wait_for("Turning point: ")
        assert person.is_other_screen
        assert "action 0 of" not in person.text
        person.press("\x1b[Z")
        person.wait_for("Chance of winning, in tenths")
        person.press("q")
        assert person.wait_for_end() == 0
    assert "this game is not over" in run("play", "--from", log, "--at", "3").stderr


def test_commands_for_a_branch_of_a_saved_game_fit_in_a_line(tmp_path: Path) -> None:
    """They name the saved game. The path of the branch would not fit in 80 columns, so that it could not be copied."""
    state = tmp_path / "state"
    games = state / "rails-cli" / "games"
    games.mkdir(parents=True)
    name = "20261119-101552-last_spike"
    shutil.copyfile(HIDDEN, games / f"{name}.jsonl")
    left = by_lines(state, "play", "--from", "last", "--at", "19", "--seat", "2", typed="1\nquit\n")
    assert left.stdout.endswith(f"The game is saved as a branch. To resume it, press b in: rails-cli replay {name}\n")
    (path,) = games.glob("*.branches/*.jsonl")
    ended = by_lines(state, "play", "--resume", str(path), "--fast", typed="1\npass\n" * 200)
    seen_again = f"The game is kept as a branch. To watch it again, press b in: rails-cli replay {name}\n"
    assert seen_again in ended.stdout


def test_branches_are_played_resumed_and_compared_by_command(game: Path, tmp_path: Path) -> None:
    """A person plays a branch of a game, and then a branch of this branch, by commands.

    A branch is a game continued from a position of a recorded game. `undo` cannot take back moves of the recorded game.
    """
    state = tmp_path / "state"
    first = by_lines(state, "play", "--from", str(game), "--at", "19", "--seat", "2", typed="undo\n1\nquit\n")
    assert (first.returncode, "no decision to take back" in first.stdout) == (0, True)
    (path,) = tmp_path.glob("game.branches/*.jsonl")
    assert path.name == "after-019-seat-2-vs-greedy.jsonl"
    assert "this game is not over" in run("play", "--from", path, "--at", "19").stderr
    resumed = by_lines(state, "play", "--resume", str(path), "--fast", typed="1\npass\n" * 200)
    assert (resumed.returncode, "Result" in resumed.stdout or "wins" in resumed.stdout) == (0, True), resumed.stderr
    again = by_lines(state, "play", "--from", str(path), "--at", "-5", "--bots", "busy", typed="1\nquit\n")
    assert again.returncode == 0, again.stderr
    (second,) = tmp_path.glob("game.branches/*.branches/*.jsonl")
    assert second.parent.name == "after-019-seat-2-vs-greedy.branches"
    assert json.loads(second.read_bytes().partition(b"\n")[0])["branch"]["log"] == path.name
    assert verify_file(path).is_sealed
    assert verify_file(second).mistake is None
    with Person("replay", str(path), folder=state) as person:
        person.wait_for("branch after-019-seat-2-vs-greedy")
        person.press("u")
        person.wait_for("action 19 of 75  |  1 branch begins here")
        person.press("q")
        assert person.wait_for_end() == 0
    older = Path(shutil.copyfile(GOLDEN / "chicago_express/chicago_express-4p.jsonl", tmp_path / "older.jsonl"))
    # `builder`, which played this log, is no longer available
    left = by_lines(state, "play", "--from", str(older), "--at", "8", "--seat", "1", typed="quit\n")
    assert (left.returncode, "You have made no move in this branch" in left.stdout) == (0, True), left.stderr
    assert list(tmp_path.glob("older.branches/*")) == []
    kept = run("branches", game).stdout
    assert "Branch 1: after-019-seat-2-vs-greedy, after action 19; greedy, person, greedy" in kept
    reached = min(recorded_last(game), recorded_last(path))
    assert f"Chance of winning after action {reached}" in kept
    assert "*" not in kept
    unfinished = bots(older, recorded_last(older) - 40, "unfinished")
    unfinished.write_bytes(b"".join(unfinished.read_bytes().splitlines(True)[: recorded_last(older) - 20]))
    left_at = recorded_last(unfinished)
    kept = run("branches", older).stdout
    assert f"Chance of winning after action {left_at}" in kept
    assert "*" not in kept
    assert branches(older)["action"] == left_at
    kept = run("branches", older, "--at", "-1").stdout
    assert f"* Branch 1 goes only to action {left_at}" in kept
    assert "Branch 1*" in kept
    assert "over:" not in kept


def recorded_last(log: Path) -> int:
    return read_recorded(log.read_bytes()).last


def test_files_that_are_not_branches_are_reported(game: Path, tmp_path: Path) -> None:
    """Files in the folder of branches that are not branches of the game are reported by name.

    These are damaged logs, logs of other games, and branches of a game that was changed later. If the folder of
    branches is not writable, another folder is used.
    """
    folder = tmp_path / "game.branches"
    good = bots(game, 70, "good")
    shutil.copyfile(LOG, folder / "alien.jsonl")
    (folder / "damaged.jsonl").write_bytes(b"rubbish\n")
    lines = good.read_bytes().splitlines(True)
    (folder / "wrong.jsonl").write_bytes(b"".join([*lines[:-3], lines[-2], lines[-1]]))
    result = run("branches", game)
    assert result.exit_code == 0
    for name, why in (("alien", "is not a branch of another game"), ("damaged", "line 1"), ("wrong", "line ")):
        assert any(f"{name}.jsonl" in line and why in line for line in result.stderr.splitlines()), name
    assert [one["name"] for one in branches(game)["games"]] == ["game", "good"]
    exported = run("export", game, "--html", tmp_path / "page.html")
    assert exported.stderr.count("Left out: ") == 3
    other = Path(shutil.copyfile(LOG, tmp_path / "other.jsonl"))
    game.write_bytes(other.read_bytes())
    assert "belongs to another game, or game.jsonl has been changed since" in run("branches", game).stderr
    with Person("replay", str(good), folder=tmp_path) as person:
        person.wait_for("branch good")
        person.press("u")
        person.wait_for(lambda: "is not the game this one branched from" in " ".join(person.text.split()))
        person.press("q")
        person.wait_for("branch good")
        game.unlink()
        person.press("u")
        person.wait_for("game.jsonl, which this game branched from, is no longer")
        person.press("q")
        assert person.wait_for_end() == 0
    other.with_name("other.branches").write_bytes(b"in the way")
    played = by_lines(tmp_path / "state", "play", "--from", str(other), "--at", "8", "--seat", "1", typed="1\nquit\n")
    assert played.returncode == 0, played.stderr
    assert "cannot write to" in played.stderr
    assert "the branch is kept in" in played.stderr
    assert [one["number"] for one in branches(other)["games"]] == [None, 9]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--at", "9", "--seat", "8"), "there is no seat 8; seats are 1 to 3"),
        (("--at", "900"), "it has questions after actions 0 to 74"),
        (("--at", "ws://here"), "is not the number of an action"),
        ((), "choose where in the log to start"),
        (("--at", "9", "--seat", "person", "--seat", "builtin:greedy"), "or 3 times with who plays it"),
        (("--at", "9", *["--seat", "builtin:greedy"] * 3), "no person would play"),
        (("--at", "9", *["--seat", "person"] * 3, "--bots", "easy"), "leave out --bots"),
        (("--at", "9", "--players", "3"), "--players is already decided by the log"),
        (("--at", "9", "--pool", "Ada"), "--pool is for a server's table; leave it out with --from"),
        (("--at", "9", "--seat-token", "x"), "--seat-token is for a server's table"),
        (("--at", "9", "--invite", "x"), "--invite is for a server's table"),
        (("--at", "9", "--no-bell"), "--bell is for a server's table"),
    ],
)
def test_wrong_options_with_from_are_refused(words: tuple[str, ...], message: str) -> None:
    result = run("play", "--from", HIDDEN, *words)
    assert result.exit_code in (1, 2)
    assert message in " ".join(result.stderr.split())
    assert not HIDDEN.with_name(f"{HIDDEN.stem}.branches").exists()
    assert "only with --from" in run("play", "last_spike", "--seat", "2").stderr


def test_branches_of_a_game_without_any_prints_how_to_make_one(game: Path) -> None:
    assert f"play --from {game} --at N" in run("branches", game).stdout
    assert run("branches", game, "--at", "99").exit_code == 2
    assert run("branches", game.with_name("none.jsonl")).exit_code == 2


def test_the_manual_of_branches_is_correct(tmp_path: Path) -> None:
    """The transcript in docs/WHAT_IF.md is the output of the program, and the other commands on the page work."""
    page = (ROOT / "docs" / "WHAT_IF.md").read_text(encoding="utf-8")
    shown = page.partition("<!-- what if -->\n```console\n")[2].partition("```")[0].splitlines()
    assert transcripts(commands_in(shown), tmp_path) == shown
    others = page.partition("```console\n")[2].partition("```")[0].splitlines()
    assert len(others) == 4
    for line in others:
        words = line.partition("#")[0].split()[2:]
        if words[0] == "play":
            done = rails(*words, input="quit\n", cwd=tmp_path)
            assert done.returncode == 0, f"{line}: {done.stderr}"
        else:
            assert run(*(tmp_path / word if word.startswith("game.") else word for word in words)).exit_code == 0, line
