"""Playing by lines: for pipes, files and terminals that cannot do more. Everything goes to standard output."""

import sys
import threading
import time
from collections.abc import Callable
from shutil import get_terminal_size
from typing import Any

from rich.text import Text

from rails_cli.games.canvas import plain
from rails_cli.games.choices import numbered
from rails_cli.playback.text_blocks import wrapped
from rails_cli.terminal.input_lines import INPUT
from rails_cli.terminal.page import Interrupted, Left, Page
from rails_cli.terminal.reading_time import reading_time_s
from rails_cli.terminal.signs import legible, spelled

WIDTH = 80
HEIGHT = 60
SCREENFUL = 60


class LineFace:
    """Prints what is new; a question is repeated only when it has changed."""

    def __init__(self, *, is_fast: bool, sleep: Callable[[float], None] = time.sleep) -> None:
        self._is_echoing = not sys.stdin.isatty()
        self._is_fast = is_fast or not sys.stdout.isatty()
        self._sleep = sleep
        self._told = 0
        self._asked: Any = None
        self._interrupted = threading.Event()

    def ask(self, page: Page) -> str:
        self._interrupted.clear()
        if page.is_private and not self._is_echoing:
            self._print(*[""] * get_terminal_size((WIDTH, SCREENFUL)).lines)
        self._catch_up(page)
        if page.overlay is not None:
            self._overlay(page)
        elif page.choices is not self._asked:
            self._asked = page.choices
            self._panels(page)
            self._print("" if page.seconds_left is None else f"({page.seconds_left()} s to answer)")
            self._print(*_wrapped(page.plan), *_wrapped(page.question), *_wrapped(*numbered(page.choices)))
        self._print(*_wrapped(*page.message))
        return self._line(page.prompt)

    def tell(self, page: Page, lines: int) -> None:
        self._catch_up(page)
        if lines and not self._is_fast:
            self._sleep(reading_time_s(page.story[-lines:]))

    def close(self, page: Page) -> None:
        self._catch_up(page)
        self._overlay(page)

    def interrupt(self) -> None:
        self._interrupted.set()

    def _overlay(self, page: Page) -> None:
        made = page.overlay(WIDTH, HEIGHT) if callable(page.overlay) else page.overlay or []
        self._print("", *(line.plain.rstrip() if isinstance(line, Text) else line for line in made))

    def _panels(self, page: Page) -> None:
        face, board, view = page.game_face, page.wire_board, page.view
        lines = [*face.companies(board, view, WIDTH), *face.players(page.snapshot, WIDTH), *face.stage(view)]
        self._print("", *(plain(line).rstrip() for line in lines), face.end(board, view))
        self._print(*map(plain, face.auction(view, page.names, WIDTH)))

    def _catch_up(self, page: Page) -> None:
        """Tells what has not been told."""
        self._told = min(self._told, len(page.story))
        self._print(*_wrapped(*page.story[self._told :]))
        self._told = len(page.story)

    def _line(self, prompt: str) -> str:
        self._write(prompt)
        try:
            line = INPUT.next(self._interrupted.is_set)
        except KeyboardInterrupt:
            self._write("\n")
            raise Left("interrupt") from None
        if line is None:
            self._write("\n")
            raise Interrupted
        if not line:
            self._write("\n")
            raise Left("end of input")
        if self._is_echoing:
            self._write(line if line.endswith("\n") else f"{line}\n")
        return line.strip()

    def _print(self, *lines: str) -> None:
        for line in lines:
            self._write(f"{line}\n")

    def _write(self, text: str) -> None:
        encoding = sys.stdout.encoding or "ascii"
        try:
            text.encode(encoding)
        except UnicodeError:
            text = spelled(text)
        sys.stdout.write(text)
        sys.stdout.flush()


def _wrapped(*lines: str) -> list[str]:
    return [line.plain for line in wrapped(map(legible, lines), WIDTH) if line.plain]
