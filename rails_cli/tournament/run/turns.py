"""Files in which workers store the name of the entrant to move. The files remain if a worker dies."""

import os
import threading
from contextlib import suppress
from pathlib import Path

import msgspec

TURNS = "turns"
"""Name of a folder inside the results folder. Each worker has a file there, which names the entrant to move."""


class WorkerTurn(msgspec.Struct, frozen=True):
    """The contents of a file that a dead worker left: its seed group (games with one seed), and the entrant to move."""

    group: str
    entrant: str | None
    """Name of the entrant to move. None if another bot was starting, because that bot may have killed the worker."""


class TurnMark:
    """The file in which a worker process stores the name of the entrant to move."""

    def __init__(self) -> None:
        self.is_watched = False
        """Whether the runner that has started this process reads the file if this process dies."""
        self.folder: Path | None = None
        """Folder of the file, or None if no file is written."""
        self._file: int | None = None
        self._is_over = False
        self._lock = threading.Lock()
        """Held while the file is created or deleted. `end` is called in another thread."""

    def note(self, group: str, entrant: str | None) -> None:
        assert self.folder is not None
        content = msgspec.json.encode(WorkerTurn(group, entrant)) + b"\n"
        with self._lock:
            if self._is_over:
                return
            if self._file is None:
                self._file = os.open(self.folder / str(os.getpid()), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            os.pwrite(self._file, content, 0)

    def clear(self) -> None:
        if self._file is not None:
            os.pwrite(self._file, b"\n", 0)

    def end(self) -> None:
        """Delete the file, because this process ends on request and not because of an entrant.

        Later calls of `note` do nothing.
        """
        with self._lock:
            self._is_over = True
            if self._file is not None and self.folder is not None:
                (self.folder / str(os.getpid())).unlink(missing_ok=True)


TURN = TurnMark()


def turns_in(folder: Path) -> list[WorkerTurn]:
    """Return the contents of the files that dead workers left in `folder`, and delete the files."""
    found = []
    for file in sorted(folder.glob("*")):
        line = file.read_bytes().partition(b"\n")[0]
        with suppress(msgspec.MsgspecError):  # empty, or written by another program
            found.append(msgspec.json.decode(line, type=WorkerTurn))
        file.unlink()
    return found
