"""A terminal for tests: a real pseudo-terminal with a program in it, and what stands on its screen."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any

from tests.support.tools import start_rails

PATIENCE_S = 120.0
_PIECE = re.compile(
    r"\x1b\[([?0-9;]*)([A-Za-z])|\x1b\]2;([^\x07\x1b]*)\x07|\x1b.|([\r\n\b\a]|[^\x1b\r\n\b\a]+)", re.DOTALL
)
_UNWRITTEN = "\0"
_UNFINISHED = re.compile(r"\x1b(\[[?0-9;]*|\][^\x07\x1b]*)?\Z")


class Terminal:
    """rails-cli in a window of a given size. Standard input is the terminal, or a file."""

    def __init__(
        self,
        *words: str,
        width: int = 80,
        height: int = 24,
        stdin: int | None = None,
        before: Sequence[str] = (),
        **env: str,
    ) -> None:
        """`before` is a program, by its full path, that starts rails-cli from the words it is given."""
        self.master, self.slave = pty.openpty()
        self.rows: dict[int, str] = {}
        self.column = self.row = 0
        self.left_at = (0, 0)
        self.is_other_screen = False
        self.is_cursor_hidden = False
        self.spilled: list[str] = []
        self.titles: list[str] = []
        self.bells = 0
        self.bytes = b""
        self._rest = ""
        self.resize(width, height)
        self.modes = termios.tcgetattr(self.slave)
        clean = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES", "NO_COLOR")}
        self.process = start_rails(
            *words,
            terminal=os.ttyname(self.slave),
            before=before,
            stdin=self.slave if stdin is None else stdin,
            stdout=self.slave,
            stderr=self.slave,
            env={**clean, "TERM": "xterm-256color", **env},
        )

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.master)
        os.close(self.slave)

    def resize(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))

    def press(self, keys: str) -> None:
        os.write(self.master, keys.encode())

    @property
    def lines(self) -> list[str]:
        return [self.line(row) if row in self.rows else "" for row in range(self.height)]

    def line(self, row: int) -> str:
        return self.rows.get(row, "")[: self.width].replace(_UNWRITTEN, " ").rstrip()

    def is_written(self, column: int, row: int) -> bool:
        return self.rows.get(row, "")[column : column + 1] not in ("", _UNWRITTEN)

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    def wait_for(self, wanted: str | Callable[[], bool]) -> None:
        """Until a text is on the screen, or something is true; fails with what is on the screen instead."""
        until = time.monotonic() + PATIENCE_S
        while not (wanted in self.text if isinstance(wanted, str) else wanted()):
            assert time.monotonic() < until, f"{wanted!r} does not come; the screen:\n{self.text}"
            self._read(0.1)

    def wait_for_end(self) -> int:
        """The exit code of the program, after all it wrote has been read."""
        until = time.monotonic() + PATIENCE_S
        while self.process.poll() is None:
            assert time.monotonic() < until, f"the program does not end; the screen:\n{self.text}"
            self._read(0.05)
        while self._read(0.05):
            pass
        return self.process.returncode

    def is_as_before(self) -> bool:
        """Whether the program has left the terminal as it found it."""
        now = termios.tcgetattr(self.slave)
        return now == self.modes and not self.is_other_screen and not self.is_cursor_hidden

    def _read(self, wait_s: float) -> bool:
        if not select.select([self.master], [], [], wait_s)[0]:
            return False
        try:
            read = os.read(self.master, 65536)
        except OSError:
            return False
        self.bytes += read
        text = self._rest + read.decode(errors="replace")
        unfinished = _UNFINISHED.search(text)
        self._rest = unfinished.group() if unfinished else ""
        for piece in _PIECE.finditer(text.removesuffix(self._rest) if self._rest else text):
            if piece[2]:
                self._control(piece[1], piece[2])
            elif piece[3] is not None:
                self.titles.append(piece[3])
            elif piece[4] == "\a":
                self.bells += 1
            elif piece[4]:
                self._put(piece[4])
        return bool(read)

    def _control(self, numbers: str, letter: str) -> None:
        if letter == "H":
            row, _, column = numbers.partition(";")
            self.row, self.column = int(row or 1) - 1, int(column or 1) - 1
        elif letter == "J":
            self.rows.clear()
        elif numbers == "?1049":
            self.is_other_screen = letter == "h"
            if self.is_other_screen:
                self.left_at = (self.column, self.row)
            else:
                self.column, self.row = self.left_at
            self.rows.clear()
        elif numbers == "?25":
            self.is_cursor_hidden = letter == "l"

    def _put(self, text: str) -> None:
        """Text in one line, or one character that moves the cursor."""
        if text == "\r":
            self.column = 0
        elif text == "\n":
            self.row += 1
        else:
            end = self.column + len(text)
            if self.is_other_screen and not (end <= self.width and self.row < self.height):
                self.spilled.append(f"{text!r} at column {self.column}, row {self.row}")
            line = self.rows.get(self.row, "")
            self.rows[self.row] = line[: self.column].ljust(self.column, _UNWRITTEN) + text + line[end:]
            self.column = end


def read_all(process: subprocess.Popen[Any], wanted: Callable[[str], bool]) -> str:
    """What a program has written to its pipe once that is as wanted; fails if that does not come."""
    assert process.stdout is not None
    until = time.monotonic() + PATIENCE_S
    text = ""
    while not wanted(text):
        assert time.monotonic() < until, f"the program wrote only:\n{text}"
        if select.select([process.stdout], [], [], 0.1)[0]:
            read = os.read(process.stdout.fileno(), 65536).decode()
            assert read or wanted(text), f"the program ended; it wrote only:\n{text}"
            text += read
    return text
