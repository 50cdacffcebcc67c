"""Tests of the evidence for the answer of a tournament in all outputs.

Also tests of exit codes, JUnit files, notifications and clocks.
"""

import json
import math
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, HTTPServer, ThreadingHTTPServer
from itertools import cycle, islice
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from rails_cli.commands.tournaments.notify import Notifier
from rails_cli.tournament.rating.estimates import student_quantile
from rails_cli.tournament.schedule.evidence import at_the_end, chance_ahead, shown_evidence
from rails_cli.tournament.schedule.stopping_rules import Better, Evidence, weigh
from tests.support.short_boards import short_board
from tests.support.step_clock import StepClock
from tests.support.tools import BOTS
from tests.support.tournaments import CLOCK, plan_of, played, played_by_clock, ran, run
from tests.support.waiting import HANG_S, wait_until

QUITS = """sh -c "printf 'no \\001 luck' >&2; exit 1\""""


def plan_file(folder: Path, *entrants: str, stop: str = "", more: str = "") -> Path:
    """Write the plan of a tournament with games of three players on a short board. Return the path of the plan.

    `entrants` are the entrants as TOML tables. `stop` is the content of the table `stop`. `more` are further lines.
    """
    board = short_board("last_spike", folder, pieces=2)
    file = folder / "plan.toml"
    file.write_text(
        f'seed = 3\nworkers = 1\nlogs = false\nmax_faults = 1\nclock = "{CLOCK}"\noutput = "results"\n{more}\n'
        f'games = [{{ game = "last_spike", players = 3, board = "{board}" }}]\n'
        f"entrants = [{', '.join(entrants)}]\n"
        'format = { kind = "round_robin", seatings = "rotations" }\n'
        f"stop = {{ {stop} }}\n"
    )
    return file


def builtin(name: str, kind: str) -> str:
    return f'{{ name = "{name}", builtin = "{kind}" }}'


STRONG, WEAK, OTHER = builtin("strong", "greedy"), builtin("weak", "random"), builtin("other", "random")
FAULTY = f"{{ name = \"faulty\", command = '''{QUITS}''' }}"


@pytest.mark.usefixtures("no_charts")
def test_all_outputs_show_the_same_evidence(tmp_path: Path) -> None:
    stop = 'better = { entrant = "strong", than = "weak" }'
    file = plan_file(tmp_path, STRONG, WEAK, OTHER, stop=stop)
    events = tmp_path / "events.jsonl"
    result = json.loads(ran("run", str(file), "--quiet", "--json", "--events", str(events)).stdout)
    (evidence,) = result["evidence"]
    assert evidence["answer"] == "better"
    assert evidence["for_better"] >= evidence["for_better_bound"] == pytest.approx(math.log(20))
    assert evidence["for_not_better"] < evidence["for_not_better_bound"]
    assert 0 < evidence["difference"]["low"] < evidence["difference"]["mean"] <= evidence["difference"]["high"]
    assert evidence["ahead"] > 0.99
    assert (evidence["games"], evidence["groups"]) == (result["ending"]["games"], result["ending"]["groups"])
    assert evidence["games_left"] is None
    told = {event["event"]: event for event in map(json.loads, events.read_text().splitlines())}
    assert told["decision"]["evidence"] == told["tournament_end"]["evidence"] == [evidence]
    assert json.loads(ran("status", str(file), "--json").stdout)["evidence"] == [evidence]
    words = next(line for line in ran("status", str(file)).stdout.splitlines() if line.startswith("strong is better"))
    assert f"evidence for better {math.floor(math.exp(evidence['for_better']))} of 20 needed" in words
    assert words in ran("run", str(file), "--quiet").stdout
    assert "computing the standings" in ran("report", str(file)).stderr
    page = (tmp_path / "results/report.html").read_text(encoding="utf-8")
    assert words in page.replace("\N{NO-BREAK SPACE}", " ")


def test_progress_shows_evidence_with_its_bounds(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, stop={"games": 12, "better": {"entrant": "random", "by": 0.01}})
    seen: list[dict[str, Any]] = []
    played_by_clock(plan, StepClock(step_s=1), lambda event: seen.append(event) if event["event"] == "eta" else None)
    last = seen[-1]
    assert [one["answer"] for one in last["evidence"]] == [""]
    assert last["rules"][0].startswith(
        "not known yet whether random is better than the field by 0.01: evidence for better "
    )
    assert last["rules"][1].endswith(" of 12 games")


def test_the_number_of_games_left_is_that_of_repeated_results() -> None:
    rule = Better("x", "y")
    cycles = [[0.3], [-0.1], [0.2]]
    evidence = Evidence()
    for values in cycles:
        evidence = weigh(rule, evidence, values)
    shown = shown_evidence(rule, evidence, cycles, groups=3, games=18)
    assert shown.groups_left is not None
    assert shown.games_left == 6 * shown.groups_left
    for number, values in enumerate(islice(cycle(cycles), shown.groups_left), 1):
        assert not evidence.answer, number
        evidence = weigh(rule, evidence, values)
    assert evidence.answer == "better"
    assert "games left" in str(at_the_end([shown], "time")[0])
    undecided = shown_evidence(rule, Evidence(), [[], [0.0]], groups=2, games=12)
    for one in at_the_end([shown, undecided], "suspended"):
        assert one.games_left is one.groups_left is None
        assert "games left" not in str(one)
    assert undecided.games_left is None
    assert undecided.ahead is None


@pytest.mark.parametrize(("number", "chance"), [(5, 0.9), (5, 0.975), (20, 0.25), (100, 0.99)])
def test_the_chance_of_being_ahead_is_that_of_students_t(number: int, chance: float) -> None:
    pattern = [(place % 2) - (number // 2) / number for place in range(number)]
    error = math.sqrt(sum(value * value for value in pattern) / (number - 1) / number)
    shift = student_quantile(chance, number - 1) * error - sum(pattern) / number
    found = chance_ahead([value + shift for value in pattern])
    assert found == pytest.approx(chance, abs=0.003)


def test_equal_differences_do_not_make_certain() -> None:
    assert chance_ahead([0.5, 0.5]) == 0.875
    assert chance_ahead([-0.5] * 3) == 0.0625
    assert chance_ahead([0.0] * 9) == 0.5
    assert chance_ahead([0.5]) is None


# Exit codes and JUnit


@pytest.mark.parametrize(
    ("entrants", "stop", "code"),
    [
        ((STRONG, WEAK, OTHER), 'better = { entrant = "strong", than = "weak" }', 0),
        ((STRONG, WEAK, OTHER), 'better = { entrant = "weak", than = "strong", by = 0.1 }', 4),
        ((STRONG, WEAK, OTHER), 'games = 3, better = { entrant = "weak", than = "other" }', 5),
        ((FAULTY, WEAK, OTHER), 'games = 3, better = { entrant = "faulty" }', 6),
        ((FAULTY, WEAK, OTHER), 'games = 3, better = { entrant = "weak", than = "other" }', 5),
        ((FAULTY, WEAK, OTHER), "games = 3", 0),
    ],
    ids=["better", "not better", "undecided", "faults", "faults of another", "no rule"],
)
def test_exit_codes(tmp_path: Path, entrants: tuple[str, ...], stop: str, code: int) -> None:
    file = plan_file(tmp_path, *entrants, stop=stop)
    assert run("run", str(file), "--quiet").exit_code == code


def test_the_help_and_the_manual_list_the_exit_codes() -> None:
    assert all(f"\n    {code} " in ran("run", "--help").stdout for code in (0, 1, 2, 4, 5, 6, 130))


def test_a_junit_file_has_a_case_for_each_entrant_and_the_verdict(tmp_path: Path) -> None:
    stop = 'games = 3, better = { entrant = "faulty", than = "weak" }'
    file, xml = plan_file(tmp_path, FAULTY, WEAK, OTHER, stop=stop), tmp_path / "result.xml"
    assert run("run", str(file), "--quiet", "--junit", str(xml)).exit_code == 6
    (suite,) = ET.parse(xml).getroot()
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("4", "2", "0")
    failures = {case.get("name"): case.find("failure") for case in suite}
    assert list(failures) == [
        "faulty makes no faults",
        "weak makes no faults",
        "other makes no faults",
        "faulty is better than weak",
    ]
    fault, verdict = failures["faulty makes no faults"], failures["faulty is better than weak"]
    assert fault is not None
    assert "disconnect" in (fault.text or "")
    assert "no ? luck" in (fault.text or "")
    assert verdict is not None
    assert verdict.get("type") == "undecided"
    assert failures["weak makes no faults"] is failures["other makes no faults"] is None


def test_without_a_rule_the_verdict_is_the_answer(tmp_path: Path) -> None:
    file, xml = plan_file(tmp_path, STRONG, WEAK, OTHER, stop="games = 6"), tmp_path / "result.xml"
    result = json.loads(ran("run", str(file), "--quiet", "--json", "--junit", str(xml)).stdout)
    (suite,) = ET.parse(xml).getroot()
    assert suite.get("failures") == "0"
    assert suite[-1].get("name") == "verdict"
    assert suite[-1].findtext("system-out") == result["answer"]["text"]


# Notifications


@pytest.fixture
def hook() -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Yield the address of a web server, and the list of the JSON objects posted to it."""
    received: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            assert self.headers["Content-Type"] == "application/json"
            received.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/hook", received
    server.shutdown()
    thread.join()
    server.server_close()


def test_the_end_a_decision_and_a_suspension_are_posted(tmp_path: Path, hook: tuple[str, list[dict[str, Any]]]) -> None:
    url, received = hook
    strong = 'better = { entrant = "strong", than = "weak" }'
    file = plan_file(tmp_path, STRONG, WEAK, FAULTY, stop=strong)
    result = json.loads(ran("run", str(file), "--quiet", "--json", "--notify", url).stdout)
    assert [one["event"] for one in received] == ["suspended", "decision", "tournament_end"]
    assert {(one["tournament"], one["folder"]) for one in received} == {("plan", str(tmp_path / "results"))}
    assert received[0]["entrant"] == "faulty"
    assert received[1]["evidence"] == received[2]["evidence"] == result["evidence"]


def test_an_unreachable_address_only_warns(tmp_path: Path) -> None:
    file = plan_file(tmp_path, STRONG, WEAK, OTHER, stop="games = 3")
    with HTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as server:
        port = server.server_port
    result = ran("run", str(file), "--quiet", "--notify", f"http://127.0.0.1:{port}/secret?key=hidden")
    assert f"warning: --notify: 1 message could not be sent to http://127.0.0.1:{port}: " in result.stderr
    assert "secret" not in result.stderr
    assert "hidden" not in result.stderr


@pytest.mark.parametrize(
    ("response", "limit_s", "why"),
    [
        (
            b"HTTP/1.0 302 F\x1b[31m\r\nLocation: /other\r\n\r\n",
            HANG_S,
            "HTTP 302 F?[31m, a redirect, which is not followed",
        ),
        (b"HTTP/1.0 200 OK\r\nA: b\r\n", 0, "no complete response within 0 seconds"),
    ],
)
def test_a_slow_or_redirecting_server_only_warns(
    response: bytes, limit_s: float, why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """If a web server does not accept a notification, there is only a warning.

    In one case the web server never completes its response. In the other it redirects the request.
    """
    asked: list[str] = []
    is_over = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked.append(self.path)
            with suppress(OSError):
                self.wfile.write(response)
            if not response.endswith(b"\r\n\r\n"):
                is_over.wait(HANG_S)

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever).start()
        notifier = Notifier(f"http://127.0.0.1:{server.server_port}/hook", limit_s)
        notifier({"event": "suspended"})
        notifier.close()
        wait_until(lambda: asked == ["/hook"])
        is_over.set()
        server.shutdown()
    assert f":{server.server_port}: {why}" in capsys.readouterr().err


def test_an_address_with_a_password_is_refused(tmp_path: Path) -> None:
    file = plan_file(tmp_path, STRONG, WEAK, OTHER, stop="games = 3")
    result = run("run", str(file), "--notify", "https://me:hidden@example.org/")
    assert result.exit_code == 2
    assert "with a user name or password is not accepted" in result.output
    assert "hidden" not in result.output


@pytest.mark.parametrize("url", ["file:///etc/passwd", "example.org", "http://", "http://a b/"])
def test_only_web_addresses_are_notified(tmp_path: Path, url: str) -> None:
    file = plan_file(tmp_path, STRONG, WEAK, OTHER, stop="games = 3")
    result = run("run", str(file), "--notify", url)
    assert result.exit_code == 2
    assert "is not a web address" in result.output


# Scores


@pytest.mark.usefixtures("no_charts")
def test_scores_of_different_games_are_never_averaged(tmp_path: Path) -> None:
    games = [{"game": game, "players": 3} for game in ("last_spike", "american_rails")]
    plan = plan_of(
        tmp_path, games=games, format={"kind": "duel", "versions": ["greedy", "random"], "repeatable": ["busy"]}
    )
    _, results = played(plan)
    tables = json.loads(ran("standings", str(plan.folder), "--json").stdout)["tables"]
    assert [table["scope"] for table in tables] == ["all", "american_rails/3", "last_spike/3"]
    for row in tables[0]["standings"]:
        assert (row["mean_score"], row["economy"]) == (None, {})
        for game, mean in row["scores"].items():
            scores = [
                score
                for one in results
                if one.setting.game == game
                for name, score in zip(one.seating, one.scores, strict=True)
                if name == row["name"]
            ]
            assert mean["mean"] == pytest.approx(sum(scores) / len(scores))
    assert all(row["mean_score"] == row["scores"]["last_spike"] for row in tables[2]["standings"])
    shown = ran("standings", str(plan.folder)).stdout
    assert "Mean score in each game" in shown
    head = next(line for line in shown.splitlines() if "mean rank" in line)
    assert "score" not in head
    assert "ahead" in head
    assert "score" in ran("standings", str(plan.folder), "--scope", "last_spike/3").stdout
    ran("report", str(plan.folder), "--replays", "none")
    section = (plan.folder / "report.html").read_text(encoding="utf-8").split('id="format"')[1].split("</section>")[0]
    assert "share of the points" in section
    assert "score" not in section


# Clocks


def test_an_entrant_can_have_its_own_clock(tmp_path: Path) -> None:
    code = tmp_path / "shows.py"
    code.write_text(
        f"import json, sys\nsys.path.insert(0, {str(BOTS)!r})\nfrom honest import answer\n"
        "for line in sys.stdin.buffer:\n"
        "    message = json.loads(line)\n"
        "    if message['type'] == 'start':\n"
        "        print('clock', json.dumps(message['clock']), file=sys.stderr, flush=True)\n"
        "    if message['type'] == 'request':\n"
        "        answer(message)\n"
    )
    mine = f'{{ name = "mine", command = ["{sys.executable}", "{code}"], clock = "none" }}'
    file = plan_file(tmp_path, mine, STRONG, WEAK, stop="games = 3", more="economy = false")
    ran("run", str(file), "--quiet", "--set", "logs=true", "--set", "entrants[0].clock=500+1,400/move")
    own = {"bank_s": 500.0, "increment_s": 1.0, "move_s": 400.0}
    told = [line for line in (tmp_path / "results/stderr/mine.txt").read_text().splitlines() if "clock" in line]
    assert [json.loads(line.removeprefix("clock ")) for line in told] == [own] * 3
    logs = sorted((tmp_path / "results/logs").iterdir())
    header = json.loads(logs[0].read_text().splitlines()[0])
    assert [player.get("clock") for player in header["players"]] == [
        own if player["name"] == "mine" else None for player in header["players"]
    ]
    assert header["clock"]["move_s"] == float(CLOCK.removesuffix("/move"))
    ran("audit", str(file))
    for more in ("--quiet", "--check"):
        result = run("run", str(file), more, "--set", "logs=true")
        assert result.exit_code == 1
        assert "entrant mine: clock was 500+1,400/move and is none" in result.output


def test_a_bad_clock_of_an_entrant_is_named(tmp_path: Path) -> None:
    file = plan_file(tmp_path, STRONG, WEAK, OTHER, stop="games = 3")
    result = run("run", str(file), "--check", "--set", "entrants[1].clock=fast")
    assert result.exit_code == 2
    assert "'fast' is not a clock" in result.output
    shown = ran("run", str(file), "--check", "--set", "entrants[1].clock=60+1")
    assert "clock of weak 60+1: a bot has 60 s per game, plus 1 s per action" in shown.stdout


def test_a_bot_cannot_give_itself_a_clock(tmp_path: Path) -> None:
    (tmp_path / "bots/mine").mkdir(parents=True)
    (tmp_path / "bots/mine/bot.toml").write_text('builtin = "random"\nclock = "none"\n')
    result = run("run", "--bots", str(tmp_path / "bots"), "--game", "last_spike", "--check")
    assert result.exit_code == 2
    assert "clock: a bot cannot decide what it may do" in result.output


def test_check_shows_the_limit_of_games_and_the_end(tmp_path: Path) -> None:
    file = plan_file(tmp_path, STRONG, WEAK, OTHER, stop="games = 3")
    words = "it runs until a stopping rule is met: stop.games, and for at most 3 games (the last seed group"
    checked = ran("run", str(file), "--check").stdout
    assert words in checked
    assert "already ended" not in checked
    ran("run", str(file), "--quiet")
    assert "already ended: 3 games are played" in ran("run", str(file), "--check").stdout
    assert "already ended" not in ran("run", str(file), "--check", "--games", "6").stdout


# Words


def test_games_without_enough_entrants_are_not_called_nobodys_fault(tmp_path: Path) -> None:
    file = plan_file(tmp_path, FAULTY, FAULTY.replace('"faulty"', '"worse"'), STRONG, WEAK)
    file.write_text(
        file.read_text().replace("players = 3", "players = 2").replace('rotations"', 'rotations", rounds = 2')
    )
    shown = ran("run", str(file), "--quiet").stdout
    assert "no one's fault" not in shown
    assert "games not played, because at most one entrant at the table was not suspended" in shown


def test_a_bot_that_exits_is_not_charged_with_being_slow(tmp_path: Path) -> None:
    entrants = [{"name": name, "command": QUITS} for name in ("a", "b", "c")]
    tables = {"entrants": entrants, "logs": True, "format": {"rounds": 1, "seatings": "rotations"}}
    plan = plan_of(tmp_path, **tables, game_limit_s=6, max_faults=1000)
    _, games = played_by_clock(plan, StepClock(step_s=1))
    assert {game.reason for game in games} == {"timeout"}
    shown = ran("games", str(plan.folder), "--faults").stdout
    assert "disconnect: the time of the match is over" in shown
    assert "too_slow" not in shown
    ran("audit", str(plan.folder))
