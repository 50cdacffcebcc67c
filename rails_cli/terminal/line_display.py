"""A display that prints lines on standard output, for pipes, files and simple terminals."""

import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from shutil import get_terminal_size
from typing import Any

from rails_cli.games.faces.choices import numbered
from rails_cli.study.playback.text_blocks import wrapped
from rails_cli.terminal.frame import Frame, Interrupted, Quit, reading_time_s
from rails_cli.terminal.input_lines import INPUT
from rails_cli.terminal.layout import fitted
from rails_cli.terminal.looking import MISREAD, command_in, requested_page
from rails_cli.terminal.reading import Unclear
from rails_cli.terminal.signs import as_ascii, legible

WIDTH = 80
"""Number of columns if the output is not a terminal."""
HEIGHT = 60
"""Height of a page of text, in lines."""
SCREENFUL = 60
"""Number of empty lines that hide a screen if its height is unknown."""


class LineDisplay:
    """A display that prints the new lines of each frame."""

    has_keys = False

    def __init__(self, *, is_fast: bool) -> None:
        self._is_echoing = not sys.stdin.isatty()
        self.is_interactive = not self._is_echoing and sys.stdout.isatty()
        self._is_fast = is_fast or not sys.stdout.isatty()
        self._lines_printed = 0
        self._asked: Any = None
        self._waiting: Sequence[Any] = ()
        """Lines already printed about the event or player that the game waits for."""
        self._interrupted = threading.Event()
        self._turn_asked = 0
        """The value of `Frame.turn` at the last question."""

    def ask(self, frame: Frame) -> str:
        self._interrupted.clear()
        if frame.turn != self._turn_asked:
            INPUT.discard()
        self._turn_asked = frame.turn
        if frame.is_private and not self._is_echoing:
            self._print(*[""] * get_terminal_size((WIDTH, SCREENFUL)).lines)
        self._catch_up(frame)
        if frame.overlay is not None:
            self._overlay(frame)
        elif frame.lesson:
            self._print(
                "", *_wrapped(*frame.lesson), "Press enter to continue; map shows the map, ? the rules behind this."
            )
        elif frame.choices is not self._asked:
            self._asked = frame.choices
            self._print("", *frame.game_face.overview(frame.snapshot, _width()))
            self._print("" if frame.seconds_left is None else f"({frame.seconds_left()} s to answer)")
            self._print(*_wrapped(frame.plan, frame.question, *numbered(frame.choices), frame.other_bids))
        if frame.overlay is None:  # otherwise the message was printed before
            self._print(*_wrapped(*frame.message))
        line = self._line(frame.prompt)
        while frame.aside is not None and not frame.is_action(line) and frame.aside(line):
            self._catch_up(frame)
            line = self._line(frame.prompt)
        return line

    def tell(self, frame: Frame, lines: int) -> None:
        self._catch_up(frame)
        if frame.goes_on and not self._is_echoing:
            self._wait(frame)
        if lines and not self._is_fast:
            time.sleep(reading_time_s(frame.story[-lines:]))

    def _wait(self, frame: Frame) -> None:
        """Print new lines about the event or player that the game at a server waits for.

        Then handle the lines typed by the person.
        """
        waiting = frame.overlay if isinstance(frame.overlay, list) else []
        self._print(*_wrapped(*(line for line in waiting if line not in self._waiting)))
        self._waiting = waiting
        while (line := INPUT.next_if_soon()) is not None:
            if not line or command_in(line) == "quit":
                raise Quit("quit" if line else "end of input")
            if line.strip() and not (frame.aside is not None and frame.aside(line.strip())):
                self._look(frame, line.strip())

    def _look(self, frame: Frame, line: str) -> None:
        try:
            look = requested_page(frame, line)
        except Unclear as unclear:
            self._print(str(unclear))
            return
        if look is None:
            self._print(f"{line!r} is {MISREAD}.")
        else:
            self._overlay(replace(frame, overlay=look.overlay))

    def close(self, frame: Frame) -> str:
        self._catch_up(frame)
        self._overlay(frame)
        return ""

    def call(self, title: str, *, is_loud: bool) -> None:
        if is_loud and sys.stdout.isatty():
            self._write("\a")

    def interrupt(self) -> None:
        self._interrupted.set()

    def _overlay(self, frame: Frame) -> None:
        width = _width()
        made = frame.overlay(width, HEIGHT) if callable(frame.overlay) else frame.overlay or []
        self._print("", *(line.plain.rstrip() for line in fitted(made, width)))

    def _catch_up(self, frame: Frame) -> None:
        self._lines_printed = min(self._lines_printed, len(frame.story))
        self._print(*_wrapped(*(line.text for line in frame.story[self._lines_printed :])))
        self._lines_printed = len(frame.story)

    def _line(self, prompt: str) -> str:
        self._write(prompt)
        try:
            line = INPUT.next(self._interrupted.is_set)
        except KeyboardInterrupt:
            self._write("\n")
            raise Quit("interrupt") from None
        if line is None:
            self._write("\n")
            raise Interrupted
        if not line:
            self._write("\n")
            raise Quit("end of input")
        if self._is_echoing:
            self._write(line if line.endswith("\n") else f"{line}\n")
        return line.strip()

    def _print(self, *lines: str) -> None:
        for line in lines:
            self._write(f"{line}\n")

    def _write(self, text: str) -> None:
        text, encoding = legible(text), sys.stdout.encoding or "ascii"
        try:
            text.encode(encoding)
        except UnicodeError:
            text = as_ascii(text)
        sys.stdout.write(text)
        sys.stdout.flush()


def _width() -> int:
    """Return the columns of the terminal, or WIDTH if the output is not a terminal."""
    return get_terminal_size((WIDTH, HEIGHT)).columns if sys.stdout.isatty() else WIDTH


def _wrapped(*lines: str) -> list[str]:
    return [line.plain for line in wrapped(map(legible, lines), _width()) if line.plain]
