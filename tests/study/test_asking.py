"""Tests of two commands for a request in a logged game. `ask` sends the request to a bot again.

`run --from` continues the game from this request.
"""

import json
import os
import re
import shlex
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from rails_cli.cli import main
from rails_cli.logs.verify import verify
from tests.support.short_boards import short_board
from tests.support.tools import BOTS, GOLDEN, bot

GREEDY, BUSY = "builtin:greedy", "builtin:busy"
GENEROUS = ("--clock", "300/move")
"""Options for a clock that is long enough for every bot that answers, so that only a bot that hangs is late."""
MANY_FAULTS = ("--max-faults", "100", "--clock", "6000+0.5,300/move")
FAILING_BOT = f"""
import sys
sys.path.insert(0, {str(BOTS)!r})
from honest import answer, requests

for request in requests():
    if request["number"] > 6:
        sys.stderr.write("first words\\n" * 20)
        raise RuntimeError(f"no idea at {{request['number']}}")
    answer(request)
"""
PUSH = '{"type":"join","push":true,"board":false}'


def invoke(*words: str) -> Result:
    result = CliRunner().invoke(main, list(words))
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def recording(file: Path, *first_messages: str) -> list[str]:
    """Return the command of a bot that first sends `first_messages` and records everything it receives in `file`."""
    return [sys.executable, str(BOTS / "records.py"), str(file), *first_messages]


def read(log: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.read_bytes().splitlines()]


def first_messages_of_processes(file: Path) -> list[list[bytes]]:
    """Return for each process of the bot `records.py` the `hello`, `start` and first request recorded in `file`."""
    lines = file.read_bytes().splitlines()
    return [lines[place : place + 3] for place, line in enumerate(lines) if b'"type":"hello"' in line]


def action_of(request: int, lines: list[dict[str, Any]]) -> int:
    """Return the number of the action with which a player answered the request number `request`.

    `lines` are the lines of the log. The two numbers differ, because request numbers also count forced passes.
    """
    forced = 0
    for line in lines:
        if line["type"] == "action" and line["number"] + forced == request:
            return int(line["number"])
        forced += sum(event["type"] == "passed" and event["forced"] for event in line.get("events", ()))
    raise AssertionError(f"request {request} is not in the log")


@pytest.mark.parametrize(
    ("game", "rivals", "more", "first_messages"),
    [
        ("last_spike", [BUSY, GREEDY], ("--option", "cash=hidden"), ()),
        ("chicago_express", [BUSY, BUSY], ("--openings", "drawn"), ()),
        ("american_rails", [BUSY, BUSY], (), (PUSH,)),
    ],
)
def test_ask_sends_a_bot_the_messages_that_a_restarted_process_got(
    game: str, rivals: list[str], more: tuple[str, ...], first_messages: tuple[str, ...], tmp_path: Path
) -> None:
    """`ask` sends a bot the same messages that its restarted process got in the match.

    In the match, an answer of the bot was rejected, and the bot crashed. The bot had also used some of its time.
    """
    log, match_record, ask_record = tmp_path / "game.jsonl", tmp_path / "then", tmp_path / "now"
    seats = [f"--seat={spec}" for spec in (rivals[0], shlex.join(recording(match_record, *first_messages)), rivals[1])]
    board = ("--board", str(short_board(game, tmp_path)))
    played = invoke("run", game, *seats, *board, "--seed", "5", "--log", str(log), "--json", *MANY_FAULTS, *more)
    assert played.exit_code == 0, played.stderr
    codes = {failure["code"] for failure in json.loads(played.stdout)["failures"]}
    assert codes == {"illegal_action", "disconnect"}
    restarted = first_messages_of_processes(match_record)[-1]
    request = json.loads(restarted[-1])["number"]
    lines = read(log)
    number = action_of(request, lines)
    assert number > 10
    words = ("--at", str(number - 1), "--json", "--looks", "0")
    asked = invoke("ask", str(log), *words, "--", *recording(ask_record, *first_messages))
    report = json.loads(asked.stdout)
    assert asked.exit_code == 0, asked.output
    assert (report["at"], report["number"], report["request"]) == (number - 1, number, request)
    assert report["is_legal"]
    assert first_messages_of_processes(ask_record) == [restarted]
    action = next(line for line in lines if line["type"] == "action" and line["number"] == number)
    assert report["action"] == report["logged"]["action"] == action["action"]


def test_a_failed_request_can_be_repeated_and_the_game_continued_with_a_corrected_bot(tmp_path: Path) -> None:
    """A failed request can be repeated, and the game can be continued with a corrected bot.

    `run` names the failed request. `ask` repeats it. `run --from` continues the game.
    """
    log = tmp_path / "game.jsonl"
    script = tmp_path / "failing.py"
    script.write_text(FAILING_BOT)
    seats = ["--seat", shlex.join([sys.executable, str(script)]), "--seat", BUSY]
    board = ("--board", str(short_board("last_spike", tmp_path)))
    more = ("--max-faults", "1", "--quiet", *GENEROUS, *board, "--log", str(log))
    played = invoke("run", "last_spike", *seats, "--seed", "4", *more)
    assert played.exit_code == 3
    _, first, head, *stderr, ask = played.stderr.splitlines()  # the first line warns that there is no sandbox
    assert first == "seat 1 (failing) lost its seat: exited with code 1; default played; a substitute takes over"
    assert head == "  the end of its stderr:"
    assert len(stderr) == 15
    assert stderr[0] == "    first words"
    assert "RuntimeError: no idea at" in stderr[-1]
    kept = (tmp_path / "game.jsonl.seat1.stderr").read_text()
    assert kept.splitlines()[-1].startswith("=== action ")
    words = shlex.split(ask.removeprefix("  to ask the bot again: rails-cli "))
    again = invoke(*words)
    assert again.exit_code == 3
    assert "It did not fail" not in again.stdout
    report_lines = again.stdout.splitlines()
    at = words[words.index("--at") + 1]
    assert report_lines[0] == f"{log}, action {int(at) + 1} (request {int(at) + 1}): seat 1, failing"
    assert report_lines[1].startswith("Question: Which piece will you play? (")
    assert "disconnect: exited with code 1; default played" in report_lines[2]
    assert report_lines[3] == "No answer: disconnect: exited with code 1"
    assert report_lines[4:6] == ["Its stderr:", "  first words"]
    assert report_lines[-1].startswith("  RuntimeError: no idea at")

    corrected = shlex.split(bot("honest"))
    good = invoke("ask", str(log), "--at", at, "--looks", "0", "--", *corrected)
    assert good.exit_code == 0, good.output
    assert "\nLegal: " in good.stdout
    assert good.stdout.splitlines()[-1].startswith("It did not fail this time. ")

    branch = tmp_path / "branch.jsonl"
    corrected_seats = ["--seat", shlex.join(corrected), "--seat", BUSY]
    on = invoke("run", "--from", str(log), "--at", at, *corrected_seats, "--log", str(branch), "--json")
    assert on.exit_code == 0, on.stderr
    assert json.loads(on.stdout)["faults"] == [0, 0], "the corrected bot does not inherit the faults"
    found = verify(branch.read_bytes())
    assert (found.mistake, found.is_finished, found.is_sealed) == (None, True, True)
    old, new = log.read_bytes().splitlines(), branch.read_bytes().splitlines()
    resumed = next(place for place, line in enumerate(new) if b'"type":"resumed"' in line)
    assert new[1:resumed] == old[1:resumed]
    header = json.loads(new[0])
    head = sha256(log.read_bytes()).hexdigest()
    assert header.pop("branch") == {"log": "game.jsonl", "head": head, "number": int(at) + 1}
    assert header == json.loads(old[0])
    assert json.loads(new[resumed])["number"] == int(at) + 1
    record = tmp_path / "branched"
    asked = json.loads(
        invoke("ask", str(branch), "--at", "-2", "--looks", "0", "--json", "--", *recording(record)).stdout
    )
    first_request = next(
        line for line in map(json.loads, record.read_bytes().splitlines()) if line["type"] == "request"
    )
    assert asked["seat"] == json.loads(new[-2])["seat"]
    assert first_request["events"][0]["type"] == "dealt", "a new process gets all events of the game"


def test_the_end_of_stderr_is_shown_when_a_bot_writes_more_than_is_kept(tmp_path: Path) -> None:
    log, noisy = tmp_path / "game.jsonl", bot("floods_and_crashes")
    words = ("--seat", noisy, "--seat", BUSY, "--seed", "4", "--max-faults", "1", "--json", "--log", str(log))
    (failure,) = json.loads(invoke("run", "last_spike", *words, *GENEROUS).stdout)["failures"]
    assert failure["stderr"][-2:] == ["more noise", "last words"]
    flooding = invoke("ask", str(log), "--at", "0", "--", *shlex.split(noisy)).stdout.splitlines()
    assert flooding[-2] == "The end of its stderr:"
    assert flooding[-1].endswith(" noise noise ")


def test_a_bot_that_takes_over_a_seat_has_the_full_time_of_the_latest_clock(tmp_path: Path) -> None:
    log, match_record, ask_record = tmp_path / "game.jsonl", tmp_path / "then", tmp_path / "now"
    words = ("--seat", bot("honest"), "--seat", BUSY, "--seed", "4", "--clock", "6000", "--log", str(log), "--quiet")
    assert invoke("run", "last_spike", *words).exit_code == 0
    cut = b"".join(log.read_bytes().splitlines(keepends=True)[:20])
    log.write_bytes(re.sub(rb'"ms":\d+', b'"ms":5000000', cut))
    taken = ("--seat", "1", shlex.join(recording(match_record)), *MANY_FAULTS[:2], "--clock", "3000+1", "--json")
    on = invoke("resume", str(log), *taken)
    assert on.exit_code == 0, on.stderr
    lines = read(log)
    resumed = next(place for place, line in enumerate(lines) if line["type"] == "resumed")
    requests = [line for line in map(json.loads, match_record.read_bytes().splitlines()) if line["type"] == "request"]
    assert requests[0]["clock"]["bank_s"] == 3000
    first = next(line["number"] for line in lines[resumed:] if line["type"] == "action" and line["seat"] == 0)
    asked = invoke("ask", str(log), "--at", str(first - 1), "--json", "--looks", "0", "--", *recording(ask_record))
    report = json.loads(asked.stdout)
    assert report["request"] == requests[0]["number"]
    assert first_messages_of_processes(ask_record) == first_messages_of_processes(match_record)[:1]

    seats = ("--seat", bot("honest"), "--seat", BUSY)
    for at in (resumed + 1, resumed + 9):
        branch = tmp_path / f"{at}.jsonl"
        number = next(line["number"] for line in lines[at:] if line["type"] == "action")
        more = ("--at", str(number - 1), "--log", str(branch), "--quiet")
        assert invoke("run", "--from", str(log), *seats, *more).exit_code == 0
        assert [line["clock"]["bank_s"] for line in read(branch) if line["type"] == "resumed"] == [3000, 3000]
    log.write_bytes(b"".join(log.read_bytes().splitlines(keepends=True)[: resumed + 4]))
    assert invoke("resume", str(log), "--seat", "1", BUSY, "--quiet").exit_code == 0
    assert [line["clock"]["bank_s"] for line in read(log) if line["type"] == "resumed"] == [3000, 3000]
    content = log.read_bytes().replace(b'"bank_s":3000.0', b'"bank_s":-3.0')
    log.write_bytes(content[: content.rindex(b'{"type":"result"')])
    bad = invoke("resume", str(log))
    assert bad.exit_code == 1
    assert "clock: it gives no time at all" in bad.stderr


def test_ask_reports_a_bot_that_crashes_hangs_or_answers_illegally(tmp_path: Path) -> None:
    log = str(GOLDEN / "last_spike/last_spike-2p.jsonl")
    script = tmp_path / "failing.py"
    script.write_text(FAILING_BOT)
    done = invoke("ask", log, "--at", "39", "--json", "--", sys.executable, str(script))
    report = json.loads(done.stdout)
    assert done.exit_code == 3
    assert (report["at"], report["is_legal"], report["answers"]) == (39, False, [])
    assert (report["code"], report["message"]) == ("disconnect", "exited with code 1")
    assert report["stderr"][-1].startswith("RuntimeError: no idea at ")
    silent = invoke("ask", log, "--at", "0", "--wait", "1", "--start-up", "0", "--", *shlex.split(bot("silent")))
    assert silent.exit_code == 3
    assert "No answer: too_slow" in silent.stdout
    lines = tmp_path / "lines.txt"
    wrong = [sys.executable, str(BOTS / "illegal.py")]
    illegal = invoke("ask", log, "--at", "0", "--transcript", str(lines), "--", *wrong)
    assert illegal.exit_code == 3
    assert illegal.stdout.count("  rejected: ") == 3
    assert {line[:2] for line in lines.read_text().splitlines()} == {"> ", "< "}


def test_ask_grants_time_for_a_request_that_had_no_time_left(tmp_path: Path) -> None:
    """`ask` gives a bot some time for its answer, even if the clock of the seat had no time left.

    In the logged game, a built-in player has used all its time. Built-in players may play on after that.
    """
    log = tmp_path / "game.jsonl"
    seats = ("--seat", "builtin:search@4", "--seat", BUSY, "--clock", "1")
    assert invoke("run", "last_spike", *seats, "--seed", "3", "--log", str(log), "--quiet").exit_code == 0
    log.write_bytes(re.sub(rb'"ms":\d+', b'"ms":5000', log.read_bytes()))
    actions = [json.loads(line) for line in log.read_text().splitlines() if '"type":"action"' in line]
    last = max(action["number"] for action in actions if action["seat"] == 0)
    words = ("--at", str(last - 1), "--wait", "300", "--looks", "0")
    asked = invoke("ask", str(log), *words, "--", *shlex.split(bot("honest")))
    assert asked.exit_code == 0, asked.output


def test_ask_and_run_from_refuse_impossible_requests(tmp_path: Path) -> None:
    log = tmp_path / "game.jsonl"
    opened = ("run", "chicago_express", *["--seat=builtin:busy"] * 3, "--openings", "drawn", "--seed", "3")
    assert invoke(*opened, "--log", str(log), "--quiet").exit_code == 0
    opening_length = sum(line.get("opening") is True for line in read(log))
    script = tmp_path / "never"
    command = ["--", "sh", "-c", f"touch {script}"]
    named = tmp_path / "named.jsonl"
    content = log.read_text().replace('"seat":"builtin:busy"', f'"seat":"touch {script}"')
    named.write_text(content[: content.rindex('{"type":"result"')])
    wrong = tmp_path / "wrong.jsonl"
    wrong.write_text(log.read_text().replace('"digest":"', '"digest":"0', 1))
    for words, message in (
        (("ask", str(log), "--at", "-1", *command), "no question after action "),
        (
            ("ask", str(log), "--at", str(opening_length - 1), *command),
            f"it has questions after actions {opening_length} to ",
        ),
        (("ask", str(log), "--at", "99999", *command), "no question after action 99999"),
        (("ask", str(log), "--at", "-99999", *command), "no question after action -9"),
        (("ask", str(log), "--at", "30"), "no bot given; try: rails-cli ask"),
        (("ask", str(named), "--at", "30"), "-- python3 mybot.py"),
        (("ask", str(log), "--at", "30", "--", "no-such-program"), "there is no program"),
        (("ask", str(log), "--at", "30", "--", sys.executable, "none.py"), "there is no file none.py"),
        (("run", "--from", str(log), "--at", "0"), "no question after action 0"),
        (("run", "--from", str(log)), "--at N"),
        (("run", "--at", "3"), "name the log with --from"),
        (("run", "last_spike", "--from", str(log), "--at", "30"), "is a game of chicago_express"),
        (("run", "--from", str(log), "--at", "30", "--seed", "4"), "--seed cannot be combined with --from"),
        (("run", "--from", str(log), "--at", "30", "--seat", BUSY), "give all or none"),
        (("run", "--from", str(named), "--at", "30"), "the log names commands to run"),
        (("run",), "Missing argument 'GAME'"),
        (("run", "last_spike"), "Missing option '--seat'"),
    ):
        refused = invoke(*words)
        assert refused.exit_code == 2, words
        assert message in refused.stderr, words
    for words in (("ask", str(wrong), "--at", "30", *command), ("run", "--from", str(wrong), "--at", "30")):
        refused = invoke(*words)
        assert refused.exit_code == 1, words
        assert "line 2" in refused.stderr
    assert not script.exists()
    on = invoke("run", "--from", str(log), "--at", "30", "--quiet")
    assert on.exit_code == 0, on.stderr
    assert os.listdir(tmp_path).count("game.jsonl") == 1


ANSWERING_BOT = """
import json, sys

for line in sys.stdin:
    request = json.loads(line)
    if request["type"] == "request":
        print(json.dumps({"type": "action", "number": request["number"], **json.loads(sys.argv[1])}), flush=True)
"""


@pytest.mark.parametrize(
    ("log", "at"), [("last_spike/last_spike-2p-hidden-free_choice", 12), ("american_rails/american_rails-3p-drawn", 12)]
)
def test_ask_shows_what_the_analysis_thinks_of_the_answer(log: str, at: int) -> None:
    """`ask` shows how the analysis judges the answer of the bot.

    The bot first answers with a pass, and then with the move that the analysis considers best. The request is taken
    from a log with purchases, or from a log with bids.
    """
    words = ("ask", str(GOLDEN / f"{log}.jsonl"), "--at", str(at), "--looks", "5")
    command = ("--", sys.executable, "-c", ANSWERING_BOT)
    passed = {"action": {"type": "pass"}}
    judged = json.loads(invoke(*words, "--json", *command, json.dumps(passed)).stdout)["judgement"]
    assert 1 < judged["rank"] <= judged["compared"]
    assert judged["looks"] == 10
    assert judged["uncertainty"] >= 0.01
    assert judged["best_chance"] > judged["chance"]
    better = invoke(*words, *command, json.dumps({"action": judged["best"][0]})).stdout
    assert re.search(
        r"^The analysis: chance of winning about \d+%, best of \d+ compared answers \(± \d+ points\)\.$", better, re.M
    )
    assert "The analysis" not in invoke(*words[:-1], "0", *command, json.dumps(passed)).stdout
