"""A turn of the server: messages are processed, then logs are written, then answers are sent."""

import json
import re
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from rails_cli.games.shared.luck import stream
from rails_cli.logs.verify import verify_file
from rails_cli.protocol.lobby import CreateTable
from rails_cli.server.settings import Settings
from rails_cli.server.table import GameTable
from rails_cli.server.tables.registry import TableRegistry
from rails_cli.server.turn import FEW_BOT_MESSAGES, MOST_MESSAGES, Turn
from tests.support.rigged_lobby import Notes, Rigged, open_storage, thinks_here
from tests.support.waiting import wait_until
from tests.support.ws_client import Json, RawClient, ServerProcess, frame_bytes, verified


class Diary:
    """The lobby, the tables and the files of a server that record the order of events."""

    def __init__(self, now: Callable[[], float] = lambda: 0.0) -> None:
        self.scheduled: list[Callable[[], None]] = []
        self.errors: list[Exception] = []
        self.lines: list[str] = []
        self.is_broken = False
        self.unwritten: list[str] = []
        self.turn = Turn(self, self, self, soon=self.scheduled.append, report_error=self.errors.append, now=now)

    def receive(self, connection: "Guest", content: bytes) -> bool:
        self.lines.append(f"received {connection.name} {content.decode()}")
        if content == b"nonsense":
            raise RuntimeError("a mistake")
        self.unwritten.append("nothing" if content == b"full" else f"wrote {connection.name}")
        self.turn.send(connection)
        return content != b"list"

    def ask_due(self) -> None:
        self.lines.append("asked")

    def flush(self) -> None:
        self.is_broken = self.is_broken or "nothing" in self.unwritten
        if not self.is_broken:
            self.lines += self.unwritten
        self.unwritten = []

    def run_turns(self) -> list[str]:
        while self.scheduled:
            self.scheduled.pop(0)()
        lines, self.lines = self.lines, []
        return lines


class Guest:
    """A connection."""

    is_open = True

    def __init__(self, diary: Diary, name: str, game: str = "") -> None:
        self.diary = diary
        self.name = name
        self.game = game

    def charge(self, size: int) -> None:
        self.diary.lines.append(f"charged {self.name} {size}")

    def flush(self) -> None:
        self.diary.lines.append(f"sent {self.name}")

    def abort(self) -> None:
        self.diary.lines.append(f"aborted {self.name}")


def received(lines: list[str]) -> list[str]:
    return [line for line in lines if line.startswith("received")]


def test_bots_yield_to_people() -> None:
    """Messages that arrive while many messages of bots wait are processed next. No message of a bot is lost."""
    diary = Diary()
    bot, person = Guest(diary, "bot"), Guest(diary, "person")
    many = 3 * FEW_BOT_MESSAGES
    for number in range(many):
        diary.turn.receive(bot, b"%d" % number, yields=True)
    diary.turn.receive(person, b"first")
    diary.scheduled.pop(0)()
    first = ["received person first", *(f"received bot {number}" for number in range(FEW_BOT_MESSAGES))]
    assert received(diary.lines) == first
    diary.turn.receive(person, b"second")
    others = [f"received bot {number}" for number in range(FEW_BOT_MESSAGES, many)]
    assert received(diary.run_turns()) == [*first, "received person second", *others]


def test_a_turn_out_of_order_does_not_multiply_later_ones() -> None:
    diary = Diary()
    bot = Guest(diary, "bot")
    for number in range(5 * FEW_BOT_MESSAGES):
        diary.turn.receive(bot, b"%d" % number, yields=True)
    for _ in range(3):
        diary.turn.run()
        diary.turn.receive(bot, b"more", yields=True)
        assert len(diary.scheduled) == 1
        diary.scheduled.pop(0)()
    assert len(diary.scheduled) <= 1


def test_deadlines_are_checked_as_of_the_oldest_unprocessed_message() -> None:
    times = iter((10.0, 11.0, 12.0, 13.0, 14.0))
    diary = Diary(lambda: next(times))
    bot = Guest(diary, "bot")
    for number in range(2):
        diary.turn.receive(bot, b"%d" % number, yields=True)
    diary.turn.run(1)
    assert diary.turn.processed_until() == 11.0
    diary.run_turns()
    assert diary.turn.processed_until() == 12.0
    diary.turn.receive(bot, b"2", yields=True)
    diary.turn.run_all()
    assert diary.turn.processed_until() == 14.0


def test_each_step_is_done_for_all_connections_before_the_next() -> None:
    diary = Diary()
    first, second = Guest(diary, "A"), Guest(diary, "B")
    diary.turn.receive(first, b"1")
    diary.turn.receive(second, b"2")
    diary.turn.receive(first, b"3")
    assert len(diary.scheduled) == 1
    assert diary.lines == []
    messages = ["received A 1", "received B 2", "received A 3"]
    assert diary.run_turns() == [*messages, "asked", "wrote A", "wrote B", "wrote A", "sent A", "sent B", "sent A"]
    diary.turn.receive(second, b"4")
    assert diary.run_turns() == ["received B 4", "asked", "wrote B", "sent B"]


def test_messages_are_processed_game_by_game() -> None:
    diary = Diary()
    first, other, second = Guest(diary, "A", "chess"), Guest(diary, "B", "go"), Guest(diary, "C", "chess")
    for guest, words in ((first, b"1"), (other, b"2"), (second, b"3"), (first, b"4"), (other, b"5")):
        diary.turn.receive(guest, words)
    order = ["received A 1", "received C 3", "received A 4", "received B 2", "received B 5"]
    assert received(diary.run_turns()) == order


def test_only_messages_that_are_not_moves_are_charged() -> None:
    diary = Diary()
    guest = Guest(diary, "A")
    diary.turn.receive(guest, b"move")
    diary.turn.receive(guest, b"list")
    assert diary.run_turns()[:4] == ["received A move", "received A list", "charged A 4", "asked"]


def test_many_messages_are_processed_before_more_are_read() -> None:
    diary = Diary()
    guest = Guest(diary, "A")
    for number in range(MOST_MESSAGES):
        assert diary.lines == []
        diary.turn.receive(guest, b"%d" % number)
    assert len(received(diary.lines)) == diary.lines.count("sent A") == MOST_MESSAGES


@pytest.mark.parametrize("seed", range(3))
def test_it_makes_no_difference_whether_tables_ask_at_once(tmp_path: Path, seed: int) -> None:
    """Answers, early and stale ones, nonsense, wishes and rematches of four players at two tables, many in a turn: each
    player hears the same, in the same order, as if each message went all the way before the next."""
    at_once, in_turns = Rigged(tmp_path / "at once"), Rigged(tmp_path / "in turns", asks_at_once=False)
    players = [[Notes() for _ in range(4)] for _ in (at_once, in_turns)]
    for rigged, all_four in zip((at_once, in_turns), players, strict=True):
        for pair in (all_four[:2], all_four[2:]):
            rigged.say(pair[0], type="create", game="chicago_express", players=2, clock="600")
            table = pair[0].told[-1]["table"]["table"]
            for each in pair:
                rigged.lobby.welcome(each)
                rigged.say(each, type="sit", table=table)
    chance = stream(seed)
    kinds = Counter[str]()
    for _ in range(200):
        for _ in range(1 + int(chance() * 6)):
            who = int(chance() * 4)
            wish = _wish(players[0][who], int(chance() * 20))
            kinds[wish["type"]] += 1
            for rigged, all_four in zip((at_once, in_turns), players, strict=True):
                rigged.say(all_four[who], **wish)
        in_turns.registry.ask_due()
        assert not any(table.is_due for table in in_turns.registry.tables.values())
    for one, other in zip(*players, strict=True):
        assert _anonymous(one.told) == _anonymous(other.told)
    assert kinds.keys() == {"action", "again", "rematch", "list", "nonsense"}
    assert at_once.reports == in_turns.reports == []
    logs = [sorted(map(_anonymous, rigged.registry.storage.tables.glob("*.jsonl"))) for rigged in (at_once, in_turns)]
    assert logs[0] == logs[1]


def _wish(player: Notes, draw: int) -> Json:
    """What somebody says next: mostly the answer to the last request, as far as there was one."""
    if any(message["type"] == "end" for message in player.told[-3:]):
        return {"type": "rematch"}
    number = max([message["number"] for message in player.told if message["type"] == "request"], default=1)
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


def _anonymous(told: list[Json] | Path) -> str:
    """Without names of tables and tokens, which nobody can foresee."""
    text = told.read_text() if isinstance(told, Path) else json.dumps(told)
    return re.sub(r'"(table|match|owner|token|seed|holder|made_at|key|chain|digest)": ?("[^"]*"|[0-9]+)', r'"\1"', text)


def test_nothing_is_processed_after_a_failed_write() -> None:
    diary = Diary()
    first, second = Guest(diary, "A"), Guest(diary, "B")
    diary.turn.receive(first, b"full")
    diary.turn.receive(second, b"2")
    assert diary.run_turns() == ["received A full", "received B 2", "asked", "sent A", "sent B"]
    assert diary.turn.is_broken
    diary.turn.receive(second, b"3")
    assert received(diary.run_turns()) == []


def test_a_mistake_closes_one_connection_only() -> None:
    diary = Diary()
    first, second = Guest(diary, "A"), Guest(diary, "B")
    diary.turn.receive(first, b"nonsense")
    diary.turn.receive(second, b"2")
    lines = ["received A nonsense", "aborted A", "received B 2", "asked", "wrote B", "sent B"]
    assert diary.run_turns() == lines
    assert [str(error) for error in diary.errors] == ["a mistake"]


# Files


def played_table(folder: Path, soon: Callable[[Callable[[], None]], None]) -> tuple[TableRegistry, GameTable]:
    """Play a game between built-in players. Nothing is written before `flush`."""
    registry = TableRegistry(
        open_storage(folder, is_buffered=True),
        Settings(),
        now=lambda: 1.0,
        wall=lambda: 1.0,
        soon=soon,
        start_bot=lambda table, seat: pytest.fail("no bot plays here"),
        think=thinks_here,
        report=pytest.fail,
        stop=lambda error: pytest.fail(str(error)),
    )
    wish = CreateTable("last_spike", 2, seats=["builtin:random", "builtin:random"])
    table = registry.create(wish, "here", owner_seal="")
    registry.start_if_full(table)
    assert table.state == "ended"
    return registry, table


def at_once(todo: Callable[[], None]) -> None:
    todo()


def fail_with(error: Exception) -> None:
    raise error


def test_tables_of_bots_yield_to_those_of_people(tmp_path: Path) -> None:
    """What a table has to do in a moment is done in order, but at a table of bots of the pool after all others."""
    scheduled: list[Callable[[], None]] = []
    done: list[str] = []
    registry, table = played_table(tmp_path, at_once)
    _, other = played_table(tmp_path / "other", at_once)
    other.yields = True
    registry.soon = scheduled.append

    def do(what: str) -> None:
        done.append(what)
        if what == "bot 1":
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
    """The seats come before the log, and the result after it. Nothing is written after a failed write."""
    registry, table = played_table(tmp_path, at_once)
    storage = registry.storage
    registry.create(CreateTable("last_spike", 2), "here", owner_seal="")  # as after the game
    storage.log_path(table.id).mkdir()  # no log can be written here
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


def test_a_game_is_watched_in_the_turn_of_its_end(tmp_path: Path) -> None:
    """Each answer comes in one packet with the wish to watch, which is refused until the game has ended."""
    with ServerProcess(tmp_path / "data") as server, RawClient(server.port, {}) as raw:
        raw.message()
        raw.send(packet({"type": "create", "game": "last_spike", "players": 2, "seats": [None, "builtin:random"]}))
        table = raw.message()["table"]["table"]
        raw.send(packet({"type": "sit", "table": table}))
        told = [raw.message()]
        while told[-1]["type"] != "watching":
            if told[-1]["type"] == "request":
                answer = {"type": "action", "number": told[-1]["number"], "choice": told[-1]["default"]}
                raw.send(packet(answer, {"type": "watch", "table": table}))
            told.append(raw.message())
        told = [raw.message()]
        while told[-1]["type"] != "end":
            told.append(raw.message())
        assert [message["type"] for message in told[:2]] == ["start", "update"]
        assert len(told) > 20
        assert verified(server.log(table))


def test_a_bot_whose_game_ends_before_it_runs_hears_of_it(tmp_path: Path) -> None:
    heard = tmp_path / "heard"
    tape = tmp_path / "tape.sh"
    tape.write_text(f"#!/bin/sh\nexec cat > {heard}.$$\n")
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
            "both bots to hear of the end",
        )
        for tape in tmp_path.glob("heard.*"):
            kinds = [json.loads(line)["type"] for line in tape.read_bytes().splitlines()]
            assert (kinds[0], kinds[-1]) == ("hello", "end")
        assert len(list(tmp_path.glob("heard.*"))) == 2
