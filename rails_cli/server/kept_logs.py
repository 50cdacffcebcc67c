"""The logs in the folders of a server: which are finished, and which of those are let go by age and size."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from protocol.log import ResultLine
from rails_cli.match.replay import result_in

TAIL_BYTES = 4096
DAY_S = 86_400.0


class KeptLog(NamedTuple):
    """A log with what stands beside it."""

    paths: tuple[Path, ...]
    """Its names: in the folder of tables, of the pool, or both."""
    size: int
    written_at: float


def last_result(lines: list[bytes]) -> ResultLine | None:
    """The result with which a log ends, of which these are the last lines; None if it ends in another way."""
    return result_in(lines[-2]) if len(lines) > 1 and not lines[-1] else None


def is_finished(path: Path) -> bool:
    """Whether the game of a log is over, as far as can be seen."""
    try:
        with path.open("rb") as opened:
            opened.seek(max(0, opened.seek(0, os.SEEK_END) - TAIL_BYTES))
            return last_result(opened.read().split(b"\n")) is not None
    except OSError:
        return False


def unfinished(folder: Path) -> list[str]:
    """The names of games that are not over."""
    return sorted(path.stem for path in folder.glob("*.jsonl") if not is_finished(path))


def beside(log: Path) -> list[Path]:
    """What the bots at a table wrote to their stderr."""
    return sorted(log.parent.glob(f"{log.stem}.seat*.stderr"))


def to_let_go(folders: Sequence[Path], *, older_than: float | None, most_bytes: int | None) -> list[KeptLog]:
    """The finished games that were written before a moment, or are too much together; the oldest first. A log that lies
    in two folders under two names is one, and takes its room once."""
    logs: dict[tuple[int, int], KeptLog] = {}
    aside: dict[Path, int] = {}
    """What stands beside a log, in bytes."""
    for folder in folders:
        with os.scandir(folder) as found:
            for entry in found:
                try:
                    known = entry.stat(follow_symlinks=False)
                except FileNotFoundError:
                    continue
                path = folder / f"{entry.name.partition('.')[0]}.jsonl"
                if entry.name != path.name:
                    aside[path] = aside.get(path, 0) + known.st_size
                    continue
                same = logs.get((known.st_dev, known.st_ino))
                paths = (path,) if same is None else (*same.paths, path)
                logs[known.st_dev, known.st_ino] = KeptLog(paths, known.st_size, known.st_mtime)
    total = sum(log.size for log in logs.values()) + sum(aside.values())
    going = []
    for log in sorted(logs.values(), key=lambda log: (log.written_at, log.paths)):
        is_old = older_than is not None and log.written_at < older_than
        if not is_old and (most_bytes is None or total <= most_bytes):
            break
        if is_finished(log.paths[0]):
            whole = log._replace(size=log.size + sum(aside.get(path, 0) for path in log.paths))
            going.append(whole)
            total -= whole.size
    return going
