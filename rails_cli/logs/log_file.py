"""The log of a game as a file of JSON lines. Each line is appended as a whole."""

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
"""Permissions of a log while its game is running."""


class LogInUse(Exception):
    """Raised if another process is writing the log."""


class LogFile:
    """A log that is being written. Killing the program loses at most the line being written.

    Until the game is over, only the owner of the file can read it, because it contains the seed and all hands.
    """

    def __init__(
        self, path: Path, *, keep_bytes: int | None = None, known_bytes: int | None = None, signer: Signer | None = None
    ) -> None:
        """Create a file, which must not exist, or continue an existing file after its first `keep_bytes` bytes.

        The file is locked. Raises LogInUse if it is locked already, or its size is not `known_bytes`.
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
        """Append the first lines of the log, copied from another log."""
        self.append(self.chain.beginning_lines(beginning))

    def append(self, lines: bytes) -> None:
        """Append complete JSON lines that are already in the hash chain."""
        size = self.size + len(lines)
        written = os.write(self.descriptor, lines)
        while written < len(lines):
            lines = lines[written:]
            written = os.write(self.descriptor, lines)
        self.size = size

    def close(self) -> None:
        """Sign the unsigned lines if there is a key, and close the file."""
        with suppress(OSError):  # on a full disk the last lines stay unsigned
            self.append(self.chain.sign())
        os.close(self.descriptor)


def _usual_mode() -> int:
    """Return the default permissions of new files. Reading the umask requires setting it, here to a stricter one."""
    mask = os.umask(0o077)
    os.umask(mask)
    return 0o666 & ~mask
