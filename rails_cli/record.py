"""The log of a game as a file of JSON lines: each is written whole, at once, at the end of the file."""

import os
from pathlib import Path
from types import TracebackType
from typing import Any

import msgspec

_ENCODER = msgspec.json.Encoder()


def line_of(message: Any) -> bytes:
    """A message as one line of a log."""
    return _ENCODER.encode(message) + b"\n"


class LogFile:
    """A log that is being written. Ending the program at any byte loses at most the line being written."""

    def __init__(self, path: Path, *, keep_bytes: int | None = None) -> None:
        """A new file, which must not exist; or an existing one, cut to its first `keep_bytes` bytes and carried on."""
        flags = os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC
        if keep_bytes is None:
            flags |= os.O_CREAT | os.O_EXCL
        else:
            os.truncate(path, keep_bytes)
        self._file = os.open(path, flags, 0o644)

    def write(self, message: Any) -> None:
        line = line_of(message)
        written = os.write(self._file, line)
        while written < len(line):
            line = line[written:]
            written = os.write(self._file, line)

    def close(self) -> None:
        os.close(self._file)

    def __enter__(self) -> "LogFile":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
