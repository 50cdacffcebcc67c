"""Reading of single keys from a terminal."""

import codecs
import os
import re
import select
import signal
import sys
import termios
import tty
from contextlib import suppress
from typing import Any

ESCAPE_WAIT_S = 0.05
"""Seconds to wait for the rest of an escape sequence."""
END_OF_INPUT = "end of input"
LEAVE = ("\x03", "\x04", END_OF_INPUT)
"""Keys that leave a menu or a screen: Ctrl-C and Ctrl-D. The end of input counts as a key."""
SUSPEND = "\x1a"

_KEY = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1bO[@-~]|.", re.DOTALL)
_UNFINISHED = re.compile(r"\x1b(\[[0-9;?]*[ -/]*|O)?\Z")
_ARROWS = {"A": "up", "B": "down", "C": "right", "D": "left", "H": "home", "F": "end"}
_NUMBERED = {"1": "home", "7": "home", "4": "end", "8": "end", "5": "page up", "6": "page down"}
_CONTROLS = {"\x1b": "escape", "\r": "enter", "\n": "enter", "\t": "tab", "\x7f": "backspace", "\b": "backspace"}
_NAMES = {
    **{f"\x1b{kind}{letter}": name for kind in "[O" for letter, name in _ARROWS.items()},
    **{f"\x1b[{number}~": name for number, name in _NUMBERED.items()},
    "\x1b[Z": "back tab",
    **_CONTROLS,
}


def terminal_input() -> int | None:
    """Return a file descriptor of the terminal: standard input, or else /dev/tty. None if there is no terminal."""
    if sys.stdin is not None and sys.stdin.isatty():
        return sys.stdin.fileno()
    try:
        return os.open("/dev/tty", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None


class Keyboard:
    """The keyboard of a terminal, for a `with` block. In the block, keys are read one by one and not echoed.

    The end of the block restores the mode of the terminal.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._decoder = codecs.getincrementaldecoder("utf-8")("ignore")
        self._before: list[Any] = []
        self._is_closed = False

    def __enter__(self) -> "Keyboard":
        self._before = termios.tcgetattr(self._descriptor)
        self._take_over()
        return self

    def __exit__(self, *error: object) -> None:
        self._give_back()

    def _take_over(self) -> None:
        tty.setcbreak(self._descriptor, termios.TCSADRAIN)
        now = termios.tcgetattr(self._descriptor)
        now[6][termios.VSUSP] = b"\0"
        termios.tcsetattr(self._descriptor, termios.TCSADRAIN, now)

    def _give_back(self) -> None:
        with suppress(termios.error):  # the terminal is gone
            termios.tcsetattr(self._descriptor, termios.TCSAFLUSH, self._before)

    def suspend(self) -> None:
        """Suspend the program, as Ctrl-Z does. The terminal has its original mode until the program continues."""
        self._give_back()
        signal.raise_signal(signal.SIGTSTP)
        self._take_over()

    def keys(self, wait_s: float) -> list[str]:
        """Wait at most `wait_s` seconds for keys. Return the names of the pressed keys, or an empty list."""
        text = self._read(wait_s)
        while _UNFINISHED.search(text) and (more := self._read(ESCAPE_WAIT_S)):
            text += more
        keys = [_NAMES.get(key, key) for key in _KEY.findall(text)]
        return [*keys, END_OF_INPUT] if self._is_closed else keys

    def _read(self, wait_s: float) -> str:
        if not select.select([self._descriptor], [], [], wait_s)[0]:
            return ""
        try:
            read = os.read(self._descriptor, 1024)
        except OSError:
            read = b""
        self._is_closed = not read
        return self._decoder.decode(read)
