"""Saved games of the terminal: one log each in the user's folder, written during the game."""

import os
from collections.abc import Collection, Sequence
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from rails_cli.basics.files import read_file
from rails_cli.logs.log_file import LogFile, LogInUse
from rails_cli.logs.reading import BadLog, last_players, read_log
from rails_cli.logs.replay import replay
from rails_cli.logs.resume import resume_point
from rails_cli.match.match import Match, ResumePoint
from rails_cli.protocol.log import Branch
from rails_cli.study.branches import folder_of


def state_folder() -> Path:
    """Return the folder for persistent state, according to the XDG base directory specification."""
    base = os.environ.get("XDG_STATE_HOME") or ""
    return (Path(base) if os.path.isabs(base) else Path.home() / ".local" / "state") / "rails-cli"


def games_folder() -> Path:
    return state_folder() / "games"


def branch_folders(log: Path, content: bytes) -> list[Path]:
    """Return the folders for branches of a log: next to it, or, if that is not writable, in the user's state folder."""
    return [folder_of(log), state_folder() / "branches" / sha256(content).hexdigest()[:16]]


LESSON = "-lesson"
"""Suffix of the names of logs of guided games."""


class NotSaved(Exception):
    """A game that cannot be saved or resumed. The text says why."""


class SavedGame:
    """The log of a running game. Only one program may hold it at a time."""

    def __init__(self, path: Path, *, keep_bytes: int | None = None, known_bytes: int | None = None) -> None:
        """Create a log, or continue one after its first `keep_bytes` bytes."""
        self.path = path
        self._log = LogFile(path, keep_bytes=keep_bytes, known_bytes=known_bytes)
        self.people: Sequence[int] = ()
        """Seats of people. If set, the log is deleted on close unless one of them has decided something."""

    @property
    def size(self) -> int:
        return self._log.size

    @property
    def is_lesson(self) -> bool:
        return LESSON in self.path.stem

    def asked(self, seat: int) -> list[str]:
        """Return the kinds of questions a seat has been asked so far, without the open one."""
        matches = (step.match for step in replay(read_log(read_file(self.path))))
        asks = [str(match.view_for(seat).question.asks) if match.seat == seat else "" for match in matches]
        return [word for word in asks[:-1] if word]

    def write(self, line: Any) -> None:
        try:
            self._log.write(line)
        except OSError as error:
            raise NotSaved(
                f"cannot write to {self.path}: {error.strerror}; what was played before is kept there; "
                "once that is fixed, resume it: rails-cli play --resume"
            ) from None

    def cut(self, size: int) -> Match:
        """Remove everything after the first `size` bytes. Return the match at that point."""
        self._log.close()
        self._log = LogFile(self.path, keep_bytes=size)
        return resume_point(read_log(read_file(self.path)), None).match

    def decisions(self, seats: Collection[int]) -> list[tuple[int, int]]:
        """Return the actions of `seats` so far, as pairs of the seat and the log size before it.

        In a branch, actions of the original game are excluded, because they cannot be taken back.
        """
        made: list[tuple[int, int, int]] = []
        size, first = 0, 0
        for line in read_file(self.path).splitlines(keepends=True):
            read = msgspec.json.decode(line, type=_Line)
            first = first or (read.branch.number if read.branch else 0)
            if read.type == "action" and read.seat in seats and not read.opening and read.number >= first:
                made.append((read.number, read.seat, size))
            elif read.type == "undo":
                made = [one for one in made if one[0] < read.to]
            size += len(line)
        return [(seat, before) for _, seat, before in made]

    def close(self) -> None:
        if self.people and not self.decisions(self.people):
            self.path.unlink(missing_ok=True)
        self._log.close()


class _Line(msgspec.Struct, frozen=True):
    """The fields of a line that show who acted."""

    type: str
    seat: int = -1
    number: int = 0
    to: int = 0
    """Number of the first action that is taken back."""
    branch: Branch | None = None
    """Origin of a branch. Only in a header."""
    opening: Any = False
    """For an action, whether it belongs to the opening. A header has the whole opening."""


def begin(match: Match, folder: Path, *, is_lesson: bool = False) -> SavedGame:
    """Create a log with header and set-up. Raises NotSaved."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path = _new_path(folder, match.game.name + (LESSON if is_lesson else ""))
        saved = SavedGame(path)
        saved.write(match.header)
        saved.write(match.setup_line)
    except OSError as error:
        raise NotSaved(f"cannot write to {folder}: {error.strerror or error}") from None
    return saved


def _new_path(folder: Path, game: str) -> Path:
    base = f"{datetime.now():%Y%m%d-%H%M%S}-{game}"
    path = folder / f"{base}.jsonl"
    number = 2
    while path.exists():
        path = folder / f"{base}-{number}.jsonl"
        number += 1
    return path


class Resumed(NamedTuple):
    left: ResumePoint
    saved: SavedGame
    seats: list[str | None]
    """Specs of the last players by seat."""


def resume(path: Path) -> Resumed:
    """Resume an unfinished game from its log. A partial last line is removed. Raises NotSaved."""
    try:
        content = read_file(path)
        log = read_log(content)
        left = resume_point(log, None)
        return Resumed(left, SavedGame(path, keep_bytes=left.size, known_bytes=len(content)), last_players(log))
    except LogInUse as in_use:
        raise NotSaved(str(in_use)) from None
    except BadLog as bad:
        again = f"; see it again: rails-cli replay {path}" if bad.is_finished else ""
        raise NotSaved(f"{path}: {bad}{again}") from None
    except OSError as error:
        raise NotSaved(f"cannot read {path}: {error.strerror}") from None
