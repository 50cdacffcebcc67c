"""Tests of faulty bots: the match ends, other seats have no faults, and the log records the faults and is valid."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import uuid
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest

from rails_cli.games import load_game, standard_board
from rails_cli.logs.reading import ranks_with_lost_last, read_log
from rails_cli.logs.verify import verify
from rails_cli.match.match import Match, header_of
from rails_cli.match.session import MatchPolicy
from rails_cli.players.builtin import builtin_player
from rails_cli.programs.process import BotProcess
from rails_cli.protocol.log import ActionLine, PlayerLine
from rails_cli.protocol.messages import Clock
from rails_cli.referee.single import Referee
from rails_cli.terminal.kept_games import kept_games
from tests.support.bot_times import BotTimes
from tests.support.line_process import LineProcess
from tests.support.short_boards import short_board
from tests.support.tools import BOTS, RAILS, bot, left_behind, marked, rails, start_rails
from tests.support.waiting import HANG_S, wait_until

BUSY = "builtin:busy"
RUN = ("run", "last_spike", "--seed", "0", "--clock", "300/move")
"""Arguments of a match with a clock long enough for every bot that answers. Only a bot that hangs is late."""
MAX_FAULTS = 2
GENEROUS = MatchPolicy(clock=Clock(move_s=300.0))
LATE = ("--clock", "1/move", "--start-up", "0")
"""Options of a match with bots that never answer. The clock is short, so the test does not wait long.

The other seats must be built-in players, because the clock does not limit these.
"""
SHORT = ("--clock", "0.1/move", "--max-faults", "1")  # timing: CPU time of a bot that never answers


class Case(NamedTuple):
    """A bad bot and its expected faults: their codes, and a part of their messages.

    Without codes, no fault is expected.
    """

    name: str
    codes: set[str]
    words: str = ""


class Table(NamedTuple):
    """The bad bots of one match (`cases`), which sit between two players without faults.

    `other` is the value of `--seat` for these two players. `options` are further options of the match.
    """

    cases: tuple[Case, ...]
    options: tuple[str, ...] = ("--clock", "300/move")
    other: str = bot("honest")
    game: str = "last_spike"


TABLES = [
    Table(
        (
            Case("crashes", {"disconnect"}, "exited with code 1"),
            Case("garbage", {"bad_line"}, "malformed"),
            Case("answers_early", {"stale_request"}),
            Case("debug_prints", set()),
        )
    ),
    Table(
        (
            Case("never_starts", {"disconnect"}, "exited with code 3"),
            Case("illegal_once", {"illegal_action"}, "bid 1000000"),
            Case("binary", {"bad_line"}),
            Case("floods_stderr", set()),
        ),
        game="chicago_express",
    ),
    Table(
        (
            Case("killed", {"disconnect"}, "killed by SIGKILL"),
            Case("wrong_type", {"bad_line"}),
            Case("answers_twice", {"stale_request"}, "the open request is"),
            Case("ignores_sigterm", set()),
        )
    ),
    Table(
        (
            Case("illegal", {"illegal_action"}, "choice 10000 is not in the legal list"),
            Case("floods_stdout", {"too_long"}, "too much that is not an answer"),
            Case("endless_line", {"too_long"}, "a line of more than 1048576 bytes"),
        )
    ),
    Table(
        (
            Case("forks_children", {"disconnect"}, "exited with code 1"),
            Case("wrong_version", {"version"}, "protocol 1, you asked for 99"),
            Case("closes_stdout", {"disconnect"}),
        )
    ),
    Table(
        (
            Case("hangs", {"too_slow"}, "no answer in 1 s"),
            Case("silent", {"too_slow"}, "no answer in 1 s"),
            Case("half_line", {"too_slow"}, "no answer in 1 s"),
            Case("deaf", {"too_slow"}, "no answer in 1 s"),
        ),
        LATE,
        BUSY,
    ),
    Table((Case("eats_memory", {"disconnect"}, "exited with code 1"),), ("--memory", "300M", "--clock", "300/move")),
    Table((Case("burns_cpu", {"too_slow"}),), ("--cpu-clock", *LATE, *SHORT), BUSY),
]


@pytest.mark.parametrize("table", TABLES, ids=lambda table: "+".join(case.name for case in table.cases))
def test_bad_bots_are_charged_and_the_other_seats_are_not(table: Table, tmp_path: Path) -> None:
    mark = uuid.uuid4().hex
    log = tmp_path / "game.jsonl"
    seats = [table.other, *(bot(case.name) for case in table.cases), table.other]
    done = rails(
        "run", table.game, "--board", str(short_board(table.game, tmp_path)), "--max-faults", str(MAX_FAULTS),
        *(word for seat in seats for word in ("--seat", seat)), *table.options,
        "--seed", "5", "--log", str(log), "--json",
        env={**os.environ, "RAILS_TEST": mark},
    )  # fmt: skip
    assert left_behind(mark) == []
    result = json.loads(done.stdout)
    assert done.returncode == (3 if result["lost"] else 0), done.stderr
    assert result["reason"] == "normal"
    assert result["faults"][0] == result["faults"][-1] == 0
    charged = [line for line in map(json.loads, log.read_text().splitlines()) if line["type"] == "fault"]
    for seat, case in enumerate(table.cases, start=1):
        faults = [fault for fault in charged if fault["seat"] == seat]
        assert result["faults"][seat] == len(faults)
        assert (seat in result["lost"]) == any("a substitute takes over" in fault["message"] for fault in faults)
        assert {fault["code"] for fault in faults} == case.codes, case.name
        named = [fault["message"] for fault in faults if fault["code"] in case.codes - {"stale_request"}]
        assert all(case.words in message for message in named), named
    verdict = verify(log.read_bytes())
    assert verdict.mistake is None
    assert verdict.is_finished


def test_other_output_of_a_bot_is_saved_up_to_a_limit(tmp_path: Path) -> None:
    log = tmp_path / "game.jsonl"
    words = [*RUN, "--seat", bot("floods_stderr"), "--seat", bot("debug_prints"), "--log", str(log)]
    assert rails(*words).returncode == 0
    assert (tmp_path / "game.jsonl.seat1.stderr").stat().st_size == 1_048_576
    prints = (tmp_path / "game.jsonl.seat2.stderr").read_text()
    assert re.match(r"stdout: hello, I am starting\nstdout: number [12]\n", prints)


def test_a_substitute_plays_on_for_a_bot_that_lost_its_seat(tmp_path: Path) -> None:
    log = tmp_path / "game.jsonl"
    done = rails(*RUN, "--seat", bot("crashes"), "--seat", "builtin:busy", "--max-faults", "2", "--log", str(log))
    assert done.returncode == 3
    _, *errors = done.stderr.splitlines()  # the first line warns that there is no sandbox
    assert errors[0] == "seat 1 (crashes) lost its seat: exited with code 1; default played; a substitute takes over"
    assert errors[1:3] == ["  the end of its stderr:", "    Traceback (most recent call last):"]
    assert errors[-2] == "    RuntimeError: this bot crashes"
    assert errors[-1].startswith(f"  to ask the bot again: rails-cli ask {log} --at ")
    assert done.stdout.count("    | RuntimeError: this bot crashes\n") == 1, "the same traceback is printed once"
    first, last = done.stdout.splitlines()[-2:]
    assert first.startswith("  1. busy: $")
    assert last.startswith("  crashes lost its seat (2 faults: 2 disconnect); its substitute finished with $")
    replayed = rails("replay", str(log), "--moves").stdout.splitlines()[-2:]
    assert replayed == [first, last.replace(" (2 faults: 2 disconnect)", "")], "replay shows the same result as run"
    page = tmp_path / "game.html"
    assert rails("export", str(log), "--html", str(page)).returncode == 0
    assert '"ranks":[2,1]' in page.read_text(encoding="utf-8")
    (saved,) = kept_games(tmp_path).games
    assert saved.ranks == [2, 1]
    assert ranks_with_lost_last(read_log(log.read_bytes()), [1, 2], "normal") == [2, 1], (
        "the lost seat is last even if its substitute had the best score"
    )
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    faults = [line for line in lines if line["type"] == "fault"]
    assert [fault["message"].split("; ", 1)[1] for fault in faults] == [
        "default played",
        "default played; a substitute takes over",
    ]
    after = [line for line in lines if line["type"] == "action" and line["seat"] == 0]
    played = after[-1]
    assert played["number"] > faults[-1]["number"]
    assert "default" not in played
    assert "ms" not in played, "the substitute is a built-in player, which has no clock"
    seats = ["--seat", bot("crashes"), "--seat", "builtin:busy", "--seat", "builtin:random"]
    three = json.loads(rails(*RUN, *seats, "--max-faults", "1", "--json").stdout)
    assert three["lost"] == [0]
    assert three["ranks"][0] is None
    assert sorted(three["ranks"][1:]) == [1, 2]


def test_with_on_faults_void_a_lost_seat_makes_the_match_void(tmp_path: Path) -> None:
    log = tmp_path / "game.jsonl"
    done = rails(
        *RUN, "--seat", bot("crashes"), "--seat", "builtin:busy", "--max-faults", "1",
        "--on-faults", "void", "--log", str(log), "--json",
    )  # fmt: skip
    assert done.returncode == 1
    assert json.loads(done.stdout)["reason"] == "disconnect"
    assert "void" in done.stderr
    assert verify(log.read_bytes()).mistake is None


def test_in_a_void_match_the_players_who_kept_their_seats_share_the_first_place(tmp_path: Path) -> None:
    log, page = tmp_path / "game.jsonl", tmp_path / "game.html"
    seats = ["--seat", "builtin:greedy", "--seat", "builtin:busy", "--seat", bot("crashes")]
    words = [*RUN, *seats, "--max-faults", "2", "--on-faults", "void"]
    done = rails(*words, "--log", str(log))
    places = [line.split(":")[0].split(" (")[0].strip() for line in done.stdout.splitlines()[-3:]]
    assert places == ["1. greedy", "1. busy", "crashes lost its seat"]
    replayed = rails("replay", str(log), "--moves").stdout.splitlines()[-3:]
    assert replayed == [line.split(" (")[0] for line in done.stdout.splitlines()[-3:]]
    assert json.loads(log.read_text().splitlines()[-1])["ranks"] != [1, 1, 3], "the log shows how the game stood"
    assert json.loads(rails(*words, "--json").stdout)["ranks"] == [1, 1, None]
    assert rails("export", str(log), "--html", str(page)).returncode == 0
    assert '"ranks":[1,1,3]' in page.read_text(encoding="utf-8")
    (saved,) = kept_games(tmp_path).games
    assert saved.ranks == [1, 1, 3]


def test_a_restarted_bot_gets_all_events_of_the_game(tmp_path: Path) -> None:
    """A bot that exits at every third request can continue to play, because each new process gets all events."""
    script = write_bot(
        tmp_path / "amnesiac.py",
        "for count, request in enumerate(requests()):\n"
        "    kinds = [event['type'] for event in request['events']]\n"
        "    assert ('dealt' in kinds) == (count == 0), kinds\n"
        "    if count == 2: sys.exit(7)\n"
        "    answer(request)\n",
    )
    log = tmp_path / "game.jsonl"
    command = f"{sys.executable} -S {script}"
    board = ("--board", str(short_board("last_spike", tmp_path)))
    done = rails(*RUN, *board, "--seat", command, "--seat", BUSY, "--max-faults", "99", "--log", str(log))
    assert done.returncode == 0
    faults = [line for line in map(json.loads, log.read_text().splitlines()) if line["type"] == "fault"]
    assert len(faults) > 1
    assert all("exited with code 7" in fault["message"] for fault in faults), faults


@pytest.mark.parametrize("name", ["honest", "exits_between_games"])
def test_one_process_plays_several_games(name: str, tmp_path: Path) -> None:
    """One process of a bot plays several games. If it exits between two games, it is restarted without a fault."""
    bots = [BotProcess([sys.executable, "-S", str(BOTS / f"{name}.py")]) for _ in range(2)]
    pids: list[set[int]] = [set(), set()]
    try:
        for seed in range(2):
            result, faults = _play(bots, seed, f"m-{seed}")
            assert result.reason == "normal"
            assert faults == [0, 0]
            for seen, process in zip(pids, bots, strict=True):
                if process.process is not None:
                    seen.add(process.process.pid)
    finally:
        for process in bots:
            process.close()
    assert [len(seen) for seen in pids] == ([1, 1] if name == "honest" else [2, 2])


def test_time_used_before_an_exit_at_the_first_request_of_a_later_game_is_charged(tmp_path: Path) -> None:
    times = BotTimes(tmp_path / "times")
    script = write_bot(
        tmp_path / "thinks.py",
        f"{times.spend()}"
        "name = None\n"
        "for request in requests():\n"
        "    if name not in (None, request['match']):\n"
        "        spend(100)\n"
        "        sys.exit(0)\n"
        "    name = request['match']\n"
        "    answer(request)\n",
    )
    bots = [BotProcess([sys.executable, str(file)], now=times.now) for file in (script, BOTS / "honest.py")]
    written: list[Any] = []
    try:
        _play(bots, 0, "m-0")
        assert _play(bots, 1, "m-1", written.append)[1] == [0, 0]
    finally:
        for process in bots:
            process.close()
    first = next(line for line in written if type(line) is ActionLine and line.seat == 0)
    assert (first.ms or 0) >= 100_000


def write_bot(file: Path, body: str) -> Path:
    """Write a bot to `file`. Its code is `body`, which may use the functions of the honest bot. Return `file`."""
    file.write_text(
        f"import json, os, sys; sys.path.insert(0, {str(BOTS)!r})\nfrom honest import answer, requests, say\n{body}"
    )
    return file


def _play(
    players_by_seat: Sequence[Any],
    seed: int,
    name: str,
    write: Callable[[Any], None] = lambda line: None,
    rules: MatchPolicy = GENEROUS,
) -> tuple[Any, list[int]]:
    """Play a game of The Last Spike between `players_by_seat`. `name` is the match id.

    Pass each line of the log to `write`. Return the result of the game, and a list with the number of faults of each
    seat.
    """
    game = load_game("last_spike")
    players = [PlayerLine(str(seat)) for seat in range(len(players_by_seat))]
    header = header_of(game, game.options_type(), seed, players, match=name)
    match = Match(game, standard_board("last_spike"), header)
    referee = Referee(match, players_by_seat, rules, write=write)
    return referee.play(), referee.session.faults


def _used_ms(process: BotProcess, players: int, clock: Clock) -> list[int]:
    """Return the milliseconds charged to `process` for each answer in a game against built-in players."""
    written: list[Any] = []
    others = [builtin_player("busy", "last_spike", 0, seat) for seat in range(1, players)]
    try:
        assert (
            _play([process, *others], 0, "m-0", written.append, MatchPolicy(clock, start_up_s=1000))[1] == [0] * players
        )
    finally:
        process.end()
    return [line.ms for line in written if type(line) is ActionLine and line.seat == 0 and line.ms is not None]


def test_answers_reduce_the_bank_and_the_increment_is_added(tmp_path: Path) -> None:
    """The time for an answer is subtracted from the bank of the clock, and the increment is added.

    The log contains the time used for each answer. The next request contains the time left on the clock.
    """
    times, seen = BotTimes(tmp_path / "times"), tmp_path / "seen"
    script = write_bot(
        tmp_path / "slow.py",
        f"{times.spend()}"
        "for count, request in enumerate(requests()):\n"
        f"    open({str(seen)!r}, 'a').write(str(request['clock']['bank_s']) + '\\n')\n"
        "    spend(50 * bool(count))\n"
        "    answer(request)\n",
    )
    clock = Clock(bank_s=30_000.0, increment_s=2.0)
    used = _used_ms(BotProcess([sys.executable, "-S", str(script)], now=times.now), 2, clock)
    banks = [float(line) for line in seen.read_text().splitlines()]
    assert banks[:2] == [30_000, 30_002], "the start-up is not charged"
    assert all(50_000 <= ms < 51_000 for ms in used[1:])
    for before, after, ms in zip(banks[1:], banks[2:], used[1:], strict=False):
        assert after == pytest.approx(before - ms / 1000 + 2, abs=0.002)


@pytest.mark.parametrize("cpu_clock", [False, True])
def test_waiting_is_not_charged_with_a_cpu_clock(tmp_path: Path, cpu_clock: bool) -> None:
    times = BotTimes(tmp_path / "times")
    script = write_bot(
        tmp_path / "waits.py", f"{times.spend()}for request in requests():\n    spend(100)\n    answer(request)\n"
    )
    process = BotProcess([sys.executable, "-S", str(script)], cpu_clock=cpu_clock, now=times.now)
    used = _used_ms(process, 2, Clock(bank_s=30_000.0))[1:]
    assert max(used) < 60_000 if cpu_clock else min(used) >= 100_000


def test_info_of_an_answer_is_written_to_the_log_and_not_sent_to_other_seats(tmp_path: Path) -> None:
    script = write_bot(
        tmp_path / "noter.py",
        "for request in requests():\n"
        "    assert 'secret' not in json.dumps(request)\n"
        "    size = 20000 if request['number'] == 3 else 5\n"
        "    say(json.dumps({'type': 'action', 'number': request['number'], 'choice': 0,\n"
        "                    'info': {'note': 'secret ' + '\\u00e9' * size}}))\n"
        "    if size == 20000: say(json.dumps({'type': 'action', 'number': request['number'], 'choice': 0}))\n",
    )
    log = tmp_path / "game.jsonl"
    command = f"{sys.executable} -S {script}"
    assert rails(*RUN, "--seat", command, "--seat", command, "--log", str(log)).returncode == 0
    lines = [msgspec.json.decode(line) for line in log.read_bytes().splitlines()]
    noted = [line.get("info") for line in lines if line["type"] == "action"]
    assert noted[:2] == [{"note": "secret ééééé"}] * 2
    assert noted[2] is None
    assert [line["code"] for line in lines if line["type"] == "fault"] == ["too_long"]


def test_too_many_empty_lines_before_an_answer_are_a_fault(tmp_path: Path) -> None:
    script = write_bot(
        tmp_path / "newlines.py",
        "for request in requests():\n    os.write(1, b'\\n' * 1_900_000)\n    answer(request)\n",
    )
    words = [*RUN, "--seat", f"{sys.executable} -S {script}", "--seat", "builtin:random", "--json"]
    failures = json.loads(rails(*words, "--max-faults", "1").stdout)["failures"]
    assert [failure["code"] for failure in failures] == ["too_long"]


def test_the_time_a_bot_takes_to_read_a_request_is_charged(tmp_path: Path) -> None:
    """The time that a bot takes to read a request is charged to the bot.

    The bot reads one byte of a request, waits 100 simulated seconds, and reads the rest. Its pipe holds only 4 KiB.
    """
    times = BotTimes(tmp_path / "times")
    script = tmp_path / "sips.py"
    script.write_text(
        "import fcntl, json, os, sys\n"
        f"{times.spend()}"
        "while True:\n"
        "    line = os.read(0, 1)\n"
        "    try: fcntl.fcntl(0, 1031, 4096)\n"
        "    except OSError: pass\n"
        "    if not line: sys.exit(0)\n"
        "    spend(100)\n"
        "    while not line.endswith(b'\\n'):\n"
        "        line += os.read(0, 1)\n"
        "    message = json.loads(line)\n"
        "    if message['type'] == 'request':\n"
        "        answer = {'type': 'action', 'number': message['number'], 'choice': message['default']}\n"
        "        os.write(1, json.dumps(answer).encode() + b'\\n')\n"
    )
    if sys.platform != "linux":
        pytest.skip("the size of a pipe can be set on Linux only")
    used = _used_ms(BotProcess([sys.executable, "-S", str(script)], now=times.now), 6, Clock(bank_s=30_000.0))
    assert len(used) > 3
    assert min(used[1:]) >= 100_000, "time between the two reads was not charged"


def test_no_bot_process_survives_a_signal_that_ends_the_program() -> None:
    mark = uuid.uuid4().hex
    seats = ("--seat", bot("deaf"), "--seat", bot("deaf"))
    output_options: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    numbers = (signal.SIGTERM, signal.SIGHUP, signal.SIGKILL)
    running = [
        start_rails(*RUN, *seats, "--clock", "none", env={**os.environ, "RAILS_TEST": mark}, **output_options)
        for _ in numbers
    ]
    wait_until(lambda: sum("deaf" in words for words in marked(mark)) == 2 * len(numbers), "bots in every seat")
    for process, number in zip(running, numbers, strict=True):
        process.send_signal(number)
    for process in running:
        process.wait(HANG_S)
    assert left_behind(mark) == []


def test_under_nohup_a_hangup_signal_is_ignored(tmp_path: Path) -> None:
    log = tmp_path / "game.jsonl"
    words = [*RUN, "--seat", bot("deaf"), "--seat", BUSY, "--clock", "none", "--log", str(log)]
    with subprocess.Popen(["nohup", *RAILS, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        wait_until(lambda: log.exists() and log.stat().st_size, "the log")
        process.send_signal(signal.SIGHUP)
        process.terminate()  # of two pending signals, SIGHUP is delivered first
        assert process.wait(HANG_S) == 128 + signal.SIGTERM


def test_a_log_that_is_being_written_cannot_be_resumed(tmp_path: Path) -> None:
    log, begun, deaf = tmp_path / "game.jsonl", tmp_path / "begun", tmp_path / "deaf.py"
    deaf.write_text(f"import pathlib, signal\npathlib.Path({str(begun)!r}).touch()\nsignal.pause()\n")
    silent = shlex.join([sys.executable, str(deaf)])
    words = [*RUN, "--seat", silent, "--seat", BUSY, "--clock", "none", "--log", str(log)]
    process = start_rails(*words, stdout=subprocess.DEVNULL)
    try:
        wait_until(begun.exists, "the bot")  # until a bot begins, its process holds the lock of the log, too
        refused = rails("resume", str(log), "--seat", "1", BUSY)
        assert refused.returncode == 1
        assert "is being written by another process" in refused.stderr
    finally:
        process.terminate()
        process.wait(HANG_S)
    assert rails("resume", str(log), "--seat", "1", BUSY, "--quiet").returncode == 0
    resumed = [line for line in map(json.loads, log.read_bytes().splitlines()) if line["type"] == "resumed"]
    assert [player["seat"] for player in resumed[0]["players"]] == [BUSY, BUSY]
    assert verify(log.read_bytes()).mistake is None


def test_a_signal_during_a_fork_ends_the_program() -> None:
    """A SIGTERM that arrives during a fork ends the program.

    Python ignores exceptions in functions that it calls at a fork. So an exception that the signal handler raises there
    could be lost.
    """
    program = """
import os, signal
from rails_cli.commands import leave_on_signals

leave_on_signals()
os.register_at_fork(after_in_parent=lambda: os.kill(os.getpid(), signal.SIGTERM))
if os.fork() == 0:
    os._exit(0)
while True:
    pass
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=HANG_S, check=False)
    assert (ended.returncode, ended.stderr) == (128 + signal.SIGTERM, b"")


def test_defaults_before_a_resumption_still_count(tmp_path: Path) -> None:
    """Default actions played before a match was resumed still count against the same bot.

    They do not count against another bot that takes over the seat when the match is resumed.
    """
    whole = tmp_path / "whole.jsonl"
    failing = bot("crashes")
    assert rails(*RUN, "--seat", failing, "--seat", BUSY, "--log", str(whole)).returncode == 3
    lines = whole.read_bytes().splitlines(keepends=True)
    defaults = [index for index, line in enumerate(lines) if b'"default":true' in line]
    assert len(defaults) == 3
    for taker, ending in ((failing, "a substitute takes over"), (bot("never_starts"), "default played")):
        log = tmp_path / f"{ending[:3]}.jsonl"
        log.write_bytes(b"".join(lines[: defaults[1] + 1]))
        assert rails("resume", str(log), "--seat", "1", taker).returncode == 3
        faults = [line for line in map(json.loads, log.read_bytes().splitlines()) if line["type"] == "fault"]
        assert faults[2]["message"].endswith(ending)
    first, *_, last = Path(f"{tmp_path / 'a s.jsonl'}.seat1.stderr").read_text().splitlines()
    assert first.startswith("=== resumed at action ")
    assert last.endswith(": disconnect: exited with code 1; default played; a substitute takes over")


def test_host_and_run_report_a_lost_seat_alike() -> None:
    host = LineProcess(
        "host",
        *("last_spike", "--players", "2", "--seat", "2", bot("crashes"), "--max-faults", "1", "--seed", "4"),
        *("--clock", "300/move"),
    )
    while (message := host.read())["type"] != "end":
        if message["type"] == "request":
            host.say(type="action", number=message["number"], choice=message["default"])
    code, errors = host.end()
    assert code == 3
    assert "seat 2 (crashes) lost its seat: " in errors
    by_run = rails(*RUN, "--seat", BUSY, "--seat", bot("crashes"), "--max-faults", "1", "--quiet")
    assert by_run.returncode == 3
    assert "seat 2 (crashes) lost its seat: " in by_run.stderr
    assert "\n    RuntimeError: this bot crashes\n" in by_run.stderr


def test_a_bot_cannot_forge_headings_in_its_saved_stderr(tmp_path: Path) -> None:
    """In the file with a bot's stderr, lines of the bot cannot look like the headings of games and faults.

    Lines that the bot prints to standard output are marked, too.
    """
    script = tmp_path / "forger.py"
    script.write_text(
        "import sys\n"
        "sys.stderr.write('=== action 3: too_slow: forged\\nfine\\n=== game 9\\nunfinished')\n"
        "sys.stderr.flush()\n"
        "print('printed', flush=True)\n"
        "raise SystemExit(1)\n"
    )
    log = tmp_path / "game.jsonl"
    words = [*RUN, "--seat", f"{sys.executable} -S {script}", "--seat", BUSY, "--max-faults", "1", "--log", str(log)]
    assert rails(*words, "--quiet").returncode == 3
    lines = Path(f"{log}.seat1.stderr").read_text().splitlines()
    assert [line for line in lines if line.startswith("=== ")] == [lines[-1]]
    wanted = {" === action 3: too_slow: forged", "fine", " === game 9", "unfinished", "stdout: printed"}
    assert set(lines[:-1]) == wanted
