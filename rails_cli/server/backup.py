"""Backups of the data folder of a server. A backup is one compressed tar file.

The server may run and change files during the backup. The order in which files are copied ensures the following:

- A rated game whose result is stored has a finished log.
- Every table in the file of clocks has a log. The file of clocks has the time that players have used for open requests.
- If a table is stored as ended, its log is finished.

In other respects the copied files may contradict each other, as after a crash. The server repairs this when it starts.
"""

import gzip
import io
import os
import shutil
import sqlite3
import tarfile
import time
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from hashlib import sha256
from pathlib import Path, PurePosixPath

import msgspec

from rails_cli.basics.files import MAX_FILE_BYTES, TooLong, open_new, read_file
from rails_cli.match.match import SERVER
from rails_cli.protocol.lines import UNDECODABLE
from rails_cli.server.draining import LOCK, REQUEST
from rails_cli.server.pool.results import FOLDER as POOL
from rails_cli.server.pool.results import LOCK as POOL_LOCK
from rails_cli.server.store.kept_logs import last_result
from rails_cli.server.store.records import ForgottenTable, SavedTable
from rails_cli.tournament.results.store import DATABASE

FORMAT = 1
"""Version of the format of backups."""
MANIFEST = "backup.json"
TABLES, SEATS, CLOCKS = "tables", "seats.jsonl", "clocks.json"
TEMPORARY = ".new"
LEAST_LINES = 2
"""Number of lines of a log before its first action.

A log with fewer lines is not copied, because the server has not sent anything about its game to clients.
"""
_SEATS = msgspec.json.Decoder(SavedTable | ForgottenTable)


class BackupError(Exception):
    """Raised if a backup cannot be made or restored. The text is the reason."""


class Manifest(msgspec.Struct, frozen=True):
    """The last file of a backup, which lists the other files. `format` is the version of the backup format."""

    format: int
    server: str
    """Version of the program that made the backup."""
    made_at: float
    """Unix timestamp of the backup."""
    files: dict[str, str]
    """Mapping from the path of each file in the data folder to its SHA-256, as hex digits."""


def write_backup(folder: Path, file: Path) -> Manifest:
    """Write a backup of the data folder `folder` to the new file `file`, which only its owner can read.

    Raise BackupError if `folder` has no data of a server, if `file` exists, or if a file cannot be read or written.
    """
    if not (folder / SEATS).is_file():
        raise BackupError(f"{folder} is not the data folder of a server: it has no {SEATS}")
    if file.exists():
        raise BackupError(f"{file} exists; choose another name")
    if file.resolve().is_relative_to(folder.resolve()):
        raise BackupError(f"{file} is inside {folder}; choose a place outside, or the next backup contains this one")
    temporary = file.with_name(f"{file.name}.{os.getpid()}{TEMPORARY}")
    try:
        with open_new(temporary) as opened:
            with tarfile.open(fileobj=opened, mode="w:gz") as archive:
                manifest = _fill(archive, folder)
            opened.flush()
            os.fsync(opened.fileno())
        os.replace(temporary, file)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise BackupError(f"cannot copy {error.filename or file}: {error.strerror or error}") from None
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    return manifest


def _fill(archive: tarfile.TarFile, folder: Path) -> Manifest:
    made_at = time.time()
    sums: dict[str, str] = {}
    logs: dict[str, str] = {}
    """Mapping from the SHA-256 of a log to the path of the first log with this content.

    A game of the pool has the same log in two folders.
    """
    for name, content in _contents(folder):
        sums[name] = sha256(content).hexdigest()
        if name.endswith(".jsonl") and logs.setdefault(sums[name], name) != name:
            link = tarfile.TarInfo(name)
            link.type, link.linkname = tarfile.LNKTYPE, logs[sums[name]]
            archive.addfile(link)
        else:
            _add(archive, name, content, made_at)
    manifest = Manifest(FORMAT, SERVER, made_at, sums)
    _add(archive, MANIFEST, msgspec.json.encode(manifest), made_at)
    return manifest


def _add(archive: tarfile.TarFile, name: str, content: bytes, made_at: float) -> None:
    member = tarfile.TarInfo(name)
    member.size, member.mode, member.mtime = len(content), 0o600, int(made_at)
    archive.addfile(member, io.BytesIO(content))


def _contents(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the path and the content of each file of a data folder.

    The server may change files in the meantime. Results are read before logs, so that the backup has the log of every
    result.
    """
    pool = folder / POOL
    if (pool / DATABASE).is_file():
        yield f"{POOL}/{DATABASE}", _database(pool / DATABASE)
        for path in _files(pool):
            if not path.name.startswith(DATABASE) and path.name not in (LOCK, POOL_LOCK):
                yield from _content(folder, path)
    yield from _content(folder, folder / CLOCKS)
    seats = _whole_lines((folder / SEATS).read_bytes())
    yield SEATS, seats
    known = set(_known_tables(seats))
    for path in _files(folder / TABLES):
        for name, content in _content(folder, path):
            lines = content.split(b"\n")
            is_useful = path.stem in known or last_result(lines) is not None
            if path.suffix != ".jsonl" or (is_useful and len(lines) > LEAST_LINES):
                yield name, content
    for path in sorted(folder.iterdir()):
        if _is_own(path) and path.name not in (LOCK, REQUEST, CLOCKS, SEATS, MANIFEST) and path.suffix != TEMPORARY:
            yield from _content(folder, path)


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if _is_own(path) and path.suffix != TEMPORARY)


def _is_own(path: Path) -> bool:
    """Return whether a path is a regular file.

    Links are excluded, because they may lead to files outside the data folder.
    """
    return path.is_file() and not path.is_symlink()


def _content(folder: Path, path: Path) -> Iterator[tuple[str, bytes]]:
    """Yield one pair: the path in `folder` and the content of the file `path`.

    Yield nothing if the file does not exist. If the file is a log, an incomplete last line is left out.
    """
    try:
        content = read_file(path)
    except FileNotFoundError:
        return
    except TooLong as error:
        raise BackupError(f"cannot copy {path}: {error.strerror or error}") from None
    yield path.relative_to(folder).as_posix(), _whole_lines(content) if path.suffix == ".jsonl" else content


def _whole_lines(content: bytes) -> bytes:
    return content[: content.rfind(b"\n") + 1]


def _known_tables(seats: bytes) -> Iterator[str]:
    """Yield the ids of the tables in `seats`, the content of the file of seats."""
    for line in filter(None, seats.split(b"\n")):
        try:
            saved = _SEATS.decode(line)
        except UNDECODABLE:
            continue
        if isinstance(saved, SavedTable):
            yield saved.spec.table


def _database(file: Path) -> bytes:
    """Return a consistent copy of a database that another process may be writing."""
    try:
        with closing(sqlite3.connect(file, timeout=30)) as source, closing(sqlite3.connect(":memory:")) as copy:
            source.backup(copy)
            return copy.serialize()
    except sqlite3.Error as error:
        raise BackupError(f"cannot read {file}: {error}") from None


@contextmanager
def unpacked_backup(file: Path, folder: Path) -> Iterator[Path]:
    """Unpack a backup into a temporary folder and provide the path of this folder for a `with` block.

    At the end of the block, the temporary folder is renamed to `folder`. If the block raises an exception, the
    temporary folder is deleted. Raise BackupError if the backup is damaged, or if `folder` exists and is not empty.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise BackupError(f"{folder} exists and is not empty; choose another folder")
    temporary = folder.resolve().with_name(f"{folder.resolve().name}.{os.getpid()}{TEMPORARY}")
    try:
        temporary.mkdir(mode=0o700, parents=True)
    except OSError as error:
        raise BackupError(f"cannot write {folder}: {error.strerror}") from None
    try:
        _unpack(file, temporary)
        yield temporary
        temporary.rename(folder.resolve())
    except BaseException:
        shutil.rmtree(temporary)
        raise


def _unpack(file: Path, folder: Path) -> None:
    """Write all files of a backup to `folder`. Raise BackupError if a file is missing, changed or a link."""
    sums: dict[str, str] = {}
    manifest: Manifest | None = None
    try:
        with gzip.open(file) as stream, tarfile.open(fileobj=stream, mode="r:") as archive:
            for member in archive:
                name, parts = member.name, PurePosixPath(member.name).parts
                is_link = member.islnk() and member.linkname in sums
                if not (member.isreg() or is_link) or not parts or name in sums or {"/", ".."} & {*parts}:
                    raise BackupError(f"{file} is not a backup of a server: unexpected {name!r}")
                if member.issparse() or member.size > MAX_FILE_BYTES:
                    raise BackupError(f"{file} is not a backup of a server: {name!r} is too large")
                opened = None if is_link else archive.extractfile(member)
                content = b"" if opened is None else opened.read()
                if name == MANIFEST:
                    manifest = msgspec.json.decode(content, type=Manifest)
                    continue
                path = folder.joinpath(*parts)
                path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                if is_link:
                    os.link(folder / member.linkname, path)
                    sums[name] = sums[member.linkname]
                else:
                    with open_new(path) as written:
                        written.write(content)
                    sums[name] = sha256(content).hexdigest()
            stream.read()  # up to the end, where the checksum of the whole file is compared
    except gzip.BadGzipFile:
        raise BackupError(f"{file} is damaged or not a backup of a server") from None
    except OSError as error:
        raise BackupError(f"cannot write {error.filename or folder}: {error.strerror}") from None
    except (tarfile.TarError, EOFError, zlib.error, ValueError, OverflowError, RecursionError) as error:
        raise BackupError(f"{file} is damaged or not a backup of a server: {error}") from None
    if manifest is None:
        raise BackupError(f"{file} is incomplete: its list of files is missing")
    if manifest.format != FORMAT:
        raise BackupError(f"{file} has format {manifest.format}; this version reads format {FORMAT}")
    if manifest.files != sums:
        names = sorted(name for name, _ in manifest.files.items() ^ sums.items())
        raise BackupError(f"{file} is damaged: {names[0]} is missing or was changed")
