"""The files of a server: one log for each table, and one file with the seats of all tables and hashed tokens."""

import errno
import fcntl
import os
import re
import time
import zlib
from collections.abc import Callable
from contextlib import suppress
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from rails_cli.basics.files import replace_file
from rails_cli.basics.tokens import new_token
from rails_cli.logs.chain import Signer
from rails_cli.logs.log_file import LogFile
from rails_cli.logs.signing import KEY_NAME, BadKey, SigningKey, new_key, read_key
from rails_cli.protocol.lines import UNDECODABLE
from rails_cli.server.draining import LOCK, REQUEST
from rails_cli.server.store.records import ForgottenTable, OpenRequest, SavedTable

INCOMPLETE = "the file could not be written completely"
MOST_GROWN = 1_000_000
"""Number of bytes by which the file with the seats of all tables may grow before it is compacted."""


OPEN_FILE_ERRORS = (errno.EMFILE, errno.ENFILE)
"""Error codes of the operating system for too many open files. The server continues after such an error."""
SPARE_FILES = 16
LOCK_ATTEMPTS, LOCK_S = 5, 0.02
"""Number of attempts to lock the data folder, and the seconds between two attempts."""


class FolderInUse(Exception):
    """Raised if another running server uses the same data folder."""


class SavedSeats(NamedTuple):
    """Content of the file with the seats of all tables."""

    tables: list[SavedTable]
    """The stored tables, oldest first."""
    problems: list[str]
    """Descriptions of the lines that are damaged or cannot be decoded."""


_SUM = re.compile(rb',"sum":"([0-9a-f]{8})"}$')
TABLE_ID = re.compile(r"[0-9A-Za-z_-]{1,64}")
"""Pattern of the id of a table, which is part of the name of its log."""
_SEATS = msgspec.json.Decoder(SavedTable | ForgottenTable)
_CLOCKS = msgspec.json.Decoder(dict[str, OpenRequest])


class Storage:
    """The data folder of a server. Only the user who runs the server can read it. Two servers cannot share a folder."""

    def __init__(self, folder: Path, *, failed: Callable[[Exception], None]) -> None:
        """`failed` is called with the error if a write fails. Writes are queued until `flush` is called."""
        self.folder = folder
        self._failed = failed
        self.todo: list[tuple[str, str, Any]] = []
        """Pending writes in the order of events, so that the files are consistent after a crash.

        Each write has a kind, the id of a table, and a content. The kinds are:
        - `note`: write an encoded line to the file of seats.
        - `line`: write a line, not encoded yet, to the log.
        - `beginning`: write the first lines of a log that continues another game.
        - `sign`: sign the log.
        - `close`: close the log.
        """
        self.is_broken = False
        """Whether a write failed or the folder was released. If so, nothing is written any more."""
        self.tables = folder / "tables"
        self.seats = folder / "seats.jsonl"
        self.clocks = folder / "clocks.json"
        self.bans = folder / "bans.json"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with suppress(PermissionError):  # a folder of another user keeps its permissions
            folder.chmod(0o700)
        self.tables.mkdir(mode=0o700, exist_ok=True)
        self.tables.chmod(0o700)
        self.logs: dict[str, LogFile] = {}
        """Mapping from table id to the open log of the table."""
        self.signer: Signer | None = None
        """Signer of logs, for new games and for games that continue after a restart. None if logs are not signed."""
        self._lock = os.open(folder / LOCK, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
        for attempt in range(LOCK_ATTEMPTS):
            try:
                fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if attempt == LOCK_ATTEMPTS - 1:
                    os.close(self._lock)
                    raise FolderInUse(f"another server is using {folder}") from None
                time.sleep(LOCK_S)  # `server_process` locks the file for a moment
        os.ftruncate(self._lock, 0)
        os.write(self._lock, b"%d\n" % os.getpid())
        (folder / REQUEST).unlink(missing_ok=True)
        self.has_lost_seats = not self.seats.exists()
        """Whether the file of seats was missing at the start: the folder is new, or the file was removed."""
        self._seats = os.open(self.seats, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        self._grown = 0
        self._spare: list[int] = []
        self.keep_spare()

    def token(self, name: str) -> str:
        """Return the token in the file `name`. If the file does not exist, create it.

        Raise OSError if the file is invalid.
        """
        file = self.folder / name
        if not file.exists() or not file.read_bytes().strip():
            replace_file(file, new_token().encode() + b"\n")
        try:
            return file.read_text(encoding="ascii").strip()
        except UnicodeDecodeError:
            raise OSError(None, "this is not a token; delete the file to get a new one", str(file)) from None

    def signing_key(self) -> SigningKey:
        """Return the key for signing logs. The first call creates the key file.

        Raise NoSigning if the library for signatures is missing, or OSError if the key file is invalid.
        """
        file = self.folder / KEY_NAME
        try:
            return read_key(file) if file.exists() else new_key(file)
        except BadKey as error:
            raise OSError(None, f"{error}; restore {file.name} from a backup, or delete it to get a new key") from None

    # Seats

    def save(self, table: SavedTable) -> None:
        """Queue a line for the file of seats, with a table, its seats and its result.

        The line replaces earlier lines about the table.
        """
        self.todo.append(("note", table.spec.table, _with_checksum(table)))

    def forget(self, table_id: str) -> None:
        """Queue a line that removes a table from the file of seats. The log of the table is kept."""
        self.todo.append(("note", table_id, _with_checksum(ForgottenTable(table_id))))

    def _write_note(self, note: bytes) -> None:
        content = b"\n%b\n" % note  # the leading newline ends a torn line
        self._grown += len(content)
        if os.write(self._seats, content) < len(content):
            raise OSError(None, INCOMPLETE, str(self.seats))

    def tidy_if_grown(self) -> None:
        """Compact the file of seats if it has grown by MOST_GROWN bytes and no write is pending."""
        if self._grown > MOST_GROWN and not self.todo:
            self.saved_tables()

    def saved_tables(self) -> SavedSeats:
        """Return all stored tables, and compact the file of seats.

        The file may have several lines about a table. The last line with a correct checksum is used. If there is none,
        a damaged line is used if it can be decoded.
        """
        found: dict[str, tuple[SavedTable, bytes]] = {}
        unread, problems = [], []
        *whole, _torn = self.seats.read_bytes().split(b"\n")
        for number, line in enumerate(whole, 1):
            if not line:
                continue
            is_intact = _is_intact(line)
            try:
                saved = _SEATS.decode(line)
            except UNDECODABLE:
                unread.append(line)
                problems.append(f"line {number} cannot be read, and is skipped: {line[:60]!r}")
                continue
            name = saved.spec.table if isinstance(saved, SavedTable) else saved.table
            if not TABLE_ID.fullmatch(name):
                problems.append(f"line {number} is skipped: {name[:60]!r} is not the id of a table")
                continue
            if not is_intact:
                use = "an older one is used" if name in found else "it is used as it is: a seat may be lost"
                problems.append(f"line {number}, about table {name}, is damaged (its checksum does not fit); {use}")
            if isinstance(saved, ForgottenTable):
                if is_intact:
                    found.pop(name, None)
            elif is_intact or name not in found:
                found[name] = saved, line
        lines = [line if _SUM.search(line) else _with_checksum(saved) for saved, line in found.values()]
        replace_file(self.seats, b"".join(line + b"\n" for line in (*lines, *unread)))
        before, self._seats = self._seats, os.open(self.seats, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)
        os.close(before)
        self._grown = 0
        return SavedSeats([saved for saved, _ in found.values()], problems)

    # Logs

    def close(self, table_id: str) -> None:
        """Queue signing and closing the log of a table."""
        self.todo.append(("close", table_id, None))

    def sign_all(self) -> None:
        """For each open log, queue a signature of all lines added since the last signature."""
        for table_id in self.logs:
            self.todo.append(("sign", table_id, None))

    def read_log(self, table_id: str) -> bytes:
        """Return the content of the log of a table, including its pending lines."""
        self.flush()
        return self.log_path(table_id).read_bytes()

    def flush(self) -> None:
        """Perform all pending writes. If a write fails, call `failed` and do not write any more."""
        if not self.todo or self.is_broken:
            return
        todo, self.todo = self.todo, []
        kind = table_id = ""
        try:
            for (kind, table_id), group in groupby(todo, itemgetter(0, 1)):
                contents = list(map(itemgetter(2), group))
                log = self.logs.get(table_id)
                if kind == "line" and log is not None:
                    lines = log.chain.lines(contents)
                    if os.write(log.descriptor, lines) < len(lines):
                        raise OSError(None, INCOMPLETE)
                elif kind == "note":
                    self._write_note(contents[-1])  # only the last note about a table counts
                else:
                    self._write_other(kind, table_id, contents)
        except Exception as error:
            if isinstance(error, OSError) and error.filename is None and kind != "note":
                error.filename = str(self.log_path(table_id))
            self.is_broken = True
            self._failed(error)

    def _write_other(self, kind: str, table_id: str, contents: list[Any]) -> None:
        """Perform pending writes for the log of a table.

        Depending on `kind`, write the first lines in `contents`, sign the log or close it.
        """
        log = self.logs.get(table_id)
        if kind == "sign":
            if log is not None:
                log.append(log.chain.sign())
        elif kind == "close":
            if log is not None:
                self.logs.pop(table_id).close()
        else:
            log = self.logs[table_id] = self._new_log(self.log_path(table_id))
            if kind == "beginning":
                log.begin(contents[0])
            else:
                log.append(log.chain.lines(contents))

    def _new_log(self, path: Path) -> LogFile:
        """Create and return a log. If too many files are open, close a reserved file descriptor and try again."""
        while True:
            try:
                return LogFile(path, signer=self.signer)
            except OSError as error:
                if error.errno not in OPEN_FILE_ERRORS or not self._spare:
                    raise
                os.close(self._spare.pop())

    def keep_spare(self) -> bool:
        """Reserve SPARE_FILES file descriptors for the logs of new games. Return False if that is not possible."""
        try:
            while len(self._spare) < SPARE_FILES:
                self._spare.append(os.dup(self._lock))
        except OSError:
            return False
        return True

    def release(self) -> None:
        """Close all files, so that another server may use the folder. Pending writes are lost."""
        self.is_broken = True
        for descriptor in (*(log.descriptor for log in self.logs.values()), self._seats, self._lock, *self._spare):
            os.close(descriptor)
        self.logs, self._spare = {}, []

    def reopen_log(self, table_id: str, size: int) -> None:
        """Open the unfinished log of a table. Truncate the log to `size` bytes, the size of its complete lines."""
        self.logs[table_id] = LogFile(self.log_path(table_id), keep_bytes=size, signer=self.signer)

    def log_path(self, table_id: str) -> Path:
        return self.tables / f"{table_id}.jsonl"

    # Clocks

    def save_clocks(self, waiting: dict[str, OpenRequest]) -> None:
        """Store `waiting`, which maps the id of a table to the time used for its open request.

        Logs do not contain this time.
        """
        replace_file(self.clocks, msgspec.json.encode(waiting))

    def saved_clocks(self) -> dict[str, OpenRequest]:
        """Return the mapping that was last passed to `save_clocks`. It is empty if there was no such call.

        Raise ValueError if the file is unreadable.
        """
        try:
            return _CLOCKS.decode(self.clocks.read_bytes())
        except FileNotFoundError:
            return {}
        except (msgspec.MsgspecError, RecursionError, OSError) as error:
            raise ValueError(str(error)) from None


def _with_checksum(note: SavedTable | ForgottenTable) -> bytes:
    """Return `note` as an encoded line for the file of seats, with a checksum."""
    line = msgspec.json.encode(note)
    return b'%b,"sum":"%08x"}' % (line[:-1], zlib.crc32(line))


def _is_intact(line: bytes) -> bool:
    """Return whether a line of the file of seats has a correct checksum or no checksum."""
    found = _SUM.search(line)
    return found is None or int(found[1], 16) == zlib.crc32(line[: found.start()] + b"}")
