"""Where a server keeps its tables: the log of each, and one file about the seats of all, with sealed tokens."""

import fcntl
import os
import secrets
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import msgspec

from protocol.lobby import SeatKind
from rails_cli.record import LogFile, line_of
from rails_cli.server.table import Outcome, Spec, Table


class SavedChair(msgspec.Struct, frozen=True):
    """A seat as it is kept."""

    kind: SeatKind
    name: str | None
    server_side: str | None
    token_seal: str | None
    invite_seal: str | None


class SavedTable(msgspec.Struct, tag="table", tag_field="type", frozen=True):
    """A table as it is kept."""

    spec: Spec
    chairs: list[SavedChair]
    outcome: Outcome | None = None


class ForgottenTable(msgspec.Struct, tag="forgotten", tag_field="type", frozen=True):
    """Nobody will come back to this table."""

    table: str


class OpenRequest(msgspec.Struct, frozen=True):
    """How long an open request has been waiting for its answer."""

    number: int
    used_s: float


MOST_GROWN = 1_000_000
"""Bytes by which the file of seats may grow before it is tidied."""


class FolderInUse(Exception):
    """Another server keeps its tables here."""


_SEATS = msgspec.json.Decoder(SavedTable | ForgottenTable)
_CLOCKS = msgspec.json.Decoder(dict[str, OpenRequest])


class Storage:
    """A folder that only its owner can read, and one server at a time writes to."""

    def __init__(
        self, folder: Path, before_telling: Callable[[Callable[[], None]], None] = lambda todo: todo()
    ) -> None:
        """What is written is kept until `before_telling` calls back, which must be before anybody is told of it."""
        self.folder = folder
        self._before_telling = before_telling
        self._is_waiting = False
        self._seated: dict[str, Table] = {}
        self._lines: dict[str, list[bytes]] = {}
        self._closed: list[str] = []
        self._ended: dict[str, Table] = {}
        self._forgotten: list[str] = []
        self.tables = folder / "tables"
        self.seats = folder / "seats.jsonl"
        self.clocks = folder / "clocks.json"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.tables.mkdir(mode=0o700, exist_ok=True)
        self.tables.chmod(0o700)
        self.logs: dict[str, LogFile] = {}
        self._lock = os.open(folder / "lock", os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(self._lock)
            raise FolderInUse(f"another server is using {folder}") from None
        self._seats = os.open(self.seats, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        self._grown = 0

    def admin_token(self) -> str:
        """The token of the server's owner, made when it is first asked for."""
        file = self.folder / "admin-token"
        if not file.exists() or not file.read_bytes().strip():
            _write_new(file, secrets.token_urlsafe(24).encode() + b"\n")
        try:
            return file.read_text(encoding="ascii").strip()
        except UnicodeDecodeError:
            raise OSError(None, "this is no token; delete the file to get a new one", str(file)) from None

    # Seats

    def save(self, table: Table) -> None:
        """Keeps who holds which seat, and how it ended: a line is added, and the last one about a table counts."""
        kept = self._seated if table.outcome is None else self._ended
        kept[table.id] = table
        self._wait()

    def forget(self, table_id: str) -> None:
        """Nobody will come back to this table; its log stays, if there is one."""
        self._forgotten.append(table_id)
        self._wait()

    def _note(self, lines: Iterable[SavedTable | ForgottenTable]) -> None:
        content = b"".join(b"\n%b\n" % msgspec.json.encode(line) for line in lines)  # torn lines before spoil nothing
        self._grown += len(content)
        if os.write(self._seats, content) < len(content):
            raise OSError(None, "the file could not be written whole", str(self.seats))

    def tidy_if_grown(self) -> None:
        """Writes the seats anew when most of the file is past."""
        if self._grown > MOST_GROWN:
            self.saved_tables()

    def saved_tables(self) -> tuple[list[SavedTable], list[bytes]]:
        """All tables that were kept, oldest first, and lines that cannot be read; the rest of the file goes."""
        self.settle()
        found: dict[str, SavedTable] = {}
        unread = []
        *whole, _torn = self.seats.read_bytes().split(b"\n")
        for line in filter(None, whole):
            try:
                saved = _SEATS.decode(line)
            except msgspec.MsgspecError:
                unread.append(line)
                continue
            if isinstance(saved, SavedTable):
                found[saved.spec.table] = saved
            else:
                found.pop(saved.table, None)
        kept = [*map(msgspec.json.encode, found.values()), *unread]
        _write_new(self.seats, b"".join(line + b"\n" for line in kept))
        os.close(self._seats)
        self._seats = os.open(self.seats, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)
        self._grown = 0
        return list(found.values()), unread

    # Logs

    def write(self, table: Table, line: Any) -> None:
        """Adds a line to a table's log."""
        content = line_of(line)
        lines = self._lines.get(table.id)
        if lines is None:
            self._lines[table.id] = [content]
            self._wait()
        else:
            lines.append(content)

    def _wait(self) -> None:
        if not self._is_waiting:
            self._is_waiting = True
            self._before_telling(self.settle)

    def settle(self) -> None:
        """Writes what was kept: who holds which seats before the logs, and how games ended after them.

        Where that fails the rest is lost; nobody has been told of it.
        """
        self._is_waiting = False
        seated, self._seated = self._seated, {}
        logs, self._lines = self._lines, {}
        closed, self._closed = self._closed, []
        ended, self._ended = self._ended, {}
        forgotten, self._forgotten = self._forgotten, []
        if seated:
            self._note([_saved(table, None) for table in seated.values()])
        for table_id, lines in logs.items():
            self._append(table_id, lines)
        for table_id in closed:
            if table_id in self.logs:
                self.logs.pop(table_id).close()
        if ended:
            self._note([_saved(table, table.outcome) for table in ended.values()])
        if forgotten:
            self._note(map(ForgottenTable, forgotten))

    def _append(self, table_id: str, lines: list[bytes]) -> None:
        log = self.logs.get(table_id)
        if log is None:
            log = self.logs[table_id] = LogFile(self.log_path(table_id))
        try:
            log.append(lines[0] if len(lines) == 1 else b"".join(lines))
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(self.log_path(table_id))) from None

    def carry_on(self, table_id: str, size: int) -> None:
        """Opens a log that breaks off, cut to its whole lines."""
        self.logs[table_id] = LogFile(self.log_path(table_id), keep_bytes=size)

    def close(self, table_id: str) -> None:
        """The last line has been added."""
        self._closed.append(table_id)
        self._wait()

    def log_path(self, table_id: str) -> Path:
        return self.tables / f"{table_id}.jsonl"

    # Clocks

    def save_clocks(self, waiting: dict[str, OpenRequest]) -> None:
        """Keeps how long each open request has been waiting, which no log tells."""
        _write_new(self.clocks, msgspec.json.encode(waiting))

    def saved_clocks(self) -> dict[str, OpenRequest]:
        try:
            return _CLOCKS.decode(self.clocks.read_bytes())
        except (msgspec.MsgspecError, OSError):
            return {}


def _saved(table: Table, outcome: Outcome | None) -> SavedTable:
    chairs = [
        SavedChair(chair.kind, chair.name, chair.server_side, chair.token_seal, chair.invite_seal)
        for chair in table.chairs
    ]
    return SavedTable(table.spec, chairs, outcome)


def _write_new(file: Path, content: bytes) -> None:
    """Replaces a file at one stroke; its owner alone can read it."""
    beside = file.with_name(file.name + ".new")
    handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    try:
        written = 0
        while written < len(content):
            written += os.write(handle, content[written:])
    finally:
        os.close(handle)
    os.replace(beside, file)
