"""The log of a game as a file of JSON lines. Only complete lines are appended."""

import fcntl
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from rails_cli.logs.chain import Beginning, Chain, Signer
from rails_cli.protocol.log import ResultLine

READ_BYTES = 1 << 20
UNFINISHED = 0o600
"""Permissions of a log file while its game is running: only the owner may read and write."""


class LogInUse(Exception):
    """Raised if another process is writing the log file."""


class LogFile:
    """A log file that is open for writing. If the process is killed, at most the last line is lost.

    Only the owner of the file can read it until the result is written.
    """

    def __init__(
        self, path: Path, *, keep_bytes: int | None = None, known_bytes: int | None = None, signer: Signer | None = None
    ) -> None:
        """Create and lock a log file. If `keep_bytes` is given, open an existing file and truncate it to that size.

        Raise FileExistsError if the file exists and `keep_bytes` is None. Raise LogInUse if another process has
        locked the file, or if the existing file does not have `known_bytes` bytes.
        """
        flags = os.O_RDWR | os.O_APPEND | os.O_CLOEXEC
        if keep_bytes is None:
            flags |= os.O_CREAT | os.O_EXCL
        self.descriptor = os.open(path, flags, 0o666)
        self._mode = os.fstat(self.descriptor).st_mode & 0o777
        """Permissions of the file once the game is over."""
        if self._mode == UNFINISHED:
            self._mode = _usual_mode()
        try:
            fcntl.flock(self.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self.descriptor)
            raise LogInUse(f"{path} is being written by another process") from None
        if keep_bytes is not None:
            size = os.fstat(self.descriptor).st_size
            if known_bytes is not None and size != known_bytes:
                os.close(self.descriptor)
                raise LogInUse(f"{path} changed while it was being read")
            os.ftruncate(self.descriptor, keep_bytes)
        os.fchmod(self.descriptor, UNFINISHED)
        self.size = 0
        self.chain = Chain(signer)
        while content := os.pread(self.descriptor, READ_BYTES, self.size):
            self.chain.update(content)
            self.size += len(content)

    def write_all(self, messages: Sequence[Any]) -> None:
        self.append(self.chain.lines(messages))

    def write(self, message: Any) -> None:
        self.append(self.chain.lines([message]))
        if type(message) is ResultLine:
            os.fchmod(self.descriptor, self._mode)

    def begin(self, beginning: Beginning) -> None:
        """Write the header and first lines of a log that continues another log."""
        self.append(self.chain.beginning_lines(beginning))

    def append(self, lines: bytes) -> None:
        """Write `lines`, which the attribute `chain` has already encoded and added to its hash."""
        size = self.size + len(lines)
        written = os.write(self.descriptor, lines)
        while written < len(lines):
            lines = lines[written:]
            written = os.write(self.descriptor, lines)
        self.size = size

    def close(self) -> None:
        """Add a signature of the unsigned lines if there is a key, then close the file."""
        with suppress(OSError):  # on a full disk the last lines stay unsigned
            self.append(self.chain.sign())
        os.close(self.descriptor)


def _usual_mode() -> int:
    """Return the permissions that new files get by default. The umask can be read only by changing it for a moment."""
    mask = os.umask(0o077)
    os.umask(mask)
    return 0o666 & ~mask
