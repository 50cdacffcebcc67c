"""Menus at a terminal: full-screen with arrow keys, numbers and letters, or line by line on simple terminals."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from shutil import get_terminal_size
from typing import NamedTuple

from rich.text import Text

from rails_cli.games.faces.vocabulary import whole_number
from rails_cli.games.shared.text import fill, wrap
from rails_cli.study.playback.text_blocks import wrapped
from rails_cli.terminal.full_screen import LOUD, QUIET, bar, full_screen
from rails_cli.terminal.input_lines import INPUT
from rails_cli.terminal.keyboard import LEAVE
from rails_cli.terminal.layout import fitted
from rails_cli.terminal.signs import legible

CHOSEN = "bold reverse"
LOOK_AGAIN_S = 0.1
"""Maximum number of seconds to wait for a key before the size of the terminal is checked."""
PAGE = 10
"""Number of entries by which the keys "page up" and "page down" move."""
UP = {"up": -1, "k": -1, "down": 1, "j": 1, "page up": -PAGE, "page down": PAGE}
BACK = ("q", "Q", "escape", "left", "backspace")
CHOOSE = ("enter", "right", " ")


class MenuLeft(Exception):
    """Raised if the user leaves a menu with Ctrl-C, or if the input ends."""


class Item(NamedTuple):
    """An item of a menu. `words` is its text, and `key` a letter that selects it, or empty."""

    words: str
    key: str = ""
    group: str = ""
    """Heading above the item, shown if it differs from the heading of the item before."""


@dataclass
class Menu:
    """A screen with a title, lines of text, and items to choose from. Without items, the user can scroll the lines."""

    title: str
    items: Sequence[Item] = ()
    lines: Sequence[str] = ()
    at: int = 0
    """Index of the item that the enter key selects. Without items, index of the first visible line."""
    back: str = "back"
    first: int = 1
    """Number shown before the first item. The next items have the next numbers."""
    typed: str = field(default="", init=False)
    """Digits that the user has typed so far to select an item by its number."""

    # Keys

    def press(self, key: str) -> int | None:
        """Handle a key. Return the index of the selected item, -1 to go back, or None to stay in the menu.

        Raise MenuLeft for Ctrl-C.
        """
        if key in LEAVE:
            raise MenuLeft
        if key.isdecimal() and key.isascii():
            return self._digit(key)
        self.typed = ""
        letters = {item.key: number for number, item in enumerate(self.items) if item.key}
        if key in letters:
            return letters[key]
        if key in BACK:
            return -1
        if key in UP:
            self.at = max(0, min(self.at + UP[key], self._last))
        elif key in ("home", "end"):
            self.at = 0 if key == "home" else self._last
        elif key in CHOOSE:
            return self.at if self.items else -1
        return None

    @property
    def _last(self) -> int:
        return max(len(self.items or self.lines) - 1, 0)

    def _digit(self, key: str) -> int | None:
        """Handle a digit.

        Return the index of the only item whose number begins with the typed digits, otherwise None.
        """
        self.typed = (self.typed + key).lstrip("0")
        number = int(self.typed or 0)
        last = self.first + len(self.items) - 1
        if not self.first <= number <= last:
            self.typed = self.typed if 0 < number * 10 <= last else ""
            return None
        self.at = number - self.first
        if number * 10 <= last:
            return None
        self.typed = ""
        return self.at

    # Frames

    def frame(self, width: int, height: int) -> list[Text]:
        """Return the lines of the screen: at most `height` lines of at most `width` columns."""
        room = max(height - 2, 0)
        lines, chosen = self._body(width)
        first = min(self.at, max(len(lines) - room, 0)) if not self.items else max(0, chosen - room + 2)
        shown = lines[first : first + room]
        shown += [Text() for _ in range(room - len(shown))]
        more = len(lines) - first - room
        if more > 0 and shown:
            shown[-1] = Text(f"  ... {more + 1} more below", QUIET)
        has_keys = any(item.key for item in self.items)
        if self.items:
            keys = f" up/down and enter, or a number{' or letter' if has_keys else ''}; q: {self.back}"
        else:
            keys = f" {'up/down scroll, ' if len(lines) > room else ''}enter or q: back"
        frame = [bar(f" {legible(self.title)}", width), *shown, bar(keys, width)]
        for line in frame:
            line.truncate(width)
        return frame[:height]

    def _body(self, width: int) -> tuple[list[Text], int]:
        """Return the lines between the top and bottom bars, and the index of the line where the item `at` begins."""
        lines = [legible(line) for line in self.lines]
        body = wrapped(lines, width) if self.items else fitted(lines, width)
        chosen = 0
        digits = len(str(len(self.items)))
        has_keys = any(item.key for item in self.items)
        group = ""
        for number, item in enumerate(self.items):
            if item.group != group:
                group = item.group
                body += [*([Text()] if body else []), Text(group, LOUD)]
            if number == self.at:
                chosen = len(body)
            letter = f"{item.key or ' '} " if has_keys else ""
            head = f"{'>' if number == self.at else ' '} {number + self.first:>{digits}} {letter}"
            room = max(width - len(head), 10)
            for at, part in enumerate(wrap(legible(item.words), room) or [""]):
                line = Text(f"{head if at == 0 else ' ' * len(head)}{part}", no_wrap=True)
                line.stylize(CHOSEN if number == self.at else "", len(head))
                line.stylize(LOUD, 0, len(head))
                body.append(line)
        return body, chosen


def choose(menu: Menu, *, is_window: bool) -> int | None:
    """Show a menu. Return the index of the selected item, or None if the user goes back.

    With `is_window`, use the whole window. Otherwise print lines. Raise MenuLeft after Ctrl-C or at the end of input.
    """
    if not is_window:
        return _by_lines(menu)
    with full_screen(sys.stdin.fileno()) as terminal:
        while True:
            terminal.draw(menu.frame)
            keys: list[str] = []
            while not keys and not terminal.is_resized:
                keys = terminal.keys(LOOK_AGAIN_S)
            for key in keys:
                wanted = menu.press(key)
                if wanted is not None:
                    return None if wanted < 0 else wanted


def _by_lines(menu: Menu) -> int | None:
    """Print a menu and read lines. Return the index of the selected item, or None if the user goes back."""
    group = ""
    _print("", legible(menu.title), *map(legible, menu.lines))
    for number, item in enumerate(menu.items, menu.first):
        if item.group != group:
            group = item.group
            _print(f"{group}:")
        _print(f"  {number} {legible(item.words)}{f'  ({item.key})' if item.key else ''}")
    while True:
        line = _line(f"{'number or letter' if menu.items else 'enter'} (q: {menu.back})> ").lower()
        wanted = whole_number(line)
        last = menu.first + len(menu.items) - 1
        if wanted is not None and menu.first <= wanted <= last:
            return wanted - menu.first
        letters = [at for at, item in enumerate(menu.items) if item.key and item.key == line]
        if letters:
            return letters[0]
        if line in ("q", "quit") or not menu.items:
            return None
        if not line:
            return menu.at
        _print(f"I don't understand {line[:40]!r}; choose {menu.first} to {last}, or q: {menu.back}.")


def _line(prompt: str) -> str:
    sys.stdout.write(prompt)
    sys.stdout.flush()
    try:
        line = INPUT.next()
    except KeyboardInterrupt:
        line = ""
    if not line:
        _print("")
        raise MenuLeft
    return line.strip()


def _print(*lines: str) -> None:
    width = get_terminal_size().columns - 1
    for line in lines:
        shown = fill(line, width, subsequent_indent="    ") if len(line) > width else line
        sys.stdout.write(f"{shown.rstrip()}\n")
