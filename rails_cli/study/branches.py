"""Branches: games that continue from a position of another game. A branch is stored next to the original game.

A branch is a complete log. Its header names the original log, and its lines before the position are copied from that
log.
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
from rails_cli.protocol.lines import UNDECODABLE
from rails_cli.protocol.log import Branch, PlayerLine, ResultLine, ResumedLine, UndoLine
from rails_cli.protocol.messages import Clock
from rails_cli.study.asking import log_before_question

FOLDER = ".branches"
"""Suffix of the name of the folder with the branches of a game. The name starts with the name of the log."""

_ENCODE = msgspec.json.Encoder().encode


class NotOver(Exception):
    """Raised if a game is not over, because only finished games can be continued from a position."""

    def __init__(self) -> None:
        super().__init__("this game is not over; you can continue from its positions once it has ended")


class NoParent(Exception):
    """Raised if the original game of a branch cannot be found. The message gives the reason."""


class Line(msgspec.Struct, tag_field="type", tag="action", frozen=True):
    """A log line of an action. Only the number of the action is decoded."""

    number: int


# Creating


def position(content: bytes, after: int) -> tuple[Log, int]:
    """Return the log `content` up to action `after`, and the number of the next action.

    Raise NotOver if the game is not finished, CannotAsk if no seat was asked for the next action, or BadLog if the log
    is invalid.
    """
    log = read_log(content)
    if result_of(log) is None:
        raise NotOver
    return log_before_question(log, after)


def beginning(
    content: bytes,
    name: str,
    cut: Log,
    at: int,
    players: Sequence[PlayerLine],
    clock: Clock | None,
    match: str | None = None,
) -> Beginning:
    """Return the first lines of the log of a branch that begins with action `at`.

    `content` is the original log, `name` its name, and `cut` its part before action `at`. `players` and `clock` are
    those of the branch. `match` is the id of the match, or None to keep that of the original log.
    """
    branch = Branch(printable(name), sha256(content).hexdigest(), at)
    header = msgspec.structs.replace(cut.header, branch=branch, match=match or cut.header.match, key=None)
    return Beginning(header, [*_plain_lines(cut), _ENCODE(ResumedLine(at, list(players), clock_line(clock)))])


def folder_of(log: Path) -> Path:
    return log.with_name(f"{log.stem}{FOLDER}")


def name_of(log: Path) -> str:
    """Return the name of a log as shown to users."""
    return printable_path(Path(log.stem))


def new_file(folder: Path, at: int, words: str) -> Path:
    """Return the path of a new file in `folder` for a branch that begins with action `at`.

    The name of the file contains the number of the action before `at`, and `words`.
    """
    base = f"after-{at - 1:03}-{words}"
    path, number = folder / f"{base}.jsonl", 2
    while path.exists():
        path, number = folder / f"{base}-{number}.jsonl", number + 1
    return path


# Finding


class KeptBranch(msgspec.Struct, frozen=True):
    """A stored branch of a game, described from its log."""

    file: str
    number: int
    players: list[PlayerLine]
    """The players of the branch, who play from action `number` on."""
    actions: int
    scores: list[int] | None
    ranks: list[int] | None

    @property
    def name(self) -> str:
        return name_of(Path(self.file))


class KeptBranches(NamedTuple):
    """The branches of a game, ordered by their first action, and error messages about files that are not branches."""

    branches: list[KeptBranch]
    problems: list[str]

    def at(self, step: int) -> list[KeptBranch]:
        """Return the branches that continue the game after its first `step` actions."""
        return [branch for branch in self.branches if branch.number == step + 1]


def branches_in(folders: Iterable[Path], content: bytes, more: Iterable[Path] = ()) -> KeptBranches:
    """Return the branches of the game with the log `content` that are in `folders` or in the files `more`."""
    parent = read_log(content)
    found, problems = [], []
    for path in [*(path for folder in folders for path in sorted(folder.glob("*.jsonl"))), *more]:
        try:
            log = read_log(read_file(path))
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
        with suppress(*UNDECODABLE):
            last = msgspec.json.decode(line, type=Line | UndoLine)
            actions = last.to - 1 if isinstance(last, UndoLine) else last.number
            break
    scores = ranks = None
    if result is not None:
        scores, ranks = result.scores, ranks_with_lost_last(log, result.ranks, result.reason)
    return KeptBranch(str(path), log.header.branch.number, list(last_terms(log).players), actions, scores, ranks)


def result_of(log: Log) -> ResultLine | None:
    return None if log.torn else decode_result(log.lines[-1])


def branch_problem(log: Log, parent: Log) -> str | None:
    """Return why the game of `log` is not a branch of the game of `parent`, or None if it is a branch."""
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
    with suppress(IndexError, *UNDECODABLE):
        if msgspec.json.decode(own[place], type=ResumedLine).number == branch.number:
            return None
    return other


def _plain_lines(log: Log) -> list[bytes]:
    """Return the lines of a log after the header, without the signature data of a signed log."""
    return log.lines[1:] if log.header.key is None else unlinked(log.lines[1:])


def parent_of(path: Path, log: Log) -> Path:
    """Return the path of the original log of the branch at `path`. Raise NoParent if it cannot be found."""
    branch = log.header.branch
    if branch is None:
        raise NoParent("this game is not a branch of another one")
    name = Path(branch.log).name
    renamed = path.parent.with_name(f"{path.parent.name.removesuffix(FOLDER)}.jsonl")
    known = [file for file in (path.parent.parent / name, path.parent / name, renamed) if file.is_file()]
    for parent in known:
        with suppress(BadLog, OSError):
            if parent.resolve() != path.resolve() and branch_problem(log, read_log(read_file(parent))) is None:
                return parent
    if known:
        raise NoParent(f"{printable_path(known[0])} is not the game this one branched from, or has been changed since")
    raise NoParent(f"{printable(name)}, which this game branched from, is no longer next to it")
