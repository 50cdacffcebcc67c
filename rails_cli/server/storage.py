"""Where a server keeps its tables: a small file about the seats of each, with sealed tokens, and its log."""

import fcntl
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from protocol.lobby import SeatKind
from rails_cli.record import LogFile
from rails_cli.server.table import Outcome, Spec, Table


class SavedChair(msgspec.Struct, frozen=True):
    """A seat as it is kept."""

    kind: SeatKind
    name: str | None
    server_side: str | None
    token_seal: str | None
    invite_seal: str | None


class SavedTable(msgspec.Struct, frozen=True):
    """A table as it is kept."""

    spec: Spec
    chairs: list[SavedChair]
    outcome: Outcome | None = None


class OpenRequest(msgspec.Struct, frozen=True):
    """How long an open request has been waiting for its answer."""

    number: int
    used_s: float


class FolderInUse(Exception):
    """Another server keeps its tables here."""


_TABLES = msgspec.json.Decoder(SavedTable)
_CLOCKS = msgspec.json.Decoder(dict[str, OpenRequest])


class Storage:
    """A folder that only its owner can read, and one server at a time writes to."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.tables = folder / "tables"
        self.clocks = folder / "clocks.json"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.tables.mkdir(mode=0o700, exist_ok=True)
        self.logs: dict[str, LogFile] = {}
        self._lock = os.open(folder / "lock", os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(self._lock)
            raise FolderInUse(f"another server is using {folder}") from None

    def admin_token(self) -> str:
        """The token of the server's owner, made when it is first asked for."""
        file = self.folder / "admin-token"
        if not file.exists() or not file.read_text(encoding="utf-8").strip():
            _write_new(file, secrets.token_urlsafe(24).encode() + b"\n")
        return file.read_text(encoding="utf-8").strip()

    def save(self, table: Table) -> None:
        """Keeps who holds which seat, and how it ended; all or nothing."""
        chairs = [
            SavedChair(chair.kind, chair.name, chair.server_side, chair.token_seal, chair.invite_seal)
            for chair in table.chairs
        ]
        _write_new(self._seats_path(table.id), msgspec.json.encode(SavedTable(table.spec, chairs, table.outcome)))

    def forget(self, table_id: str) -> None:
        """Nobody will come back to this table; its log stays, if there is one."""
        self._seats_path(table_id).unlink(missing_ok=True)

    def write(self, table: Table, line: Any) -> None:
        """Adds a line to a table's log."""
        log = self.logs.get(table.id)
        if log is None:
            log = self.logs[table.id] = LogFile(self.log_path(table.id))
        log.write(line)

    def carry_on(self, table_id: str, size: int) -> None:
        """Opens a log that breaks off, cut to its whole lines."""
        self.logs[table_id] = LogFile(self.log_path(table_id), keep_bytes=size)

    def close(self, table_id: str) -> None:
        log = self.logs.pop(table_id, None)
        if log is not None:
            log.close()

    def log_path(self, table_id: str) -> Path:
        return self.tables / f"{table_id}.jsonl"

    def _seats_path(self, table_id: str) -> Path:
        return self.tables / f"{table_id}.json"

    def is_known(self, table_id: str) -> bool:
        """Whether there is, or has been, a table of this name."""
        return self.log_path(table_id).exists() or self._seats_path(table_id).exists()

    def saved_tables(self) -> Iterator[SavedTable | str]:
        """All tables that were kept, oldest first; what cannot be read is left alone, and named."""
        found = []
        for file in sorted(self.tables.glob("*.json")):
            try:
                found.append(_TABLES.decode(file.read_bytes()))
            except (msgspec.MsgspecError, OSError) as error:
                yield f"{file}: {error}"
        yield from sorted(found, key=lambda saved: (saved.spec.made_at, saved.spec.table))

    def save_clocks(self, waiting: dict[str, OpenRequest]) -> None:
        """Keeps how long each open request has been waiting, which no log tells."""
        _write_new(self.clocks, msgspec.json.encode(waiting))

    def saved_clocks(self) -> dict[str, OpenRequest]:
        try:
            return _CLOCKS.decode(self.clocks.read_bytes())
        except (msgspec.MsgspecError, OSError):
            return {}


def _write_new(file: Path, content: bytes) -> None:
    """Replaces a file at one stroke, readable by its owner alone."""
    beside = file.with_name(file.name + ".new")
    handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    try:
        written = os.write(handle, content)
        if written < len(content):
            raise OSError(None, "the file could not be written whole", str(file))
    finally:
        os.close(handle)
    os.replace(beside, file)
