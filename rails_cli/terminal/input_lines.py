"""Reading of lines from standard input. Another thread can interrupt the wait for a line."""

import os
import select
import sys
from collections.abc import Callable

LOOK_AGAIN_S = 0.1
"""Seconds between two checks whether the caller still waits for a line."""
READ_BYTES = 65_536


class InputLines:
    """A reader of lines from standard input. It buffers its input, so only the one instance INPUT may be used."""

    def __init__(self) -> None:
        self._unread = b""

    def next(self, is_unwanted: Callable[[], bool] = lambda: False) -> str | None:
        """Return the next line, or an empty text at the end of input. Return None as soon as `is_unwanted` returns
        True.
        """
        try:
            source = sys.stdin.fileno()
            while b"\n" not in self._unread:
                if is_unwanted():
                    return None
                if not select.select([source], [], [], LOOK_AGAIN_S)[0]:
                    continue
                read = os.read(source, READ_BYTES)
                if not read:
                    break
                self._unread += read
        except (AttributeError, OSError, ValueError):
            pass
        line, newline, self._unread = self._unread.partition(b"\n")
        return (line + newline).decode(sys.stdin.encoding if sys.stdin else "utf-8", "replace")

    def discard(self) -> None:
        """If standard input is a terminal, discard the complete lines typed so far. Keep all input from a pipe or file.

        An incomplete line is kept, because it is still visible and can be edited.
        """
        if sys.stdin is not None and sys.stdin.isatty():
            self._unread = b""
            source = sys.stdin.fileno()
            while select.select([source], [], [], 0)[0] and os.read(source, READ_BYTES):
                pass

    def next_if_soon(self) -> str | None:
        """Return the next line, or an empty text at the end of input.

        Return None if no line arrives in LOOK_AGAIN_S seconds.
        """
        looks = iter((False, True))
        return self.next(lambda: next(looks))


INPUT = InputLines()
