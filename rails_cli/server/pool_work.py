"""What is worked out for the pool beside the server: results are read from logs and kept, and ratings are fitted."""

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
"""The longest that a rating may take; what it may take on average is less by far."""
MAIN = "from rails_cli.server.pool_work import main; main()"


class KeepTask(msgspec.Struct, tag="keep", tag_field="type", frozen=True):
    """A game that has ended is kept, unless it is there already."""

    folder: str
    terms: Terms
    game: PoolGame
    log: str
    seconds: float


class LetGoTask(msgspec.Struct, tag="let_go", tag_field="type", frozen=True):
    """Logs of games that are kept go, and their results stay."""

    folder: str
    terms: Terms
    logs: list[str]
    """Their names."""


class RateTask(msgspec.Struct, tag="rate", tag_field="type", frozen=True):
    """The last games are rated, and the ratings kept."""

    folder: str
    members: list[Member]
    anchor: str


class Work(msgspec.Struct, frozen=True, omit_defaults=True):
    """What came of a task."""

    lost: list[int] | None = None
    """Of a game that was kept: the seats that were lost; None if it was there already."""
    standings: list[PoolStanding] | None = None
    cpu_s: float = 0.0
    """What a rating took, also one that failed."""
    failure: str | None = None
    """Why nothing came of it, in one line."""


DECODER = msgspec.json.Decoder(Work)
_decoder = msgspec.json.Decoder(KeepTask | LetGoTask | RateTask)


@cache
def _results(folder: str, terms: bytes) -> PoolResults:
    return PoolResults(Path(folder), msgspec.json.decode(terms, type=Terms))


def work_of(line: bytes) -> Work:
    """Does a task, whatever comes of it."""
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
    """Does one task after another until there is no more input."""
    for number in (signal.SIGINT, signal.SIGTERM):  # these are for the server, which ends this in its own time
        signal.signal(number, signal.SIG_IGN)
    for line in sys.stdin.buffer:
        sys.stdout.buffer.write(msgspec.json.encode(work_of(line)) + b"\n")
        sys.stdout.buffer.flush()
