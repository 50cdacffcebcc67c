"""A real pseudo-terminal that runs a program, and the content of its screen."""

import codecs
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any

from tests.support.tools import start_rails
from tests.support.waiting import wait_until

READ_S = 0.1
"""Seconds to wait for more output before `wait_for` evaluates its condition again."""
_PIECE = re.compile(
    r"\x1b\[([?0-9;]*)([A-Za-z])|\x1b\]2;([^\x07\x1b]*)\x07|\x1b.|([\r\n\b\a]|[^\x1b\r\n\b\a]+)", re.DOTALL
)
_UNWRITTEN = "\0"
_UNFINISHED = re.compile(r"\x1b(\[[?0-9;]*|\][^\x07\x1b]*)?\Z")
_FRAME = re.compile(r"\x1b\[(?:\?25l|H|\?1049[hl])")
"""Escape sequences with which a program begins to draw the screen."""
_END_MARK = "rails-cli has ended"
"""Window title that the test itself writes to the terminal after the last output of the program."""


class Terminal:
    """rails-cli in a terminal window of a given size. Standard input is the terminal or a file."""

    def __init__(
        self,
        *words: str,
        width: int = 80,
        height: int = 24,
        stdin: int | None = None,
        before: Sequence[str] = (),
        **env: str,
    ) -> None:
        """Start rails-cli with the arguments `words`.

        `stdin` is the file descriptor of standard input, by default the terminal. `before` is a command, with its full
        path, to which the command line of rails-cli is appended. `env` sets environment variables.
        """
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
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._undrawn = ""
        """Output already read but not yet drawn to `rows`."""
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
        assert kind is not None or b"cannot be drawn" not in self.bytes

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
        """Return whether the program has drawn a character at `column` and `row`."""
        return self.rows.get(row, "")[column : column + 1] not in ("", _UNWRITTEN)

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    def wait_for(self, wanted: str | Callable[[], bool]) -> None:
        """Wait until the text `wanted` is on the screen, or until the function `wanted` returns true.

        On failure show the screen. Output is drawn frame by frame, so each frame is examined even if the next one has
        already arrived.
        """

        def is_there() -> bool:
            while not (wanted in self.text if isinstance(wanted, str) else wanted()):
                if not (self._draw_frame() or self._receive(READ_S)):
                    return False
            return True

        wait_until(is_there, repr(wanted), lambda: f"the screen:\n{self.text}")

    def wait_for_end(self) -> int:
        """Wait until the program ends and all its output has been read. Return its exit code."""

        def has_ended() -> bool:
            self._read(READ_S)
            return self.process.poll() is not None

        wait_until(has_ended, "the end of the program", lambda: f"the screen:\n{self.text}")
        while self._read(0):
            pass
        mark = f"\x1b]2;{_END_MARK}\x07".encode()
        os.write(self.slave, mark)  # arrives after all output of the program
        self.wait_for(lambda: self.titles[-1:] == [_END_MARK])
        self.titles.pop()
        self.bytes = self.bytes.removesuffix(mark)
        return self.process.returncode

    def is_as_before(self) -> bool:
        """Return whether the program has restored the state of the terminal."""
        now = termios.tcgetattr(self.slave)
        return now == self.modes and not self.is_other_screen and not self.is_cursor_hidden

    def _read(self, wait_s: float) -> bool:
        """Draw all available output on the screen. Return whether any output arrived within `wait_s` seconds."""
        has_read = self._receive(wait_s)
        while self._draw_frame():
            pass
        return has_read

    def _receive(self, wait_s: float) -> bool:
        if not _is_readable(self.master, wait_s):
            return False
        try:
            read = os.read(self.master, 65536)
        except OSError:
            return False
        self.bytes += read
        self._undrawn += self._decoder.decode(read)
        return bool(read)

    def _draw_frame(self) -> bool:
        """Draw the output up to the start of the next frame. Return whether there was any output."""
        following = _FRAME.search(self._undrawn, 1)
        text = self._undrawn[: following.start()] if following else self._undrawn
        if not following and (unfinished := _UNFINISHED.search(text)):
            text = text[: unfinished.start()]
        if not text:
            return False
        self._undrawn = self._undrawn[len(text) :]
        for piece in _PIECE.finditer(text):
            if piece[2]:
                self._control(piece[1], piece[2])
            elif piece[3] is not None:
                self.titles.append(piece[3])
            elif piece[4] == "\a":
                self.bells += 1
            elif piece[4]:
                self._put(piece[4])
        return True

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
        """Draw text at the cursor within one line, or move the cursor for a carriage return or line feed."""
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
    """Read the output of `process` until `wanted` accepts it, and return the output.

    Fail if the process ends before that.
    """
    assert process.stdout is not None
    pipe, text = process.stdout.fileno(), ""

    def is_written() -> bool:
        nonlocal text
        while not wanted(text):
            if not _is_readable(pipe, READ_S):
                return False
            read = os.read(pipe, 65536).decode()
            assert read, f"the program ended; it wrote only:\n{text}"
            text += read
        return True

    wait_until(is_written, "output", lambda: f"the program wrote only:\n{text}")
    return text


def _is_readable(descriptor: int, wait_s: float) -> bool:
    poll = select.poll()  # unlike select, it accepts descriptors above 1,023
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(wait_s * 1000))
