"""Worker process of the pool. It stores results from logs and computes ratings."""

import time
import traceback
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import ClassVar

import msgspec

from rails_cli.server.pool.rating import RATINGS_FILE, PoolStanding, RatingHistory, stored_standings
from rails_cli.server.pool.results import PoolResults, Terms
from rails_cli.server.store.records import PoolGame
from rails_cli.server.workers.low_priority import run_tasks

RATING_S = 1800.0
"""Maximum number of seconds that computing all ratings may take."""
MAIN = "from rails_cli.server.pool.worker import main; main()"


class StoreTask(msgspec.Struct, tag="store", tag_field="type", frozen=True):
    """Task of a worker: store the result of a finished game, unless it is stored already.

    `folder` has the results of the pool. `log` is the path of the game's log, and `seconds` the duration of the game.
    """

    title: ClassVar[str] = "storing a game of the pool"
    folder: str
    terms: Terms
    game: PoolGame
    log: str
    seconds: float


class DeleteLogsTask(msgspec.Struct, tag="delete_logs", tag_field="type", frozen=True):
    """Task of a worker: delete the logs of stored games but keep their results."""

    title: ClassVar[str] = "deleting logs of the pool"
    folder: str
    terms: Terms
    logs: list[str]


class RateTask(msgspec.Struct, tag="rate", tag_field="type", frozen=True):
    """Task of a worker: compute the ratings from the latest games, and store the ratings."""

    title: ClassVar[str] = "computing the ratings of the pool"
    folder: str
    entrants: list[str]
    anchors: list[str]


class TaskResult(msgspec.Struct, frozen=True, omit_defaults=True):
    lost: list[int] | None = None
    """Seats that were lost in the game that the task stored. None for other tasks, or if the game was stored before."""
    standings: list[PoolStanding] | None = None
    cpu_s: float = 0.0
    """CPU time in seconds of a task that computes ratings, even if the task failed. 0 for other tasks."""
    failure: str | None = None
    """Reason for the failure of the task, in one line. None if the task succeeded."""


Task = StoreTask | DeleteLogsTask | RateTask
RunTask = Callable[[Task, Callable[[TaskResult], None]], None]
"""Function that runs a task in a worker process and passes the result to a callback."""
DECODER = msgspec.json.Decoder(TaskResult)
_decoder = msgspec.json.Decoder(Task)


@cache
def _results(folder: str, terms: bytes) -> PoolResults:
    return PoolResults(Path(folder), msgspec.json.decode(terms, type=Terms))


def run_task(line: bytes) -> TaskResult:
    """Run the task encoded in `line` and return its result. If an exception occurs, the result has a `failure`."""
    began = time.process_time()
    try:
        task = _decoder.decode(line)
        if isinstance(task, RateTask):
            rows, latest = stored_standings(Path(task.folder), task.entrants, anchors=task.anchors)
            RatingHistory(Path(task.folder) / RATINGS_FILE).add(rows, time.time(), latest)
            return TaskResult(standings=rows, cpu_s=time.process_time() - began)
        results = _results(task.folder, msgspec.json.encode(task.terms))
        if isinstance(task, DeleteLogsTask):
            results.store.delete_logs(task.logs)
            return TaskResult()
        played = results.add(task.game, Path(task.log), task.seconds)
        return TaskResult() if played is None else TaskResult(lost=played.lost)
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        words = f"{type(error).__name__}: {error} ({Path(place.filename).name}, line {place.lineno})"
        return TaskResult(failure=" ".join(words.split()), cpu_s=time.process_time() - began)


def main() -> None:
    run_tasks(run_task)
