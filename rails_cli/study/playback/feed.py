"""Reading of a log from a file or a pipe, also while the log is growing."""

import os
import select
import stat

from rails_cli.basics.files import MAX_FILE_BYTES, TooLong

CHUNK = 1 << 16
"""Maximum number of bytes of one read."""


class Feed:
    """An open log file or pipe. `read` and `grown` raise TooLong if the log is too large."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._is_file = stat.S_ISREG(os.fstat(descriptor).st_mode)
        self._seen: tuple[int, int] | None = None
        self._content = bytearray()
        self.is_closed = False

    def read(self) -> bytes:
        """Return the whole content. A file is read up to its current end. A pipe is read until it is closed."""
        if self._is_file:
            return self.grown() or b""
        while not self.is_closed:
            self._take()
        return bytes(self._content)

    def grown(self) -> bytes | None:
        """Return the whole content available now, or None if it has not changed. A file may have become shorter."""
        if not self._is_file:
            before = len(self._content)
            while not self.is_closed and select.select([self._descriptor], [], [], 0)[0]:
                self._take()
            return bytes(self._content) if len(self._content) > before else None
        status = os.fstat(self._descriptor)
        now = (status.st_size, status.st_mtime_ns)
        if now == self._seen:
            return None
        self._seen = now
        if status.st_size > MAX_FILE_BYTES:
            raise TooLong
        return os.pread(self._descriptor, status.st_size, 0)

    def close(self) -> None:
        os.close(self._descriptor)

    def _take(self) -> None:
        chunk = os.read(self._descriptor, CHUNK)
        self._content += chunk
        if len(self._content) > MAX_FILE_BYTES:
            raise TooLong
        self.is_closed = not chunk
