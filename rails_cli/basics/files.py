"""Functions that read untrusted files with a size limit, write private files, and raise the limit of open files."""

import errno
import os
import resource
import stat
from pathlib import Path
from typing import BinaryIO

from rails_cli.games.shared.text import printable

MAX_FILE_BYTES = 64 << 20


class TooLong(OSError):
    """Raised for a file that is longer than MAX_FILE_BYTES."""

    def __init__(self) -> None:
        super().__init__(errno.E2BIG, f"more than {MAX_FILE_BYTES >> 20} MiB, too large for a file of this program")


class NotRegular(OSError):
    """Raised for a file that is not a regular file. Reading a FIFO or a device may block or never end."""

    def __init__(self) -> None:
        super().__init__(errno.EINVAL, "not a regular file")


def open_regular(path: str | Path, flags: int = os.O_RDONLY) -> int:
    """Open a file and return its descriptor. `flags` are those of `os.open`.

    Raise NotRegular for FIFOs, sockets and devices outside `/dev` and `/proc`, because reading them may block. Paths in
    `/dev` and `/proc` are allowed, because shells pass the output of a program as such a path. This function can be the
    `opener` of the built-in function `open`.
    """
    descriptor = os.open(path, flags | os.O_CLOEXEC | os.O_NONBLOCK)  # a FIFO without a writer does not hang
    mode = os.fstat(descriptor).st_mode
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode) or os.path.abspath(path).startswith(("/dev/", "/proc/"))):
        os.close(descriptor)
        raise NotRegular
    os.set_blocking(descriptor, True)
    return descriptor


def read_file(path: Path) -> bytes:
    """Return the content of a regular file. Raise OSError or its subclasses TooLong and NotRegular."""
    with open(path, "rb", opener=open_regular) as file:
        content = file.read(MAX_FILE_BYTES + 1)
    if len(content) > MAX_FILE_BYTES:
        raise TooLong
    return content


def raise_open_file_limit(wanted: int) -> int:
    """Raise the limit of open files of this process to `wanted`, or as far as the system allows.

    Return the number of files that may now be open, but never more than `wanted`.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return wanted
    most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    return most


def printable_path(path: Path) -> str:
    """Return a path as text, with `?` or `�` in place of unprintable characters and invalid UTF-8."""
    return printable(os.fsencode(path).decode(errors="replace"))


def open_new(file: Path, mode: int = 0o600) -> BinaryIO:
    """Create a file and open it for writing. `mode` has its permission bits. By default only the owner has access.

    Raise FileExistsError if a file or a link with this path exists.
    """
    return open(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, mode), "wb")


def replace_file(file: Path, content: bytes, mode: int = 0o600) -> None:
    """Write `content` to a file, and replace the file if it exists. `mode` has the permission bits of the new file.

    By default only the owner has access. The replacement is atomic: readers see either the old or the new content, even
    if several processes write the file.
    """
    temporary = _write_temporary(file, content, mode=mode)
    try:
        os.replace(temporary, file)
    except OSError:
        temporary.unlink()
        raise


def create_file(file: Path, content: bytes) -> None:
    """Create a file atomically and flush it to disk. Raise FileExistsError if the file exists."""
    temporary = _write_temporary(file, content, is_durable=True)
    try:
        os.link(temporary, file)
    finally:
        temporary.unlink()


def _write_temporary(file: Path, content: bytes, *, is_durable: bool = False, mode: int = 0o600) -> Path:
    """Write `content` to a temporary file next to `file`. Return the path of the temporary file.

    The content is flushed to disk if `is_durable`. The temporary file is always new: links are not followed.
    """
    temporary = file.with_name(f"{file.name}.{os.getpid()}.new")
    temporary.unlink(missing_ok=True)
    opened = open_new(temporary, mode)
    try:
        with opened:
            opened.write(content)
            if is_durable:
                opened.flush()
                os.fsync(opened.fileno())
    except OSError:
        temporary.unlink()
        raise
    return temporary
