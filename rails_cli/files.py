"""Files that may come from anybody: one that is too long, or has no end, is not read on; private ones; and how many
may be open."""

import errno
import os
import resource
import stat
from pathlib import Path

from rails_cli.games.phrases import printable

LONGEST = 64 << 20


class TooLong(OSError):
    """More bytes than anything that this program reads."""

    def __init__(self) -> None:
        super().__init__(errno.E2BIG, f"more than {LONGEST >> 20} MiB, too large for a file of this program")


class NotRegular(OSError):
    """A pipe or a device, which may never end or keep its reader waiting."""

    def __init__(self) -> None:
        super().__init__(errno.EINVAL, "not a regular file")


def read_file(path: Path, *, must_be_regular: bool = False) -> bytes:
    """All of a file; one that nobody has named, but was found in a folder, must be regular. Raises OSError."""
    with open(path, "rb", opener=_open_at_once if must_be_regular else None) as file:
        if must_be_regular and not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise NotRegular
        content = file.read(LONGEST + 1)
    if len(content) > LONGEST:
        raise TooLong
    return content


def _open_at_once(path: str, flags: int) -> int:
    """A pipe waits for nobody who writes."""
    return os.open(path, flags | os.O_NONBLOCK)


def may_open(wanted: int) -> int:
    """How many files may be open: as many as are wanted, or fewer where the system allows no more."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return wanted
    most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    return most


def shown_path(path: Path) -> str:
    """A path as people and programs can be told it: files from elsewhere may be called anything."""
    return printable(os.fsencode(path).decode(errors="replace"))


def write_new(file: Path, content: bytes) -> None:
    """Replaces a file at one stroke, also if others do so too; its owner alone can read it."""
    beside = _beside(file, content)
    try:
        os.replace(beside, file)
    except OSError:
        beside.unlink()
        raise


def create_file(file: Path, content: bytes) -> None:
    """The same for a file that must not be there, and has to last. Raises FileExistsError."""
    beside = _beside(file, content, has_to_last=True)
    try:
        os.link(beside, file)
    finally:
        beside.unlink()


def _beside(file: Path, content: bytes, *, has_to_last: bool = False) -> Path:
    """A private file with that content beside another one. Raises OSError, and leaves nothing."""
    beside = file.with_name(f"{file.name}.{os.getpid()}.new")
    handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    try:
        with open(handle, "wb") as opened:
            opened.write(content)
            if has_to_last:
                opened.flush()
                os.fsync(handle)
    except OSError:
        beside.unlink()
        raise
    return beside
