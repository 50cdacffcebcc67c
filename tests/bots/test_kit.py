"""Tests of the Python kit for bots: decision methods, `play` for tests, standard streams, and tables of a server."""

import json
import re
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec
import pytest

from rails_cli.bot import Bot, Decision, End, Join, Rejected, Request, Start, play, run
from rails_cli.client.connection import Denied
from rails_cli.games import game_names, load_game
from rails_cli.library import Engine
from rails_cli.protocol.bot import Conversation, kind_of
from rails_cli.protocol.common import Bid, BidRange, Passed
from rails_cli.protocol.last_spike import Board, Buy, Drew, Entry, Event, Play, View
from rails_cli.protocol.lines import encode
from rails_cli.protocol.log import ActionLine
from tests.support.tools import NO_SANDBOX, rails, start_rails
from tests.support.tools import bot as bad_bot
from tests.support.waiting import HANG_S
from tests.support.ws_client import Client, ServerProcess, create, play_to_end, table_of, verified


class Frugal(Bot[Entry, Event, View, Board]):
    """A bot for The Last Spike that plays the cheapest piece and records the pieces drawn.

    It buys properties while it has more than $40,000.
    """

    def __init__(self, start: Start) -> None:
        super().__init__(start)
        self.drawn: list[str | None] = []
        self.end: End[Event] | None = None

    def decide_play(self, plays: list[Play]) -> Decision:
        self.info = {"choices": len(plays)}
        assert self.board is self.board
        assert any(piece.id == plays[0].piece for route in self.board.routes for piece in route.pieces)
        return min(plays, key=lambda play: play.cost or 0)

    def decide_buy(self, buys: list[Buy]) -> Decision:
        cash = self.view.players[self.request.seat].cash or 0
        return buys[0] if cash > 40_000 else None

    def on_drew(self, event: Drew) -> None:
        self.drawn.append(event.piece)

    def ended(self, end: End[Event]) -> None:
        self.end = end


# `play`, the function that runs a bot in a test


def test_a_bot_with_a_method_for_each_kind_of_decision_plays_a_whole_game() -> None:
    played = play(Frugal, "last_spike", opponents=["greedy", "random"], seat=1, seed=3)
    assert (played.reason, played.faults, sorted(played.ranks)) == ("normal", [], [1, 2, 3])
    [frugal] = played.bots
    assert isinstance(frugal, Frugal)
    assert frugal.start.seat == 1
    assert frugal.start.players == ["greedy", "Frugal", "random"]
    assert frugal.end is not None
    assert frugal.end.scores == played.scores
    actions = [line for line in played.log if isinstance(line, ActionLine) and line.seat == 1]
    assert len(frugal.drawn) > len([line for line in actions if isinstance(line.action, Play)])  # all seats
    assert any(line.info is not None and b"choices" in bytes(line.info) for line in actions)
    logs = [
        msgspec.json.encode(play(Frugal, "last_spike", opponents=["greedy", "random"], seat=1, seed=seed).log)
        for seed in (3, 4)
    ]
    assert [log == msgspec.json.encode(played.log) for log in logs] == [True, False]


@pytest.mark.parametrize("game", game_names())
def test_a_bot_with_one_decide_method_plays_every_game(game: str) -> None:
    class Keen(Bot):
        asked = 0

        def decide(self, request: Request[Any, Any, Any]) -> Decision:
            self.asked += 1
            assert request is self.request
            assert request.view is self.view
            return 0

    class Absent(Bot):
        """A bot that implements no method, so that the default action is played at every request."""

    least = load_game(game).players[0]
    played = play(Keen, game, opponents=[Absent] * (least - 1))
    assert (played.reason, played.faults) == ("normal", [])
    keen, *absent = played.bots
    assert isinstance(keen, Keen)
    assert keen.asked > 5
    assert len(absent) == least - 1


def test_otherwise_receives_decisions_without_a_method_of_their_own() -> None:
    seen: list[tuple[str, int]] = []

    class Bidder(Bot):
        def decide_bid(self, bids: list[BidRange]) -> Decision:
            seen.append(("bid", len(bids)))
            assert self.request.legal[0] == bids[0]
            return Bid(bids[0].min + 1) if bids[0].min < 8 else None

        def otherwise(self, request: Request[Any, Any, Any]) -> Decision:
            seen.append((type(request.legal[0]).__name__, len(request.legal)))
            return 0

        def on_passed(self, event: Passed) -> None:
            seen.append(("passed", event.seat))

    played = play(Bidder, "american_rails", opponents=["random", "random"], seed=5)
    assert played.faults == []
    assert {"bid", "passed", "Choose"} <= {kind for kind, _ in seen}
    assert {count for kind, count in seen if kind == "bid"} == {1}


def test_a_bot_may_answer_again_after_a_rejection(capsys: pytest.CaptureFixture[str]) -> None:
    class Stubborn(Bot):
        def decide(self, request: Request[Any, Any, Any]) -> Decision:
            return len(request.legal)

        def rejected(self, rejection: Rejected) -> Decision:
            return -1 if rejection.strikes == 1 else None

    played = play(Stubborn, "last_spike", seed=1)
    assert played.reason == "normal"
    assert played.faults[0].startswith("seat 0, action 1: illegal_action: choice ")
    assert len(played.faults) % 2 == 0
    assert "rejected: illegal_action: choice" in capsys.readouterr().err


def test_reading_a_view_or_board_that_was_not_requested_raises() -> None:
    class Blind(Bot):
        def decide(self, request: Request[Any, Any, Any]) -> Decision:
            assert request.view is None
            with pytest.raises(ValueError, match="without a view"):
                _ = self.view
            with pytest.raises(ValueError, match="without a board"):
                _ = self.board
            return None

    assert play(Blind, "last_spike", join=Join(view="none", board=False)).faults == []


def test_exceptions_of_a_bot_reach_the_test() -> None:
    class Broken(Bot):
        def decide_play(self, plays: list[Play]) -> Decision:
            raise ZeroDivisionError

    class Vague(Bot):
        def decide(self, request: Request[Any, Any, Any]) -> Decision:
            return "the first"  # type: ignore[return-value]

    with pytest.raises(ZeroDivisionError):
        play(Broken, "last_spike")
    with pytest.raises(TypeError, match="Vague decided on 'the first'; expected an action"):
        play(Vague, "last_spike")


def test_play_explains_wrong_method_names_and_arguments() -> None:
    class MisspeltDecision(Bot):
        def decide_bidd(self, bids: list[BidRange]) -> Decision:
            return None

    class MisspeltEvent(Bot):
        def on_game_endet(self, event: Any) -> None: ...

    for words, make, game, more in (
        ("did you mean decide_bid?", MisspeltDecision, "last_spike", {}),
        ("did you mean on_game_ended?", MisspeltEvent, "last_spike", {}),
        ("'chess'", Frugal, "chess", {}),
        ("against 1 to 5 opponents, not 6", Frugal, "last_spike", {"opponents": ["random"] * 6}),
        ("seat 2 is not one of 0 to 1", Frugal, "last_spike", {"seat": 2}),
        ("no player 'gready'; did you mean greedy?", Frugal, "last_spike", {"opponents": ["gready"]}),
        ("last_spike has the options", Frugal, "last_spike", {"options": {"mood": "fine"}}),
    ):
        with pytest.raises(ValueError, match=re.escape(words)):
            play(make, game, **more)


# Standard input and output

NOISY = """
import logging, os, subprocess, sys
from rails_cli.bot import Bot, run
logging.basicConfig(stream=sys.stdout, level="INFO")
print("before")
class Noisy(Bot):
    def __init__(self, start):
        super().__init__(start)
        self.asked = 0
        print("started", start.match)
    def decide(self, request):
        self.asked += 1
        logging.info("logged")
        os.write(1, b"written\\n")
        subprocess.run(["echo", "child"])
        with open(sys.argv[1]) as answers:
            self.info = [self.asked, len(answers.readlines())]
    def ended(self, end):
        print("ended after", self.asked)
run(Noisy)
print("after")
"""


def test_only_answers_are_written_to_standard_output(tmp_path: Path) -> None:
    """Output of prints, logging, child processes and direct writes appears on standard error.

    Each match has its own bot object. Each answer is written before the next request is handled, even if all requests
    arrive together.
    """
    file, out = tmp_path / "bot.py", tmp_path / "answers"
    file.write_text(NOISY)

    def start(match: str) -> dict[str, Any]:
        fields = {"players": ["a", "b"], "seat": 0, "options": {}, "clock": None, "board": {}}
        return {"type": "start", "match": match, "game": "last_spike", "rules_version": 1, **fields}

    def request(number: int) -> dict[str, Any]:
        fields = {"match": "m", "seat": 0, "events": [], "view": None, "legal": [{"type": "pass"}], "clock": None}
        return {"type": "request", "number": number, "default": 0, **fields}

    end = {"type": "end", "match": "m", "scores": [1, 2], "ranks": [2, 1], "reason": "normal", "faults": [0, 0]}
    lines = [start("m-1"), request(1), request(2), end, start("m-2"), request(1), end]
    with out.open("w") as written:
        done = subprocess.run(
            [sys.executable, str(file), str(out)],
            input="".join(json.dumps(line) + "\n" for line in lines),
            stdout=written,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            env={"PATH": "/usr/bin:/bin"},
        )
    assert done.returncode == 0, done.stderr
    *answers, last = out.read_text().splitlines()
    assert [(line["number"], line["choice"], line["info"]) for line in map(json.loads, answers)] == [
        (1, 0, [1, 0]),
        (2, 0, [2, 1]),
        (1, 0, [1, 2]),
    ]
    assert last == "after"
    for words in ("before", "started m-1", "started m-2", "INFO:root:logged", "written", "child", "ended after 2"):
        assert words in done.stderr


def test_one_bot_may_play_several_seats(tmp_path: Path) -> None:
    """A bot with several seats receives every event once for each of its seats.

    The end message has further events, which belong to no seat. Together with the events for seat 1, they are all
    events of the log.
    """

    class TwoSeats(Bot):
        def __init__(self, start: Start) -> None:
            super().__init__(start)
            self.received: list[tuple[int | None, Any]] = []

        def handle_event(self, event: Any) -> None:
            self.received.append((self.event_seat, event))

    log = tmp_path / "game.jsonl"
    words = ["host", "last_spike", "--players", "3", "--seat", "1", "builtin:random", "--clock", "none", "--seed", "3"]
    with start_rails(*words, "--log", str(log), stdin=subprocess.PIPE, stdout=subprocess.PIPE) as host:
        assert host.stdin is not None
        assert host.stdout is not None
        conversation = Conversation(TwoSeats)
        for line in host.stdout:
            answer = conversation.hear(line)
            if answer is not None:
                host.stdin.write(encode(answer))
                host.stdin.flush()
    both = conversation.bot
    assert isinstance(both, TwoSeats)
    assert both.start.seat is None
    assert {seat for seat, _ in both.received} == {1, 2, None}
    logged_types = [
        event["type"] for line in log.read_text().splitlines() for event in json.loads(line).get("events", [])
    ]
    assert [kind_of(event) for seat, event in both.received if seat != 2] == logged_types


# Tables of a server


class Steady(Bot):
    """A bot that always plays the default action."""


def test_run_plays_at_several_tables_at_the_same_time(tmp_path: Path) -> None:
    """`run` plays at several tables at the same time: at tables with a given id, or at any tables with a free seat.

    If a bot raises an exception, the exception is reported and the default action is played.
    """

    class Fragile(Bot):
        def decide(self, request: Request[Any, Any, Any]) -> Decision:
            if request.number > 2:
                raise ZeroDivisionError
            return None

    def make(start: Start) -> Bot[Any, Any, Any]:
        return (Steady if start.game == "last_spike" else Fragile)(start)

    with ServerProcess(tmp_path / "data") as server, Client(server.url) as client:
        tables = [
            table_of(create(client, game, len(seats), seats=seats))
            for game, seats in (
                ("last_spike", [None, "builtin:random"]),
                ("chicago_express", [None, "builtin:random", "builtin:busy"]),
            )
        ]
        status_lines: list[str] = []
        ends = run(make, server.url, tables=tables, join=Join(name="Kit"), say=status_lines.append)
        assert sorted(len(end.scores) for end in ends) == [2, 3]
        assert [end.faults for end in ends] == [[0] * len(end.scores) for end in ends]
        assert sum("token" in words for words in status_lines) == 2
        for _ in range(3):
            create(client, seats=[None, "builtin:random"])
        create(client, "chicago_express", 2, seats=[None, "builtin:random"])
        ends = run(make, server.url, games=1, at_once=3, game="last_spike", say=status_lines.append)
        assert [end.reason for end in ends] == ["normal"] * 3
        assert all(verified(server.log(table)) for table in tables)
        with pytest.raises(Denied, match="there is no table 'nowhere'"):
            run(make, server.url, tables=["nowhere"], say=status_lines.append)


def test_defaults_are_played_for_a_bot_that_raises_at_a_server(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """If a bot raises an exception at a server, the exception is reported and the default action is played.

    In the first match, the bot raises it after a rejection. In the second match, the constructor of the bot raises it.
    """
    asked: list[str] = []

    class Clumsy(Bot):
        def __init__(self, start: Start) -> None:
            super().__init__(start)
            if asked:
                raise ZeroDivisionError

        def decide(self, request: Request[Any, Any, Any]) -> Decision:
            asked.append(request.match)
            return len(request.legal) if len(asked) == 1 else None

        def rejected(self, rejection: Rejected) -> Decision:
            raise LookupError

    with ServerProcess(tmp_path / "data") as server, Client(server.url) as client:
        for _ in range(2):
            create(client, seats=[None, "builtin:random"])
        ends = run(Clumsy, server.url, games=2)
    assert [(end.reason, end.faults) for end in ends] == [("normal", [1, 0]), ("normal", [0, 0])]
    assert set(asked) == {ends[0].match}
    errors = capfd.readouterr().err
    assert (errors.count("\nLookupError\n"), errors.count("\nZeroDivisionError\n")) == (1, 1)


def test_a_bot_reconnects_after_a_restart_of_the_server(tmp_path: Path) -> None:
    """The bot keeps its seat. After the restart a new bot object receives all events from the start of the game."""
    asked = threading.Event()
    made: list[Bot[Any, Any, Any]] = []

    class Patient(Bot):
        def __init__(self, start: Start) -> None:
            super().__init__(start)
            self.events = 0
            made.append(self)

        def handle_event(self, event: Any) -> None:
            self.events += 1

        def decide(self, request: Request[Any, Any, Any]) -> Decision:
            if request.number > 4:
                asked.set()
            return None

    status_lines: list[str] = []
    with ThreadPoolExecutor(1) as pool, ServerProcess(tmp_path / "data") as first, Client(first.url) as client:
        table = table_of(create(client))
        playing = pool.submit(run, Patient, first.url, tables=[table], say=status_lines.append)
        token = client.asked(type="sit", table=table, seat=1)["token"]
        while not asked.is_set():
            client.answer(client.until("request"))
        first.kill()
        with ServerProcess(tmp_path / "data", port=first.port) as second, Client(second.url) as back:
            back.asked(type="resume", token=token)
            assert play_to_end(back)["faults"] == [0, 0]
            [end] = playing.result(HANG_S)
            assert verified(second.log(table))
    assert end.faults == [0, 0]
    assert len(made) >= 2
    assert any("trying again" in words for words in status_lines)


# `rails-cli connect`, which does the same for bots in any language


def test_connect_with_stay_plays_at_several_tables(tmp_path: Path) -> None:
    """With `--stay`, one process plays several games, as many as `--games` says.

    The first game is at the given table, the others at any tables with a free seat.
    """
    words = ["--stay", "--name", "Lodger", "--json", "--", *bad_bot("honest").split()]
    with ServerProcess(tmp_path / "data") as server, Client(server.url) as client:
        first = table_of(create(client, "chicago_express", 2, seats=[None, "builtin:random"]))
        others = [table_of(create(client, seats=[None, "builtin:random"])) for _ in range(2)]
        create(client, "american_rails", 3, seats=[None, None, "builtin:random"])
        done = rails("connect", server.url, "--table", first, "--games", "3", "--game", "last_spike", *words)
        assert done.returncode == 0, done.stderr
        ends = [json.loads(line) for line in done.stdout.splitlines()]
        assert [(end["reason"], end["faults"]) for end in ends] == [("normal", [0, 0])] * 3
        assert [line.split()[3] for line in done.stderr.splitlines()[1:]] == [first, *others]


def answer_next_request(client: Client) -> list[dict[str, Any]]:
    request = client.until("request")
    client.answer(request)
    return list(request["events"])


def test_connect_ends_on_sigterm_after_the_running_game(tmp_path: Path) -> None:
    """On SIGTERM the bot finishes its running game and then ends. If its game has not started, it gives up the seat.

    A table that the server closes does not end the process.
    """
    bot = bad_bot("honest").split()
    with ServerProcess(tmp_path / "data") as server, Client(server.url) as client:
        words = ["connect", server.url, "--stay", "--name", "Lodger", "--", *bot]
        with start_rails(*words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as bot_process:
            assert bot_process.stderr is not None
            assert bot_process.stderr.readline() == NO_SANDBOX.format("--sandbox auto")
            assert bot_process.stderr.readline() == "waiting for a table with a free seat\n"
            closed = table_of(create(client))
            assert "seated" in bot_process.stderr.readline()
            client.asked(type="admin", token=server.admin_token, command="end_table", table=closed)
            assert bot_process.stderr.readline() == "the owner of the server closed this table\n"
            assert bot_process.stderr.readline() == "waiting for a table with a free seat\n"
            table = table_of(create(client))
            assert "seated" in bot_process.stderr.readline()
            bot_process.terminate()
            assert bot_process.wait(HANG_S) == 0
        [info] = client.asked(type="list", search=table)["tables"]
        assert [seat["kind"] for seat in info["seats"]] == ["open", "open"]
        client.asked(type="sit", table=table)
        with start_rails(*words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as bot_process:
            assert bot_process.stderr is not None
            assert bot_process.stdout is not None
            assert bot_process.stderr.readline() == NO_SANDBOX.format("--sandbox auto")
            assert "seated" in bot_process.stderr.readline()
            while not any(
                event["type"] == "piece_played" and event["seat"] == 1 for event in answer_next_request(client)
            ):
                pass
            bot_process.terminate()
            assert "stopping after this game" in bot_process.stderr.readline()
            play_to_end(client)
            assert bot_process.stdout.readline().startswith(f"table {table}: ")
            assert bot_process.wait(HANG_S) == 0
        assert server.faults(table) == []


@pytest.mark.parametrize(
    ("words", "expected_error"),
    [
        (["--games", "3", "--table", "x"], "--games works only with --stay"),
        (["--game", "last_spike", "--table", "x"], "--game works only with --stay"),
        (["--stay", "--table", "x", "--seat-token", "y"], "choose where to sit"),
        (["--stay", "--games", "0"], "--games"),
    ],
)
def test_connect_refuses_contradicting_options(words: list[str], expected_error: str) -> None:
    done = rails("connect", "ws://127.0.0.1:9", *words, "--", "true")
    assert done.returncode == 2
    assert expected_error in done.stderr


def test_bots_may_start_in_several_threads_at_the_same_time() -> None:
    """Several threads may start bots at the same time.

    In an earlier version, Python crashed if two threads used a message type for the first time simultaneously.
    """
    program = """
import json, sys, threading
from rails_cli.protocol.bot import Bot, match_reader
from rails_cli.protocol.messages import Start
from rails_cli.library import Engine
told = json.load(sys.stdin)
ready, done = threading.Barrier(8), []
def begin():
    ready.wait()
    for name, (board, request) in told.items():
        assert match_reader(name)(request.encode()).view is not None
        assert Bot(Start("m", name, 1, ["a", "b", "c"], 0, {}, None, board)).board is not None
        Engine(name).position(json.loads(request))
    done.append(1)
sys.setswitchinterval(1e-6)
threads = [threading.Thread(target=begin) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(len(done))
"""
    inputs = {}
    for name in game_names():
        position = Engine(name).new(3)
        request: Request[Any, Any, Any] = Request("m", 1, 0, [], position.view(0), [], 0, None)
        board = position.engine.game.wire_board(position.engine.board)
        inputs[name] = (board, msgspec.json.encode(request).decode())
    done = subprocess.run([sys.executable, "-c", program], input=msgspec.json.encode(inputs), stdout=subprocess.PIPE)
    assert (done.returncode, done.stdout) == (0, b"8\n")
