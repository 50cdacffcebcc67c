"""Where games at the terminal are kept: one log each in a folder of the user's, written as the game goes."""

import os
from collections.abc import Collection, Sequence
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from protocol.log import Branch
from rails_cli.branches import folder_of
from rails_cli.files import read_file
from rails_cli.log_file import LogFile, LogInUse
from rails_cli.match.match import Match
from rails_cli.match.replay import BadLog, Unfinished, carry_on, last_players, read_log, replay


def state_folder() -> Path:
    """The folder for what the program remembers, as the XDG base directories have it."""
    base = os.environ.get("XDG_STATE_HOME") or ""
    return (Path(base) if os.path.isabs(base) else Path.home() / ".local" / "state") / "rails-cli"


def games_folder() -> Path:
    return state_folder() / "games"


def branch_folders(log: Path, content: bytes) -> list[Path]:
    """Where branches of a log are: beside it, or, where nothing can be written there, among the user's own files."""
    return [folder_of(log), state_folder() / "branches" / sha256(content).hexdigest()[:16]]


LESSON = "-lesson"
"""What the name of the log of a guided game ends with."""


class NotSaved(Exception):
    """A game that cannot be kept or carried on; the text says why."""


class SavedGame:
    """The log of a game that is being played; held by one program at a time."""

    def __init__(self, path: Path, *, keep_bytes: int | None = None, known_bytes: int | None = None) -> None:
        """A new log, or one that is carried on after its first `keep_bytes` bytes."""
        self.path = path
        self._log = LogFile(path, keep_bytes=keep_bytes, known_bytes=known_bytes)
        self.people: Sequence[int] = ()
        """Where any are named: a game in which none of these seats has decided is not worth keeping."""

    @property
    def size(self) -> int:
        return self._log.size

    @property
    def is_lesson(self) -> bool:
        return LESSON in self.path.stem

    def asked(self, seat: int) -> list[str]:
        """What a seat has been asked so far, without the question that is open."""
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
        """Takes back everything after the first `size` bytes; the match as it stood then."""
        self._log.close()
        self._log = LogFile(self.path, keep_bytes=size)
        return carry_on(read_log(read_file(self.path)), None).match

    def decisions(self, seats: Collection[int]) -> list[tuple[int, int]]:
        """The actions of some seats so far: the seat, and the size of the log before it. What a branch has of the game
        that it comes from is not theirs to take back."""
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
    """As much of a line as tells who acted."""

    type: str
    seat: int = -1
    number: int = 0
    to: int = 0
    """The first action that is taken back."""
    branch: Branch | None = None
    """Of a header, where its game comes from."""
    opening: Any = False
    """Of an action, whether it belongs to the opening; a header has the whole of it."""


def begin(match: Match, folder: Path, *, is_lesson: bool = False) -> SavedGame:
    """A new log with its header and set-up."""
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
    """A game that goes on."""

    left: Unfinished
    saved: SavedGame
    seats: list[str | None]
    """Who played them last."""


def resume(path: Path) -> Resumed:
    """An unfinished game as its log leaves it; half a line at the end is cut off."""
    try:
        content = read_file(path)
        log = read_log(content)
        left = carry_on(log, None)
        return Resumed(left, SavedGame(path, keep_bytes=left.size, known_bytes=len(content)), last_players(log))
    except LogInUse as in_use:
        raise NotSaved(str(in_use)) from None
    except BadLog as bad:
        again = f"; see it again: rails-cli replay {path}" if bad.is_finished else ""
        raise NotSaved(f"{path}: {bad}{again}") from None
    except OSError as error:
        raise NotSaved(f"cannot read {path}: {error.strerror}") from None
