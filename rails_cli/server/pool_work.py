"""Worker process of the pool: stores results from logs and computes ratings."""

import signal
import sys
import time
import traceback
from functools import cache
from pathlib import Path

import msgspec

from rails_cli.pool.curve import CURVE, Curve
from rails_cli.pool.model import PoolGame
from rails_cli.pool.rating import Member, PoolStanding, stored_standings
from rails_cli.pool.results import PoolResults, Terms

RATING_S = 1800.0
"""Most seconds for one rating run. On average much less is allowed."""
MAIN = "from rails_cli.server.pool_work import main; main()"


class KeepTask(msgspec.Struct, tag="keep", tag_field="type", frozen=True):
    """Store a finished game, unless it is stored already."""

    folder: str
    terms: Terms
    game: PoolGame
    log: str
    seconds: float


class LetGoTask(msgspec.Struct, tag="let_go", tag_field="type", frozen=True):
    """Delete the logs of stored games but keep their results."""

    folder: str
    terms: Terms
    logs: list[str]
    """File names."""


class RateTask(msgspec.Struct, tag="rate", tag_field="type", frozen=True):
    """Compute the ratings from the latest games and store them."""

    folder: str
    members: list[Member]
    anchor: str


class Work(msgspec.Struct, frozen=True, omit_defaults=True):
    """The result of a task."""

    lost: list[int] | None = None
    """Lost seats of the stored game. None if it was stored before."""
    standings: list[PoolStanding] | None = None
    cpu_s: float = 0.0
    """CPU seconds of a rating run, even of a failed one."""
    failure: str | None = None
    """Why the task failed, in one line."""


DECODER = msgspec.json.Decoder(Work)
_decoder = msgspec.json.Decoder(KeepTask | LetGoTask | RateTask)


@cache
def _results(folder: str, terms: bytes) -> PoolResults:
    return PoolResults(Path(folder), msgspec.json.decode(terms, type=Terms))


def work_of(line: bytes) -> Work:
    """Run one task. Errors are returned as `failure`."""
    began = time.process_time()
    try:
        task = _decoder.decode(line)
        if isinstance(task, RateTask):
            rows = stored_standings(Path(task.folder), task.members, anchor=task.anchor)
            Curve(Path(task.folder) / CURVE).add(rows, time.time())
            return Work(standings=rows, cpu_s=time.process_time() - began)
        results = _results(task.folder, msgspec.json.encode(task.terms))
        if isinstance(task, LetGoTask):
            results.store.let_go(task.logs)
            return Work()
        played = results.add(task.game, Path(task.log), task.seconds)
        return Work() if played is None else Work(lost=played.lost)
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        words = f"{type(error).__name__}: {error} ({Path(place.filename).name}, line {place.lineno})"
        return Work(failure=" ".join(words.split()), cpu_s=time.process_time() - began)


def main() -> None:
    """Run tasks from standard input until it ends."""
    for number in (signal.SIGINT, signal.SIGTERM):  # the server handles these signals and ends this process itself
        signal.signal(number, signal.SIG_IGN)
    for line in sys.stdin.buffer:
        sys.stdout.buffer.write(msgspec.json.encode(work_of(line)) + b"\n")
        sys.stdout.buffer.flush()
