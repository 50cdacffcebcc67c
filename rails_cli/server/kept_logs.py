"""The logs in the folder of a server: which are finished, and which of those are let go by age and size."""

import os
from pathlib import Path
from typing import NamedTuple

from protocol.log import ResultLine
from rails_cli.match.replay import result_in

TAIL_BYTES = 4096
DAY_S = 86_400.0


class KeptLog(NamedTuple):
    """A log with what stands beside it."""

    path: Path
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


def to_let_go(folder: Path, *, older_than: float | None, most_bytes: int | None) -> list[KeptLog]:
    """The finished games that were written before a moment, or are too much together; the oldest first."""
    sizes: dict[str, int] = {}
    written: dict[str, float] = {}
    with os.scandir(folder) as found:
        for entry in found:
            try:
                known = entry.stat(follow_symlinks=False)
            except FileNotFoundError:
                continue
            name = entry.name.partition(".")[0]
            sizes[name] = sizes.get(name, 0) + known.st_size
            if entry.name == f"{name}.jsonl":
                written[name] = known.st_mtime
    total = sum(sizes.values())
    going = []
    for at, name in sorted((at, name) for name, at in written.items()):
        is_old = older_than is not None and at < older_than
        if not is_old and (most_bytes is None or total <= most_bytes):
            break
        log = KeptLog(folder / f"{name}.jsonl", sizes[name], at)
        if is_finished(log.path):
            going.append(log)
            total -= log.size
    return going
