"""Work spread over the cores: tasks by other processes, results in the order of the tasks."""

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

AHEAD = 4
"""So many tasks a worker are handed over before their turn: enough to keep it busy, and few to be kept in memory."""


def in_turn(work: Callable[[TaskT], ResultT], tasks: Iterable[TaskT], workers: int) -> Iterator[ResultT]:
    """The result of each task, in their order. Whoever stops listening, or interrupts, ends the workers at once.

    Raises BrokenProcessPool if one of them dies.
    """
    left = iter(tasks)
    first = list(islice(left, AHEAD * workers))
    if workers == 1 or len(first) < 2:
        yield from map(work, chain(first, left))
        return
    with _pool(workers, work.func if isinstance(work, partial) else work) as pool:
        waiting = [pool.submit(work, task) for task in first]
        while waiting:
            yield waiting.pop(0).result()
            waiting += [pool.submit(work, task) for task in islice(left, 1)]


@contextmanager
def _pool(workers: int, work: Callable[..., object]) -> Iterator[ProcessPoolExecutor]:
    """What the work needs is imported once, before there are workers."""
    others = set(multiprocessing.active_children())
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([work.__module__])
    far_end, lifeline = context.Pipe(duplex=False)
    leave = partial(os._exit, 1)
    pool = ProcessPoolExecutor(workers, mp_context=context, initializer=watch, initargs=(far_end, leave))
    try:
        yield pool
    except BaseException:
        for worker in set(multiprocessing.active_children()) - others:
            worker.terminate()  # it would finish its task first
        raise
    finally:
        pool.shutdown()
        lifeline.close()
        far_end.close()


def watch(lifeline: Connection, end: Callable[[], object]) -> None:
    """Ends this process, a worker, when the program does that started it, however that happens."""

    def wait() -> None:
        with suppress(EOFError, OSError):
            lifeline.recv_bytes()
        end()

    threading.Thread(target=wait, daemon=True).start()


def all_cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
