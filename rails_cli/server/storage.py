"""The files of a server: one log per table, and one file about the seats of all tables, with hashed tokens."""

import errno
import fcntl
import os
import re
import zlib
from collections.abc import Callable
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from rails_cli.basics.files import replace_file
from rails_cli.basics.tokens import new_token
from rails_cli.logs.chain import Beginning, Chain, Signer
from rails_cli.logs.log_file import LogFile
from rails_cli.logs.signing import KEY_NAME, BadKey, SigningKey, new_key, read_key
from rails_cli.server.records import ForgottenTable, OpenRequest, SavedSeat, SavedTable
from rails_cli.server.table import GameTable

Step = Literal["note", "lines", "close"]
"""A note about the seats of a table, lines for its log, or the end of its log."""

MOST_GROWN = 1_000_000
"""Bytes by which the file of seats may grow before it is compacted."""


PASSING = (errno.EMFILE, errno.ENFILE)
"""Error codes for too many open files, a temporary condition."""
SPARE_FILES = 16


class FolderInUse(Exception):
    """Raised if another server uses the folder."""


class SavedSeats(NamedTuple):
    """The content of the file of seats."""

    tables: list[SavedTable]
    """The stored tables, oldest first."""
    problems: list[str]
    """Descriptions of lines that are damaged or cannot be read."""


_SUM = re.compile(rb',"sum":"([0-9a-f]{8})"}$')
_SEATS = msgspec.json.Decoder(SavedTable | ForgottenTable)
_CLOCKS = msgspec.json.Decoder(dict[str, OpenRequest])


class Storage:
    """A folder readable only by its owner and used by one server at a time."""

    def __init__(self, folder: Path, *, failed: Callable[[Exception], None]) -> None:
        """`failed` is called after an error in writing. Nothing is written before `flush` is called."""
        self.folder = folder
        self._failed = failed
        self._todo: list[tuple[Step, str, bytes]] = []
        """Pending writes in the order of events, so that the files are consistent after a crash."""
        self.is_broken = False
        """Whether a write failed. Nothing is written any more."""
        self.tables = folder / "tables"
        self.seats = folder / "seats.jsonl"
        self.clocks = folder / "clocks.json"
        self.bans = folder / "bans.json"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.tables.mkdir(mode=0o700, exist_ok=True)
        self.tables.chmod(0o700)
        self.logs: dict[str, LogFile] = {}
        self._chains: dict[str, Chain] = {}
        """Hash chains of the open logs, including pending lines."""
        self.signer: Signer | None = None
        """Signs new logs and logs of games that continue. None if logs are not signed."""
        self._lock = os.open(folder / "lock", os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(self._lock)
            raise FolderInUse(f"another server is using {folder}") from None
        self.has_lost_seats = not self.seats.exists()
        """Whether the file of seats did not exist: a new folder, or the file was removed."""
        self._seats = os.open(self.seats, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        self._grown = 0
        self._spare: list[int] = []
        self.keep_spare()

    def admin_token(self) -> str:
        """Return the token of the server's owner. It is created at the first call. Raise OSError if the file is
        invalid."""
        file = self.folder / "admin-token"
        if not file.exists() or not file.read_bytes().strip():
            replace_file(file, new_token().encode() + b"\n")
        try:
            return file.read_text(encoding="ascii").strip()
        except UnicodeDecodeError:
            raise OSError(None, "this is not a token; delete the file to get a new one", str(file)) from None

    def signing_key(self) -> SigningKey:
        """Return the key for signing logs. It is created at the first call. Raise NoSigning or OSError."""
        file = self.folder / KEY_NAME
        try:
            return read_key(file) if file.exists() else new_key(file)
        except BadKey as error:
            raise OSError(None, f"{error}; restore {file.name} from a backup, or delete it to get a new key") from None

    # Seats

    def save(self, table: GameTable) -> None:
        """Store the seats and the result of a table by appending a line. The last line about a table counts."""
        self._todo.append(("note", table.id, _summed(_saved(table))))

    def forget(self, table_id: str) -> None:
        """Mark a table as forgotten. Its log is kept."""
        self._todo.append(("note", table_id, _summed(ForgottenTable(table_id))))

    def _write_notes(self, notes: list[bytes]) -> None:
        content = b"".join([b"\n%b\n" % note for note in notes])  # the leading newline ends a torn line
        self._grown += len(content)
        if os.write(self._seats, content) < len(content):
            raise OSError(None, "the file could not be written completely", str(self.seats))

    def tidy_if_grown(self) -> None:
        """Compact the file of seats if it has grown a lot and no write is pending."""
        if self._grown > MOST_GROWN and not self._todo:
            self.saved_tables()

    def saved_tables(self) -> SavedSeats:
        """Read all stored tables and compact the file.

        The last intact line about a table counts. If there is none, a damaged line that can be decoded is used.
        """
        found: dict[str, tuple[SavedTable, bytes]] = {}
        unread, problems = [], []
        *whole, _torn = self.seats.read_bytes().split(b"\n")
        for number, line in enumerate(whole, 1):
            if not line:
                continue
            is_true = _is_true(line)
            try:
                saved = _SEATS.decode(line)
            except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
                unread.append(line)
                problems.append(f"line {number} cannot be read, and is skipped: {line[:60]!r}")
                continue
            name = saved.spec.table if isinstance(saved, SavedTable) else saved.table
            if not is_true:
                use = "an older one is used" if name in found else "it is used as it is: a seat may be lost"
                problems.append(f"line {number}, about table {name}, is damaged (its checksum does not fit); {use}")
            if isinstance(saved, ForgottenTable):
                if is_true:
                    found.pop(name, None)
            elif is_true or name not in found:
                found[name] = saved, line
        lines = [line if _SUM.search(line) else _summed(saved) for saved, line in found.values()]
        replace_file(self.seats, b"".join(line + b"\n" for line in (*lines, *unread)))
        before, self._seats = self._seats, os.open(self.seats, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)
        os.close(before)
        self._grown = 0
        return SavedSeats([saved for saved, _ in found.values()], problems)

    # Logs

    def write(self, table: GameTable, line: Any) -> None:
        """Append a line to the log of a table."""
        table_id = table.id
        chain = self._chains.get(table_id)
        if chain is None:
            chain = self._new_chain(table_id)
        self._todo.append(("lines", table_id, chain.line(line)))

    def write_beginning(self, table: GameTable, beginning: Beginning) -> None:
        """Write the first lines of a log that continues another one, all of them or none."""
        self._todo.append(("lines", table.id, self._new_chain(table.id).beginning_lines(beginning)))

    def _new_chain(self, table_id: str) -> Chain:
        """Create the hash chain of a new log."""
        chain = self._chains[table_id] = Chain(self.signer)
        return chain

    def close(self, table_id: str) -> None:
        """Sign and close the log of a table."""
        chain = self._chains.pop(table_id, None)
        if chain is not None and (signed := chain.sign()):
            self._todo.append(("lines", table_id, signed))
        self._todo.append(("close", table_id, b""))

    def sign_all(self) -> None:
        """Sign all lines added since the last signatures."""
        for table_id, chain in self._chains.items():
            if signed := chain.sign():
                self._todo.append(("lines", table_id, signed))

    def read_log(self, table_id: str) -> bytes:
        """Return the current log of a table."""
        self.flush()
        return self.log_path(table_id).read_bytes()

    def flush(self) -> None:
        """Perform all pending writes. If one fails the rest is lost, but no client has been informed of it."""
        if not self._todo or self.is_broken:
            return
        todo, self._todo = self._todo, []
        notes: list[bytes] = []
        try:
            for (step, table_id), group in groupby(todo, itemgetter(0, 1)):
                contents = [content for _, _, content in group]
                if step == "note":  # only the last note about a table counts
                    notes.append(contents[-1])
                    continue
                if notes:
                    self._write_notes(notes)
                    notes = []
                log = self.logs.get(table_id)
                if step == "lines":
                    if log is None:
                        log = self.logs[table_id] = self._new_log(self.log_path(table_id))
                    try:
                        log.append(b"".join(contents))
                    except OSError as error:
                        raise OSError(error.errno, error.strerror, str(self.log_path(table_id))) from None
                elif log is not None:
                    self.logs.pop(table_id).close()
            if notes:
                self._write_notes(notes)
        except Exception as error:
            self.is_broken = True
            self._failed(error)

    def _new_log(self, path: Path) -> LogFile:
        """Open a new log. If too many files are open, close a spare one and try again."""
        while True:
            try:
                return LogFile(path)
            except OSError as error:
                if error.errno not in PASSING or not self._spare:
                    raise
                os.close(self._spare.pop())

    def keep_spare(self) -> bool:
        """Reserve spare file descriptors for new games. Return whether all could be reserved."""
        try:
            while len(self._spare) < SPARE_FILES:
                self._spare.append(os.dup(self._lock))
        except OSError:
            return False
        return True

    def close_files(self) -> None:
        """Close all files and release the folder for another server. Pending writes are lost."""
        for log in self.logs.values():
            log.close()
        for descriptor in (self._seats, self._lock, *self._spare):
            os.close(descriptor)
        self.logs, self._spare = {}, []

    def reopen_log(self, table_id: str, size: int) -> None:
        """Open an unfinished log and truncate it to `size` bytes, its complete lines."""
        log = self.logs[table_id] = LogFile(self.log_path(table_id), keep_bytes=size, signer=self.signer)
        self._chains[table_id] = log.chain

    def log_path(self, table_id: str) -> Path:
        return self.tables / f"{table_id}.jsonl"

    # Clocks

    def save_clocks(self, waiting: dict[str, OpenRequest]) -> None:
        """Store how long each open request has been waiting, which is not in the logs."""
        replace_file(self.clocks, msgspec.json.encode(waiting))

    def saved_clocks(self) -> dict[str, OpenRequest]:
        """Return how long open requests had been waiting. Raise ValueError if the file cannot be read."""
        try:
            return _CLOCKS.decode(self.clocks.read_bytes())
        except FileNotFoundError:
            return {}
        except (msgspec.MsgspecError, RecursionError, OSError) as error:
            raise ValueError(str(error)) from None


def _saved(table: GameTable) -> SavedTable:
    seats = [
        SavedSeat(seat.kind, seat.name, seat.server_side, seat.token_seal, seat.invite_seal) for seat in table.seats
    ]
    return SavedTable(table.spec, seats, table.outcome)


def _summed(note: SavedTable | ForgottenTable) -> bytes:
    """Encode a note with a checksum."""
    line = msgspec.json.encode(note)
    return b'%b,"sum":"%08x"}' % (line[:-1], zlib.crc32(line))


def _is_true(line: bytes) -> bool:
    """Return whether the checksum of a line is correct. Old lines have none and count as correct."""
    found = _SUM.search(line)
    return found is None or int(found[1], 16) == zlib.crc32(line[: found.start()] + b"}")
