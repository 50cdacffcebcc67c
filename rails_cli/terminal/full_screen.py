"""The whole window of a terminal: its size, and switching to full-screen mode."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from rich.console import Console


def window_size(console: Console) -> tuple[int, int]:
    """Return columns and lines, or 80 and 24 if they are unknown."""
    try:
        width, height = os.get_terminal_size(console.file.fileno())
    except (OSError, ValueError):
        width, height = 0, 0
    return (width, height) if width > 0 and height > 0 else (80, 24)


@contextmanager
def full_screen(console: Console) -> Iterator[None]:
    """Use the alternate screen without a cursor for the duration of the block."""
    take_screen(console)
    try:
        yield
    finally:
        leave_screen(console)


def take_screen(console: Console) -> None:
    console.set_alt_screen(True)
    console.show_cursor(False)


def leave_screen(console: Console) -> None:
    with suppress(OSError):  # the terminal may be gone
        console.show_cursor(True)
        console.set_alt_screen(False)
