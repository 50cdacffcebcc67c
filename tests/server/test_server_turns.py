"""Tests of the server's event loop. In each turn of the loop, all received messages are processed.

Then logs are written, and then answers are sent.
"""

import json
import re
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from rails_cli.games.shared.luck import stream
from rails_cli.logs.verify import verify_file
from rails_cli.match.step import Step
from rails_cli.protocol.lobby import CreateTable
from rails_cli.server.settings import Settings
from rails_cli.server.tables.registry import TableRegistry
from rails_cli.server.tables.table import GameTable
from rails_cli.server.turn import FEW_BOT_MESSAGES, Turn
from tests.support.rigged_lobby import Notes, Rigged, open_storage, raise_error, thinks_here
from tests.support.scheduling import ScheduledCalls
from tests.support.waiting import wait_until
from tests.support.ws_client import Json, RawClient, ServerProcess, frame_bytes, verified


class Recorder:
    """A fake that replaces lobby, table and storage of a server and records the order of calls in `lines`."""

    def __init__(self, now: Callable[[], float] = lambda: 0.0) -> None:
        self.scheduled = ScheduledCalls()
        self.errors: list[Exception] = []
        self.lines: list[str] = []
        self.is_broken = False
        self.todo: list[tuple[str, str, Any]] = []
        self.host: Any = None
        self.now = now
        self.turn = Turn(self, soon=self.scheduled.soon, report_error=self.errors.append, now=now)
        self.turn.receive = self.receive

    def receive(self, connection: "FakeConnection", content: bytes, arrived_at: float) -> bool:
        self.lines.append(f"received {connection.name} {content.decode()}")
        if content == b"nonsense":
            raise RuntimeError("a mistake")
        self.todo.append(("line", "", "nothing" if content == b"full" else f"wrote {connection.name}"))
        self.turn.due.append((self, Step()))
        self.turn.send(connection)
        return content != b"list"

    def advance(self, step: Step) -> None:
        self.lines.append("asked")

    def flush(self) -> None:
        unwritten = [content for _, _, content in self.todo]
        self.is_broken = self.is_broken or "nothing" in unwritten
        if not self.is_broken:
            self.lines += unwritten
        self.todo = []

    def queue(self, connection: "FakeConnection", content: bytes, *, yields: bool = False) -> None:
        """Queue a message like a real connection, and schedule a turn of the event loop.

        If `yields` is true, the message is from a bot and is processed after messages of people.
        """
        (self.turn.yielding if yields else self.turn.inbox).append((connection, content, self.now()))
        self.turn.wake()

    def run_turns(self) -> list[str]:
        while self.scheduled:
            self.scheduled.pop(0)()
        lines, self.lines = self.lines, []
        return lines


class FakeConnection:
    """A fake connection that records calls in the lines of a `Recorder`."""

    is_open = True

    def __init__(self, recorder: Recorder, name: str) -> None:
        self.recorder = recorder
        self.name = name

    def charge(self, size: int) -> None:
        self.recorder.lines.append(f"charged {self.name} {size}")

    def flush(self) -> None:
        self.recorder.lines.append(f"sent {self.name}")

    def abort(self) -> None:
        self.recorder.lines.append(f"aborted {self.name}")


def received(lines: list[str]) -> list[str]:
    return [line for line in lines if line.startswith("received")]


def test_messages_of_people_are_processed_before_those_of_bots() -> None:
    """Messages of people that arrive while many messages of bots wait are processed next.

    No message of a bot is lost.
    """
    recorder = Recorder()
    bot, person = FakeConnection(recorder, "bot"), FakeConnection(recorder, "person")
    many = 3 * FEW_BOT_MESSAGES
    for number in range(many):
        recorder.queue(bot, b"%d" % number, yields=True)
    recorder.queue(person, b"first")
    recorder.scheduled.pop(0)()
    first = ["received person first", *(f"received bot {number}" for number in range(FEW_BOT_MESSAGES))]
    assert received(recorder.lines) == first
    recorder.queue(person, b"second")
    others = [f"received bot {number}" for number in range(FEW_BOT_MESSAGES, many)]
    assert received(recorder.run_turns()) == [*first, "received person second", *others]


def test_an_extra_turn_does_not_schedule_more_than_one_turn() -> None:
    recorder = Recorder()
    bot = FakeConnection(recorder, "bot")
    for number in range(5 * FEW_BOT_MESSAGES):
        recorder.queue(bot, b"%d" % number, yields=True)
    for _ in range(3):
        recorder.turn.process_queues()
        recorder.queue(bot, b"more", yields=True)
        assert len(recorder.scheduled) == 1
        recorder.scheduled.pop(0)()
    assert len(recorder.scheduled) <= 1


def test_deadlines_are_checked_as_of_the_oldest_unprocessed_message() -> None:
    times = iter((10.0, 11.0, 12.0, 13.0, 14.0))
    recorder = Recorder(lambda: next(times))
    bot = FakeConnection(recorder, "bot")
    for number in range(2):
        recorder.queue(bot, b"%d" % number, yields=True)
    recorder.turn.process_queues(1)
    assert recorder.turn.processed_until() == 11.0
    recorder.run_turns()
    assert recorder.turn.processed_until() == 12.0
    recorder.queue(bot, b"2", yields=True)
    recorder.turn.process_all()
    assert recorder.turn.processed_until() == 14.0


def test_an_answer_that_arrived_in_time_is_not_late_if_it_is_processed_late(tmp_path: Path) -> None:
    lobby = Rigged(tmp_path)
    *players, table = lobby.seat_two()
    [(asked, request)] = [(one, message) for one in players for message in one.received if message["type"] == "request"]
    arrived_at = lobby.time + 5
    lobby.time += 60
    answer = {"type": "action", "number": request["number"], "choice": 0}
    lobby.lobby.receive(asked, json.dumps(answer).encode(), arrived_at)
    lobby.turn.process_queues()
    lines = [json.loads(line) for line in lobby.registry.storage.log_path(table).read_bytes().splitlines()]
    assert [line.get("ms") for line in lines if line["type"] == "action"] == [5000]
    assert not [line for line in lines if line["type"] == "fault"]


def test_each_step_of_a_turn_covers_all_connections_before_the_next_step() -> None:
    recorder = Recorder()
    first, second = FakeConnection(recorder, "A"), FakeConnection(recorder, "B")
    recorder.queue(first, b"1")
    recorder.queue(second, b"2")
    recorder.queue(first, b"3")
    assert len(recorder.scheduled) == 1
    assert recorder.lines == []
    messages = ["received A 1", "received B 2", "received A 3"]
    assert recorder.run_turns() == [
        *messages,
        *["asked"] * 3,
        "wrote A",
        "wrote B",
        "wrote A",
        "sent A",
        "sent B",
        "sent A",
    ]
    recorder.queue(second, b"4")
    assert recorder.run_turns() == ["received B 4", "asked", "wrote B", "sent B"]


def test_only_messages_that_are_not_moves_are_charged() -> None:
    recorder = Recorder()
    guest = FakeConnection(recorder, "A")
    recorder.queue(guest, b"move")
    recorder.queue(guest, b"list")
    assert recorder.run_turns()[:4] == ["received A move", "received A list", "charged A 4", "asked"]


def test_messages_processed_together_have_the_same_answers_as_one_by_one(tmp_path: Path) -> None:
    """Each player receives the same messages in the same order, whether or not messages are processed together.

    Four players at two tables send valid, stale and invalid messages, many of them in one turn of the event loop. The
    result is compared with that of processing each message alone.
    """
    at_once, in_turns = Rigged(tmp_path / "at once"), Rigged(tmp_path / "in turns", asks_at_once=False)
    players = [[Notes() for _ in range(4)] for _ in (at_once, in_turns)]
    for rigged, all_four in zip((at_once, in_turns), players, strict=True):
        for pair in (all_four[:2], all_four[2:]):
            rigged.say(pair[0], type="create", game="chicago_express", players=2, clock="600")
            table = pair[0].received[-1]["table"]["table"]
            for each in pair:
                rigged.lobby.connections.add(each)
                rigged.say(each, type="sit", table=table)
    chance = stream(0)
    kinds = Counter[str]()
    for _ in range(200):
        for _ in range(1 + int(chance() * 6)):
            player_index = int(chance() * 4)
            wish = next_message(players[0][player_index], int(chance() * 20))
            kinds[wish["type"]] += 1
            for rigged, all_four in zip((at_once, in_turns), players, strict=True):
                rigged.say(all_four[player_index], **wish)
        in_turns.turn.process_queues()
        assert not any(table.is_due for table in in_turns.registry.tables.values())
    for one, other in zip(*players, strict=True):
        assert without_random_values(one.received) == without_random_values(other.received)
    assert kinds.keys() == {"action", "again", "rematch", "list", "nonsense"}
    assert at_once.reports == in_turns.reports == []
    logs = [
        sorted(map(without_random_values, rigged.registry.storage.tables.glob("*.jsonl")))
        for rigged in (at_once, in_turns)
    ]
    assert logs[0] == logs[1]


def next_message(player: Notes, draw: int) -> Json:
    """Return the next message that `player` sends, mostly an answer to its last request. `draw` is a random number."""
    if any(message["type"] == "end" for message in player.received[-3:]):
        return {"type": "rematch"}
    number = max([message["number"] for message in player.received if message["type"] == "request"], default=1)
    match draw:
        case 0:
            return {"type": "again"}
        case 1:
            return {"type": "list"}
        case 2:
            return {"type": "nonsense"}
        case 3:
            return {"type": "rematch"}
        case _:
            return {"type": "action", "number": number + (draw == 4) - (draw == 5), "choice": 0}


def without_random_values(messages: list[Json] | Path) -> str:
    """Return messages or a log as text, without random values such as table ids and tokens."""
    text = messages.read_text() if isinstance(messages, Path) else json.dumps(messages)
    return re.sub(r'"(table|match|owner|token|seed|holder|made_at|key|chain|digest)": ?("[^"]*"|[0-9]+)', r'"\1"', text)


def test_nothing_is_processed_after_a_failed_write() -> None:
    recorder = Recorder()
    first, second = FakeConnection(recorder, "A"), FakeConnection(recorder, "B")
    recorder.queue(first, b"full")
    recorder.queue(second, b"2")
    assert recorder.run_turns() == ["received A full", "received B 2", "asked", "asked", "sent A", "sent B"]
    assert recorder.is_broken
    recorder.queue(second, b"3")
    assert received(recorder.run_turns()) == []


def test_an_exception_closes_one_connection_only() -> None:
    recorder = Recorder()
    first, second = FakeConnection(recorder, "A"), FakeConnection(recorder, "B")
    recorder.queue(first, b"nonsense")
    recorder.queue(second, b"2")
    lines = ["received A nonsense", "aborted A", "received B 2", "asked", "wrote B", "sent B"]
    assert recorder.run_turns() == lines
    assert [str(error) for error in recorder.errors] == ["a mistake"]


# Files


def played_table(folder: Path, soon: Callable[[Callable[[], None]], None]) -> tuple[TableRegistry, GameTable]:
    """Play a game between built-in players. Return the registry of tables and the table of this game.

    Files are written only when the test calls `flush` of the storage. `soon` is the function that schedules calls.
    """
    storage = open_storage(folder)
    registry = TableRegistry(
        storage,
        Settings(),
        Turn(storage, soon=ScheduledCalls().soon, report_error=raise_error, now=lambda: 1.0),
        now=lambda: 1.0,
        wall=lambda: 1.0,
        soon=soon,
        start_bot=lambda table, seat: pytest.fail("no bot is needed in this game"),
        think=thinks_here,
        report=lambda words, table=None: pytest.fail(words),
        stop=lambda error: pytest.fail(str(error)),
    )
    wish = CreateTable("last_spike", 2, seats=["builtin:random", "builtin:random"])
    table = registry.create(wish, "here", owner_seal="")
    registry.start_if_full(table)
    assert table.state == "ended"
    return registry, table


def at_once(todo: Callable[[], None]) -> None:
    todo()


def test_work_of_tables_with_people_runs_before_that_of_pool_bots(tmp_path: Path) -> None:
    """Scheduled work of tables with people runs before that of tables with pool bots only.

    Work of tables with people runs in the order in which it was scheduled.
    """
    scheduled: list[Callable[[], None]] = []
    done: list[str] = []
    registry, table = played_table(tmp_path, at_once)
    _, other = played_table(tmp_path / "other", at_once)
    other.yields = True
    registry.soon = scheduled.append

    def do(name: str) -> None:
        done.append(name)
        if name == "bot 1":
            registry.later(table, lambda: done.append("person 3"))

    for number in (1, 2):
        registry.later(other, partial(do, f"bot {number}"))
    for number in (1, 2):
        registry.later(table, partial(do, f"person {number}"))
    while scheduled:
        scheduled.pop(0)()
    assert done == ["person 1", "person 2", "bot 1", "person 3", "bot 2"]


def test_nothing_is_written_before_the_flush(tmp_path: Path) -> None:
    registry, table = played_table(tmp_path, at_once)
    storage = registry.storage
    assert storage.seats.read_bytes() == b""
    assert not storage.log_path(table.id).exists()
    storage.flush()
    assert verify_file(storage.log_path(table.id)).is_sealed
    assert storage.logs == {}
    notes = list(filter(None, storage.seats.read_bytes().split(b"\n")))
    assert [b'"outcome":null' in note for note in notes] == [True, False]


def test_reading_a_log_writes_pending_lines_first(tmp_path: Path) -> None:
    registry, table = played_table(tmp_path, at_once)
    assert b'"type":"result"' in registry.ended_tables.log_of(table).lines[-1]
    registry, table = played_table(tmp_path / "more", at_once)
    found = registry.ended_tables.log_path(table.id)
    assert found is not None
    assert verify_file(found).is_finished


def test_files_are_written_in_the_order_of_events(tmp_path: Path) -> None:
    """The files of a table are written in this order: the file of seats, the log, the result.

    If a file cannot be written, nothing is written after it.
    """
    registry, table = played_table(tmp_path, at_once)
    storage = registry.storage
    registry.create(CreateTable("last_spike", 2), "here", owner_seal="")  # an event after the game
    storage.log_path(table.id).mkdir()  # a folder of this name makes writing the log fail
    with pytest.raises(FileExistsError):
        storage.flush()
    assert storage.is_broken
    registry.create(CreateTable("last_spike", 2), "here", owner_seal="")
    storage.flush()
    (saved,), unread = storage.saved_tables()
    assert (saved.spec.table, saved.outcome, unread) == (table.id, None, [])


# A real server


def packet(*messages: Json) -> bytes:
    return b"".join(frame_bytes(json.dumps(message).encode()) for message in messages)


def test_a_game_can_be_watched_at_once_after_the_answer_that_ends_it(tmp_path: Path) -> None:
    """A `watch` request is accepted in the same turn in which the game ends.

    The client sends each answer together with a request to watch its own game, so the server processes both at once.
    The `watch` request is refused until the game has ended.
    """
    with ServerProcess(tmp_path / "data") as server, RawClient(server.port, {}) as raw:
        raw.message()
        raw.send(packet({"type": "create", "game": "last_spike", "players": 2, "seats": [None, "builtin:random"]}))
        table = raw.message()["table"]["table"]
        raw.send(packet({"type": "sit", "table": table}))
        messages = [raw.message()]
        while messages[-1]["type"] != "watching":
            if messages[-1]["type"] == "request":
                answer = {"type": "action", "number": messages[-1]["number"], "choice": messages[-1]["default"]}
                raw.send(packet(answer, {"type": "watch", "table": table}))
            messages.append(raw.message())
        messages = [raw.message()]
        while messages[-1]["type"] != "end":
            messages.append(raw.message())
        assert [message["type"] for message in messages[:2]] == ["start", "update"]
        assert len(messages) > 20
        assert verified(server.log(table))


def test_a_bot_whose_game_ends_before_it_runs_receives_the_end(tmp_path: Path) -> None:
    received_file = tmp_path / "heard"
    tape = tmp_path / "tape.sh"
    tape.write_text(f"#!/bin/sh\nexec cat > {received_file}.$$\n")
    tape.chmod(0o755)
    with ServerProcess(tmp_path / "data", "--bot", f"tape={tape}") as server, RawClient(server.port, {}) as raw:
        raw.message()
        raw.send(packet({"type": "create", "game": "last_spike", "players": 2}))
        made = raw.message()
        start = {"type": "start_table", "table": made["table"]["table"], "owner": made["owner"], "fill": "bot:tape"}
        end = {"type": "admin", "token": server.admin_token, "command": "end_table", "table": made["table"]["table"]}
        raw.send(packet(start, end))
        wait_until(
            lambda: sum(b'"type":"end"' in tape.read_bytes() for tape in tmp_path.glob("heard.*")) == 2,
            "both bots to receive `end`",
        )
        for tape in tmp_path.glob("heard.*"):
            kinds = [json.loads(line)["type"] for line in tape.read_bytes().splitlines()]
            assert (kinds[0], kinds[-1]) == ("hello", "end")
        assert len(list(tmp_path.glob("heard.*"))) == 2
