"""Parallel execution of tasks in worker processes. Results are returned in the order of the tasks."""

import multiprocessing
import os
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from itertools import chain, islice
from multiprocessing.connection import Connection
from typing import TypeVar

TaskT = TypeVar("TaskT")
ResultT = TypeVar("ResultT")

TASKS_AHEAD = 4
"""Maximum number of tasks per worker process that are submitted but not finished.

Waiting tasks keep the workers busy. The limit saves memory.
"""


def map_in_order(work: Callable[[TaskT], ResultT], tasks: Iterable[TaskT], workers: int) -> Iterator[ResultT]:
    """Call `work` for each task in up to `workers` processes. Yield the results in the order of the tasks.

    If the caller stops iterating, the processes are ended immediately. Raise BrokenProcessPool if a process dies.
    """
    left = iter(tasks)
    first = list(islice(left, TASKS_AHEAD * workers))
    if workers == 1 or len(first) < 2:
        yield from map(work, chain(first, left))
        return
    with _process_pool(workers, work.func if isinstance(work, partial) else work) as pool:
        waiting = [pool.submit(work, task) for task in first]
        while waiting:
            yield waiting.pop(0).result()
            waiting += [pool.submit(work, task) for task in islice(left, 1)]


@contextmanager
def _process_pool(workers: int, work: Callable[..., object]) -> Iterator[ProcessPoolExecutor]:
    """Yield a new pool of `workers` processes for a `with` block, and close the pool afterwards.

    The module of `work` is imported once, before the processes are forked.
    """
    others = set(multiprocessing.active_children())
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([work.__module__])
    far_end, lifeline = context.Pipe(duplex=False)
    leave = partial(os._exit, 1)
    pool = ProcessPoolExecutor(
        workers, mp_context=context, initializer=call_when_parent_ends, initargs=(far_end, leave)
    )
    try:
        yield pool
    except BaseException:
        for worker in set(multiprocessing.active_children()) - others:
            worker.terminate()  # otherwise it would finish its task first
        raise
    finally:
        pool.shutdown()
        lifeline.close()
        far_end.close()


def call_when_parent_ends(lifeline: Connection, end: Callable[[], object]) -> None:
    """Call `end` in this worker process when its parent process ends, even if the parent is killed.

    `lifeline` is a pipe whose other end is open only in the parent process.
    """

    def wait() -> None:
        with suppress(EOFError, OSError):
            lifeline.recv_bytes()
        end()

    threading.Thread(target=wait, daemon=True).start()


def usable_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
