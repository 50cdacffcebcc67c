"""A turn of the server: what has come is heard, then written down, then told; what is not written is never told."""

from collections.abc import Callable
from pathlib import Path

import pytest

from protocol.lobby import CreateTable
from rails_cli.server.register import Register
from rails_cli.server.storage import Storage
from rails_cli.server.table import Table
from rails_cli.server.turns import Turns


class Diary:
    """Writes down in which order things happen."""

    def __init__(self) -> None:
        self.due: list[Callable[[], None]] = []
        self.troubles: list[Exception] = []
        self.turns = Turns(self.due.append, self.troubles.append)
        self.lines: list[str] = []

    def take_turns(self) -> list[str]:
        while self.due:
            self.due.pop(0)()
        lines, self.lines = self.lines, []
        return lines


class Guest:
    """Says things that lead to others."""

    def __init__(self, diary: Diary, name: str) -> None:
        self.diary = diary
        self.name = name

    def heard(self, content: bytes) -> None:
        self.diary.lines.append(f"heard {self.name} {content.decode()}")
        if content == b"nonsense":
            raise RuntimeError("a mistake")
        if content == b"full":
            self.diary.turns.write(self._fails)
        self.diary.turns.write(lambda: self.diary.lines.append(f"wrote {self.name}"))
        self.diary.turns.send(self)

    def send(self) -> None:
        self.diary.lines.append(f"told {self.name}" if not self.diary.turns.is_broken else f"kept from {self.name}")

    def abort(self) -> None:
        self.diary.lines.append(f"ended {self.name}")

    def _fails(self) -> None:
        raise OSError(28, "No space left on device")


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


def test_who_cannot_wait_is_told_only_what_is_written() -> None:
    diary = Diary()
    guest = Guest(diary, "A")
    diary.turns.hear(guest, b"1")
    diary.turns.hear_all()
    diary.turns.settle()
    assert diary.lines == ["heard A 1", "wrote A"]
    assert diary.take_turns() == ["heard A 1", "wrote A", "told A"]


def test_what_cannot_be_written_ends_all_hearing_and_telling() -> None:
    diary = Diary()
    first, second = Guest(diary, "A"), Guest(diary, "B")
    diary.turns.hear(first, b"full")
    diary.turns.hear(second, b"2")
    assert diary.take_turns() == ["heard A full", "heard B 2", "kept from A", "kept from B"]
    assert [str(trouble) for trouble in diary.troubles] == ["[Errno 28] No space left on device"]
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


def kept_table(folder: Path, due: list[Callable[[], None]]) -> tuple[Storage, Table]:
    """A table whose seats are kept, and whose game between house players has begun and ended."""
    storage = Storage(folder, due.append)
    register = Register(
        storage,
        now=lambda: 1.0,
        wall=lambda: 1.0,
        soon=lambda todo: todo(),
        bots={},
        start_bot=lambda table, chair: pytest.fail("no bot plays here"),
        report=pytest.fail,
        stop=lambda error: pytest.fail(str(error)),
    )
    wish = CreateTable("last_spike", 2, seats=["builtin:random", "builtin:random"])
    table = register.create(wish, "here", owner_seal="")
    register.start_if_full(table)
    assert table.state == "ended"
    return storage, table


def test_nothing_is_in_the_files_before_its_step(tmp_path: Path) -> None:
    due: list[Callable[[], None]] = []
    storage, table = kept_table(tmp_path, due)
    assert len(due) == 1
    assert storage.seats.read_bytes() == b""
    assert not storage.log_path(table.id).exists()
    due.pop()()
    assert storage.log_path(table.id).read_bytes().endswith(b"}\n")
    assert storage.logs == {}
    notes = list(filter(None, storage.seats.read_bytes().split(b"\n")))
    assert [b'"outcome":null' in note for note in notes] == [True, False]
    assert due == []


def test_seats_are_kept_before_the_log_and_the_end_after_it(tmp_path: Path) -> None:
    due: list[Callable[[], None]] = []
    storage, table = kept_table(tmp_path, due)
    storage.log_path(table.id).mkdir()  # no log can be written here
    with pytest.raises(OSError, match=table.id):
        due.pop()()
    (saved,), unread = storage.saved_tables()
    assert (saved.spec.table, saved.outcome, unread) == (table.id, None, [])
