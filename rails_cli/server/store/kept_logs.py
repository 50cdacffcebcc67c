"""The logs in the folders of a server: which logs are finished, and which must be deleted due to age or total size."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from rails_cli.basics.files import open_regular
from rails_cli.logs.reading import decode_result
from rails_cli.protocol.log import ResultLine

TAIL_BYTES = 4096
"""Number of bytes at the end of a log in which its result is searched."""
DAY_S = 86_400.0


class KeptLog(NamedTuple):
    """A stored game log, last changed at the Unix timestamp `written_at`.

    `size` is the number of bytes of the log and of the files with the standard error of its bots.
    """

    paths: tuple[Path, ...]
    """Paths of the log file: in the folder of tables, in the folder of the pool, or in both as hard links."""
    size: int
    written_at: float


def last_result(lines: list[bytes]) -> ResultLine | None:
    """Return the result of a game from the last lines of its log. None if the log is unfinished."""
    return decode_result(lines[-2]) if len(lines) > 1 and not lines[-1] else None


def is_finished(path: Path) -> bool:
    """Return whether the log at `path` ends with a game result. False if the file cannot be read."""
    try:
        with open(path, "rb", opener=open_regular) as opened:
            opened.seek(max(0, opened.seek(0, os.SEEK_END) - TAIL_BYTES))
            return last_result(opened.read().split(b"\n")) is not None
    except OSError:
        return False


def unfinished(folder: Path) -> list[str]:
    """Return the sorted names of the logs in `folder` that are unfinished."""
    return sorted(path.stem for path in folder.glob("*.jsonl") if not is_finished(path))


def stderr_files(log: Path) -> list[Path]:
    """Return the paths of the files with the standard error of the bots that played the game of `log`."""
    return sorted(log.parent.glob(f"{log.stem}.seat*.stderr"))


def logs_to_delete(folders: Sequence[Path], *, older_than: float | None, most_bytes: int | None) -> list[KeptLog]:
    """Return the finished logs that must be deleted, oldest first.

    - Logs written before the Unix timestamp `older_than` must be deleted.
    - If the other logs have more than `most_bytes` bytes together, the oldest of them must be deleted too.

    None means that a limit does not apply. A log that is linked in two folders counts once.
    """
    logs: dict[tuple[int, int], KeptLog] = {}
    aside: dict[Path, int] = {}
    """Mapping from the path of a log to the total size in bytes of the files with the standard error of its bots."""
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
