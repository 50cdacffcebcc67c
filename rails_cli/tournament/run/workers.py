"""Executors that run tasks in this process or in child processes, and the properties that `Runner` needs."""

import multiprocessing
import os
import signal
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from typing import Any, ParamSpec, TypeVar

import msgspec

from rails_cli.basics.cores import call_when_parent_ends
from rails_cli.tournament.model import Entrant
from rails_cli.tournament.run.play import end_worker
from rails_cli.tournament.run.turns import TURN

P = ParamSpec("P")
T = TypeVar("T")

TASKS_A_WORKER = 2
TASK_S = 0.25  # long compared to the overhead of a task, short enough for live progress


class InProcess(Executor):
    """Runs each task immediately in this process."""

    def submit(self, task: Callable[P, T], /, *words: P.args, **more: P.kwargs) -> "Future[T]":
        future: Future[T] = Future()
        try:
            future.set_result(task(*words, **more))
        except Exception as error:
            future.set_exception(error)
        return future


class WorkerPool(ProcessPoolExecutor):
    """Worker processes on this machine. They end when this process ends, even if it is killed."""

    def __init__(self, workers: int) -> None:
        _start_tracker()
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(["rails_cli.tournament.run.play"])
        self._far_end, self._lifeline = context.Pipe(duplex=False)
        super().__init__(workers, mp_context=context, initializer=_start, initargs=(self._far_end,))

    def abandon(self) -> None:
        """Kill the workers in the middle of their tasks."""
        self._lifeline.close()
        self.shutdown(wait=True, cancel_futures=True)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        super().shutdown(wait, cancel_futures=cancel_futures)
        if wait:
            self._lifeline.close()
            self._far_end.close()


def abandon(executor: Executor) -> None:
    """End the running tasks of an executor as soon as possible."""
    if isinstance(executor, WorkerPool):
        executor.abandon()
    else:
        executor.shutdown(wait=False, cancel_futures=True)


class Workers(msgspec.Struct, frozen=True):
    """The executor that plays the games of a tournament, and its properties."""

    open: Callable[[], Executor]
    """Create a new executor. Called again if a worker of the last one died."""
    slots: int | Callable[[], int]
    """Number of tasks that run at the same time. A callable is evaluated again before each use."""
    tasks_ahead: int = TASKS_A_WORKER
    """Number of tasks submitted per slot."""
    task_s: float = TASK_S
    """Intended duration of a task in seconds. With 0, each group is a task."""
    is_loss: Callable[[BaseException], bool] = lambda error: isinstance(error, BrokenExecutor)
    """Return whether an error of a task means that its worker died."""
    has_folder: bool = True
    """Whether workers can write to the folder of the tournament. Otherwise workers return the logs."""
    entrants: tuple[Entrant, ...] | None = None
    """Entrants with the folders of bots on the workers. None means the folders on this machine."""
    news: Callable[[], list[tuple[str, dict[str, Any]]]] = list
    """Return the events about workers since the last call."""


def local_workers(workers: int) -> Workers:
    """Return an executor on this machine: this process if `workers` is 1, else a pool of processes."""
    if workers == 1:
        return Workers(InProcess, 1, tasks_ahead=1)
    return Workers(lambda: WorkerPool(workers), workers)


class WorkersLost(Exception):
    """The tournament cannot continue, because the workers are lost or a game failed."""


class NotPlayed(Exception):
    """A task was not run, for example because all workers were lost. The task may be submitted again."""


def _start_tracker() -> None:
    """Start multiprocessing's resource tracker without its warnings, which it prints if this process is killed."""
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
