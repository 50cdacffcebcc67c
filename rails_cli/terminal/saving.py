"""Saved games of the user. Each is a log file that is written during the game."""

import fcntl
import glob
import os
import re
import shutil
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from rails_cli.basics.files import create_file, read_file
from rails_cli.games import NoSuchGame
from rails_cli.logs.log_file import LogFile, LogInUse
from rails_cli.logs.reading import BadLog, decode_result, last_players, read_log
from rails_cli.logs.replay import replay
from rails_cli.logs.resume import resume_point
from rails_cli.logs.shared_copy import shared_copy
from rails_cli.match.match import Match, ResumePoint
from rails_cli.protocol.log import Branch
from rails_cli.study.branches import folder_of


def state_folder() -> Path:
    """Return the folder for persistent state of this program, according to the XDG base directory specification."""
    base = os.environ.get("XDG_STATE_HOME") or ""
    return (Path(base) if os.path.isabs(base) else Path.home() / ".local" / "state") / "rails-cli"


def games_folder() -> Path:
    return state_folder() / "games"


def branch_folders(log: Path, content: bytes) -> list[Path]:
    """Return two folders for branches of a log: one next to the log, and one in the state folder.

    A branch is a game that continues another game from one of its positions. The second folder is used if the first is
    not writable. Its name is derived from `content`, the content of the log.
    """
    return [folder_of(log), state_folder() / "branches" / sha256(content).hexdigest()[:16]]


FILE_NAME = re.compile(r"[\w-]{1,200}")
"""Pattern of allowed names of saved games that contain the id of a table, which a server has chosen."""
LESSON = "-lesson"
"""Part of the file names of logs of guided games, which are games with lessons."""


class NotSaved(Exception):
    """Raised if a game cannot be saved or resumed. The text says why."""


class SavedGame:
    """The log file of a game in progress. It is locked, so that no other program writes to it."""

    def __init__(self, path: Path, *, keep_bytes: int | None = None, known_bytes: int | None = None) -> None:
        """Create the log `path`. With `keep_bytes`, continue an existing log after its first `keep_bytes` bytes.

        `known_bytes` is the size that the log had when it was read. Raise LogInUse if the size has changed.
        """
        self.path = path
        self._log = LogFile(path, keep_bytes=keep_bytes, known_bytes=known_bytes)
        self.people: Sequence[int] = ()
        """Seats of people if the game is a branch (continues another game), otherwise empty.

        A branch in which these people made no decision is deleted when it is closed.
        """
        self._kept: int | None = None
        """Number of bytes to which the log is cut before the next line is written. None if nothing is cut off."""

    @property
    def size(self) -> int:
        return self._log.size if self._kept is None else self._kept

    @property
    def is_lesson(self) -> bool:
        return LESSON in self.path.stem

    def asked(self, seat: int) -> list[str]:
        """Return the kinds of questions that a seat has answered so far."""
        matches = (step.match for step in replay(read_log(read_file(self.path))))
        asks = [str(match.view_for(seat).question.asks) if match.seat == seat else "" for match in matches]
        return [word for word in asks[:-1] if word]

    def write(self, line: Any) -> None:
        try:
            if self._kept is not None:
                self._log.close()
                self._log, self._kept = LogFile(self.path, keep_bytes=self._kept), None
            self._log.write(line)
        except OSError as error:
            raise NotSaved(
                f"cannot write to {self.path}: {error.strerror}; what was played before is kept there; "
                "once that is fixed, resume it: rails-cli play --resume"
            ) from None

    def take_back(self, size: int, seats: Collection[int]) -> tuple[Match, int]:
        """Take back everything after the first `size` bytes of the log. Return the match at that point, and a count.

        The lines after `size` contain notes about earlier decisions of `seats` that were taken back. The count is the
        number of these decisions. The lines are removed when the next line is written. If the game is left before
        that, the log keeps them.
        """
        content = read_file(self.path)
        removed = [msgspec.json.decode(line, type=_Line) for line in content[size : self.size].splitlines()]
        infos = [line.info for line in removed if line.seat in seats and isinstance(line.info, dict)]
        self._kept = size
        return resume_point(read_log(content[:size]), None).match, sum(info.get("undone", 0) for info in infos)

    def decisions(self, seats: Collection[int]) -> list[tuple[int, int]]:
        """Return a pair for each decision of `seats` so far: the seat, and the size of the log before the decision.

        The size is in bytes. If the game is a branch (continues another game), actions of the other game are left out,
        because they cannot be taken back.
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
    """The fields of a log line that are needed to find the decisions of a seat."""

    type: str
    seat: int = -1
    number: int = 0
    to: int = 0
    """Number of the first action that an `undo` line takes back."""
    branch: Branch | None = None
    """In the header of a game that continues another game, the origin of the game. None in other lines."""
    opening: Any = False
    """In the line of an action, whether the action belongs to the opening. In a header, a description of the opening.

    An opening consists of the first actions of a game, if they are not chosen by players.
    """
    info: Any = None
    """In the line of an action, the `info` object that the player added to the action."""


def begin(match: Match, folder: Path, *, is_lesson: bool = False, file: Path | None = None) -> SavedGame:
    """Create the log of a new match. Raise NotSaved if this fails.

    The log is `file`, or a new file in `folder` if `file` is None. With `is_lesson`, the name of a new file contains
    LESSON.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        name = f"{datetime.now():%Y%m%d-%H%M%S}-{match.game.name}{LESSON if is_lesson else ''}"
        saved = SavedGame(file or new_path(folder, name))
        saved.write(match.header)
        saved.write(match.setup_line)
    except OSError as error:
        raise NotSaved(f"cannot write to {folder}: {error.strerror or error}") from None
    return saved


def new_path(folder: Path, base: str) -> Path:
    """Return a path in `folder` for a new log. Its name is `base`, followed by a number if that file exists."""
    path = folder / f"{base}.jsonl"
    number = 2
    while path.exists():
        path = folder / f"{base}-{number}.jsonl"
        number += 1
    return path


def keep_finished(content: bytes, game: str, table: str, seat: int) -> Path | None:
    """Save the log of a finished game that the user played at a table of a server. Return the path of the file.

    `content` is the log, `game` the name of the game, and `seat` the seat of the user. The file is named after the game
    and the table. A file with other content is never overwritten, because servers choose the ids of their tables.

    Return None if the log is invalid, unfinished, of another game, or lacks the seat, because a server is not trusted.
    Also return None if the file cannot be written, or if `table` cannot be part of a file name.
    """
    name = f"{game}-{table}"
    path = games_folder() / f"{name}.jsonl"
    try:
        copy = shared_copy(content, seat)
        header = read_log(copy).header
        if header.game != game or seat >= len(header.players):
            return None
        if decode_result(copy.splitlines()[-1]) is None or not FILE_NAME.fullmatch(name):
            return None
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or read_file(path) != copy:
            path = new_path(path.parent, name)
            create_file(path, copy)
    except (BadLog, NoSuchGame, OSError):
        return None
    return path


def delete_saved(path: Path) -> None:
    """Delete the saved game in the log `path`, with its branches and the stderr of its bots.

    Raise NotSaved if the game is being played, or if a file cannot be deleted.
    """
    try:
        with _locked(path):
            for more in path.parent.glob(f"{glob.escape(path.name)}.*.stderr"):
                more.unlink()
            for folder in branch_folders(path, read_file(path)):
                shutil.rmtree(folder, ignore_errors=True)
            path.unlink()
    except OSError as error:
        raise NotSaved(f"cannot delete {path}: {error.strerror or error}") from None


def rename_saved(path: Path, name: str) -> Path:
    """Rename the saved game in the log `path`, with its branches, to `name`. Return the new path of the log.

    The name of a guided game keeps its suffix LESSON. Raise NotSaved if the name is in use, the game is being played,
    or the file cannot be renamed.
    """
    new = path.with_name(f"{name}{LESSON if LESSON in path.stem and LESSON not in name else ''}.jsonl")
    if new.exists() or folder_of(new).exists():
        raise NotSaved(f"there is already a saved game {new.stem}; choose another name")
    try:
        with _locked(path):
            if folder_of(path).is_dir():
                folder_of(path).rename(folder_of(new))
            path.rename(new)
    except OSError as error:
        raise NotSaved(f"cannot rename {path}: {error.strerror or error}") from None
    return new


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Lock a log in a `with` block, so that no game writes to the log. Raise NotSaved if the log is already locked."""
    descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise _in_use(path) from None
    else:
        yield
    finally:
        os.close(descriptor)


def _in_use(path: Path) -> NotSaved:
    return NotSaved(f"{path.stem} is being played; leave the game first")


def is_being_played(path: Path) -> bool:
    try:
        with _locked(path):
            return False
    except NotSaved:
        return True
    except OSError:
        return False


class Resumed(NamedTuple):
    """A game that continues from its log: its state, its log file, and its players."""

    left: ResumePoint
    saved: SavedGame
    seats: list[str | None]
    """By seat, text that specifies its last player, such as `builtin:easy`. None if the log does not say who played."""


def resume(path: Path) -> Resumed:
    """Return the unfinished game in the log `path`, to be continued. Remove an incomplete last line of the log.

    Raise NotSaved if the game cannot be resumed.
    """
    try:
        content = read_file(path)
        log = read_log(content)
        left = resume_point(log, None)
        return Resumed(left, SavedGame(path, keep_bytes=left.size, known_bytes=len(content)), last_players(log))
    except LogInUse:
        raise _in_use(path) from None
    except BadLog as bad:
        again = f"; see it again: rails-cli replay {path}" if bad.is_finished else ""
        raise NotSaved(f"{path}: {bad}{again}") from None
    except OSError as error:
        raise NotSaved(f"cannot read {path}: {error.strerror}") from None
