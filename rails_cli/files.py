"""Files that may come from anybody: one that is too long, or has no end, is refused and not read on."""

import errno
from pathlib import Path

LONGEST = 64 << 20


class TooLong(OSError):
    """More bytes than anything that this program reads."""

    def __init__(self) -> None:
        super().__init__(errno.E2BIG, f"more than {LONGEST >> 20} MiB, too long to be a file of this program")


def read_file(path: Path) -> bytes:
    """All of a file. Raises OSError, among them TooLong."""
    with path.open("rb") as file:
        content = file.read(LONGEST + 1)
    if len(content) > LONGEST:
        raise TooLong
    return content
