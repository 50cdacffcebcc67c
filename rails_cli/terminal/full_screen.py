"""The whole window of a terminal: drawing screens of text, and reading keys one by one."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from rich.console import Console, Group
from rich.control import Control
from rich.text import Text

from rails_cli.terminal.keyboard import SUSPEND, Keyboard

BAR = "reverse"
LOUD = "bold"
QUIET = "dim"


class FullScreen:
    """The window of a terminal in full-screen mode, and its keyboard."""

    def __init__(self, keyboard: Keyboard) -> None:
        self._keyboard = keyboard
        self._console = Console(highlight=False, markup=False, emoji=False)
        self._drawn: tuple[int, int] | None = None
        """Numbers of columns and lines of the last screen drawn. None if the window must be cleared first."""

    def take(self) -> None:
        self._console.set_alt_screen(True)
        self._console.show_cursor(False)
        self._drawn = None

    def leave(self) -> None:
        """Restore the screen and the cursor that the terminal had before `take`."""
        with suppress(OSError):  # the terminal may be gone
            self._console.show_cursor(True)
            self._console.set_alt_screen(False)

    def draw(self, frame: Callable[[int, int], list[Text]]) -> None:
        """Call `frame` with the numbers of columns and lines of the window, and draw the lines that `frame` returns."""
        size = self._size()
        if size != self._drawn:
            self._console.control(Control.clear())
        self._console.size = self._drawn = size
        self._console.update_screen(Group(*frame(*size)))

    @property
    def is_resized(self) -> bool:
        """Whether the size of the window has changed since the last screen was drawn."""
        return self._size() != self._drawn

    def keys(self, wait_s: float) -> list[str]:
        """Wait at most `wait_s` seconds for keys. Return their names. If Ctrl-Z is pressed, suspend the program."""
        keys = self._keyboard.keys(wait_s)
        if SUSPEND in keys:
            self.leave()
            self._keyboard.suspend()
            self.take()
        return keys

    def _size(self) -> tuple[int, int]:
        """Return the numbers of columns and lines of the window, or 80 and 24 if they are unknown."""
        try:
            width, height = os.get_terminal_size(self._console.file.fileno())
        except (OSError, ValueError):
            width, height = 0, 0
        return (width, height) if width > 0 and height > 0 else (80, 24)


@contextmanager
def full_screen(descriptor: int) -> Iterator[FullScreen]:
    """Yield the window of the terminal in full-screen mode, for a `with` block.

    `descriptor` is the file descriptor of the keyboard.
    """
    with Keyboard(descriptor) as keyboard:
        screen = FullScreen(keyboard)
        screen.take()
        try:
            yield screen
        finally:
            screen.leave()


def bar(text: str, width: int) -> Text:
    """Return a highlighted line of `width` columns, for the top or bottom of a screen."""
    line = Text(text, BAR)
    line.truncate(width, overflow="ellipsis", pad=True)
    return line
