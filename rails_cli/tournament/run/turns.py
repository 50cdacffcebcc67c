"""Notes of workers about whose turn it is, which remain if a worker dies."""

import os
from contextlib import suppress
from pathlib import Path

import msgspec

TURNS = "turns"
"""Name of the folder of the notes, in the folder of the results."""


class Turn(msgspec.Struct, frozen=True):
    """The entrant to move in a group when its worker died."""

    group: str
    entrant: str | None
    """None if another bot was starting at the time, which could also have killed the worker."""


class TurnMark:
    """A file in which a worker notes the entrant to move. It remains if the worker dies."""

    def __init__(self) -> None:
        self.is_watched = False
        """Whether this process is a worker whose death is investigated."""
        self.folder: Path | None = None
        """Folder for such files, or None if they are not read."""
        self._file: int | None = None

    def note(self, group: str, entrant: str | None) -> None:
        assert self.folder is not None
        if self._file is None:
            self._file = os.open(self.folder / str(os.getpid()), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        content = msgspec.json.encode(Turn(group, entrant)) + b"\n"
        os.pwrite(self._file, content, 0)

    def clear(self) -> None:
        """Note that no entrant is to move."""
        if self._file is not None:
            os.pwrite(self._file, b"\n", 0)

    def end(self) -> None:
        """Remove the file, because this process ends on request and nobody is to blame."""
        if self._file is not None and self.folder is not None:
            (self.folder / str(os.getpid())).unlink(missing_ok=True)


TURN = TurnMark()
"""The note of this process."""


def turns_in(folder: Path) -> list[Turn]:
    """Return the notes of dead workers and empty their folder."""
    found = []
    for file in sorted(folder.glob("*")):
        line = file.read_bytes().partition(b"\n")[0]
        with suppress(msgspec.MsgspecError):  # empty, or written by another program
            found.append(msgspec.json.decode(line, type=Turn))
        file.unlink()
    return found
