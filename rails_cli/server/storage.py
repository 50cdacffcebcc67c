"""Where a server keeps its tables: a small file about the seats of each, with sealed tokens, and its log."""

import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from protocol.lobby import SeatKind
from rails_cli.record import LogFile
from rails_cli.server.table import Spec, Table


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


_TABLES = msgspec.json.Decoder(SavedTable)


class Storage:
    """A folder that only its owner can read."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.tables = folder / "tables"
        self.tables.mkdir(parents=True, exist_ok=True)
        os.chmod(folder, 0o700)
        self.logs: dict[str, LogFile] = {}

    def admin_token(self) -> str:
        """The token of the server's owner, made when it is first asked for."""
        file = self.folder / "admin-token"
        if not file.exists():
            _write_new(file, secrets.token_urlsafe(24).encode())
        return file.read_text(encoding="utf-8").strip()

    def save(self, table: Table) -> None:
        """Keeps who holds which seat; all or nothing."""
        chairs = [
            SavedChair(chair.kind, chair.name, chair.server_side, chair.token_seal, chair.invite_seal)
            for chair in table.chairs
        ]
        _write_new(self.tables / f"{table.id}.json", msgspec.json.encode(SavedTable(table.spec, chairs)))

    def forget(self, table: Table) -> None:
        """A table that was never played leaves nothing behind."""
        (self.tables / f"{table.id}.json").unlink(missing_ok=True)

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

    def saved_tables(self) -> Iterator[SavedTable]:
        """All tables that were kept, oldest first; what cannot be read is left alone."""
        found = []
        for file in sorted(self.tables.glob("*.json")):
            try:
                found.append(_TABLES.decode(file.read_bytes()))
            except (msgspec.MsgspecError, OSError):
                continue
        yield from sorted(found, key=lambda saved: (saved.spec.made_at, saved.spec.table))


def _write_new(file: Path, content: bytes) -> None:
    """Replaces a file at one stroke, readable by its owner alone."""
    beside = file.with_suffix(".new")
    handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    try:
        os.write(handle, content)
    finally:
        os.close(handle)
    os.replace(beside, file)
