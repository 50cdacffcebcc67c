"""Executors for tasks: in this process, or in child processes that end with it."""

import multiprocessing
import os
import signal
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from typing import ParamSpec, TypeVar

from rails_cli.basics.cores import watch
from rails_cli.tournament.play import TURN, end_worker

P = ParamSpec("P")
T = TypeVar("T")


class InProcess(Executor):
    """Runs each task immediately in this process."""

    def submit(self, task: Callable[P, T], /, *words: P.args, **more: P.kwargs) -> "Future[T]":
        future: Future[T] = Future()
        try:
            future.set_result(task(*words, **more))
        except Exception as error:
            future.set_exception(error)
        return future


class Pool(ProcessPoolExecutor):
    """Worker processes on this machine. A pipe tells them when this process has ended, even if it is killed."""

    def __init__(self, workers: int) -> None:
        _start_tracker()
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(["rails_cli.tournament.play"])
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
    """End the running tasks as far as the executor can."""
    if isinstance(executor, Pool):
        executor.abandon()
    else:
        executor.shutdown(wait=False, cancel_futures=True)


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
    """Initialize a new worker: ignore SIGINT and SIGTERM, and exit when the lifeline closes.

    If it dies otherwise, its turn file shows whose turn it was.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, frame: None)  # not SIG_IGN, which bots would inherit
    TURN.is_watched = True
    watch(lifeline, end_worker)
