"""Where a server keeps its tables: the log of each, and one file about the seats of all, with sealed tokens."""

import fcntl
import os
import secrets
from pathlib import Path
from typing import Any, Literal

import msgspec

from rails_cli.log_file import LogFile
from rails_cli.match.chain import Chain
from rails_cli.server.records import ForgottenTable, OpenRequest, SavedSeat, SavedTable
from rails_cli.server.table import GameTable
from rails_cli.server.turns import Writing

Step = Literal["note", "lines", "close"]
"""A note about the seats of a table, lines for its log, or the end of its log."""

MOST_GROWN = 1_000_000
"""Bytes by which the file of seats may grow before it is tidied."""


class FolderInUse(Exception):
    """Another server keeps its tables here."""


_SEATS = msgspec.json.Decoder(SavedTable | ForgottenTable)
_CLOCKS = msgspec.json.Decoder(dict[str, OpenRequest])


class Storage:
    """A folder that only its owner can read, and one server at a time writes to."""

    def __init__(self, folder: Path, writing: Writing) -> None:
        """`writing` says when files are written."""
        self.folder = folder
        self._writing = writing
        self._todo: list[tuple[Step, str, list[bytes]]] = []
        """What is to be written, in the order in which it happened: whatever is there after a crash makes sense."""
        self.tables = folder / "tables"
        self.seats = folder / "seats.jsonl"
        self.clocks = folder / "clocks.json"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.tables.mkdir(mode=0o700, exist_ok=True)
        self.tables.chmod(0o700)
        self.logs: dict[str, LogFile] = {}
        self._chains: dict[str, Chain] = {}
        """Of the logs that are written, with what waits to be."""
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
            raise OSError(None, "this is not a token; delete the file to get a new one", str(file)) from None

    # Seats

    def save(self, table: GameTable) -> None:
        """Keeps who holds which seat, and how it ended: a line is added, and the last one about a table counts."""
        self._add("note", table.id, msgspec.json.encode(_saved(table)))

    def forget(self, table_id: str) -> None:
        """Nobody will come back to this table; its log stays, if there is one."""
        self._add("note", table_id, msgspec.json.encode(ForgottenTable(table_id)))

    def _write_notes(self, notes: list[bytes]) -> None:
        content = b"".join([b"\n%b\n" % note for note in notes])  # a torn line before it spoils nothing
        self._grown += len(content)
        if os.write(self._seats, content) < len(content):
            raise OSError(None, "the file could not be written completely", str(self.seats))

    def tidy_if_grown(self) -> None:
        """Writes the seats anew when most of the file is past, and nothing waits to be written."""
        if self._grown > MOST_GROWN and not self._todo:
            self.saved_tables()

    def saved_tables(self) -> tuple[list[SavedTable], list[bytes]]:
        """All tables that were kept, oldest first, and lines that cannot be read; the rest of the file goes."""
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
        lines = [*map(msgspec.json.encode, found.values()), *unread]
        _write_new(self.seats, b"".join(line + b"\n" for line in lines))
        before, self._seats = self._seats, os.open(self.seats, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)
        os.close(before)
        self._grown = 0
        return list(found.values()), unread

    # Logs

    def write(self, table: GameTable, line: Any) -> None:
        """Adds a line to a table's log."""
        chain = self._chains.get(table.id)
        if chain is None:
            chain = self._chains[table.id] = Chain()
        self._add("lines", table.id, chain.line(line))

    def close(self, table_id: str) -> None:
        """The last line has been added."""
        self._chains.pop(table_id, None)
        self._add("close", table_id, b"")

    def read_log(self, table_id: str) -> bytes:
        """A table's log up to now."""
        self.settle()
        return self.log_path(table_id).read_bytes()

    def settle(self) -> None:
        """The files are as if everything had been written at once."""
        self._writing.settle()

    def _add(self, step: Step, table_id: str, content: bytes) -> None:
        todo = self._todo
        if todo and todo[-1][0] == step and todo[-1][1] == table_id:
            if step == "note":  # the last one about a table counts
                todo[-1][2].clear()
            todo[-1][2].append(content)
            return
        todo.append((step, table_id, [content]))
        if len(todo) == 1:
            self._writing.write(self._write_all)

    def _write_all(self) -> None:
        """Where this fails the rest is lost; nobody has been told of it."""
        todo, self._todo = self._todo, []
        notes: list[bytes] = []
        for step, table_id, content in todo:
            if step == "note":
                notes += content
                continue
            if notes:
                self._write_notes(notes)
                notes = []
            if step == "lines":
                self._append(table_id, content)
            elif table_id in self.logs:
                self.logs.pop(table_id).close()
        if notes:
            self._write_notes(notes)

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
        log = self.logs[table_id] = LogFile(self.log_path(table_id), keep_bytes=size)
        self._chains[table_id] = log.chain

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


def _saved(table: GameTable) -> SavedTable:
    seats = [
        SavedSeat(seat.kind, seat.name, seat.server_side, seat.token_seal, seat.invite_seal) for seat in table.seats
    ]
    return SavedTable(table.spec, seats, table.outcome)


def _write_new(file: Path, content: bytes) -> None:
    """Replaces a file at one stroke; its owner alone can read it."""
    beside = file.with_name(file.name + ".new")
    handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with open(handle, "wb") as opened:
        opened.write(content)
    os.replace(beside, file)
