"""Tests of `host --games`: several matches over one pipe, one after another or at the same time."""

import json
import os
import re
import resource
from pathlib import Path
from signal import SIGINT
from subprocess import DEVNULL, PIPE
from typing import Any

import pytest
from click.testing import CliRunner

from rails_cli.cli import main
from rails_cli.logs.verify import verify
from rails_cli.protocol.bot import Bot, Conversation, Decision
from rails_cli.protocol.lines import encode
from rails_cli.protocol.messages import Join, Request
from tests.support.line_process import LineProcess
from tests.support.tools import bot, start_rails

BUSY = "builtin:busy"
QUICK = ("--clock", "none", "--json")


def play(host: LineProcess) -> tuple[dict[str, Any], list[int]]:
    """Play the current match with default actions.

    Return its `end` message and the seats that received requests, in order.
    """
    asked = []
    while (message := host.read())["type"] == "request":
        asked.append(message["seat"])
        host.say(type="action", number=message["number"], choice=message["default"])
    return message, asked


def headers(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(file.read_bytes().splitlines()[0]) for file in sorted(folder.glob("*.jsonl"))]


def test_matches_are_played_one_after_another_until_the_input_is_closed(tmp_path: Path) -> None:
    """Each match has its own start message, end message, seed, log and opening.

    The options in a `join` message are for all matches.
    """
    games = ("--games", "0", "--rotate", "--openings", "drawn")
    words = ("chicago_express", "--players", "2", "--seat", "2", BUSY, *games)
    host = LineProcess("host", *words, *QUICK, "--seed", "5", "--log", str(tmp_path / "games"))
    assert host.read()["type"] == "hello"
    ends: list[dict[str, Any]] = []
    for number in range(3):
        start = host.read()
        assert (start["type"], start["seat"]) == ("start", number % 2)
        assert start["players"] == [["stdio", "busy"], ["busy", "stdio"]][number % 2]
        assert (start["board"] is None) == (number > 0), "options of a join hold for later matches"
        if number == 0:
            host.say(type="join", protocol=1, board=False)
        end, asked = play(host)
        assert (end["type"], end["match"], end["reason"]) == ("end", start["match"], "normal")
        assert set(asked) == {number % 2}
        ends.append(end)
    assert host.read()["type"] == "start"
    code, errors = host.end()
    assert code == 0
    summary = json.loads(errors.splitlines()[-1])
    assert (summary["games"], summary["void"], summary["seed"]) == (3, 0, 5)
    cash = [sum(end["scores"][(player + number) % 2] for number, end in enumerate(ends)) / 3 for player in range(2)]
    assert [player["mean_cash"] for player in summary["players"]] == pytest.approx(cash, abs=1e-3)
    logs = headers(tmp_path / "games")
    assert len(logs) == 3, "a match without any answer has no log"
    assert len({log["seed"] for log in logs}) == len({json.dumps(log["opening"]) for log in logs}) == 3
    again = LineProcess("host", *words, *QUICK, "--seed", "5")
    again.read(), again.read()
    again.say(type="join", protocol=1, board=False)
    assert play(again)[0] == ends[0]
    again.end()


def test_a_late_answer_is_rejected_in_the_next_match() -> None:
    """A late answer is rejected, even if it arrives in the next match.

    It is recognised by its request number. Numbers are never used again, because they continue from match to match.
    """
    words = ("last_spike", "--players", "2", "--seat", "2", BUSY, "--games", "0")
    host = LineProcess(
        "host", *words, "--clock", "1+600", "--start-up", "0", "--seed", "5"
    )  # only first answers can be late
    assert [host.read()["type"] for _ in range(2)] == ["hello", "start"]
    given_up = [host.read()["number"]]
    assert host.read()["code"] == "too_slow"
    assert play(host)[0]["type"] == "end"
    assert host.read()["type"] == "start"
    given_up.append(host.read()["number"])
    assert given_up[1] > given_up[0]
    assert host.read()["code"] == "too_slow"
    request = host.read()
    assert request["number"] > given_up[1]
    for number in given_up:
        host.say(type="action", number=number, choice=0)
        refused = host.read()
        assert (refused["type"], refused["code"]) == ("error", "stale_request")
    host.say(type="action", number=request["number"], choice=0, match="another")
    refused = host.read()
    assert (refused["type"], refused["code"]) == ("error", "stale_request")
    assert "of match another; the open request is" in refused["message"]
    host.say(type="action", number=request["number"], choice=0, match=request["match"])
    following = host.read()
    assert following["type"] == "request"
    assert following["events"][0]["seat"] == 0, "only the right answer was accepted"
    host.end()


def test_a_bot_that_loses_its_seat_in_a_match_plays_in_the_next(tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.write_bytes(b"\x00\x01 no program")
    broken.chmod(0o755)
    seats = ("--seat", "2", bot("crashes"), "--seat", "3", str(broken))
    words = ("last_spike", "--players", "3", *seats, "--games", "2", "--max-faults", "1", "--rotate")
    host = LineProcess("host", *words, "--clock", "none", "--seed", "1", "--log", str(tmp_path))
    host.read()
    faults = []
    for _ in range(2):
        host.read()
        faults.append(play(host)[0]["faults"])
    assert faults == [[0, 1, 1], [1, 0, 1]]
    code, errors = host.end()
    assert code == 3
    assert re.findall(r"seat (\d) \((\w+)\) lost its seat", errors) == [
        ("2", "crashes"), ("3", "broken"), ("1", "broken"), ("3", "crashes"),
    ]  # fmt: skip
    assert "\nseat 1 (broken) cannot start " in errors
    kept = (tmp_path / "games.player2.stderr").read_text().splitlines()
    marks = [line for line in kept if line.startswith("=== ")]
    assert marks[0::2] == ["=== game-000001.jsonl, seat 2", "=== game-000002.jsonl, seat 3"]
    assert all(mark.startswith("=== action ") for mark in marks[1::2])
    assert kept[0] == marks[0]
    assert "2 games, " in errors
    assert "random seed: 1" in errors
    for log in sorted(tmp_path.glob("*.jsonl")):
        found = verify(log.read_bytes())
        assert found.mistake is None
    assert {path.name for path in tmp_path.iterdir()} == {
        "broken", "game-000001.jsonl", "game-000002.jsonl", "games.player2.stderr", "games.player3.stderr",
    }  # fmt: skip


def test_input_that_ends_before_the_last_game_is_an_error(tmp_path: Path) -> None:
    """If the input ends before the last game, the host exits with an error that says how many games are missing.

    The input may end between two matches or during a match.
    """
    words = ("last_spike", "--players", "2", "--seat", "2", BUSY, "--clock", "none")
    host = LineProcess("host", *words, "--games", "3", "--log", str(tmp_path))
    host.read(), host.read()
    play(host)
    code, errors = host.end()
    assert (code, "after 1 of 3 games" in errors) == (1, True)
    assert len(headers(tmp_path)) == 1
    host = LineProcess("host", *words, "--games", "0", "--json")
    host.read(), host.read()
    host.say(type="action", number=host.read()["number"], choice=0)
    host.read()
    code, errors = host.end()
    assert (code, "game 1 is not finished" in errors) == (1, True)
    summary = json.loads(errors.splitlines()[-1])
    assert (summary["games"], summary["players"][0]["win_share"]) == (0, None)


class NumberBot(Bot):
    """A bot that computes its choice from the request number, so that the order of requests does not matter."""

    def decide(self, request: Request[Any, Any, Any]) -> Decision:
        assert request.match == self.start.match
        return request.number * 7 % len(request.legal)


FIVE_GAMES = ("last_spike", "--players", "3", "--seat", "2", BUSY, "--games", "5", "--rotate", "--seed", "5")


def play_simultaneously(at_once: int, folder: Path) -> tuple[list[list[Any]], list[bytes]]:
    """Play five games with a bot of the Python kit, `at_once` games at the same time. Return the logs and the answers.

    If several requests arrive together, the bot answers the last one first.
    """
    words = (*FIVE_GAMES, "--at-once", str(at_once), "--clock", "none", "--log", str(folder))
    sent = []
    with start_rails("host", *words, stdin=PIPE, stdout=PIPE, stderr=DEVNULL) as host:
        assert host.stdin is not None
        assert host.stdout is not None
        conversation, unread = Conversation(NumberBot, Join(board=False)), b""
        while chunk := os.read(host.stdout.fileno(), 1 << 20):
            *lines, unread = (unread + chunk).split(b"\n")
            answers = [encode(answer) for answer in map(conversation.hear, lines) if answer is not None]
            os.write(host.stdin.fileno(), b"".join(reversed(answers)))
            sent += answers
    assert host.returncode == 0
    return logs_of(folder), sent


def logs_of(folder: Path) -> list[list[Any]]:
    """Return the lines of all logs in `folder`, without times and hashes."""
    logs = [[json.loads(line) for line in file.read_bytes().splitlines()] for file in sorted(folder.glob("*.jsonl"))]
    return [[{**line, "ms": None, "chain": None} for line in log] for log in logs]


def test_simultaneous_matches_have_the_same_logs_as_matches_one_after_another(tmp_path: Path) -> None:
    """Five matches played at the same time have the same logs as matches played one after another, except for times.

    An answer that is already in the pipe is not late, even if the clock allows only 1 ms.
    """
    (one, _), (many, answers_sent) = (play_simultaneously(at_once, tmp_path / str(at_once)) for at_once in (1, 3))
    assert len(one) == 5
    assert all(log[-1]["type"] == "result" for log in one)
    assert one == many
    for log in one:
        del log[0]["clock"]
    source, sink = os.pipe()
    os.write(sink, b"".join(answers_sent))
    os.close(sink)
    folder = tmp_path / "hurried"
    clock = ("--clock", "0.001/move", "--start-up", "0")  # timing: all answers are in the pipe before it starts
    hurried = ("--at-once", "5", *clock, "--log", folder)
    with open(source, "rb") as answers:
        host = start_rails("host", *FIVE_GAMES, *map(str, hurried), stdin=answers, stdout=DEVNULL)
        assert host.wait() == 0
    hurried_logs = logs_of(folder)
    for log in hurried_logs:
        del log[0]["clock"]
    assert hurried_logs == one


def test_messages_of_simultaneous_matches_count_in_the_match_they_name(tmp_path: Path) -> None:
    """If several matches run at the same time, an answer counts in the match that it names.

    An answer without the name of a match ends the host. A `join` message applies to all matches.
    """
    words = ("last_spike", "--players", "2", "--seat", "2", BUSY, "--games", "0", "--at-once", "2", "--clock", "none")
    host = LineProcess("host", *words, "--log", str(tmp_path))
    assert host.read()["at_once"] == 2
    messages = [host.read() for _ in range(4)]
    assert [message["type"] for message in messages] == ["start", "request"] * 2
    first, second = messages[1], messages[3]
    assert first["match"] != second["match"]
    assert host.process.stdin is not None
    host.process.stdin.write(b'{"type":"again"}\n' * 50)  # one write
    host.process.stdin.flush()
    again = [host.read(), host.read()]
    assert sorted(again, key=str) == sorted([first, second], key=str), (
        "repeated messages in one write are answered once for each match"
    )
    for match in (first["match"], second["match"]):
        host.say(type=7, match=match)
        refused_there = host.read()
        assert (refused_there["code"], refused_there["match"]) == ("bad_line", match)
    host.say(type="join", protocol=1, view="none")
    host.say(type="action", number=first["number"], choice=99, match=first["match"])
    host.say(type="action", number="one", match=second["match"])
    host.say(type="action", number=1, choice=0, match="m-0")
    refused = [host.read() for _ in range(3)]
    refused.sort(key=lambda message: ["illegal_action", "bad_line", "stale_request"].index(message["code"]))
    assert [message.get("match") for message in refused] == [first["match"], second["match"], None]
    assert [message["code"] for message in refused] == ["illegal_action", "bad_line", "stale_request"]
    assert refused[2]["message"] == "match m-0 is not under way"
    host.say(type="action", number=first["number"], choice=0, match=first["match"])
    following = host.read()
    assert (following["match"], following["view"]) == (first["match"], None)
    host.say(type="action", number=second["number"], choice=0)
    fatal = host.read()
    assert (fatal["type"], fatal["fatal"]) == ("error", True)
    assert "an answer must name its `match`" in fatal["message"]
    assert [host.read()["reason"] for _ in range(2)] == ["interrupted"] * 2
    code, errors = host.end()
    assert code == 1
    assert "after 0 games; 2 games not finished" in errors
    assert len(headers(tmp_path)) == 2


def test_simultaneous_matches_with_a_client_that_is_silent_or_does_not_read(tmp_path: Path) -> None:
    """Two unusual clients can play several matches at the same time.

    - A client that never answers is late in each match, because each match has its own clock.
    - A client may write much before it reads, even if the output of the host exceeds the capacity of a pipe.
    """
    words = ("last_spike", "--players", "2", "--seat", "2", BUSY)
    quick = ("--clock", "1/move", "--start-up", "0", "--max-faults", "1")
    host = LineProcess("host", *words, *quick, "--games", "3", "--at-once", "2", "--json")
    assert host.process.stdout is not None
    late = [line for line in map(json.loads, host.process.stdout) if line["type"] == "error"]
    assert all(re.match(r"request \d+ of match \w+: no answer in 1 s", error["message"]) for error in late)
    assert len(late) == 3
    code, errors = host.end()
    assert code == 3
    summary = json.loads(errors.splitlines()[-1])
    assert (summary["games"], summary["players"][0]["lost_seats"]) == (3, 3)
    many = (*words, "--clock", "none", "--games", "0", "--at-once", "60", "--log", str(tmp_path))
    hard = str(resource.getrlimit(resource.RLIMIT_NOFILE)[1])
    host = LineProcess("64", hard, "host", *many, module="tests.support.few_files")
    assert host.process.stdin is not None
    host.process.stdin.write((b" " * 999 + b"\n") * 2000)
    code, errors = host.end()
    assert code == 0
    assert "the input has ended after 0 games; 0 games not finished" in errors
    assert not list(tmp_path.iterdir())
    host = LineProcess("host", *many)
    assert host.read()["type"] == "hello"
    assert len(list(tmp_path.iterdir())) == 60
    host.process.send_signal(SIGINT)
    assert host.end()[0] == 1
    assert not list(tmp_path.iterdir())
    code, errors = LineProcess("64", "64", "host", *many, module="tests.support.few_files").end()
    assert code == 2
    assert "60 logs at a time need 100 open files, and no more than 64 are allowed (ulimit -n)" in errors


def test_incomplete_lines_are_neither_read_nor_written() -> None:
    """An incomplete last line of input is ignored, and every line of output is complete."""
    words = ("last_spike", "--players", "2", "--games", "0", "--at-once", "600", "--clock", "none")
    with start_rails("host", *words, stdin=PIPE, stdout=PIPE, stderr=PIPE) as host:
        assert host.stdin is not None
        assert host.stdout is not None
        assert host.stderr is not None
        host.stdin.write(b'{"type":"action","match":"')
        host.stdin.close()
        output = bytearray()
        while chunk := os.read(host.stdout.fileno(), 1 << 14):
            output += chunk
        assert host.wait() == 0
        assert b"the input has ended after 0 games" in host.stderr.read()
    lines = [json.loads(line) for line in output.split(b"\n")[:-1]]
    assert [line["type"] for line in lines].count("request") > 0


def test_the_host_ends_when_a_client_never_reads() -> None:
    """The host ends if no output is read in the time allowed for a first answer, with one match and with many.

    Input from the client does not extend this time.
    """
    words = ("last_spike", "--players", "2", "--seat", "2", BUSY, "--games", "0", "--max-faults", "1")
    quick = ("--clock", "0.1/move", "--start-up", "0.1")  # timing: nobody answers or reads
    for at_once in ("1", "400"):
        with start_rails("host", *words, *quick, "--at-once", at_once, stdin=PIPE, stdout=PIPE, stderr=PIPE) as host:
            assert host.stdin is not None
            assert host.stderr is not None
            host.stdin.write(b'{"type":"join"}\n')
            host.stdin.flush()
            errors = host.stderr.read().decode()
            assert host.wait() == 1
        assert "nothing of our output was read for 0.2 s" in errors


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--games", "3", "--log", "a.jsonl"), "several games are written to a folder"),
        (("--games", "0", "--log", "file"), "several games are written to a folder"),
        (("--log", "folder"), "a single game is written to a new file"),
        (("--games", "2", "--log", "folder"), "already holds logs"),
        (("--games", "-1"), "-1"),
        (("--games", "2", "--at-once", "2", "--seat", "1", "true"), "a bot plays one match at a time"),
        (("--name", "a", "--name", "b", "--name", "c"), "3 names for 2 seats"),
        (("--name", " "), "' ' cannot be shown"),
        (("--name", "a\x1b[31m"), "cannot be shown"),
    ],
)
def test_host_refuses_impossible_options(
    words: tuple[str, ...], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "game-000001.jsonl").touch()
    done = CliRunner().invoke(main, ["host", "last_spike", "--players", "2", *words])
    assert done.exit_code == 2
    assert message in done.stderr
