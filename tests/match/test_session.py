"""Tests of `Session`: its fault policy step by step, and equal logs from `run`, `host` and the server."""

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
from rails_cli.match.session import MatchPolicy, Seat, Session, start_of
from rails_cli.match.step import Step
from rails_cli.players.builtin import play_builtin, substitute
from rails_cli.protocol.lines import client_decoder, decode_or_error
from rails_cli.protocol.log import ActionLine, FaultLine, ResultLine
from rails_cli.protocol.messages import Clock, Join, Rejected
from tests.support.matches import new_match
from tests.support.tools import bot, rails, start_rails
from tests.support.waiting import HANG_S
from tests.support.ws_client import Client, ServerProcess, create, table_of

Json = dict[str, Any]
GENEROUS = "300/move"
"""A clock of 300 s per move, which is long enough for every bot that answers. Only a bot that hangs is late."""

# The same faults handled by the referee, the host and the server

THREE_DEFAULTS = ("good", "crash", "good", "crash", "illegal", "stale", "garbage")
"""Steps of a bot script: how the bot answers each request. They cause three default actions."""
LATE = ("crash", "late", "late")
"""Steps of a script for a bot whose answers are late.

The bot first crashes, which uses up the start-up time. So each later process has only the time for one answer.
"""
SCRIPTS = {
    "forgiven": (
        *("good", "illegal", "garbage", "good"),
        *("illegal", "stale", "early", "good", "early", "stale", "good"),
    ),
    "repeats": ("good", "twice"),
    "crashes": ("crash", "crash", "crash"),
    "leaves": ("again", "prints", "last_words", "cut", "hand_over"),
    "talks": ("long", "again", "long", "prints", "long"),
    "lost": THREE_DEFAULTS,
    "late": LATE,
}
POLICIES = ("substitute", "void")
EXITED = "it exited before, and then gave "


class Servers(NamedTuple):
    """Two servers, one for each policy of `--on-faults`. They run bots that follow the scripts in `SCRIPTS`.

    `processes` maps each policy to the process of its server. `folder` holds the files of the servers and bots.
    """

    folder: Path
    processes: dict[str, ServerProcess]

    def command(self, name: str, policy: str, where: str) -> str:
        """Return the command of a bot that follows the script `name`.

        The bot stores in a file how many steps it has done, so a restarted bot continues with the next step. Bots with
        other values of `name`, `policy` or `where` use other files and begin with the first step.
        """
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


def comparable_lines(log: Path) -> list[Json]:
    """Return the lines of a log without the header, times, hashes and signatures. Check that the log is valid."""
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
    ("name", "on_faults", "message", "reason"),
    [
        ("forgiven", "substitute", "this answers request ", "normal"),
        ("repeats", "substitute", "this answers request ", "normal"),
        ("crashes", "substitute", "exited with code 3; default played; a substitute takes over", "normal"),
        ("leaves", "substitute", "exited with code 5; default played; a substitute takes over", "normal"),
        ("talks", "substitute", "wrote a line of more than 1048576 bytes; default played; a substitute", "normal"),
        ("lost", "substitute", "Input data was truncated; default played; a substitute takes over", "normal"),
        ("lost", "void", "Input data was truncated; default played; the match is void", "illegal"),
        ("late", "substitute", f"{EXITED}no answer in 1 s; default played; a substitute takes over", "normal"),
    ],
)
def test_a_referee_and_a_server_write_the_same_log_for_a_bot_process(
    name: str, on_faults: str, message: str, reason: str, servers: Servers, tmp_path: Path
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
        assert comparable_lines(served) == comparable_lines(refereed)
    faults = [line for line in comparable_lines(refereed) if line["type"] == "fault"]
    if "prints" in SCRIPTS[name]:
        kept = [served.with_suffix(".seat1.stderr"), Path(f"{refereed}.seat1.stderr")]
        assert [file.read_bytes().count(b"stdout: a thought\n") for file in kept] == [1500, 1500]
    assert faults[-1]["message"].startswith(message)
    assert comparable_lines(refereed)[-1]["reason"] == reason


LATE_ONCE = "1+600"
"""A clock with which only the first answer can be late, because each answer adds 600 s."""
CLIENT_SCRIPTS = {
    "forgiven": ("late", "stale", "good", "good", "illegal", "garbage", "good", "stale", "good"),
    "lost": ("late", "stale", "good", "illegal", "illegal", "early", "illegal", "garbage", "early"),
}
"""By name, steps of scripts for clients of a server: how the client answers each request.

A late client stays connected. So its answer to an old request may arrive after the next request.
"""


def play_script(steps: Iterator[str], receive: Callable[[], Json], say: Callable[[str], None]) -> list[Json]:
    """Answer the requests of a match as the script `steps` says. Return the error messages that were received.

    `receive` returns the next message of the server or host, and `say` sends a line to it.
    """
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
@pytest.mark.parametrize("name", CLIENT_SCRIPTS)
def test_a_host_and_a_server_write_the_same_log_for_a_client(
    name: str, on_faults: str, servers: Servers, tmp_path: Path
) -> None:
    server = servers.processes[on_faults]
    with Client(server.url) as client:
        table = table_of(create(client, clock=LATE_ONCE, seats=[None, "builtin:greedy"]))
        client.asked(type="sit", table=table)
        errors = play_script(iter(CLIENT_SCRIPTS[name]), client.receive, client.say)
        served = server.log(table)
        log = tmp_path / "game.jsonl"
        words = ["host", "last_spike", "--players", "2", "--seat", "2", "builtin:greedy", "--start-up", "0"]
        words += ["--seed", seed_of(served), "--clock", LATE_ONCE, "--on-faults", on_faults, "--log", str(log)]
        with start_rails(*words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as host:
            assert host.stdin is not None
            assert host.stdout is not None
            source, sink = host.stdout, host.stdin
            hosted = play_script(
                iter(CLIENT_SCRIPTS[name]),
                lambda: json.loads(source.readline()),
                lambda line: (sink.write(f"{line}\n"), sink.flush())[1],
            )
        assert comparable_lines(served) == comparable_lines(log)
    assert [error for error in errors if error["code"] != "substituted"] == hosted
    assert {error["code"] for error in hosted} == {"too_slow", "stale_request"}
    assert not any(
        line.get("code") == "stale_request" and "answers request 1;" in line["message"]
        for line in comparable_lines(log)
    )


# The policy, step by step


class Channel:
    """A connection that records the messages sent over it."""

    def __init__(self, **join: Any) -> None:
        self.join = Join(**join)
        self.received: list[Json] = []

    def last(self, kind: str) -> Json:
        return next(message for message in reversed(self.received) if message["type"] == kind)


class Driver:
    """A simulated caller of a session with two external players. It records all log lines and messages.

    A method of the session returns a step, which lists what the caller must do. The driver does it.
    """

    def __init__(self, policy: MatchPolicy, *, is_process: bool = False, **join: Any) -> None:
        self.match: Match = new_match("last_spike", 2, 4)
        self.channels = [Channel(**join), Channel(**join)]
        self.seats: list[Seat[Channel]] = [Seat(index, channel=channel) for index, channel in enumerate(self.channels)]
        for seat in self.seats:
            seat.clock = SeatClock(policy.clock)
            seat.is_process = is_process
        self.logged: list[Any] = []
        self.session = Session(self.match, self.seats, policy, name="m-1")

    def carry_out(self, step: Step) -> Step:
        """Record the log lines and messages of `step`, and seat a substitute if the step asks for one."""
        self.logged += step.lines
        for channel, message in step.messages:
            channel.received.append(json.loads(msgspec.json.encode(message)))
        if step.substitute is not None:
            step.substitute.player = substitute("last_spike", step.substitute.index)
        return step

    def ask(self, now: float = 0.0) -> Seat[Channel]:
        """Send a request to the next external player and return its seat.

        Before that, play for built-in players and for seats whose time is used up.
        """
        while self.session.pending is None:
            seat = self.session.to_move
            assert seat is not None
            if seat.player is not None:
                self.carry_out(play_builtin(self.session, seat, lambda: now))
            else:
                self.carry_out(self.session.ask(seat, now))
        return self.seats[self.session.pending.seat.index]

    def say(self, seat: Seat[Channel], now: float = 0.0, **message: Any) -> Step:
        """Pass a message of `seat` to the session, and carry out the step."""
        decoder = client_decoder(self.match.game.action_type)
        return self.carry_out(self.session.receive(seat, decode_or_error(msgspec.json.encode(message), decoder), now))

    def answer(self, seat: Seat[Channel], now: float = 0.0, **more: Any) -> Step:
        """Answer the open request with choice 0. `more` replaces fields of the answer."""
        return self.say(seat, now, type="action", **{"number": self.session.number, "choice": 0, **more})

    def late(self) -> Step:
        return self.carry_out(self.session.late())

    @property
    def deadline(self) -> float | None:
        assert self.session.pending is not None
        return self.session.pending.deadline

    @property
    def faults(self) -> list[str]:
        """Texts with the code and the message of each fault recorded so far."""
        return [f"{line.code}: {line.message}" for line in self.logged if type(line) is FaultLine]


def message_types(step: Step) -> list[tuple[Any, str]]:
    return [(channel, type(message).__name__) for channel, message in step.messages]


def test_the_start_up_time_ends_with_the_first_answer_or_default() -> None:
    driver = Driver(MatchPolicy(Clock(move_s=2.0), start_up_s=5.0), is_process=True)
    for channel in driver.channels:
        driver.carry_out(driver.session.introduce(channel, is_new=True))
    first = driver.ask(100.0)
    assert driver.deadline == 107.0
    driver.answer(first, 106.5)
    assert driver.logged[-1].ms == 1500, "start-up time is not charged"
    second = driver.ask(200.0)
    assert driver.deadline == 207.0
    assert second is not first
    step = driver.late()
    assert driver.faults == ["too_slow: no answer in 2 s and 5 s to start up; default played"]
    assert step.stop == (second, "too_slow")
    for now in (300.0, 400.0):
        seat = driver.ask(now)
        assert driver.deadline == now + 2.0
        driver.answer(seat, now + 1.0)


def test_network_latency_is_not_charged() -> None:
    driver = Driver(MatchPolicy(Clock(bank_s=10.0)), is_process=False)
    for seat in driver.seats:
        seat.lag_s = 0.5
    seat = driver.ask(100.0)
    assert driver.deadline == 110.5
    driver.answer(seat, 102.0)
    assert driver.logged[-1].ms == 1500
    seat = driver.ask(200.0)
    driver.answer(seat, 200.2)
    assert driver.logged[-1].ms == 0, "unused latency is not added to the bank"


def test_the_start_up_time_is_granted_once_per_match() -> None:
    """The start-up time of a bot is granted once per match, not once per process.

    If a bot gets a new process, this process may use only the rest of the start-up time. After a crash there is no
    rest.
    """
    driver = Driver(MatchPolicy(Clock(move_s=2.0), start_up_s=5.0, max_faults=9), is_process=True)

    def ask_new_process(now: float) -> tuple[Seat[Channel], float]:
        """Replace the bot of the seat to move by a new process, and send it a request at the time `now`.

        Return the seat, and the seconds of start-up time that the new process gets.
        """
        to_move = driver.session.to_move
        assert to_move is not None
        seat = driver.seats[to_move.index]
        assert seat.channel is not None
        driver.carry_out(driver.session.introduce(seat.channel, is_new=True))
        driver.ask(now)
        assert driver.deadline is not None
        return seat, driver.deadline - now - 2.0

    left = [5.0, 5.0]
    for now in (100.0, 200.0, 300.0, 400.0, 500.0):
        seat, grace_s = ask_new_process(now)
        assert grace_s == left[seat.index]
        driver.answer(seat, now + 1.0)
        assert driver.logged[-1].ms == (0 if grace_s else 1000)
        left[seat.index] = max(0.0, grace_s - 1.0)
    seat, grace_s = ask_new_process(600.0)
    assert grace_s == left[seat.index] > 0
    driver.carry_out(driver.session.lost(seat, "disconnect", "exited with code 1"))
    while (other := driver.ask(700.0)) is not seat:
        driver.answer(other, 700.0)
    assert ask_new_process(700.0) == (seat, 0.0), "crashing gains no time"


def test_the_third_wrong_answer_to_a_request_plays_the_default() -> None:
    driver = Driver(MatchPolicy())
    seat = driver.ask()
    for strikes in (1, 2):
        step = driver.answer(seat, choice=10_000)
        assert [type(line) for line in step.lines] == [FaultLine]
        ((channel, rejected),) = step.messages
        assert channel is seat.channel
        assert isinstance(rejected, Rejected)
        assert (rejected.strikes, rejected.strikes_left) == (strikes, 3 - strikes)
    step = driver.answer(seat, choice=10_000)
    fault, default = step.lines
    assert isinstance(fault, FaultLine)
    assert isinstance(default, ActionLine)
    assert fault.message.endswith("; default played")
    assert default.default
    assert (step.messages, step.stop, step.substitute) == ([], None, None)
    assert (seat.faults, seat.defaults, driver.session.pending) == (3, 1, None)
    again = driver.ask()
    driver.answer(again, number=10_000)
    assert again.channel is not None
    assert again.channel.last("rejected")["strikes"] == 1, "strikes are counted for each request"


@pytest.mark.parametrize(("is_process", "message"), [(True, "Rejected"), (False, "Error")])
def test_an_answer_to_an_older_request_is_a_fault_of_a_process_but_not_of_a_client(
    is_process: bool, message: str
) -> None:
    """An answer to an older request is a fault if a bot process sends it, but not if a client of a server sends it.

    A client may send a late answer before it receives the next request. A late process is ended before the next
    request, so only a mistake of the bot can cause an outdated answer.
    """
    driver = Driver(MatchPolicy(), is_process=is_process)
    seat = driver.ask()
    step = driver.answer(seat, number=0)
    assert message_types(step) == [(seat.channel, message)]
    assert (seat.faults, len(step.lines)) == (int(is_process), int(is_process))
    assert driver.session.pending is not None


def test_a_late_client_gets_an_error_and_a_late_process_is_stopped() -> None:
    for is_process in (False, True):
        driver = Driver(MatchPolicy(Clock(move_s=1.0)), is_process=is_process)
        seat = driver.ask()
        step = driver.late()
        assert [type(line) for line in step.lines] == [FaultLine, ActionLine]
        assert message_types(step) == ([] if is_process else [(seat.channel, "Error")])
        assert step.stop == ((seat, "too_slow") if is_process else None)
        assert (step.substitute, driver.session.pending) == (None, None)


def test_a_stopped_process_is_sent_no_events() -> None:
    driver = Driver(MatchPolicy(Clock(move_s=1.0)), is_process=True, push=True)
    seat = driver.ask()
    other = driver.seats[1 - seat.index]
    assert message_types(driver.late()) == [(other.channel, "Update")]


def test_defaults_are_counted_until_the_player_returns_to_the_seat() -> None:
    driver = Driver(MatchPolicy(Clock(move_s=1.0), max_faults=2))
    late = driver.ask()
    assert driver.late().substitute is None
    while (seat := driver.ask()) is not late:
        driver.answer(seat)
    step = driver.late()
    assert (step.substitute, late.has_substitute, late.defaults) == (late, True, 2)
    assert driver.faults[-1] == "too_slow: no answer in 1 s; default played; a substitute takes over"
    other = driver.ask()
    assert other is not late, "the substitute plays on"
    driver.session.return_to_holder(late)
    assert (late.player, late.defaults, late.faults) == (None, 0, 2)
    while (seat := driver.ask()) is not late:
        driver.answer(seat)
    driver.answer(late, choice=999)
    driver.late()
    assert driver.faults[-1].startswith(
        "too_slow: no legal answer in 1 s (last answer rejected: illegal_action: choice"
    )
    assert driver.faults[-1].endswith("); default played")


@pytest.mark.parametrize(
    ("fail", "reason"),
    [
        (lambda session, seat: session.late(), "timeout"),
        (lambda session, seat: session.lost(seat, "disconnect", "exited with code 1"), "disconnect"),
        (lambda session, seat: session.give_up(seat, "left the game"), "disconnect"),
        (lambda session, seat: session.join(seat, Join(protocol=99)), "illegal"),
    ],
)
def test_the_result_of_a_void_match_has_the_reason(fail: Callable[[Session, Seat[Channel]], Step], reason: str) -> None:
    driver = Driver(MatchPolicy(Clock(move_s=1.0), max_faults=1, on_faults="void"), is_process=True)
    step = fail(driver.session, driver.ask())
    assert isinstance(step.lines[0], FaultLine)
    assert step.lines[0].message.endswith("; the match is void")
    assert (step.substitute, driver.session.to_move, driver.session.pending) == (None, None, None)
    step = driver.carry_out(driver.session.finish())
    (result,) = step.lines
    assert isinstance(result, ResultLine)
    assert result.reason == reason
    assert [channel.last("end")["reason"] for channel in driver.channels] == [reason] * 2


def test_giving_up_another_seat_of_a_void_match_closes_the_open_request() -> None:
    driver = Driver(MatchPolicy(on_faults="void"))
    other = driver.seats[1 - driver.ask().index]
    step = driver.session.give_up(other, "left the game")
    assert [type(line) for line in step.lines] == [FaultLine]
    assert driver.session.pending is None


def test_a_client_with_another_protocol_version_is_stopped_without_a_fault() -> None:
    driver = Driver(MatchPolicy())
    seat = driver.ask()
    step = driver.say(seat, type="join", protocol=99)
    assert (step.lines, message_types(step), step.stop) == ([], [(seat.channel, "Error")], (seat, "version"))


def test_a_process_that_exits_when_it_is_not_asked_has_no_fault() -> None:
    driver = Driver(MatchPolicy(), is_process=True)
    asked = driver.ask()
    other = driver.seats[1 - asked.index]
    step = driver.session.lost(other, "disconnect", "exited with code 0")
    assert (step.stop, step.lines, step.messages) == ((other, "disconnect"), [], [])
    assert driver.session.pending is not None


def test_an_answer_out_of_turn_is_rejected_without_a_strike() -> None:
    driver = Driver(MatchPolicy())
    other = driver.seats[1 - driver.ask().index]
    step = driver.answer(other)
    assert (step.lines, other.faults) == ([], 0)
    assert message_types(step) == [(other.channel, "Rejected")]
    assert other.channel is not None
    rejected = other.channel.last("rejected")
    assert (rejected["code"], rejected["strikes"]) == ("not_your_turn", 0)


def test_a_seat_with_an_empty_bank_is_not_asked() -> None:
    driver = Driver(MatchPolicy(Clock(bank_s=1.0), max_faults=99))
    seat = driver.ask()
    driver.late()
    assert not seat.has_time
    while driver.session.to_move is not seat:
        driver.answer(driver.ask())
    step = driver.session.ask(seat, 0.0)
    fault, default = step.lines
    assert isinstance(fault, FaultLine)
    assert isinstance(default, ActionLine)
    assert fault.message == "no time is left in the bank; default played"
    assert default.default
    assert message_types(step) == [(seat.channel, "Error")]
    assert driver.session.pending is None


def test_a_connection_with_several_seats_gets_each_update_once() -> None:
    driver = Driver(MatchPolicy(), push=True, view="none")
    channel = driver.channels[0]
    for seat in driver.seats:
        seat.channel, seat.is_shared = channel, True
    assert message_types(driver.carry_out(driver.session.introduce(channel, is_new=True))) == [
        (channel, "Hello"),
        (channel, "Start"),
    ]
    assert channel.received[-1]["seat"] is None
    seat = driver.ask()
    assert [message["type"] for message in channel.received[2:]] == ["request"]
    assert message_types(driver.answer(seat)) == [(channel, "Update")]
    assert message_types(driver.session.finish("interrupted")) == [(channel, "End")]


def test_each_seat_of_each_match_has_its_own_seed() -> None:
    """Each seat of each match has its own seed for the random choices of its bot.

    The seed depends on the seat and the match id. So it differs even if two matches have the same deal.
    """
    match = Driver(MatchPolicy()).session.match
    starts = [start_of(name, match, [seat], None, Join()) for name in ("a", "b") for seat in range(2)]
    seeds = [start.seed for start in starts]
    assert len(set(seeds)) == 4
    assert all(seed is not None and 0 <= seed < 2**31 for seed in seeds)
    assert start_of("a", match, [0], None, Join()) == starts[0]
    several, spectator = (start_of("a", match, seats, None, Join()) for seats in ([0, 1], []))
    assert (several.seat, several.seed) == (None, seeds[0])
    assert (spectator.seat, spectator.seed) == (None, None)


def test_a_repeated_request_has_the_same_events_or_the_whole_history() -> None:
    driver = Driver(MatchPolicy())
    first = driver.ask()
    driver.answer(first)
    while driver.ask() is not first:
        driver.answer(driver.ask())
    assert first.channel is not None
    request = first.channel.received[-1]
    driver.carry_out(driver.session.repeat_request(0.0))
    assert first.channel.received[-1] == request
    driver.carry_out(driver.session.repeat_request(0.0, with_history=True))
    assert len(first.channel.received[-1]["events"]) == len(driver.match.history) > len(request["events"])
