"""Tests of the commands `run`, `host`, `verify` and `resume`."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner

from rails_cli.cli import main
from rails_cli.games import game_names
from rails_cli.logs.verify import verify
from tests.support.line_process import LineProcess
from tests.support.short_boards import short_board
from tests.support.tools import bot, rails
from tests.support.waiting import HANG_S

GREEDY = "builtin:greedy"
BUSY = "builtin:busy"
RANDOM = "builtin:random"
GENEROUS = ("--clock", "300/move")
"""Options for a clock that is long enough for every bot that answers, so that only a bot that hangs is late."""
RUN = ("run", "last_spike", "--seed", "0", *GENEROUS)


def lines_of(log: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.read_bytes().splitlines()]


def without_times(log: Path) -> list[dict[str, Any]]:
    """Return the lines of a log without times and hashes. Omit lines that record a resumption."""
    lines = [line for line in lines_of(log) if line["type"] != "resumed"]
    return [{key: value for key, value in line.items() if key not in ("ms", "chain")} for line in lines]


PLAY = """
import json, sys
from rails_cli.cli import main
for words in json.loads(sys.argv[1]):
    main(words, standalone_mode=False)
"""


def test_the_same_command_with_the_same_seed_writes_the_same_log(tmp_path: Path) -> None:
    """Two runs of the same command with the same seed write the same log, except for times.

    The runs have different hash seeds of Python. Built-in players and an external bot play.
    """
    words = ("--seat", GREEDY, "--seat", bot("honest"), "--seat", BUSY, "--seed", "11", "--quiet", *GENEROUS)
    commands = []
    for game in game_names():
        (tmp_path / game).mkdir()
        board = ("--board", str(short_board(game, tmp_path / game)))
        command, other = (
            ["run", game, *words, *board, "--log", str(tmp_path / game / name)]
            for name in ("here.jsonl", "other.jsonl")
        )
        assert CliRunner().invoke(main, command).exit_code == 0
        commands.append(other)
    hash_seed = "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"  # different from the one of this process
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    subprocess.run([sys.executable, "-c", PLAY, json.dumps(commands)], env=environment, check=True)
    for game in game_names():
        logs = [tmp_path / game / name for name in ("here.jsonl", "other.jsonl")]
        assert without_times(logs[0]) == without_times(logs[1])
        verdict = verify(logs[0].read_bytes())
        assert (verdict.mistake, verdict.is_finished) == (None, True)


def test_run_prints_the_moves_and_the_result(tmp_path: Path) -> None:
    done = rails("run", "chicago_express", "--seat", BUSY, "--seat", RANDOM, "--name", "Ann", "--name", "Bob")
    assert done.returncode == 0
    assert "Ann" in done.stdout
    assert "1. " in done.stdout.split("Result after")[1]
    quiet = rails("run", "chicago_express", "--seat", BUSY, "--seat", RANDOM, "--quiet")
    assert quiet.stdout.startswith("Result after")


def test_run_with_json_prints_one_object(tmp_path: Path) -> None:
    done = rails("run", "last_spike", "--seat", BUSY, "--seat", RANDOM, "--seat", RANDOM, "--json", "--seed", "4")
    result = json.loads(done.stdout)
    assert result["players"] == ["busy", "random", "random 2"]
    assert len(result["scores"]) == len(result["ranks"]) == len(result["faults"]) == 3
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("words", "code", "names"),
    [
        (("run", "chicago_express", "--seat", BUSY), 2, ["2 to 6", "1"]),
        (("run", "chicago_express", "--seat", "builtin:ace", "--seat", BUSY), 2, ["'ace'", "greedy"]),
        (("run", "chicago_express", "--seat", "", "--seat", BUSY), 2, ["empty command line"]),
        (("run", "chicago_express", "--seat", "bot 'x", "--seat", BUSY), 2, ["No closing quotation"]),
        (("run", "last_spike", "--seat", BUSY, "--seat", BUSY, "--clock", "fast"), 2, ["fast", "60+0.5"]),
        (("run", "last_spike", "--seat", BUSY, "--seat", BUSY, "--clock", "0/move"), 2, ["no time"]),
        (("run", "last_spike", "--seat", BUSY, "--seat", BUSY, "--memory", "much"), 2, ["much", "512M"]),
        (("run", "last_spike", "--seat", BUSY, "--seat", BUSY, "--log", "/proc/x/y.jsonl"), 1, ["/proc/x/y.jsonl"]),
        (("run", "last_spike", "--seat", BUSY, "--seat", BUSY, *("--name", "a") * 3), 2, ["3 names"]),
        (("host", "last_spike", "--players", "2", "--seat", "3", BUSY), 2, ["seat 3", "1 to 2"]),
        (("host", "last_spike", "--players", "2", "--seat", "1", BUSY, "--seat", "2", BUSY), 2, ["rails-cli run"]),
        (("verify", "/nowhere"), 2, ["/nowhere"]),
        (("resume", "/nowhere"), 2, ["/nowhere"]),
    ],
)  # fmt: skip
def test_wrong_arguments_are_reported_in_one_line(words: tuple[str, ...], code: int, names: list[str]) -> None:
    done = CliRunner().invoke(main, words)
    assert done.exit_code == code
    assert "Traceback" not in done.stderr
    for name in names:
        assert name in done.stderr.splitlines()[-1]


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("./no-such-bot --fast", "there is no program no-such-bot"),
        ("no-such-bot", "there is no program no-such-bot on the path"),
        ("python3 mybto/bot.py", "there is no file mybto/bot.py"),
        ("python3 -u mybto/bot.py", "there is no file mybto/bot.py"),
        ("greedy", "did you mean builtin:greedy?"),
        ("person:Anna", "people play with `rails-cli play`"),
    ],
)
def test_a_command_that_does_not_exist_is_refused_before_the_game(command: str, words: str, tmp_path: Path) -> None:
    new = tmp_path / "new.jsonl"
    log = tmp_path / "game.jsonl"
    assert CliRunner().invoke(main, [*RUN, "--seat", BUSY, "--seat", RANDOM, "--log", str(log)]).exit_code == 0
    lines = log.read_bytes().splitlines(keepends=True)
    begun = b"".join(lines[:5]) + b'{"type":'
    log.write_bytes(begun)
    named = tmp_path / "named.jsonl"
    named.write_bytes(begun.replace(BUSY.encode(), command.encode()))
    before = named.read_bytes()
    for given in (
        [*RUN, "--seat", command, "--seat", BUSY, "--log", str(new)],
        ["host", "last_spike", "--players", "2", "--seat", "1", command, "--log", str(new)],
        ["resume", str(log), "--seat", "1", command],
        ["resume", str(named)],
    ):
        refused = CliRunner().invoke(main, given)
        assert refused.exit_code == 2
        assert words in refused.stderr
        is_listed = "builtin:random, " in refused.stderr
        assert is_listed <= (command == "no-such-bot"), "only a single word may be meant for a built-in player"
    assert not new.exists()
    assert log.read_bytes() == begun
    assert named.read_bytes() == before
    assert {file.name for file in tmp_path.iterdir()} == {"game.jsonl", "named.jsonl"}


def test_a_program_that_the_system_cannot_start_is_a_fault_of_its_seat(tmp_path: Path) -> None:
    file = tmp_path / "bot"
    file.write_bytes(b"\x00\x01 no program")
    file.chmod(0o755)
    done = CliRunner().invoke(main, [*RUN, "--seat", str(file), "--seat", BUSY, "--json", "--max-faults", "1"])
    assert done.exit_code == 3
    assert f"seat 1 (bot) cannot start '{file}': Exec format error" in done.stderr
    result = json.loads(done.stdout)
    assert (result["faults"], result["lost"]) == ([1, 0], [0])


def test_a_log_is_never_overwritten(tmp_path: Path) -> None:
    log = tmp_path / "game.jsonl"
    words = (*RUN, "--seat", BUSY, "--seat", RANDOM, "--log", str(log))
    assert rails(*words).returncode == 0
    before = log.read_bytes()
    again = rails(*words)
    assert again.returncode == 2
    assert "rails-cli resume" in again.stderr
    assert log.read_bytes() == before


@pytest.mark.parametrize("game", game_names())
def test_a_program_plays_a_whole_game_over_the_pipe_of_host(game: str, tmp_path: Path) -> None:
    log = tmp_path / "game.jsonl"
    host = LineProcess("host", game, "--players", "3", "--seat", "2", BUSY, "--clock", "none", "--log", str(log))
    assert host.read()["type"] == "hello"
    start = host.read()
    assert start["type"] == "start"
    assert start["seat"] is None
    assert start["board"]
    numbers, seats = [], set()
    while (message := host.read())["type"] == "request":
        numbers.append(message["number"])
        seats.add(message["seat"])
        host.say(type="action", number=message["number"], choice=len(numbers) % len(message["legal"]))
    assert message["type"] == "end"
    assert message["reason"] == "normal"
    seed = json.loads(log.read_bytes().splitlines()[0])["seed"]
    assert host.end() == (0, f"rails-cli host: random seed: {seed}\n")
    assert seats == {0, 2}
    assert numbers == sorted(set(numbers)), "request numbers increase"
    assert verify(log.read_bytes()).mistake is None


def test_host_rejects_wrong_answers_with_a_code_and_a_message() -> None:
    """Each kind of mistake has its own code and message. After three wrong answers the default action is played."""
    host = LineProcess("host", "chicago_express", "--players", "2", "--clock", "none")
    host.read(), host.read()
    request = host.read()
    assert request["legal"] == [{"type": "bid", "min": 7, "max": 60}, {"type": "pass"}]
    host.say(type="again")
    assert host.read() == request
    host.say(type="action", number=99, choice=0)
    rejected = host.read()
    assert (rejected["code"], rejected["strikes"], rejected["strikes_left"]) == ("stale_request", 1, 2)
    host.say(type="action", number=1, action={"type": "bid", "amount": 6})
    rejected = host.read()
    assert (rejected["code"], rejected["message"]) == ("illegal_action", "bid 6 is below the minimum 7")
    host.say(type="action", number=1, action={"type": "bid", "amount": 7, "colour": "red"})
    after = host.read()
    assert (after["type"], after["number"], after["seat"]) == ("request", 2, 1)
    assert after["events"][-1] == {"type": "passed", "seat": 0, "forced": False}
    host.say(type="action", number=2, action={"type": "bid", "amount": 7}, choice=0)
    assert host.read()["message"] == "an answer has either `action` or `choice`"
    host.say(type="action", number=2, action={"type": "bid", "min": 7, "max": 60})
    assert '"amount":N' in host.read()["message"]
    host.say(type="action", number=2, action={"type": "bid", "amount": 60})
    assert host.read()["events"][-1]["type"] != "bid_made", "the auction is over: seat 0 has passed"
    host.process.terminate()
    host.process.communicate(timeout=HANG_S)


def test_the_join_message_selects_updates_and_views() -> None:
    host = LineProcess("host", "chicago_express", "--players", "2", "--seat", "2", BUSY, "--clock", "none")
    host.read(), host.read(), host.read()
    host.say(type="join", protocol=1, name="me", view="none", push=True)
    host.say(type="action", number=1, choice=0)
    message = host.read()
    assert message["type"] == "update"
    assert message["events"][0] == {"type": "bid_made", "seat": 0, "amount": 7}
    while (message := host.read())["type"] == "update":
        pass
    assert message["type"] == "request"
    assert message["view"] is None
    assert message["events"] == []
    host.say(type="join", protocol=1, view="none", push=True, push_view=True)
    host.say(type="action", number=message["number"], choice=message["default"])
    message = host.read()
    assert message["type"] == "update"
    assert message["view"]["seat"] == 0
    host.process.terminate()
    host.process.communicate(timeout=HANG_S)


def test_the_end_of_input_ends_the_host_and_keeps_the_log(tmp_path: Path) -> None:
    log = tmp_path / "game.jsonl"
    host = LineProcess("host", "last_spike", "--players", "2", "--log", str(log))
    host.read(), host.read()
    host.say(type="action", number=host.read()["number"], choice=0)
    host.read()
    code, errors = host.end()
    assert code == 1
    assert "not finished" in errors
    assert "Traceback" not in errors
    assert verify(log.read_bytes())[:3] == (1, False, False)
    refused = rails("resume", str(log))
    assert refused.returncode == 2
    for words in ("seat 1 (stdio) was not played by a bot", "--seat 1 SPEC"):
        assert words in refused.stderr
    assert rails("resume", str(log), "--seat", "stdio", BUSY, "--seat", "2", RANDOM).returncode == 0
    assert rails("verify", str(log), "--finished").returncode == 0


def test_a_log_cut_anywhere_resumes_to_the_same_game(tmp_path: Path) -> None:
    """A log that is cut at any byte can be resumed, and the game then has the same actions as the complete log.

    The players of this game do not choose at random.
    """
    whole = tmp_path / "whole.jsonl"
    board = str(short_board("last_spike", tmp_path))
    words = ("--seat", GREEDY, "--seat", bot("honest"), "--seat", GREEDY, "--board", board)
    assert rails("run", "last_spike", *words, "--seed", "2", *GENEROUS, "--log", str(whole)).returncode == 0
    content = whole.read_bytes()
    ends = [position for position, byte in enumerate(content) if byte == 10]
    for cut in (ends[1] + 1, ends[len(ends) // 2] + 40, len(content) - 1):
        log = tmp_path / f"cut-{cut}.jsonl"
        log.write_bytes(content[:cut])
        verdict = verify(content[:cut])
        assert verdict.mistake is None
        assert not verdict.is_finished
        done = rails("resume", str(log), "--seat", "2", bot("honest"), "--quiet")
        assert done.returncode == 0, done.stderr
        assert without_times(log) == without_times(whole)
        assert verify(log.read_bytes()).is_finished


def test_help_shows_the_default_clock() -> None:
    for command, clock in (("run", "10/move"), ("resume", "(that of the log)")):
        help_text = CliRunner().invoke(main, [command, "--help"]).output
        assert f"or none. [default: {clock}]" in " ".join(help_text.split())


def test_resume_refuses_finished_and_invalid_logs(tmp_path: Path) -> None:
    log = tmp_path / "game.jsonl"
    assert rails(*RUN, "--seat", BUSY, "--seat", RANDOM, "--log", str(log)).returncode == 0
    content = log.read_bytes()
    for change, words in (
        (content, "the game is finished"),
        (b"", "no whole line"),
        (re.sub(rb'"rules_version":\d+', b'"rules_version":99', content, count=1), "rules version 99"),
        (b"hello\n" + content, "line 1"),
    ):
        log.write_bytes(change)
        done = rails("resume", str(log))
        assert done.returncode == 1
        assert words in done.stderr
        assert log.read_bytes() == change


def test_verify_names_the_first_wrong_line(tmp_path: Path) -> None:
    log = tmp_path / "game.jsonl"
    words = ("run", "chicago_express", "--seat", GREEDY, "--seat", GREEDY, "--seat", GREEDY, "--log", str(log))
    assert rails(*words).returncode == 0
    lines = log.read_bytes().splitlines()
    result = json.loads(lines[-1])

    def mistake_of(line: int, **changes: Any) -> str:
        changed = lines.copy()
        changed[line - 1] = msgspec.json.encode({**json.loads(lines[line - 1]), **changes})
        mistake = verify(b"\n".join(changed) + b"\n").mistake
        assert mistake is not None, changes
        assert mistake.startswith(f"line {line}: "), mistake
        return mistake

    assert "digest" in mistake_of(2, digest="0" * 16)
    assert "events" in mistake_of(5, events=[])
    assert "events cannot be read" in mistake_of(5, events=[{"type": "miracle"}])
    assert "illegal action" in mistake_of(6, action={"type": "develop", "hex": "A2"})
    assert "not an action" in mistake_of(6, action={"type": "fly"})
    assert "seat 7 is not to move" in mistake_of(6, seat=7)
    assert "number" in mistake_of(6, number=77)
    assert "scores" in mistake_of(len(lines), scores=[score + 1 for score in result["scores"]])
    assert "ranks" in mistake_of(len(lines), ranks=[1, 1, 1])
    assert "format" in mistake_of(1, format=9)
    assert "unknown game" in mistake_of(1, game="chess")
    assert "rules version 5" in mistake_of(1, rules_version=5)
    assert "players" in mistake_of(1, players=[{"name": "alone"}])
    assert "options" in mistake_of(1, options={"speed": "high"})
    assert "board" in mistake_of(1, board={"format": 1})
    for changed, message in (
        ([*lines, lines[-1]], "follows the result"),
        (lines[:1] + lines[2:], "precedes the set-up"),
        (lines[:4] + lines[5:], "number"),
        ([*lines[:4], b"{half", *lines[4:]], "cannot be read"),
        (lines[:10] + lines[-1:], "not over"),
    ):
        mistake = verify(b"\n".join(changed) + b"\n").mistake
        assert mistake is not None
        assert message in mistake


def test_verify_summarises_a_folder(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    words = ("simulate", "last_spike", "--players", "2", "--games", "6", "--seed", "0", "--log-dir", str(logs))
    assert rails(*words).returncode == 0
    good = rails("verify", str(logs))
    assert good.returncode == 0
    assert good.stdout.startswith("6 of 6 logs verified, 0 of them unfinished")
    files = sorted(logs.iterdir())
    files[3].write_bytes(files[3].read_bytes().replace(b'"scores":[', b'"scores":[1', 1))
    files[5].write_bytes(files[5].read_bytes()[:-30])
    bad = rails("verify", str(logs), "--json", "--workers", "2")
    assert bad.returncode == 1
    summary = json.loads(bad.stdout)
    assert (summary["logs"], summary["good"], summary["wrong"], summary["unfinished"]) == (6, 5, 1, 1)
    assert [mistake["file"] for mistake in summary["mistakes"]] == [str(files[3])]
    assert rails("verify", str(files[5]), "--finished").returncode == 1


def test_the_log_contains_a_board_that_is_not_standard(tmp_path: Path) -> None:
    source = Path(sys.modules["rails_cli"].__file__ or "").parent / "games/chicago_express/board.json"
    board = json.loads(source.read_text())
    board["name"] = "mine"
    next(place for place in board["hexes"] if place["terrain"] == "plain")["cost"] = 9
    file, log = tmp_path / "mine.json", tmp_path / "game.jsonl"
    file.write_text(json.dumps(board))
    words = ("run", "chicago_express", "--seat", GREEDY, "--seat", BUSY, "--board", str(file), "--log", str(log))
    assert rails(*words).returncode == 0
    file.unlink()
    assert rails("verify", str(log), "--finished").returncode == 0
