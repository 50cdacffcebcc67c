"""Executors that run tasks in this process or in child processes, and their description for `Runner`."""

import multiprocessing
import os
import signal
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from threading import Timer
from typing import Any, ParamSpec, TypeVar

import msgspec

from rails_cli.basics.cores import call_when_parent_ends
from rails_cli.tournament.model import Entrant
from rails_cli.tournament.run.play import end_worker
from rails_cli.tournament.run.turns import TURN

P = ParamSpec("P")
T = TypeVar("T")

TASKS_A_WORKER = 2
"""Number of tasks that are given to each worker ahead of time."""
END_S = 30.0
"""Seconds that workers may take to end after their last task. Then they are ended as in the middle of a game."""
TASK_S = 0.25  # long compared to the overhead of a task, short enough for live progress


class InProcess(Executor):
    """An executor that runs each task immediately in this process."""

    def submit(self, task: Callable[P, T], /, *words: P.args, **more: P.kwargs) -> "Future[T]":
        future: Future[T] = Future()
        try:
            future.set_result(task(*words, **more))
        except Exception as error:
            future.set_exception(error)
        return future


class WorkerPool(ProcessPoolExecutor):
    """An executor with worker processes on this machine. The workers end with this process, even if it is killed."""

    def __init__(self, workers: int, end_s: float = END_S) -> None:
        _start_tracker()
        self._end_s = end_s
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(["rails_cli.tournament.run.play"])
        self._far_end, self._lifeline = context.Pipe(duplex=False)
        super().__init__(workers, mp_context=context, initializer=_start, initargs=(self._far_end,))

    def abandon(self) -> None:
        self._lifeline.close()
        self.shutdown(wait=True, cancel_futures=True)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the workers. If `wait` is true, return when all of them have ended.

        A worker that was killed while it waited for a task may hold the lock of the queue. Others wait for it until
        the lifeline closes.
        """
        if not wait:
            super().shutdown(wait, cancel_futures=cancel_futures)
            return
        timer = Timer(self._end_s, self._lifeline.close)
        timer.start()
        super().shutdown(wait, cancel_futures=cancel_futures)
        timer.cancel()
        timer.join()  # or both threads might close the lifeline
        self._lifeline.close()
        self._far_end.close()


def abandon(executor: Executor) -> None:
    """End the tasks of an executor as soon as possible. Cancel tasks that have not started."""
    if isinstance(executor, WorkerPool):
        executor.abandon()
    else:
        executor.shutdown(wait=False, cancel_futures=True)


class Workers(msgspec.Struct, frozen=True):
    """The executor that plays the games of a tournament: a function that creates it, and its properties."""

    open: Callable[[], Executor]
    """Function that creates an executor. The runner calls it at the start and after a worker died."""
    slots: int | Callable[[], int]
    """Number of tasks that an executor runs at the same time, or a function that returns the current number."""
    tasks_ahead: int = TASKS_A_WORKER
    """Maximum number of unfinished tasks submitted for each slot: one that runs, and others that wait."""
    task_s: float = TASK_S
    """Intended duration of a task in seconds. With 0, each task has one seed group."""
    is_loss: Callable[[BaseException], bool] = lambda error: isinstance(error, BrokenExecutor)
    """Function that returns whether an error of a task means that its worker died."""
    has_folder: bool = True
    """Whether workers can write to the results folder. If not, workers return logs to the runner."""
    entrants: tuple[Entrant, ...] | None = None
    """Entrants with the folders of their bots on the workers. None if the folders are the same as on this machine."""
    news: Callable[[], list[tuple[str, dict[str, Any]]]] = list
    """Function that returns the events about workers since its last call, as pairs of name and content."""


def local_workers(workers: int) -> Workers:
    """Return a description of workers on this machine.

    If `workers` is 1, tasks run in this process. Otherwise, tasks run in `workers` child processes.
    """
    if workers == 1:
        return Workers(InProcess, 1, tasks_ahead=1)
    return Workers(lambda: WorkerPool(workers), workers)


class WorkersLost(Exception):
    """Raised if the tournament cannot continue, because the workers are lost or a bug ended a game."""


class NotPlayed(Exception):
    """Raised for a task that was not run, for example because its workers were lost. It may be submitted again."""


def _start_tracker() -> None:
    """Start the resource tracker of multiprocessing, without the warnings that it prints if this process is killed."""
    before = os.environ.get("PYTHONWARNINGS")
    os.environ["PYTHONWARNINGS"] = "ignore:resource_tracker:UserWarning"
    try:
        resource_tracker.ensure_running()
    finally:
        del os.environ["PYTHONWARNINGS"]
        if before is not None:
            os.environ["PYTHONWARNINGS"] = before


def _start(lifeline: Connection) -> None:
    """Initialize a new worker process: ignore SIGINT and SIGTERM, and exit when `lifeline` closes."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, frame: None)  # not SIG_IGN, which bots would inherit
    TURN.is_watched = True
    call_when_parent_ends(lifeline, end_worker)
