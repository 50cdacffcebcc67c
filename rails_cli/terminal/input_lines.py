"""Reading of standard input lines such that waiting for one can be interrupted."""

import os
import select
import sys
from collections.abc import Callable

LOOK_AGAIN_S = 0.1
READ_BYTES = 65_536


class InputLines:
    """Reader of standard input lines. There is one shared instance, because it buffers bytes read ahead."""

    def __init__(self) -> None:
        self._unread = b""

    def next(self, is_unwanted: Callable[[], bool] = lambda: False) -> str | None:
        """Return the next line with its newline, empty at the end of input, or None once `is_unwanted()` is true."""
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

    def next_if_soon(self) -> str | None:
        """Return the next line if it arrives within LOOK_AGAIN_S seconds, else None. Empty at the end of input."""
        looks = iter((False, True))
        return self.next(lambda: next(looks))


INPUT = InputLines()
