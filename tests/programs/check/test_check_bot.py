"""Tests of `rails-cli check-bot`: a correct bot passes, and each kind of faulty bot fails the matching check."""

import json
import py_compile
import re
import shlex
import sys
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

import pytest
from click.testing import CliRunner, Result

from rails_cli.cli import main
from rails_cli.games import game_names, load_game, standard_board
from rails_cli.logs.verify import verify
from rails_cli.programs.check import Times, results
from rails_cli.programs.check.checker import BotFault, CheckMatch, Subject, events_of, tags_of
from rails_cli.programs.check.checks import FROM_OBSERVATIONS
from rails_cli.programs.check.unusual import cut_letters, small_pieces
from tests.support.bot_times import BotTimes
from tests.support.transcripts import PAGES

BOT = r'''
"""A bot that has the faults named in its first argument, or none. The second is the file of `BotTimes`."""
import os, sys, time
from _json import make_scanner  # this bot starts a thousand times, and half of that would be for the rest of json

faults = set(sys.argv[1].split(" + "))
KNOWN_TYPES = {"hello", "start", "request", "update", "rejected", "end", "error"}
KNOWN_FIELDS = {"type", "match", "number", "seat", "events", "view", "legal", "default", "clock"}


class Scan:
    strict, memo = True, {}
    object_hook = object_pairs_hook = None
    parse_float, parse_int, parse_constant = float, int, float


def read(line, scan=make_scanner(Scan)):
    return scan((line.decode() if isinstance(line, bytes) else line).strip(), 0)[0]


def shown(value):
    return f'"{value}"' if isinstance(value, str) else str(value).lower()


def spend(seconds):
    """Advances the clock of the check."""
    with open(sys.argv[2], "a") as file:
        file.write(f"{seconds}\n")


def is_woken():
    """Whether the check paused after it had started this process."""
    with open(sys.argv[2] + ".woken") as file:
        return str(os.getpid()) in file.read().split()


def await_reading():
    """Returns when nothing that this bot has written is left in the pipe."""
    import fcntl, termios

    unread = bytearray(4)
    while fcntl.ioctl(1, termios.FIONREAD, unread) or any(unread):
        os.sched_yield()


def say(**fields):
    print("{" + ", ".join(f'"{name}": {shown(value)}' for name, value in fields.items()) + "}", flush=True)


def lines():
    """Lines in the ways that programs read them, right and wrong."""
    if "reads 64 kB" in faults:
        while line := sys.stdin.buffer.readline(65536):
            yield line
    elif "takes a read for a line" in faults:
        while chunk := os.read(0, 10_000_000):
            yield from chunk.splitlines()
    elif "loses lines" in faults:
        rest = b""
        while chunk := os.read(0, 10_000_000):
            *whole, rest = (rest + chunk).split(b"\n")
            if len(whole) > 2 and is_woken():
                del whole[1:]
                spend(1000)
            yield from whole
    elif "decodes pieces" in faults:
        rest = ""
        while chunk := os.read(0, 10_000_000):
            *whole, rest = (rest + chunk.decode()).split("\n")
            yield from whole
    else:
        yield from sys.stdin.buffer


def choice(request):
    """Return the number of an entry that depends on the request only."""
    legal = request["legal"]
    kinds = {entry["type"] for entry in legal}
    if "illegal sell" in faults and "sell" in kinds:
        return len(legal)
    if "hangs at sell" in faults and "sell" in kinds:
        spend(1000)
        time.sleep(3600)
    if "needs a choice" in faults and len(legal) == 1:
        raise IndexError("nothing to choose from")
    if "wide bids" in faults:
        for entry in legal:
            if entry["type"] == "bid" and entry["min"] == entry["max"]:
                raise ValueError("empty range")
    return request["number"] * 7 % len(legal)


def answer(request):
    number = request["number"]
    if "stuck number" in faults or "numbers by eye" in faults and is_odd and number > 5:
        number = 1
    if "debug prints" in faults:
        print("thinking about", request["number"])
    if "prefixes answers" in faults:
        print("answer: ", end="")
    if "not JSON" in faults:
        print({"type": "action", "number": number}, flush=True)
    elif "no type" in faults:
        say(number=number, choice=0)
    else:
        say(type="action", number=number, choice=choice(request))
    if "prefixes answers" in faults:
        await_reading()
        spend(1000)


if "exits at once" in faults:
    sys.exit("no licence found")
if "ignores SIGTERM" in faults:
    import signal, threading

    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    threading.Thread(target=lambda: spend(1000 if signal.sigwait({signal.SIGTERM}) else 0), daemon=True).start()
if "leaves a child" in faults:
    import subprocess

    silent = subprocess.DEVNULL
    subprocess.Popen(["sleep", "3600"], stdin=silent, stdout=silent, stderr=silent, start_new_session=True)
if "endless line" in faults:
    while True:
        os.write(1, b"{" + b"x" * 60000)
if "floods" in faults:
    while True:
        os.write(1, b'{"type":"action","number":1,"choice":0}\n' * 1000)
if "old version" in faults:
    say(type="join", protocol=99, name="old")
if "joins with too much" in faults:
    say(type="join", protocol=1, colour="red")
if "joins" in faults:
    say(type="join", protocol=1, name="joiner", view="none", push=True)

request = None
seat = None
highest = 0
leaked = []
for line in lines():
    is_odd = line[:7] not in (b'{"type"', '{"type"')
    if "ascii" in faults:
        line.decode("ascii")
    if "no parser" in faults and is_odd:
        raise ValueError("not a message")
    message = read(line)
    kind = message.get("type")
    if "knows its messages" in faults and kind not in KNOWN_TYPES:
        raise ValueError("what is " + kind)
    if "answers unknown" in faults and kind not in KNOWN_TYPES:
        say(type="error", message="what is " + kind)
    if "answers hello" in faults and kind == "hello":
        say(type="hello", protocol=1)
    if "one match" in faults and kind == "end":
        break
    if kind == "start":
        if "keeps its seat" in faults and seat is not None:
            continue
        seat = message["seat"]
    elif kind == "request":
        if "silent" in faults:
            spend(1000)
            continue
        if "crashes" in faults:
            raise RuntimeError("division by cucumber")
        if "keeps its seat" in faults and message["seat"] != seat:
            raise ValueError("not my seat")
        if "strict fields" in faults and set(message) - KNOWN_FIELDS:
            raise ValueError("what is " + min(set(message) - KNOWN_FIELDS))
        if "strict events" in faults and any(event["type"].startswith("weather") for event in message["events"]):
            raise ValueError("what is the weather")
        if "only from the start" in faults and request is None and message["number"] > 50:
            raise ValueError("where is the rest")
        if "answers once" in faults and request and message["number"] == request["number"]:
            spend(1000)
            continue
        if "keeps numbers" in faults and message["number"] < highest:
            spend(1000)
            continue
        if "cannot go broke" in faults and any(event["type"] == "went_bankrupt" for event in message["events"]):
            raise ValueError("who pays now")
        if "leaks" in faults:
            leaked.append(b"x" * 300000)
        if "floods stderr" in faults and message["number"] < 3:
            sys.stderr.write("thinking aloud " * 20000)
        highest = max(highest, message["number"])
        request = message
        answer(request)
    elif kind == "rejected":
        if "takes offence" in faults:
            sys.exit(1)
        if "ignores rejection" in faults:
            spend(0.6)
        else:
            say(type="action", number=request["number"], choice=request["default"])

if "stays" in faults:
    spend(1000)
    time.sleep(3600)
if "exits with 3" in faults:
    sys.exit(3)
'''


ASKED_AGAIN = {
    "crashes": ("starts", "division by cucumber"),
    "only from the start": ("taking_over", "where is the rest"),
    "illegal sell": ("last_spike", "not in the legal list"),
}
"""Faults for which `check-bot` prints a command that sends the failed request to the bot again.

Each fault is mapped to two strings: the id of the check that fails, and a part of the output of the printed command.
"""
ENDS = ("clean_exit", "games_in_a_row")
"""Ids of the checks whose transcripts contain only messages of the check.

The transcripts of all other checks also contain the messages of a normal match, so that users can compare.
"""


@pytest.fixture(scope="module")
def bot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The path of the bot with the source code `BOT`, compiled once because it is started very often."""
    file = tmp_path_factory.mktemp("bots") / "bot.py"
    file.write_text(BOT, encoding="utf-8")
    compiled = file.with_suffix(".pyc")
    py_compile.compile(str(file), str(compiled), doraise=True)
    return compiled


def check(bot: Path, fault: str, *words: str, tick_s: float = 1e-5) -> Result:
    logs = ("--logs", str(bot.parent / "logs"))
    with NamedTemporaryFile(dir=bot.parent) as file:
        times = BotTimes(Path(file.name), tick_s)
        command = (sys.executable, "-S", str(bot), fault, file.name)
        limit = () if "--limit" in words else ("--limit", "1e9")
        given = ["check-bot", "--quick", *logs, *limit, *words, "--", *command]
        return CliRunner().invoke(main, given, obj=Times(times.now, times.sleep))


def report(bot: Path, fault: str, *words: str, tick_s: float = 1e-5) -> dict[str, Any]:
    result = check(bot, fault, "--json", *words, tick_s=tick_s)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    found: dict[str, Any] = json.loads(result.stdout)
    assert result.exit_code == (found["verdict"] == "failed")
    assert (found["verdict"] == "failed") == any(check["verdict"] == "failed" for check in found["checks"])
    return found


def messages(found: dict[str, Any], verdict: str) -> dict[str, str]:
    """Return the texts of all checks in the report `found` that have the result `verdict`, by check id.

    The text of a check is its message, followed by the bot's stderr.
    """
    return {
        check["name"]: "\n".join([check["message"], *check["stderr"]])
        for check in found["checks"]
        if check["verdict"] == verdict
    }


def test_advice_refers_to_existing_chapters_of_the_manual() -> None:
    lines = [line for page in PAGES for line in page.read_text(encoding="utf-8").splitlines()]
    headings = {line.lstrip("# ") for line in lines if line.startswith("#")}
    sources = [file.read_text(encoding="utf-8") for file in Path(results.__file__).parent.glob("*.py")]
    cited = set(re.findall(r"""see\(["'](.+?)["']\)""", "".join(sources)))
    assert len(cited) > 5
    assert cited <= headings


def test_a_correct_bot_passes_and_sees_every_action_and_event(bot: Path) -> None:
    found = report(bot, "")
    assert found["verdict"] == "ok"
    assert {check["verdict"] for check in found["checks"]} == {"ok"}, found["checks"]
    assert list(found) == ["command", "verdict", "checks", "coverage", "times_ms", "events", "memory", "left_out"]
    assert [words.partition(":")[0] for words in found["left_out"]] == list(game_names())
    assert found["command"][:-1] == [sys.executable, "-S", str(bot), ""]
    assert list(found["coverage"]) == list(game_names())
    for name, asked in found["coverage"].items():
        assert {tag for kind in asked for tag in kind.split("/")} == set(tags_of(load_game(name)))
        assert all(count > 0 for count in asked.values())
    assert found["times_ms"]["answers"] > 1000
    for name, counts in found["events"].items():
        assert list(counts) == events_of(load_game(name))
        assert all(count > 0 for count in counts.values()), "rare events are set up on purpose"
    assert found["memory"]["peak_bytes"] > 1_000_000
    assert found["memory"]["growth_per_answer_bytes"] < 100_000
    assert 0 < found["times_ms"]["median"] <= found["times_ms"]["slowest"]


@pytest.mark.parametrize(
    "faults",
    [
        {"exits at once": ("starts", ["exited with code 1", "no licence found", "The life of a match"])},
        {"crashes": ("starts", ["exited with code 1", "division by cucumber", "request 1"])},
        {"no type + takes offence": ("starts", ['{"number": 1', "`type`", '"type":"action"', 'see "action"'])},
        {"not JSON + takes offence": ("starts", ["{'type'", "JSON", 'see "action"'])},
        {"endless line": ("starts", ["newline", 'see "hello"'])},
        {
            "answers once": ("repeated_request", ["same number", "again"]),
            "loses lines": ("one_write", ["one write", "one by one"]),
            "strict fields": ("unknown_fields", ["what is new_field", "Ignore fields"]),
            "ascii": ("names", ["Zoë", "UnicodeDecodeError", "JSON"]),
            "takes offence": ("rejected", ["rejected", "exited with code 1", "default"]),
            "answers unknown": ("unknown_message", ['{"type": "error"', "Ignore messages"]),
            "cannot go broke": ("rare_events", ["`went_bankrupt`", "who pays now"]),
            "exits with 3": ("clean_exit", ["code 3", "exit with code 0"]),
        },
        {
            "joins with too much": ("handshake", ["colour", 'see "join"']),
            "hangs at sell": ("last_spike", ["no answer in 10 s to request", "(sell)", "flush"]),
            "stuck number": ("numbers", ["request 2 was answered with", "Repeat the `number`"]),
            "strict events": ("unknown_events", ["what is the weather", "Ignore events"]),
            "no parser": ("layout", ["keys in a different order", "JSON parser"]),
            "reads 64 kB": ("long_line", ["600 kB", "max_line"]),
            "keeps its seat": ("games_in_a_row", ["match 2", "exited with code 1", "not my seat", "keep nothing"]),
            "leaves a child": ("clean_exit", ["processes it had started", "1"]),
        },
        {
            "answers hello": ("handshake", ['{"type": "hello"', "no answer"]),
            "illegal sell": ("last_spike", ["(sell)", "not in the legal list", "players, ", "`legal`", 'see "action"']),
            "knows its messages": ("unknown_message", ["what is weather", "Ignore messages"]),
            "decodes pieces": ("split_letters", ["inside a multi-byte character", "UnicodeDecodeError", "UTF-8"]),
            "only from the start": ("taking_over", ["where is the rest", "events", "Restart"]),
            "numbers by eye": ("layout", ["request 7 (", "the number should be 7. "]),
            "keeps numbers": ("games_in_a_row", ["numbers from 1 again", "no answer in 10 s to request"]),
            "stays": ("clean_exit", ["still running", "end of the input"]),
        },
    ],
    ids=" + ".join,
)
def test_each_fault_fails_only_the_matching_check(
    bot: Path, faults: dict[str, tuple[str, list[str]]], tmp_path: Path
) -> None:
    """Each fault of a bot fails exactly one check, namely the check for this fault.

    The bot has several `faults`. Each of them shows in one check only. If a check that plays a match fails, it leaves
    a log. Any other failed check leaves a transcript. For the faults in `ASKED_AGAIN`, the report contains a command,
    with which the bot fails again.
    """
    game = "last_spike" if "cannot go broke" in faults else "last_spike:2"  # two players do not go bankrupt
    found = report(bot, " + ".join(faults), "--game", game, "--logs", str(tmp_path))
    failed = messages(found, "failed")
    assert sorted(failed) == sorted(name for name, _ in faults.values()), failed
    for name, words in faults.values():
        for word in (*words, "manual of the protocol"):
            assert word in failed[name]
    for name, words_again in (ASKED_AGAIN[fault] for fault in faults if fault in ASKED_AGAIN):
        (ask,) = [check["ask"] for check in found["checks"] if check["name"] == name]
        words_of_ask = shlex.split(ask)[1:]
        again = CliRunner().invoke(main, [words_of_ask[0], "--looks", "0", *words_of_ask[1:]])  # without a search
        assert again.exit_code == 3
        assert words_again in again.stdout
    kept = set()
    for check in found["checks"]:
        name = check["name"]
        if name not in failed or name in FROM_OBSERVATIONS:
            continue  # these checks use the output of other checks
        output_file = Path(check["log"] or check["transcript"])
        kept.add(output_file)
        if check["log"] is None:
            assert output_file == tmp_path / f"{name}.txt"
            heading = set() if name in ENDS else {b"# "}
            assert {line[:2] for line in output_file.read_bytes().splitlines()} == {b"> ", b"< "} | heading
            assert output_file.read_text().count("\n# a plain match, to compare with\n> {") == (name not in ENDS)
        else:
            assert output_file == tmp_path / f"{name}.jsonl"
            assert verify(output_file.read_bytes()).mistake is None
    assert set(tmp_path.iterdir()) == kept


def test_a_message_counts_further_faults() -> None:
    game = load_game("last_spike")
    plan = CheckMatch(Subject(game, standard_board("last_spike"), (2,)), 2, game.options_type(), 1)
    sell, bid = (BotFault(plan, 0, "illegal_action", "no", 3, kind, "{}", [], "") for kind in ("sell", "bid"))
    words = results.failed(sell, also=[bid, sell, sell]).message
    assert "(and 2 times illegal_action at sell, once illegal_action at bid)" in words


def test_some_faults_fail_several_checks(bot: Path) -> None:
    """A fault makes several checks fail if several checks trigger it.

    Some faults occur in normal games and also in positions that a check prepares. If a bot assumes that each read from
    standard input returns a whole line, it fails every check that sends lines in pieces.
    """
    faults = "wide bids + needs a choice + takes a read for a line"
    found = report(bot, faults, "--game", "american_rails", "--seed", "1")
    names = {"american_rails", "narrow_bid", "one_choice", "long_line", "slow_pipe", "split_letters"}
    failed = messages(found, "failed")
    assert set(failed) == names
    assert "empty range" in failed["narrow_bid"]
    assert "nothing to choose from" in failed["one_choice"]


def test_bad_habits_cause_warnings_only(bot: Path) -> None:
    """A bot with bad habits passes, and it may join, exit after each match and ignore rejections."""
    habits = {
        "debug prints": ("debug_prints", ["thinking about 1", "standard error"]),
        "floods stderr": ("stderr", ["kB", "Print less"]),
        "ignores SIGTERM": ("sigterm", ["SIGTERM"]),
    }
    found = report(bot, " + ".join([*habits, "joins", "one match", "ignores rejection"]), "--game", "last_spike:2")
    assert found["verdict"] == "ok", [check for check in found["checks"] if check["verdict"] != "ok"]
    warnings = messages(found, "warning")
    assert sorted(warnings) == sorted(name for name, _ in habits.values())
    for name, words in habits.values():
        for word in words:
            assert word in warnings[name]
    reported = messages(found, "ok")
    assert reported["handshake"] == "joins"
    assert "started again" in reported["games_in_a_row"]
    assert "run out of time" in reported["rejected"]


def test_the_check_stops_after_three_hangs(bot: Path) -> None:
    found = report(bot, "silent", "--clock", "3/move", "--start-up", "4")
    assert "no answer in 3 s and 4 s to start up" in messages(found, "failed")["starts"]
    warnings = messages(found, "warning")
    assert warnings["sigterm"] == "not checked: the bot hung 3 times"
    for name in ("handshake", "numbers", "one_answer", "debug_prints"):
        assert warnings[name].startswith("not checked: the bot has not answered"), name


def test_text_printed_before_a_hang_is_shown(bot: Path) -> None:
    games = ("--game", "last-spike:2", "--game", "last_spike:2", "--game", "spike:3")
    found = report(bot, "prefixes answers", *games)
    names = [check["name"] for check in found["checks"]]
    assert names.count("last_spike") == 1, "three names of one game are checked as one game"
    assert """it printed 'answer: {"type": "action",""" in messages(found, "failed")["starts"]


def test_a_flood_of_answers_is_reported(bot: Path) -> None:
    found = report(bot, "floods", "--game", "last_spike", tick_s=0.01)  # timing: simulated clock
    assert found["verdict"] == "failed"
    assert "one answer for each request" in messages(found, "failed")["one_answer"]


def test_the_check_ends_at_its_time_limit(bot: Path) -> None:
    found = report(bot, "", "--limit", "1", tick_s=0.002)  # timing: simulated clock
    cut = r"(\d+) matches, \d+ answers, then the time was up; (\d+) matches were planned. To play all, raise --limit."
    played = re.fullmatch(cut, messages(found, "warning")["chicago_express"])
    assert played is not None
    assert int(played[1]) < int(played[2])
    assert found["times_ms"]["answers"]


def test_the_text_report_and_the_transcript(bot: Path, tmp_path: Path) -> None:
    """The report has a line for each check, with its result, and the transcript shows the messages of the checks.

    Match ids and player names in messages do not reveal that the bot is being checked.
    """
    transcript = tmp_path / "lines.txt"
    faults = "old version + debug prints + leaks + illegal sell + exits with 3"
    result = check(bot, faults, "--game", "last-spike", "--transcript", str(transcript))
    assert result.exit_code == 1
    for words in (
        "ok       starts: first answer",
        "warning  debug_prints\n",
        "buy/pass",
        "Answer time: median",
        "last_spike: all 14 kinds",
        "Memory of a process: ",
        "warning  memory\n",
        "FAILED   handshake\n",
        "FAILED   last_spike\n",
        "FAILED   clean_exit\n",
        "Left out by --quick:\n  last_spike: 76 of 81 whole matches",
    ):
        assert words in result.stdout
    unwrapped = " ".join(result.stdout.split())
    assert re.search(r"its memory grew by .* kB each\. .*: forget everything at `start`", unwrapped)
    assert 'it asks for protocol 99, this server speaks 1. Send {"type":"join","protocol":1}' in unwrapped
    assert result.stdout.endswith(" ok, 2 warnings, 3 failed\n")
    lines = transcript.read_text(encoding="utf-8").splitlines()
    assert lines[:2] == ["# starts", '> {"type":"hello","protocol":1,"server":"rails-cli 1.0.0","max_line":1048576}']
    assert any(line.startswith('< {"type": "action"') for line in lines)
    assert "< thinking about 1" in lines
    assert {line[:2] for line in lines} == {"# ", "> ", "< "}
    starts = re.findall(r'^> \{"type":"start","match":"([^"]*)".*?"players":(\[.*?\])', "\n".join(lines), re.M)
    assert starts
    assert all(re.fullmatch("[0-9a-f]{16}", match) for match, _ in starts)
    _, names = starts[0]  # the start of the first check, because another check sends unusual names
    assert all(re.fullmatch(r"(bot|busy|random)( \d)?", name) for name in json.loads(names))


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ((), ["no bot given", "check-bot -- "]),
        (("--", "no-such-program"), ["no program 'no-such-program'"]),
        (("--", "python3 bot.py"), ["leave the quotes out"]),
        (("--", "/etc/passwd"), ["'/etc/passwd'", "chmod +x"]),
        (("--", "/etc"), ["folder"]),
        (("--", sys.executable, "-u", "none.py"), ["there is no file none.py"]),
        (("--game", "chess", "--", "true"), ["chess", "last_spike"]),
        (("--game", "last_spike:9", "--", "true"), ["2 to 6 players, not '9'; try last_spike:2"]),
        (("--game", f"spike:{'9' * 5000}", "--", "true"), [f"not '{'9' * 20}'; try"]),
        (("--clock", "none", "--", "true"), ["--clock", "10/move"]),
    ],
)
def test_usage_errors_are_explained_in_the_last_line(words: tuple[str, ...], names: list[str]) -> None:
    result = CliRunner().invoke(main, ["check-bot", *words])
    assert result.exit_code == 2
    for name in names:
        assert name in result.stderr.splitlines()[-1]


def test_a_program_that_cannot_be_executed_is_reported(tmp_path: Path) -> None:
    file = tmp_path / "bot"
    file.write_bytes(b"\x00\x01 no program")
    file.chmod(0o755)
    result = CliRunner().invoke(main, ["check-bot", "--", str(file)])
    assert result.exit_code == 2
    assert "cannot start" in result.stderr.splitlines()[-1]


def test_a_python_without_the_package_is_reported_instead_of_all_checks(tmp_path: Path) -> None:
    file = tmp_path / "bot.py"
    file.write_text("from rails_cli.bot import run")
    result = CliRunner().invoke(main, ["check-bot", "--", sys.executable, "-S", "-I", str(file)])
    assert result.exit_code == 2
    assert "env/bin/pip install rails-cli" in result.stderr.splitlines()[-1]
    assert "handshake" not in result.stdout


@pytest.mark.parametrize(
    "line", [b"\n", b"{}\n", '{"name":"Zoë 東京 🚂"}\n'.encode(), b"x" * 25 + b"\n", b"y" * 900 + b"\n"]
)
def test_the_pieces_of_a_line_join_to_the_whole_line(line: bytes) -> None:
    assert b"".join(small_pieces(line)) == line
    assert b"".join(cut_letters(line)) == line
    assert all(small_pieces(line))
    assert all(cut_letters(line))
