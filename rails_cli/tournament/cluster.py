"""Tournaments on many machines: the workers of a Dask cluster as an executor of tasks.

A worker is used once it has the same program and all that the bots need; those that join later are looked at, too. What
a lost worker had to do is done by others.
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
from typing import Any, NamedTuple, ParamSpec, TypeVar

from rails_cli.tournament.cluster_worker import (
    NotPrepared,
    TaskProcessLost,
    Versions,
    carry_out,
    leave,
    prepare,
    versions,
)
from rails_cli.tournament.plan import TournamentPlan
from rails_cli.tournament.run import Workers, WorkersLost
from rails_cli.tournament.shipping import Shipment, ShippingError, pack_bots

P = ParamSpec("P")
T = TypeVar("T")
News = tuple[str, dict[str, Any]]

CONNECT_S = 10.0
PREPARE_S = 60.0
LEAVE_S = 5.0
FIRST_WORKER_S = 30.0
LOOK_S = 1.0
TASKS_A_THREAD = 3


class ClusterError(Exception):
    """A cluster that cannot be used; the text says why and what would do."""


class _Task(NamedTuple):
    """A task that is not done."""

    job: bytes
    workers: frozenset[str]
    """Those to which it may go; none if it waits."""
    sent: int
    """How often it was sent; only the last time counts."""


class Cluster(Executor):
    """The workers of a Dask scheduler. Its methods are for one thread; another looks after the workers."""

    def __init__(self, address: str, plan: TournamentPlan) -> None:
        """Raises ClusterError: no scheduler, no worker, or one that cannot play."""
        try:
            self.shipment = pack_bots(plan)
        except ShippingError as error:
            raise ClusterError(str(error)) from None
        self.address = address
        self.session = uuid.uuid4().hex
        self.versions = versions()
        self.client = connected(address)
        self.executor = self.client.get_executor(pure=False)
        self.workers: dict[str, int] = {}
        """The threads of those that are ready, by address."""
        self.refused: set[str] = set()
        self.tasks: dict[Future[Any], _Task] = {}
        self.lock = threading.Lock()
        self.told: queue.SimpleQueue[News] = queue.SimpleQueue()
        self.is_over = threading.Event()
        self.lost: str | None = None
        try:
            self._begin()
        except BaseException:
            self._bid_farewell()
            raise
        self.watcher = threading.Thread(target=self._watch, daemon=True)
        self.watcher.start()

    def as_workers(self) -> Workers:
        """Where a runner has its games played."""
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
        """How many tasks are carried out at once. Raises WorkersLost if the scheduler is gone."""
        if self.lost is not None or self.client.status != "running":
            raise WorkersLost(
                f"the Dask scheduler at {self.address} is gone{': ' if self.lost else ''}{self.lost or ''}; "
                "nothing that was finished is lost, and the same command goes on"
            )
        return sum(self.workers.values())

    def news(self) -> list[News]:
        """What happened to workers since the last time."""
        found = []
        with suppress(queue.Empty):
            while True:
                found.append(self.told.get_nowait())
        return found

    def submit(self, task: Callable[P, T], /, *words: P.args, **more: P.kwargs) -> "Future[T]":
        future: Future[T] = Future()
        self._send(future, pickle.dumps((task, words, more)))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        if self.is_over.is_set():
            return
        if wait and not cancel_futures:
            wait_for(list(self.tasks))
        self.is_over.set()
        with suppress(Exception):
            self.executor.shutdown(wait=False)
        self._bid_farewell()

    # Tasks

    def _send(self, future: "Future[Any]", job: bytes) -> None:
        """Gives a task to the workers that are ready; without any it waits for one."""
        with self.lock:
            workers = frozenset(self.workers)
            sent = 1 + (self.tasks[future].sent if future in self.tasks else 0)
            self.tasks[future] = _Task(job, workers, sent)
        if not workers:
            return
        try:
            inner = self.executor.submit(carry_out, self.session, job, workers=sorted(workers))
        except Exception as error:
            self.lost = self.lost or str(error)
        else:
            inner.add_done_callback(lambda done: self._receive(done, future, sent))

    def _receive(self, done: "Future[bytes]", future: "Future[Any]", sent: int) -> None:
        """What came of a task. If it was not carried out, and that is nobody's fault, it waits to be sent again."""
        try:
            is_good, result = pickle.loads(done.result())
        except CancelledError:
            self._call_back(future, sent)
        except NotPrepared as error:
            with self.lock:
                self.workers.pop(error.worker, None)
            self._call_back(future, sent)
        except BaseException as error:
            self._set(future, sent, False, error)
        else:
            self._set(future, sent, is_good, result)

    def _set(self, future: "Future[Any]", sent: int, is_good: bool, result: Any) -> None:
        with self.lock:
            if future not in self.tasks or self.tasks[future].sent != sent:
                return
            del self.tasks[future]
        if is_good:
            future.set_result(result)
        else:
            future.set_exception(result)

    def _call_back(self, future: "Future[Any]", sent: int) -> None:
        with self.lock:
            task = self.tasks.get(future)
            if task is not None and task.sent == sent:
                self.tasks[future] = task._replace(workers=frozenset())

    # Workers

    def _begin(self) -> None:
        until = time.monotonic() + FIRST_WORKER_S
        while not (threads := self._threads()):
            if time.monotonic() > until:
                raise ClusterError(
                    f"the Dask scheduler at {self.address} has no workers; start some with: dask worker {self.address}"
                )
            time.sleep(LOOK_S / 4)
        try:
            answers = within(PREPARE_S, lambda: self._prepared(list(threads)))
        except TimeoutError:
            raise ClusterError(f"the workers of {self.address} do not answer within {PREPARE_S:g} s") from None
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
        """Takes leave of workers that are gone, and looks at new ones."""
        threads = self._threads()
        for worker in sorted(self.workers.keys() - threads.keys()):
            with self.lock:
                self.workers.pop(worker, None)
            self.told.put(("worker_lost", {"worker": worker}))
        self.refused &= threads.keys()
        new = sorted(threads.keys() - self.workers.keys() - self.refused)
        if new:
            self._welcome(self._prepared(new), threads)
        with self.lock:
            stranded = [(future, task.job) for future, task in self.tasks.items() if not task.workers & threads.keys()]
        if self.workers:
            for future, job in stranded:
                self._send(future, job)

    def _welcome(self, answers: dict[str, list[str]], threads: dict[str, int]) -> None:
        for worker, found in answers.items():
            if found:
                self.refused.add(worker)
                self.told.put(("worker_refused", {"worker": worker, "words": "; ".join(found)}))
            else:
                with self.lock:
                    self.workers[worker] = threads[worker]
                self.told.put(("worker_joined", {"worker": worker, "threads": threads[worker]}))

    def _threads(self) -> dict[str, int]:
        return dict(self.client.nthreads())

    def _prepared(self, workers: list[str]) -> dict[str, list[str]]:
        """By worker what is in its way; without those that are gone meanwhile."""
        return prepared(self.client, workers, self.session, self.versions, self.shipment)

    def _bid_farewell(self) -> None:
        self.is_over.set()
        with suppress(Exception):
            if self.client.status == "running":
                within(LEAVE_S, lambda: self.client.run(leave, self.session, on_error="ignore"))
        with suppress(Exception):
            self.client.close(timeout=CONNECT_S)


def prepared(
    client: Any, workers: list[str], session: str, wanted: Versions, shipment: Shipment
) -> dict[str, list[str]]:
    """Makes workers ready; by worker what is in its way, without those that are gone meanwhile."""
    made: dict[str, list[str]] = {}
    answers = client.run(prepare, session, wanted, shipment, workers=workers, on_error="return")
    for worker, answer in answers.items():
        if isinstance(answer, ImportError | AttributeError):
            made[worker] = [f"has no rails-cli {wanted.rails_cli} ({answer}); pip install it there"]
        elif isinstance(answer, OSError) and not isinstance(answer, FileNotFoundError | PermissionError):
            continue
        elif isinstance(answer, BaseException):
            made[worker] = [f"cannot be made ready: {type(answer).__name__}: {answer}"]
        else:
            made[worker] = list(answer)
    return made


def within(seconds: float, task: Callable[[], T]) -> T:
    """What a task returns, which waits for other machines. Raises TimeoutError."""
    future: Future[T] = Future()

    def carry_out_here() -> None:
        try:
            future.set_result(task())
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=carry_out_here, daemon=True).start()
    return future.result(seconds)


def is_loss(error: BaseException) -> bool:
    """Whether a task took its process or its workers with it."""
    from distributed import KilledWorker

    return isinstance(error, TaskProcessLost | KilledWorker)


def connected(address: str) -> Any:
    """A client of the scheduler. Raises ClusterError."""
    client: Any
    try:
        from distributed import Client as client
        from distributed.comm.addressing import resolve_address
        from distributed.versions import VersionMismatchWarning
    except ImportError:
        raise ClusterError("--cluster needs dask.distributed: pip install 'rails-cli[cluster]'") from None
    for name in list(logging.root.manager.loggerDict):
        if name.partition(".")[0] in ("distributed", "tornado", "asyncio"):
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    try:
        resolve_address(address)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", VersionMismatchWarning)
            return client(address, timeout=CONNECT_S, set_as_default=False, name="rails-cli")
    except (OSError, ValueError, TypeError, ImportError) as error:
        why = str(error).partition("; maybe")[0].splitlines()[0] if str(error) else type(error).__name__
        raise ClusterError(
            f"no Dask scheduler answers at {address} ({why}); the address is such as tcp://10.0.0.5:8786; "
            "start one with: dask scheduler, and workers with: dask worker ADDRESS"
        ) from None
