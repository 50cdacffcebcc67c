"""Where a server keeps its tables: the log of each, and one file about the seats of all, with sealed tokens."""

import errno
import fcntl
import os
import re
import zlib
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from rails_cli.files import write_new
from rails_cli.log_file import LogFile
from rails_cli.match.chain import Beginning, Chain, Signer
from rails_cli.server.records import ForgottenTable, OpenRequest, SavedSeat, SavedTable
from rails_cli.server.table import GameTable
from rails_cli.server.turns import Writing
from rails_cli.signing import KEY_NAME, BadKey, SigningKey, new_key, read_key
from rails_cli.tokens import new_token

Step = Literal["note", "lines", "close"]
"""A note about the seats of a table, lines for its log, or the end of its log."""

MOST_GROWN = 1_000_000
"""Bytes by which the file of seats may grow before it is tidied."""


PASSING = (errno.EMFILE, errno.ENFILE)
"""Too many open files: a moment later there may be fewer."""
SPARE_FILES = 16


class FolderInUse(Exception):
    """Another server keeps its tables here."""


class SavedSeats(NamedTuple):
    """What the file of seats tells."""

    tables: list[SavedTable]
    """Oldest first."""
    problems: list[str]
    """Lines that cannot be read, or are damaged, in words."""


_SUM = re.compile(rb',"sum":"([0-9a-f]{8})"}$')
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
        self.bans = folder / "bans.json"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.tables.mkdir(mode=0o700, exist_ok=True)
        self.tables.chmod(0o700)
        self.logs: dict[str, LogFile] = {}
        self._chains: dict[str, Chain] = {}
        """Of the logs that are written, with what waits to be."""
        self.signer: Signer | None = None
        """Who signs new logs, and those of games that go on."""
        self._lock = os.open(folder / "lock", os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(self._lock)
            raise FolderInUse(f"another server is using {folder}") from None
        self.has_lost_seats = not self.seats.exists()
        """Whether there was no file of seats: none yet, or somebody took it away."""
        self._seats = os.open(self.seats, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        self._grown = 0
        self._spare: list[int] = []
        self.keep_spare()

    def admin_token(self) -> str:
        """The token of the server's owner, made when it is first asked for."""
        file = self.folder / "admin-token"
        if not file.exists() or not file.read_bytes().strip():
            write_new(file, new_token().encode() + b"\n")
        try:
            return file.read_text(encoding="ascii").strip()
        except UnicodeDecodeError:
            raise OSError(None, "this is not a token; delete the file to get a new one", str(file)) from None

    def signing_key(self) -> SigningKey:
        """The key that logs are signed with, made when it is first asked for. Raises NoSigning, OSError."""
        file = self.folder / KEY_NAME
        try:
            return read_key(file) if file.exists() else new_key(file)
        except BadKey as error:
            raise OSError(None, f"{error}; restore {file.name} from a backup, or delete it to get a new key") from None

    # Seats

    def save(self, table: GameTable) -> None:
        """Keeps who holds which seat, and how it ended: a line is added, and the last one about a table counts."""
        self._add("note", table.id, _summed(_saved(table)))

    def forget(self, table_id: str) -> None:
        """Nobody will come back to this table; its log stays, if there is one."""
        self._add("note", table_id, _summed(ForgottenTable(table_id)))

    def _write_notes(self, notes: list[bytes]) -> None:
        content = b"".join([b"\n%b\n" % note for note in notes])  # a torn line before it spoils nothing
        self._grown += len(content)
        if os.write(self._seats, content) < len(content):
            raise OSError(None, "the file could not be written completely", str(self.seats))

    def tidy_if_grown(self) -> None:
        """Writes the seats anew when most of the file is past, and nothing waits to be written."""
        if self._grown > MOST_GROWN and not self._todo:
            self.saved_tables()

    def saved_tables(self) -> SavedSeats:
        """All tables that were kept; what is past goes from the file. Of two lines about a table the last counts that
        is whole; where there is none, a damaged one that can be read is better than nothing."""
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
        write_new(self.seats, b"".join(line + b"\n" for line in (*lines, *unread)))
        before, self._seats = self._seats, os.open(self.seats, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)
        os.close(before)
        self._grown = 0
        return SavedSeats([saved for saved, _ in found.values()], problems)

    # Logs

    def write(self, table: GameTable, line: Any) -> None:
        """Adds a line to a table's log."""
        table_id = table.id
        chain = self._chains.get(table_id)
        if chain is None:
            chain = self._chain(table_id)
        self._add("lines", table_id, chain.line(line))

    def write_beginning(self, table: GameTable, beginning: Beginning) -> None:
        """The first lines of a table's log, as another log tells them: all of them, or none."""
        self._add("lines", table.id, self._chain(table.id).begun(beginning))

    def _chain(self, table_id: str) -> Chain:
        """That of a log that begins."""
        chain = self._chains[table_id] = Chain(self.signer)
        return chain

    def close(self, table_id: str) -> None:
        """The last line has been added."""
        chain = self._chains.pop(table_id, None)
        if chain is not None and (signed := chain.sign()):
            self._add("lines", table_id, signed)
        self._add("close", table_id, b"")

    def sign_all(self) -> None:
        """Signs what has been added since the last time."""
        for table_id, chain in self._chains.items():
            if signed := chain.sign():
                self._add("lines", table_id, signed)

    def read_log(self, table_id: str) -> bytes:
        """A table's log up to now."""
        self.settle()
        return self.log_path(table_id).read_bytes()

    def settle(self) -> None:
        """The files are as if everything had been written at once."""
        self._writing.settle()

    def _add(self, step: Step, table_id: str, content: bytes) -> None:
        todo = self._todo
        if todo:
            last, about, contents = todo[-1]
            if about == table_id and last == step:
                if step == "note":  # the last one about a table counts
                    contents.clear()
                contents.append(content)
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
            log = self.logs[table_id] = self._new_log(self.log_path(table_id))
        try:
            log.append(lines[0] if len(lines) == 1 else b"".join(lines))
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(self.log_path(table_id))) from None

    def _new_log(self, path: Path) -> LogFile:
        """A game that begins is worth one of the files that are held in reserve."""
        while True:
            try:
                return LogFile(path)
            except OSError as error:
                if error.errno not in PASSING or not self._spare:
                    raise
                os.close(self._spare.pop())

    def keep_spare(self) -> bool:
        """Holds files open that a game can have when there are too many; whether all are there."""
        try:
            while len(self._spare) < SPARE_FILES:
                self._spare.append(os.dup(self._lock))
        except OSError:
            return False
        return True

    def carry_on(self, table_id: str, size: int) -> None:
        """Opens a log that breaks off, cut to its whole lines."""
        log = self.logs[table_id] = LogFile(self.log_path(table_id), keep_bytes=size, signer=self.signer)
        self._chains[table_id] = log.chain

    def log_path(self, table_id: str) -> Path:
        return self.tables / f"{table_id}.jsonl"

    # Clocks

    def save_clocks(self, waiting: dict[str, OpenRequest]) -> None:
        """Keeps how long each open request has been waiting, which no log tells."""
        write_new(self.clocks, msgspec.json.encode(waiting))

    def saved_clocks(self) -> dict[str, OpenRequest]:
        """How long open requests had been waiting. Raises ValueError if that cannot be read."""
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
    """A line about a table that shows by its checksum whether it has stayed as it is."""
    line = msgspec.json.encode(note)
    return b'%b,"sum":"%08x"}' % (line[:-1], zlib.crc32(line))


def _is_true(line: bytes) -> bool:
    """Whether a line is as it was written; old ones have no checksum."""
    found = _SUM.search(line)
    return found is None or int(found[1], 16) == zlib.crc32(line[: found.start()] + b"}")
