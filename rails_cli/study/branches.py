"""Branches: games that continue from a position of another game. They are created, stored next to it, and found again.

A branch is a complete log. Its header names the original log, and its lines before that position are copied from it.
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import msgspec

from rails_cli.basics.files import printable_path, read_file
from rails_cli.games.shared.text import printable
from rails_cli.logs.chain import Beginning, unlinked
from rails_cli.logs.reading import BadLog, Log, decode_result, last_terms, ranks_with_lost_last, read_log
from rails_cli.match.clock import clock_line
from rails_cli.protocol.log import Branch, PlayerLine, ResultLine, ResumedLine, UndoLine
from rails_cli.protocol.messages import Clock
from rails_cli.study.asking import log_before_question

FOLDER = ".branches"
"""Suffix of the folder with the branches of a game. The folder is named like the log."""

_ENCODE = msgspec.json.Encoder().encode


class NotOver(Exception):
    """The game is not over, so it cannot be continued from a position yet."""

    def __init__(self) -> None:
        super().__init__("this game is not over; you can continue from its positions once it has ended")


class NoParent(Exception):
    """The original game of a branch cannot be found. The text says why."""


class Line(msgspec.Struct, tag_field="type", tag="action", frozen=True):
    """The fields of an action line that give its number."""

    number: int


# Creating


def position(content: bytes, at: int) -> tuple[Log, int]:
    """Return the log of a finished game up to the question for action `at`, and its number. -1 is the last action.

    Raises NotOver, CannotAsk or BadLog.
    """
    log = read_log(content)
    if result_of(log) is None:
        raise NotOver
    return log_before_question(log, at)


def beginning(
    content: bytes,
    name: str,
    cut: Log,
    at: int,
    players: Sequence[PlayerLine],
    clock: Clock | None,
    match: str | None = None,
) -> Beginning:
    """Return the first lines of a branch. `cut` is the part it takes from the log `content`, which is called `name`."""
    branch = Branch(printable(name), sha256(content).hexdigest(), at)
    header = msgspec.structs.replace(cut.header, branch=branch, match=match or cut.header.match, key=None)
    return Beginning(header, [*_plain_lines(cut), _ENCODE(ResumedLine(at, list(players), clock_line(clock)))])


def folder_of(log: Path) -> Path:
    return log.with_name(f"{log.stem}{FOLDER}")


def name_of(log: Path) -> str:
    """Return the display name of a log."""
    return printable_path(Path(log.stem))


def new_file(folder: Path, at: int, words: str) -> Path:
    """Return an unused file name for a branch that describes it."""
    base = f"from-{at:03}-{words}"
    path, number = folder / f"{base}.jsonl", 2
    while path.exists():
        path, number = folder / f"{base}-{number}.jsonl", number + 1
    return path


# Finding


class KeptBranch(msgspec.Struct, frozen=True):
    """A branch as described by its log."""

    file: str
    number: int
    """Number of the first action played in the branch."""
    players: list[PlayerLine]
    """The players of the actions from `number` on."""
    actions: int
    scores: list[int] | None
    """Scores by seat. None while the branch is not over."""
    ranks: list[int] | None

    @property
    def name(self) -> str:
        return name_of(Path(self.file))


class KeptBranches(NamedTuple):
    """The branches of a game, ordered by where they begin, and error messages about other files."""

    branches: list[KeptBranch]
    problems: list[str]

    def at(self, step: int) -> list[KeptBranch]:
        """Return the branches that begin after `step` actions."""
        return [branch for branch in self.branches if branch.number == step + 1]


def branches_in(folders: Iterable[Path], content: bytes, more: Iterable[Path] = ()) -> KeptBranches:
    """Return the branches of the game `content`, from folders and additional files."""
    parent = read_log(content)
    found, problems = [], []
    for path in [*(path for folder in folders for path in sorted(folder.glob("*.jsonl"))), *more]:
        try:
            log = read_log(read_file(path, must_be_regular=True))
            mistake = branch_problem(log, parent)
            if mistake is None:
                found.append(kept_branch(path, log))
        except BadLog as bad:
            mistake = str(bad)
        except OSError as error:
            mistake = error.strerror or str(error)
        if mistake is not None:
            problems.append(f"{printable_path(path)}: {mistake}")
    return KeptBranches(sorted(found, key=lambda one: (one.number, one.file)), problems)


def kept_branch(path: Path, log: Log) -> KeptBranch:
    assert log.header.branch is not None
    result, actions = result_of(log), 0
    for line in reversed(log.lines):
        with suppress(msgspec.MsgspecError, UnicodeDecodeError):
            last = msgspec.json.decode(line, type=Line | UndoLine)
            actions = last.to - 1 if isinstance(last, UndoLine) else last.number
            break
    scores, ranks = (None, None) if result is None else (result.scores, ranks_with_lost_last(log, result.ranks))
    return KeptBranch(str(path), log.header.branch.number, list(last_terms(log).players), actions, scores, ranks)


def result_of(log: Log) -> ResultLine | None:
    """Return the result line if the log ends with one, else None."""
    return None if log.torn else decode_result(log.lines[-1])


def branch_problem(log: Log, parent: Log) -> str | None:
    """Return why a log is not a branch of `parent`, or None if it is."""
    branch = log.header.branch
    if branch is None:
        return "is not a branch of another game"
    same = [
        msgspec.structs.replace(header, branch=None, match=None, players=[], server="", key=None)
        for header in (log.header, parent.header)
    ]
    other = f"belongs to another game, or {branch.log} has been changed since"
    if same[0] != same[1]:
        return other
    own, old = _plain_lines(log), _plain_lines(parent)
    place = 0
    while place < min(len(own), len(old)) and own[place] == old[place]:
        place += 1
    with suppress(msgspec.MsgspecError, UnicodeDecodeError, IndexError):
        if msgspec.json.decode(own[place], type=ResumedLine).number == branch.number:
            return None
    return other


def _plain_lines(log: Log) -> list[bytes]:
    """Return the lines after the header as they would be in an unsigned log."""
    return log.lines[1:] if log.header.key is None else unlinked(log.lines[1:])


def parent_of(path: Path, log: Log) -> Path:
    """Return the path of the log that a branch continues. Raises NoParent."""
    branch = log.header.branch
    if branch is None:
        raise NoParent("this game is not a branch of another one")
    name = Path(branch.log).name
    known = [folder / name for folder in (path.parent.parent, path.parent) if (folder / name).is_file()]
    for parent in known:
        with suppress(BadLog, OSError):
            if parent.resolve() != path.resolve() and branch_problem(log, read_log(read_file(parent))) is None:
                return parent
    if known:
        raise NoParent(f"{printable_path(known[0])} is not the game this one branched from, or has been changed since")
    raise NoParent(f"{printable(name)}, which this game branched from, is no longer next to it")
