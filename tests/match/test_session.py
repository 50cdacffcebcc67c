"""The session: its policy on faults, and the same faults through all that drive it, which leave the same log."""

import json
import shlex
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest

from rails_cli.logs.verify import verify_file
from rails_cli.match.clock import SeatClock
from rails_cli.match.match import Match
from rails_cli.match.session import Rules, Seat, Session, written
from rails_cli.players.builtin import substitute
from rails_cli.protocol.log import ActionLine, FaultLine
from rails_cli.protocol.messages import Clock, Join, Request
from tests.support.matches import new_match
from tests.support.tools import bot, rails, start_rails
from tests.support.waiting import HANG_S
from tests.support.ws_client import Client, ServerProcess, create, table_of

Json = dict[str, Any]
GENEROUS = "300/move"
"""A clock for hangs only."""

# The same faults through a referee and through a server

LOST = ("good", "crash", "good", "crash", "illegal", "stale", "garbage")
"""Three defaults."""
LATE = ("crash", "late", "late")
"""A crash takes away the time to start up, so the next processes are late after the time for one answer."""
SCRIPTS = {
    "forgiven": (
        *("good", "illegal", "garbage", "good"),
        *("illegal", "stale", "early", "good", "early", "stale", "good"),
    ),
    "repeats": ("good", "twice"),
    "crashes": ("crash", "crash", "crash"),
    "leaves": ("again", "prints", "last_words", "cut", "hand_over"),
    "talks": ("long", "again", "long", "prints", "long"),
    "lost": LOST,
    "late": LATE,
}
POLICIES = ("substitute", "void")


class Servers(NamedTuple):
    """A server for each policy on faults, which knows a bot for each script."""

    folder: Path
    processes: dict[str, ServerProcess]

    def command(self, name: str, policy: str, where: str) -> str:
        """The command of a bot that plays by a script; `where` makes it another bot, which starts at the first step."""
        return f"{bot('scripted')} {shlex.join([str(self.folder / f'{name}-{policy}-{where}'), *SCRIPTS[name]])}"


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    folder = tmp_path_factory.mktemp("servers")
    found = Servers(folder, {})
    with ExitStack() as stack:
        for policy in POLICIES:
            bots = [word for name in SCRIPTS for word in ("--bot", f"{name}={found.command(name, policy, 'served')}")]
            process = ServerProcess(folder / f"data-{policy}", "--on-faults", policy, *bots)
            found.processes[policy] = stack.enter_context(process)
        yield found


def story(log: Path) -> list[Json]:
    """The lines of a log, without the header, times, the seal and signatures."""
    verdict = verify_file(log)
    assert (verdict.mistake, verdict.is_sealed) == (None, True)
    lines = [json.loads(line) for line in log.read_bytes().splitlines()[1:]]
    left_out = ("ms", "chain", "signature")
    return [
        {key: value for key, value in line.items() if key not in left_out} for line in lines if line["type"] != "signed"
    ]


def seed_of(log: Path) -> str:
    return str(json.loads(log.read_bytes().splitlines()[0])["seed"])


@pytest.mark.parametrize(
    ("name", "on_faults", "told", "reason"),
    [
        ("forgiven", "substitute", "this answers request ", "normal"),
        ("repeats", "substitute", "this answers request ", "normal"),
        ("crashes", "substitute", "exited with code 3; default played; a substitute takes over", "normal"),
        ("leaves", "substitute", "exited with code 5; default played; a substitute takes over", "normal"),
        ("talks", "substitute", "wrote a line of more than 1048576 bytes; default played; a substitute", "normal"),
        ("lost", "substitute", "Input data was truncated; default played; a substitute takes over", "normal"),
        ("lost", "void", "Input data was truncated; default played; the match is void", "illegal"),
        ("late", "substitute", "no answer in 1 s; default played; a substitute takes over", "normal"),
        ("late", "void", "no answer in 1 s; default played; the match is void", "timeout"),
    ],
)
def test_a_process_leaves_the_same_log_at_a_referee_and_at_a_server(
    name: str, on_faults: str, told: str, reason: str, servers: Servers, tmp_path: Path
) -> None:
    clock = "1/move" if name == "late" else GENEROUS
    server, refereed = servers.processes[on_faults], tmp_path / "game.jsonl"
    with Client(server.url) as client:
        table = table_of(create(client, clock=clock, seats=[f"bot:{name}", "builtin:greedy"]))
        client.asked(type="watch", table=table)
        client.until("end", timeout=HANG_S)
        served = server.log(table)
        command = servers.command(name, on_faults, "refereed")
        rails(
            *("run", "last_spike", "--seat", command, "--seat", "builtin:greedy", "--seed", seed_of(served)),
            *("--clock", clock, "--on-faults", on_faults, "--log", str(refereed), "--quiet"),
        )
        assert story(served) == story(refereed)
    faults = [line for line in story(refereed) if line["type"] == "fault"]
    if "prints" in SCRIPTS[name]:
        kept = [served.with_suffix(".seat0.stderr"), Path(f"{refereed}.seat0.stderr")]
        assert [file.read_bytes().count(b"stdout: a thought\n") for file in kept] == [1500, 1500]
    assert faults[-1]["message"].startswith(told)
    assert story(refereed)[-1]["reason"] == reason


LATE_ONCE = "1+600"
"""Only the first answer can be late."""
HASTY = {
    "forgiven": ("late", "stale", "good", "good", "illegal", "garbage", "good", "stale", "good"),
    "lost": ("late", "stale", "good", "illegal", "illegal", "early", "illegal", "garbage", "early"),
}
"""For those who are not ended when they are late: an older answer may have crossed with the next request."""


def act(steps: Iterator[str], receive: Callable[[], Json], say: Callable[[str], None]) -> list[Json]:
    """Plays a match by a script; the errors that came."""
    errors, number = [], 0
    while (message := receive())["type"] != "end":
        if message["type"] == "error":
            errors.append(message)
        if message["type"] not in ("request", "rejected"):
            continue
        number, step = message["number"], next(steps, "good")
        if step == "stale":
            say(json.dumps({"type": "action", "number": number - 1, "choice": 0}))
            step = "good"
        if step == "garbage":
            say('{"type":')
        elif step != "late":
            wrong = {"good": (0, 0), "illegal": (0, 10_000), "early": (1000, 0)}[step]
            say(json.dumps({"type": "action", "number": number + wrong[0], "choice": wrong[1]}))
    return errors


@pytest.mark.parametrize("on_faults", POLICIES)
@pytest.mark.parametrize("name", HASTY)
def test_a_client_leaves_the_same_log_at_a_host_and_at_a_server(
    name: str, on_faults: str, servers: Servers, tmp_path: Path
) -> None:
    server = servers.processes[on_faults]
    with Client(server.url) as client:
        table = table_of(create(client, clock=LATE_ONCE, seats=[None, "builtin:greedy"]))
        client.asked(type="sit", table=table)
        errors = act(iter(HASTY[name]), client.receive, client.say)
        served = server.log(table)
        log = tmp_path / "game.jsonl"
        words = ["host", "last_spike", "--players", "2", "--seat", "1", "builtin:greedy", "--start-up", "0"]
        words += ["--seed", seed_of(served), "--clock", LATE_ONCE, "--on-faults", on_faults, "--log", str(log)]
        with start_rails(*words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as host:
            assert host.stdin is not None
            assert host.stdout is not None
            source, sink = host.stdout, host.stdin
            hosted = act(
                iter(HASTY[name]),
                lambda: json.loads(source.readline()),
                lambda line: (sink.write(f"{line}\n"), sink.flush())[1],
            )
        assert story(served) == story(log)
    assert [error for error in errors if error["code"] != "substituted"] == hosted
    assert {error["code"] for error in hosted} == {"too_slow", "stale_request"}
    assert not any(
        line.get("code") == "stale_request" and "answers request 1;" in line["message"] for line in story(log)
    )


# The policy, step by step


class Paper:
    """A line that writes down what is said."""

    def __init__(self, **join: Any) -> None:
        self.join = Join(**join)
        self.said: list[Json] = []

    def post(self, content: bytes) -> None:
        self.said.append(json.loads(content))

    def post_request(self, request: Request[Any, Any, Any]) -> None:
        self.post(written(request))

    def last(self, kind: str) -> Json:
        return next(message for message in reversed(self.said) if message["type"] == kind)


class Driver:
    """A session of two seats with papers, and all that it asked for."""

    def __init__(self, rules: Rules, *, is_process: bool = False, **join: Any) -> None:
        self.match: Match = new_match("last_spike", 2, 4)
        self.papers = [Paper(**join), Paper(**join)]
        self.seats: list[Seat[Paper]] = [Seat(index, line=paper) for index, paper in enumerate(self.papers)]
        for seat in self.seats:
            seat.clock = SeatClock(rules.clock)
            seat.is_process = is_process
        self.written: list[Any] = []
        self.stopped: list[tuple[int, str]] = []
        self.session = Session(
            self.match,
            self.seats,
            rules,
            write=self.written.append,
            stop=lambda seat, code: self.stopped.append((seat.index, code)),
            substitute=lambda seat: substitute("last_spike", seat.index),
            name="m-1",
        )

    def ask(self, now: float = 0.0) -> Seat[Paper]:
        """The next seat at a line is asked; players inside the program move before."""
        while (seat := self.session.to_move) is not None and self.session.move(seat):
            pass
        assert seat is not None
        self.session.put(seat, now)
        return self.seats[seat.index]

    def say(self, seat: Seat[Paper], now: float = 0.0, **message: Any) -> Any:
        return self.session.hear(seat, msgspec.json.encode(message), now)

    def answer(self, seat: Seat[Paper], now: float = 0.0, **more: Any) -> None:
        assert self.say(seat, now, type="action", **{"number": self.session.number, "choice": 0, **more}) is None

    @property
    def faults(self) -> list[str]:
        return [f"{line.code}: {line.message}" for line in self.written if type(line) is FaultLine]


def test_the_grace_ends_with_the_first_answer_or_default() -> None:
    driver = Driver(Rules(Clock(move_s=2.0), start_up_s=5.0), is_process=True)
    for seat in driver.seats:
        assert seat.line is not None
        driver.session.greet(seat.line, is_new=True)
    first = driver.ask(100.0)
    assert driver.session.deadline == 107.0
    driver.answer(first, 106.5)
    assert driver.written[-1].ms == 1500, "the grace is not charged"
    second = driver.ask(200.0)
    assert driver.session.deadline == 207.0
    assert second is not first
    driver.session.late()
    assert driver.faults == ["too_slow: no answer in 2 s and 5 s to start up; default played"]
    assert driver.stopped == [(second.index, "too_slow")]
    for now in (300.0, 400.0):
        seat = driver.ask(now)
        assert driver.session.deadline == now + 2.0
        driver.answer(seat, now + 1.0)


def test_the_way_of_messages_is_not_charged() -> None:
    driver = Driver(Rules(Clock(bank_s=10.0)), is_process=False)
    for seat in driver.seats:
        seat.lag_s = 0.5
    seat = driver.ask(100.0)
    assert driver.session.deadline == 110.5
    driver.answer(seat, 102.0)
    assert driver.written[-1].ms == 1500
    seat = driver.ask(200.0)
    driver.answer(seat, 200.2)
    assert driver.written[-1].ms == 0, "what is left of it is no time gained"


def test_the_time_to_start_up_is_given_once_in_a_match() -> None:
    """What a new process leaves of it is there for the next one; a process that fails in it leaves nothing."""
    driver = Driver(Rules(Clock(move_s=2.0), start_up_s=5.0, max_faults=9), is_process=True)

    def asked(now: float) -> tuple[Seat[Paper], float]:
        seat = driver.ask(now)
        assert seat.line is not None
        driver.session.greet(seat.line, is_new=True)
        driver.session.put(seat, now)
        assert driver.session.deadline is not None
        return seat, driver.session.deadline - now - 2.0

    left = [5.0, 5.0]
    for now in (100.0, 200.0, 300.0, 400.0, 500.0):
        seat, grace_s = asked(now)
        assert grace_s == left[seat.index]
        driver.answer(seat, now + 1.0)
        assert driver.written[-1].ms == (0 if grace_s else 1000)
        left[seat.index] = max(0.0, grace_s - 1.0)
    seat, grace_s = asked(600.0)
    assert grace_s == left[seat.index] > 0
    driver.session.lost(seat, "disconnect", "exited with code 1")
    while driver.ask(700.0) is not seat:
        driver.answer(seat)
    assert asked(700.0) == (seat, 0.0), "crashing buys no time"


def test_three_strikes_at_a_request_play_the_default() -> None:
    driver = Driver(Rules())
    seat = driver.ask()
    for strikes in (1, 2):
        driver.answer(seat, choice=10_000)
        assert seat.line is not None
        rejected = seat.line.last("rejected")
        assert (rejected["strikes"], rejected["strikes_left"]) == (strikes, 3 - strikes)
    driver.answer(seat, choice=10_000)
    assert (seat.faults, seat.defaults, driver.written[-1].default) == (3, 1, True)
    assert driver.faults[-1].endswith("; default played")
    again = driver.ask()
    driver.answer(again, number=10_000)
    assert again.line is not None
    assert again.line.last("rejected")["strikes"] == 1, "strikes do not add up from one request to the next"


@pytest.mark.parametrize(("is_process", "fault"), [(True, 1), (False, 0)])
def test_an_older_answer(is_process: bool, fault: int) -> None:
    """It may have crossed with the next request; but not on the pipe of a process, which is ended when it is late."""
    driver = Driver(Rules(), is_process=is_process)
    seat = driver.ask()
    driver.answer(seat, number=0)
    assert seat.faults == fault
    assert seat.line is not None
    assert seat.line.said[-1]["type"] == ("rejected" if is_process else "error")
    assert driver.session.is_asking


def test_defaults_add_up_over_the_match_and_whoever_comes_back_counts_anew() -> None:
    driver = Driver(Rules(Clock(move_s=1.0), max_faults=2))
    late = driver.ask()
    driver.session.late()
    while late.defaults < 2:
        seat = driver.ask()
        if seat is late and late.seen and driver.match.number > 6:
            driver.session.late()
        else:
            driver.answer(seat)
    assert late.has_substitute
    assert driver.faults[-1] == "too_slow: no answer in 1 s; default played; a substitute takes over"
    other = driver.ask()
    assert other is not late, "the substitute plays on"
    assert [type(line) for line in driver.written[-2:]] in ([ActionLine] * 2, [FaultLine, ActionLine])
    driver.session.come_back(late)
    assert (late.player, late.defaults, late.faults) == (None, 0, 2)
    driver.answer(other)
    while driver.ask() is not late:
        driver.answer(other)
    driver.session.reject(late, "illegal_action", "choice 999 is not in the legal list", 0)
    driver.session.late()
    why = "no legal answer in 1 s (last answer rejected: illegal_action: choice 999 is not in the legal list)"
    assert driver.faults[-1] == f"too_slow: {why}; default played"


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (lambda session, seat: session.late(), "timeout"),
        (lambda session, seat: session.lost(seat, "disconnect", "exited with code 1"), "disconnect"),
        (lambda session, seat: session.give_up(seat, "left the game"), "disconnect"),
        (lambda session, seat: session.joined(seat, Join(protocol=99)), "illegal"),
    ],
)
def test_a_void_match_says_why(fault: Callable[[Session, Seat[Paper]], None], reason: str) -> None:
    driver = Driver(Rules(Clock(move_s=1.0), max_faults=1, on_faults="void"))
    fault(driver.session, driver.ask())
    assert driver.session.to_move is None
    assert driver.faults[0].endswith("; the match is void")
    assert driver.session.finish().reason == reason
    assert [paper.last("end")["reason"] for paper in driver.papers] == [reason] * 2


def test_who_is_lost_out_of_turn_has_done_no_wrong() -> None:
    driver = Driver(Rules(), is_process=True)
    asked = driver.ask()
    other = driver.seats[1 - asked.index]
    driver.session.lost(other, "disconnect", "exited with code 0")
    assert (driver.stopped, driver.faults) == ([(other.index, "disconnect")], [])


def test_a_client_out_of_turn_is_told_so_and_a_process_is_heard_when_it_is_asked() -> None:
    for is_process in (False, True):
        driver = Driver(Rules(), is_process=is_process)
        other = driver.seats[1 - driver.ask().index]
        driver.answer(other)
        assert (other.faults, len(other.early)) == (0, int(is_process))
        assert other.line is not None
        if not is_process:
            assert (other.line.last("rejected")["code"], other.line.last("rejected")["strikes"]) == ("not_your_turn", 0)


def test_an_empty_bank_is_not_asked() -> None:
    driver = Driver(Rules(Clock(bank_s=1.0), max_faults=99))
    seat = driver.ask()
    driver.session.late()
    asked = [len(paper.said) for paper in driver.papers]
    while driver.ask() is not seat and driver.match.number < 8:
        driver.answer(driver.seats[1 - seat.index])
    assert driver.faults[-1] == "too_slow: no time is left in the bank; default played"
    assert seat.line is not None
    assert not any(message["type"] == "request" for message in seat.line.said[asked[seat.index] :])


def test_a_line_with_all_seats_is_told_once_what_everybody_may_know() -> None:
    driver = Driver(Rules(), push=True, view="none")
    paper = driver.papers[0]
    for seat in driver.seats:
        seat.line, seat.is_shared = paper, True
    driver.session.greet(paper, is_new=True)
    assert [message["type"] for message in paper.said] == ["hello", "start"]
    assert paper.said[-1]["seat"] is None
    driver.answer(driver.ask())
    assert [message["type"] for message in paper.said[2:]] == ["request", "update"]
    driver.session.finish("interrupted")
    assert [message["type"] for message in paper.said[4:]] == ["end"]
