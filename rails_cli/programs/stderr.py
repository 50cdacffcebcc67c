"""The stderr of a bot, stored in a file together with debug output from stdout."""

import os
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from rails_cli.games.shared.text import printable
from rails_cli.protocol.messages import MAX_LINE
from rails_cli.referee.seats import SeatLost

STDERR_LIMIT = 1_048_576
"""Maximum number of bytes of a bot's stderr that are stored per match."""
PRINT_LIMIT = 4 * MAX_LINE
"""Maximum number of bytes that a bot may print on stdout between two requests, apart from its messages."""
PRINT_LINE = 64
"""Number of bytes added to the length of each printed line when it is counted towards PRINT_LIMIT.

So the limit also applies to a large number of short lines.
"""
OWN_PREFIXES = (b"=", b"stdout:")
"""Prefixes of the lines that this program itself writes to a bot's stderr file."""
LAST_BYTES = 8192
"""Number of bytes from the end of a process's stderr that are kept in memory."""
LAST_LINES = 15
"""Number of lines from the end of a bot's stderr that are reported with a fault."""
LONGEST_LINE = 500
"""Maximum number of characters of each stderr line that is reported with a fault."""


class Stderr:
    """The stderr of a bot. It is stored in a file up to a limit per match, and its last bytes are kept in memory."""

    def __init__(self, file: Path | BinaryIO | None) -> None:
        """Prepare to store stderr in `file`, unless it is None.

        If `file` is a path, the file is created now, and opened when something is written.
        """
        self.file = file
        if isinstance(file, Path):
            with suppress(OSError):  # a full disk does not end the game
                file.touch()
        self.size = 0
        """Number of bytes of stderr and debug output that were stored in the current match."""
        self.heading: bytes | None = None
        """Text to write on a new line before the next output. None means that the output continues the current line."""
        self.last = b""
        """The last bytes that the process wrote to stderr."""
        self.printed = 0
        """Number of bytes of lines printed on stdout since the last request, as counted towards PRINT_LIMIT."""
        self._open: BinaryIO | None = None
        self._is_at_line_start = not isinstance(file, Path) or _ends_with_newline(file)

    def begin_process(self) -> None:
        """Begin a new line for the stderr of a new process, and forget the last bytes of the old process."""
        self.last, self.heading = b"", self.heading or b""

    def begin_match(self) -> None:
        """Set `size` to 0 and clear `last` at the start of a match. The file keeps its content."""
        self.size, self.last = 0, b""

    def write(self, chunk: bytes) -> None:
        """Store a part of the bot's stderr. Lines that start with one of OWN_PREFIXES are indented by a space."""
        self.last = (self.last + chunk)[-LAST_BYTES:]
        starts_line = self._is_at_line_start or self.heading is not None
        if starts_line and chunk.startswith(OWN_PREFIXES):
            chunk = b" " + chunk
        for prefix in OWN_PREFIXES:
            chunk = chunk.replace(b"\n" + prefix, b"\n " + prefix)
        self._keep(chunk)

    def keep_print(self, line: bytes) -> None:
        """Store a line of stdout that is not a message.

        Raise SeatLost if such lines have more than PRINT_LIMIT bytes since the last request.
        """
        self.heading = self.heading or b""
        self._keep(b"stdout: " + line + b"\n")
        self.printed += len(line) + PRINT_LINE
        if self.printed > PRINT_LIMIT:
            raise SeatLost("too_long", "wrote too much that is not an answer")

    def mark(self, words: str) -> None:
        """Write `words` to the file as a line of this program, if the bot has written something in this match."""
        if self.size:
            was_open = self._open is not None
            self._append(self._line_end() + f"=== {printable(words)}\n".encode())
            if not was_open:
                self.close()

    def last_lines(self) -> list[str]:
        """Return the last lines that the process wrote to stderr, as printable text."""
        lines = self.last.decode(errors="replace").rstrip().splitlines()[-LAST_LINES:]
        return [printable(line.expandtabs(4))[:LONGEST_LINE] for line in lines]

    def take(self) -> bytes:
        """Return and clear the content of `file`, which must be a BytesIO. Add a missing newline at the end."""
        assert isinstance(self.file, BytesIO)
        content = self.file.getvalue()
        self.file.seek(0)
        self.file.truncate()
        self._is_at_line_start = True
        return content if not content or content.endswith(b"\n") else content + b"\n"

    def close(self) -> None:
        if self._open is not None:
            self._open.close()
            self._open = None

    def _keep(self, chunk: bytes) -> None:
        """Write the heading, and as much of `chunk` as the limit per match allows."""
        if self.size < STDERR_LIMIT:
            before = b"" if self.heading is None else self._line_end() + self.heading
            self.heading = None
            self._append(before + chunk[: STDERR_LIMIT - self.size])
        self.size += len(chunk)

    def _line_end(self) -> bytes:
        return b"" if self._is_at_line_start else b"\n"

    def _append(self, content: bytes) -> None:
        if self.file is None:
            return
        self._is_at_line_start = content.endswith(b"\n")
        with suppress(OSError):
            if not isinstance(self.file, Path):
                self.file.write(content)
                return
            if self._open is None:
                self._open = self.file.open("ab", buffering=0)
            self._open.write(content)


def _ends_with_newline(file: Path) -> bool:
    """Return whether a file is empty or ends with a newline. True if the file cannot be read."""
    try:
        with file.open("rb") as content:
            if not content.seek(0, os.SEEK_END):
                return True
            content.seek(-1, os.SEEK_END)
            return content.read(1) == b"\n"
    except OSError:
        return True
