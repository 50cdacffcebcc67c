"""An executor that runs the tasks of a tournament on the workers of a Dask cluster.

A worker is used if it has the same versions of the program and everything that the bots need. Workers that join later
are checked in the same way. If a worker is lost, its tasks run on other workers.
"""

import logging
import pickle
import queue
import threading
import time
import uuid
import warnings
from collections.abc import Callable
from concurrent.futures import CancelledError, Executor, Future
from concurrent.futures import wait as wait_for
from contextlib import suppress
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from rails_cli.basics.extras import install_command
from rails_cli.tournament.plan.plan import TournamentPlan
from rails_cli.tournament.run.cluster_worker import NotPrepared, TaskProcessLost, carry_out, leave, prepare, versions
from rails_cli.tournament.run.shipping import ShippingError, pack_bots
from rails_cli.tournament.run.workers import NotPlayed, Workers, WorkersLost

P = ParamSpec("P")
T = TypeVar("T")
News = tuple[str, dict[str, Any]]

CONNECT_S = 30.0
"""Maximum number of seconds to connect to the cluster or to disconnect from it."""
PREPARE_S = 60.0
"""Maximum number of seconds in which the workers must be ready."""
LEAVE_S = 5.0
"""Maximum number of seconds to end the session on the workers."""
FIRST_WORKER_S = 30.0
"""Maximum seconds to wait until the scheduler has a worker."""
LOOK_S = 1.0
"""Seconds between two checks for new and lost workers."""
TASKS_A_THREAD = 3
"""Number of tasks that are given to each thread of a worker ahead of time."""


class ClusterError(Exception):
    """Raised if the cluster cannot be used. The message gives the reason and a solution."""


class Cluster(Executor):
    """An executor on the workers of a Dask scheduler. Only one thread may call its methods."""

    def __init__(
        self,
        address: str,
        plan: TournamentPlan,
        secret: Path | None = None,
        now: Callable[[], float] = time.monotonic,
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        """Connect to the scheduler at `address` and prepare its workers.

        The file `secret`, such as a signing key, is not sent to workers. `now` returns the time in seconds, and `wait`
        sleeps for a number of seconds. Raise ClusterError if there is no scheduler, no worker, or a worker that cannot
        play.
        """
        try:
            self.shipment = pack_bots(plan, secret)
        except ShippingError as error:
            raise ClusterError(str(error)) from None
        self.address = address
        self.session = uuid.uuid4().hex
        self.versions = versions()
        self.client = connected(address)
        self.executor = self.client.get_executor(pure=False)
        self.workers: dict[str, int] = {}
        """Mapping from the address of each ready worker to its number of threads."""
        self.refused: set[str] = set()
        self.tasks: dict[Future[Any], frozenset[str]] = {}
        """Mapping from the future of each unfinished task to the workers that may run the task.

        Workers are named by their addresses. The set is empty if the task is not assigned to any worker.
        """
        self.lock = threading.Lock()
        self.queued_news: queue.SimpleQueue[News] = queue.SimpleQueue()
        self.is_over = threading.Event()
        self.lost: str | None = None
        try:
            self._await_worker(now, wait)
            self._begin()
        except BaseException:
            self._end_sessions()
            raise
        self.watcher = threading.Thread(target=self._watch, daemon=True)
        self.watcher.start()

    def as_workers(self) -> Workers:
        """Return a `Workers` object for `Runner` that uses this executor."""
        return Workers(
            lambda: self,
            self.slots,
            tasks_ahead=TASKS_A_THREAD,
            task_s=0,
            is_loss=is_loss,
            has_folder=False,
            entrants=self.shipment.entrants,
            news=self.news,
        )

    def slots(self) -> int:
        """Return the number of threads of all ready workers. Raise WorkersLost if the scheduler cannot be reached."""
        if self.lost is not None or self.client.status != "running":
            raise WorkersLost(
                f"the Dask scheduler at {self.address} is gone{': ' if self.lost else ''}{self.lost or ''}; "
                "finished games are kept, and the same command resumes"
            )
        return sum(self.workers.values())

    def news(self) -> list[News]:
        """Return the events about joined, refused and lost workers since the last call."""
        return [self.queued_news.get() for _ in range(self.queued_news.qsize())]

    def submit(self, task: Callable[P, T], /, *words: P.args, **more: P.kwargs) -> "Future[T]":
        """Run a task on one of the workers that are ready now.

        If all these workers are lost, the future raises NotPlayed.
        """
        future: Future[T] = Future()
        with self.lock:
            workers = self.tasks[future] = frozenset(self.workers)
        if workers:
            try:
                job = pickle.dumps((task, words, more))
                inner = self.executor.submit(carry_out, self.session, job, workers=sorted(workers))
            except Exception as error:
                self.lost = self.lost or str(error)
            else:
                inner.add_done_callback(lambda done: self._receive(done, future))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        if self.is_over.is_set():
            return
        if wait and not cancel_futures:
            wait_for(list(self.tasks))
        self.is_over.set()
        with suppress(Exception):
            self.executor.shutdown(wait=False)
        self._end_sessions()

    # Tasks

    def _receive(self, done: "Future[bytes]", future: "Future[Any]") -> None:
        """Store the result or the error of the finished Dask task `done` in `future`.

        If Dask cancelled the task, or its worker was restarted before the task began, only mark the task as not
        assigned. A later call of `_look` then lets `future` raise NotPlayed.
        """
        try:
            is_good, result = pickle.loads(done.result())
        except (CancelledError, NotPrepared) as error:
            with self.lock:
                if isinstance(error, NotPrepared):
                    self.workers.pop(error.worker, None)
                if future in self.tasks:
                    self.tasks[future] = frozenset()
        except BaseException as error:
            self._set(future, False, error)
        else:
            self._set(future, is_good, result)

    def _set(self, future: "Future[Any]", is_good: bool, result: Any) -> None:
        with self.lock:
            if self.tasks.pop(future, None) is None:
                return
        if is_good:
            future.set_result(result)
        else:
            future.set_exception(result)

    # Workers

    def _await_worker(self, now: Callable[[], float], wait: Callable[[float], None]) -> None:
        until = now() + FIRST_WORKER_S
        while not self._threads():
            if now() > until:
                raise ClusterError(
                    f"the Dask scheduler at {self.address} has no workers; start some with: dask worker {self.address}"
                )
            wait(LOOK_S / 4)

    def _begin(self) -> None:
        threads = self._threads()
        try:
            answers = self._prepared(list(threads), PREPARE_S)
        except TimeoutError:
            raise ClusterError(f"the workers of {self.address} did not answer within {PREPARE_S:g} s") from None
        wrong = [f"\n  worker {worker} {words}" for worker, found in sorted(answers.items()) for words in found]
        if wrong:
            raise ClusterError(f"the cluster at {self.address} cannot play this:{''.join(wrong)}")
        self.workers = {worker: threads[worker] for worker in answers}

    def _watch(self) -> None:
        while not self.is_over.wait(LOOK_S):
            try:
                self._look()
            except Exception as error:
                if not self.is_over.is_set():
                    self.lost = str(error) or type(error).__name__
                return

    def _look(self) -> None:
        """Remove lost workers, and prepare new workers.

        If any worker is ready, let the futures of tasks whose workers are all lost raise NotPlayed.
        """
        threads = self._threads()
        for worker in sorted(self.workers.keys() - threads.keys()):
            with self.lock:
                self.workers.pop(worker, None)
            self.queued_news.put(("worker_lost", {"worker": worker}))
        self.refused &= threads.keys()
        new = sorted(threads.keys() - self.workers.keys() - self.refused)
        if new:
            for worker, found in self._prepared(new).items():
                if found:
                    self.refused.add(worker)
                    self.queued_news.put(("worker_refused", {"worker": worker, "words": "; ".join(found)}))
                else:
                    with self.lock:
                        self.workers[worker] = threads[worker]
                    self.queued_news.put(("worker_joined", {"worker": worker, "threads": threads[worker]}))
        with self.lock:
            stranded = [future for future, workers in self.tasks.items() if not workers & threads.keys()]
        if self.workers:
            for future in stranded:
                self._set(future, False, NotPlayed())

    def _threads(self) -> dict[str, int]:
        return dict(self.client.nthreads())

    def _prepared(self, workers: list[str], timeout_s: float | None = None) -> dict[str, list[str]]:
        """Prepare `workers`, and return a mapping from each worker to its problems. Omit disconnected workers."""
        words = (prepare, self.session, self.versions, self.shipment)
        answers = self.client.run(*words, workers=workers, on_error="return", callback_timeout=timeout_s)
        made: dict[str, list[str]] = {}
        for worker, answer in answers.items():
            if isinstance(answer, ImportError | AttributeError):
                made[worker] = [f"does not have rails-cli {self.versions.rails_cli} ({answer}); pip install it there"]
            elif isinstance(answer, OSError) and not isinstance(answer, FileNotFoundError | PermissionError):
                continue
            elif isinstance(answer, BaseException):
                made[worker] = [f"cannot be prepared: {type(answer).__name__}: {answer}"]
            else:
                made[worker] = list(answer)
        return made

    def _end_sessions(self) -> None:
        self.is_over.set()
        with suppress(Exception):
            if self.client.status == "running":
                self.client.run(leave, self.session, on_error="ignore", callback_timeout=LEAVE_S)
        with suppress(Exception):
            self.client.close(timeout=CONNECT_S)


def is_loss(error: BaseException) -> bool:
    """Return whether `error` means that the worker of a task, or the process that ran the task, died."""
    from distributed import KilledWorker

    return isinstance(error, TaskProcessLost | KilledWorker)


def connected(address: str) -> Any:
    """Return a Dask client that is connected to the scheduler at `address`. Raise ClusterError if that fails."""
    try:
        from distributed import Client
        from distributed.comm.addressing import resolve_address
        from distributed.versions import VersionMismatchWarning
    except ImportError:
        raise ClusterError(f"--cluster needs dask.distributed: {install_command('cluster')}") from None
    for name in list(logging.root.manager.loggerDict):
        if name.partition(".")[0] in ("distributed", "tornado", "asyncio"):
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    try:
        resolve_address(address)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", VersionMismatchWarning)
            return Client(address, timeout=CONNECT_S, set_as_default=False, name="rails-cli")
    except (OSError, ValueError, TypeError, ImportError) as error:
        why = str(error).partition("; maybe")[0].splitlines()[0] if str(error) else type(error).__name__
        raise ClusterError(
            f"no Dask scheduler answers at {address} ({why}); an address looks like tcp://10.0.0.5:8786; "
            "start one with: dask scheduler, and workers with: dask worker ADDRESS"
        ) from None
