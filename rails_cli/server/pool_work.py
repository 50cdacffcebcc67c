"""What is worked out for the pool beside the server: results are read from logs and kept, and ratings are fitted."""

import signal
import sys
import traceback
from functools import cache
from pathlib import Path

import msgspec

from rails_cli.pool.model import PoolGame
from rails_cli.pool.results import PoolResults, Terms

MAIN = "from rails_cli.server.pool_work import main; main()"


class KeepTask(msgspec.Struct, tag="keep", tag_field="type", frozen=True):
    """A game that has ended is kept, unless it is there already."""

    folder: str
    terms: Terms
    game: PoolGame
    log: str
    seconds: float


class Work(msgspec.Struct, frozen=True, omit_defaults=True):
    """What came of a task."""

    lost: list[int] | None = None
    """Of a game that was kept: the seats that were lost; None if it was there already."""
    failure: str | None = None
    """Why nothing came of it."""


DECODER = msgspec.json.Decoder(Work)
_decoder = msgspec.json.Decoder(KeepTask)


@cache
def _results(folder: str, terms: bytes) -> PoolResults:
    return PoolResults(Path(folder), msgspec.json.decode(terms, type=Terms))


def work_of(line: bytes) -> Work:
    """Does a task, whatever comes of it."""
    try:
        task = _decoder.decode(line)
        results = _results(task.folder, msgspec.json.encode(task.terms))
        played = results.add(task.game, Path(task.log), task.seconds)
        return Work() if played is None else Work(lost=played.lost)
    except Exception:
        return Work(failure=traceback.format_exc())


def main() -> None:
    """Does one task after another until there is no more input."""
    for number in (signal.SIGINT, signal.SIGTERM):  # these are for the server, which ends this in its own time
        signal.signal(number, signal.SIG_IGN)
    for line in sys.stdin.buffer:
        sys.stdout.buffer.write(msgspec.json.encode(work_of(line)) + b"\n")
        sys.stdout.buffer.flush()
