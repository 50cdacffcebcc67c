"""A turn of the server: what has come is heard, then written down, then told; what is not written is never told."""

import json
import re
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from protocol.lobby import CreateTable
from rails_cli.core.luck import stream
from rails_cli.log_file import LogInUse, verify_file
from rails_cli.server.settings import Settings
from rails_cli.server.table import GameTable
from rails_cli.server.table_registry import TableRegistry
from rails_cli.server.turns import FEW, Turns
from tests.support.rigged_lobby import Notes, Rigged, open_storage, thinks_here
from tests.support.waiting import wait_until
from tests.support.ws_client import Json, RawClient, ServerProcess, frame_bytes, verified


class Diary:
    """Writes down in which order things happen."""

    def __init__(self, now: Callable[[], float] = lambda: 0.0) -> None:
        self.due: list[Callable[[], None]] = []
        self.troubles: list[Exception] = []
        self.failures: list[Exception] = []
        self.turns = Turns(self.due.append, trouble=self.troubles.append, failed=self.failures.append, now=now)
        self.lines: list[str] = []

    def take_turns(self) -> list[str]:
        while self.due:
            self.due.pop(0)()
        lines, self.lines = self.lines, []
        return lines


class Guest:
    """Says things that lead to others."""

    def __init__(self, diary: Diary, name: str, game: str = "") -> None:
        self.diary = diary
        self.name = name
        self.game = game

    def heard(self, content: bytes) -> None:
        self.diary.lines.append(f"heard {self.name} {content.decode()}")
        if content == b"nonsense":
            raise RuntimeError("a mistake")
        if content in FAILURES:
            self.diary.turns.write(lambda: self._fails(FAILURES[content]))
        if content == b"much":
            self.diary.turns.send_early(self)
        self.diary.turns.write(lambda: self.diary.lines.append(f"wrote {self.name}"))
        self.diary.turns.send(self)

    def send(self) -> None:
        self.diary.lines.append(f"told {self.name}" if not self.diary.turns.is_broken else f"kept from {self.name}")

    def abort(self) -> None:
        self.diary.lines.append(f"ended {self.name}")

    def _fails(self, error: Exception) -> None:
        raise error


FAILURES = {b"full": OSError(28, "No space left on device"), b"locked": LogInUse("another process writes it")}


def test_bots_yield_to_people() -> None:
    """Whoever comes while many bots are heard is heard next, and nothing that a bot says is lost or out of order."""
    diary = Diary()
    bot, person = Guest(diary, "bot"), Guest(diary, "person")
    many = 3 * FEW
    for number in range(many):
        diary.turns.hear(bot, b"%d" % number, yields=True)
    diary.turns.hear(person, b"first")
    diary.due.pop(0)()
    said = [line for line in diary.lines if line.startswith("heard")]
    assert said == ["heard person first", *(f"heard bot {number}" for number in range(FEW))]
    diary.turns.hear(person, b"second")
    lines = [line for line in diary.take_turns() if line.startswith("heard")][FEW + 1 :]
    assert lines == ["heard person second", *(f"heard bot {number}" for number in range(FEW, many))]


def test_clocks_are_looked_at_as_of_when_all_was_heard() -> None:
    """Looking at clocks makes no person wait for bots, and no bot late whose answer waits to be heard."""
    times = iter((10.0, 11.0, 12.0, 13.0, 14.0))
    diary = Diary(lambda: next(times))
    bot, person = Guest(diary, "bot"), Guest(diary, "person")
    for number in range(2):
        diary.turns.hear(bot, b"%d" % number, yields=True)
    diary.turns.hear(person, b"first")
    assert diary.turns.heard_until() == 10.0
    assert diary.lines == ["heard person first"]
    diary.take_turns()
    assert diary.turns.heard_until() == 12.0
    diary.turns.hear(bot, b"2", yields=True)
    diary.turns.hear_all()
    assert diary.turns.heard_until() == 14.0


def test_each_step_is_done_for_everybody_before_the_next() -> None:
    diary = Diary()
    first, second = Guest(diary, "A"), Guest(diary, "B")
    diary.turns.hear(first, b"1")
    diary.turns.hear(second, b"2")
    diary.turns.hear(first, b"3")
    assert len(diary.due) == 1
    assert diary.lines == []
    said = ["heard A 1", "heard B 2", "heard A 3"]
    assert diary.take_turns() == [*said, "wrote A", "wrote B", "wrote A", "told A", "told B", "told A"]
    diary.turns.hear(second, b"4")
    assert diary.take_turns() == ["heard B 4", "wrote B", "told B"]


def test_players_of_one_game_are_heard_one_after_another() -> None:
    """Each in the order in which he spoke; and what follows comes when all are heard, before anything is written."""
    diary = Diary()
    first, other, second = Guest(diary, "A", "chess"), Guest(diary, "B", "go"), Guest(diary, "C", "chess")
    for guest, words in ((first, b"1"), (other, b"2"), (second, b"3"), (first, b"4"), (other, b"5")):
        diary.turns.hear(guest, words)
    diary.turns.follow(lambda: diary.lines.append("followed"))
    lines = diary.take_turns()
    assert lines[:7] == ["heard A 1", "heard C 3", "heard A 4", "heard B 2", "heard B 5", "followed", "wrote A"]


@pytest.mark.parametrize("seed", range(3))
def test_it_makes_no_difference_whether_tables_ask_at_once(tmp_path: Path, seed: int) -> None:
    """Answers, early and stale ones, nonsense, wishes and rematches of four players at two tables, many in a turn: each
    player hears the same, in the same order, as if each message went all the way before the next."""
    following: list[Callable[[], None]] = []
    at_once, in_turns = Rigged(tmp_path / "at once"), Rigged(tmp_path / "in turns", follow=following.append)
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
        while following:
            following.pop(0)()
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


def test_a_mistake_in_what_follows_is_told_and_stops_nobody() -> None:
    diary = Diary()
    mistake = RuntimeError("a mistake")
    diary.turns.hear(Guest(diary, "A"), b"1")
    diary.turns.follow(lambda: Guest(diary, "A")._fails(mistake))
    diary.turns.follow(lambda: diary.lines.append("followed"))
    assert diary.take_turns() == ["heard A 1", "followed", "wrote A", "told A"]
    assert diary.troubles == [mistake]


def test_who_cannot_wait_is_told_only_what_is_written() -> None:
    diary = Diary()
    guest = Guest(diary, "A")
    diary.turns.hear(guest, b"1")
    diary.turns.hear_all()
    diary.turns.settle()
    assert diary.lines == ["heard A 1", "wrote A"]
    assert diary.take_turns() == ["heard A 1", "wrote A", "told A"]


def test_much_is_told_early_but_not_before_it_is_written() -> None:
    diary = Diary()
    first, second = Guest(diary, "A"), Guest(diary, "B")
    diary.turns.hear(first, b"much")
    diary.turns.hear(second, b"2")
    early = ["heard A much", "wrote A", "told A"]
    assert diary.take_turns() == [*early, "heard B 2", "wrote B", "told A", "told B"]


@pytest.mark.parametrize("kind", FAILURES)
def test_what_cannot_be_written_ends_all_hearing_and_telling(kind: bytes) -> None:
    diary = Diary()
    first, second = Guest(diary, "A"), Guest(diary, "B")
    diary.turns.hear(first, kind)
    diary.turns.hear(second, b"2")
    assert diary.take_turns() == [f"heard A {kind.decode()}", "heard B 2", "kept from A", "kept from B"]
    assert diary.failures == [FAILURES[kind]]
    diary.turns.hear(second, b"3")
    assert diary.take_turns() == []


def test_a_mistake_ends_one_connection_only() -> None:
    diary = Diary()
    first, second = Guest(diary, "A"), Guest(diary, "B")
    diary.turns.hear(first, b"nonsense")
    diary.turns.hear(second, b"2")
    assert diary.take_turns() == ["heard A nonsense", "ended A", "heard B 2", "wrote B", "told B"]
    assert [str(trouble) for trouble in diary.troubles] == ["a mistake"]


# Files


def played_table(folder: Path, turns: Turns) -> tuple[TableRegistry, GameTable]:
    """A table whose seats were taken and whose game between built-in players began and ended."""
    registry = TableRegistry(
        open_storage(folder, turns),
        Settings(),
        now=lambda: 1.0,
        wall=lambda: 1.0,
        soon=lambda todo: todo(),
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


def test_tables_of_bots_yield_to_those_of_people(tmp_path: Path) -> None:
    """What a table has to do in a moment is done in order, but at a table of bots of the pool after all others."""
    diary, done = Diary(), []
    registry, table = played_table(tmp_path, diary.turns)
    _, other = played_table(tmp_path / "other", diary.turns)
    other.yields = True
    registry.soon = diary.due.append

    def do(what: str) -> None:
        done.append(what)
        if what == "bot 1":
            registry.later(table, lambda: done.append("person 3"))

    for number in (1, 2):
        registry.later(other, partial(do, f"bot {number}"))
    for number in (1, 2):
        registry.later(table, partial(do, f"person {number}"))
    while diary.due:
        diary.due.pop(0)()
    assert done == ["person 1", "person 2", "bot 1", "person 3", "bot 2"]


def test_nothing_is_in_the_files_before_its_step(tmp_path: Path) -> None:
    diary = Diary()
    registry, table = played_table(tmp_path, diary.turns)
    storage = registry.storage
    assert storage.seats.read_bytes() == b""
    assert not storage.log_path(table.id).exists()
    diary.take_turns()
    assert verify_file(storage.log_path(table.id)).is_sealed
    assert storage.logs == {}
    notes = list(filter(None, storage.seats.read_bytes().split(b"\n")))
    assert [b'"outcome":null' in note for note in notes] == [True, False]


def test_who_reads_a_log_finds_all_of_it(tmp_path: Path) -> None:
    """Also in the turn in which the game began and ended."""
    diary = Diary()
    registry, table = played_table(tmp_path, diary.turns)
    assert b'"type":"result"' in registry.log_of(table).lines[-1]
    registry, table = played_table(tmp_path / "more", diary.turns)
    found = registry.ended_log(table.id)
    assert found is not None
    assert verify_file(found).is_finished


def test_files_are_written_in_the_order_of_what_happened(tmp_path: Path) -> None:
    """Who sat there before the log, and how it ended after it; nothing that came after what could not be written."""
    diary = Diary()
    registry, table = played_table(tmp_path, diary.turns)
    storage = registry.storage
    registry.create(CreateTable("last_spike", 2), "here", owner_seal="")  # as after the game
    storage.log_path(table.id).mkdir()  # no log can be written here
    diary.take_turns()
    assert [type(failure) for failure in diary.failures] == [FileExistsError]
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
