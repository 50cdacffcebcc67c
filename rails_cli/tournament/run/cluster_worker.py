"""Code that runs on a cluster worker: checks of the installation, unpacking of bots, and execution of tasks.

Tasks run in separate processes, each of which runs one task after another. These processes and their bots end with the
worker, even if the worker is killed.
"""

import hashlib
import os
import pickle
import queue
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import msgspec

import rails_cli
from rails_cli.games import load_game, package_of, whole_games
from rails_cli.programs.finding import kill_marked
from rails_cli.programs.starting import WORKER_MARK, new_mark
from rails_cli.tournament.run.bots import BOTS
from rails_cli.tournament.run.play import end_worker
from rails_cli.tournament.run.shipping import Shipment, missing_here, unpack_bots

IDLE_S = 60.0
"""Seconds without a task after which a task process exits. So it exits even if its worker has crashed."""
PATIENCE_S = 3.0
"""Maximum number of seconds for which the end of a process is awaited."""
TEMPLATES = {"bot_templates", "game_template"}
"""Names of the folders with templates in the package. Their files do not affect `Versions.sources`."""

_START = (
    "import sys; sys.path[:] = {!r}; from rails_cli.tournament.run.cluster_worker import serve; serve({!r}, {!r}, {!r})"
)


class TaskProcessLost(Exception):
    """Raised if the process that runs a task ends before the task."""


class NotPrepared(Exception):
    """Raised if a worker was restarted and so has no data of the tournament. `worker` is its address."""

    def __init__(self, worker: str) -> None:
        super().__init__(worker)
        self.worker = worker


class Versions(msgspec.Struct, frozen=True):
    """Software versions of a machine. They must be the same on all machines, so that equal seeds give equal games."""

    rails_cli: str
    python: str
    rules: dict[str, str]
    sources: str
    """Digest of the source files of the program and the games."""


def versions() -> Versions:
    content = hashlib.sha256()
    games = whole_games()
    protocol = Path(rails_cli.__path__[0], "protocol")  # a link in a checkout, which `rglob` does not follow
    folders = [Path(import_module(name).__path__[0]) for name in ("rails_cli", *map(package_of, games))]
    for folder in (*folders, protocol):
        for file in sorted([*folder.rglob("*.py"), *folder.rglob("*.json")]):
            if not TEMPLATES.isdisjoint(file.parts) or (folder != protocol and file.is_relative_to(protocol)):
                continue
            content.update(str(file.relative_to(folder)).encode() + b"\0" + file.read_bytes())
    return Versions(
        rails_cli=rails_cli.__version__,
        python=".".join(map(str, sys.version_info[:2])),
        rules={name: str(load_game(name).rules_version) for name in games},
        sources=content.hexdigest()[:16],
    )


def differing(wanted: Versions, found: Versions) -> list[str]:
    """Compare the software versions of two machines. Return the first difference as a list with one text.

    The list is empty if `found` equals `wanted`.
    """
    if wanted.rails_cli != found.rails_cli:
        return [f"has rails-cli {found.rails_cli}, not {wanted.rails_cli}"]
    if wanted.python != found.python:
        return [f"has Python {found.python}, not {wanted.python}"]
    if wanted.rules != found.rules:
        return [f"has other rules: {found.rules}, not {wanted.rules}"]
    if wanted.sources != found.sources:
        return [f"has other source files of rails-cli {found.rails_cli} or of a game; install the same there"]
    return []


# Called by the cluster


def prepare(session: str, wanted: Versions, shipment: Shipment) -> list[str]:
    """Prepare this worker for the tasks of a session, which is one run of a tournament.

    `wanted` has the required versions, `shipment` the files of bots. Return the problems that prevent the preparation.
    """
    found = differing(wanted, versions())
    if found:
        return found
    with _LOCK:
        if session not in _SESSIONS:
            _SESSIONS[session] = _Session(shipment)
        kept = _SESSIONS[session]
    missing = missing_here(shipment.entrants, kept.folder)
    if missing:
        leave(session)
    return [f"lacks what a bot needs: {words}" for words in missing]


def carry_out(session: str, job: bytes, worker: str | None = None) -> bytes:
    """Run the pickled task `job` and return its pickled result. Raise TaskProcessLost or NotPrepared.

    `worker` is the address of this worker. None means that Dask is asked for the address.
    """
    kept = _SESSIONS.get(session)
    if kept is None:
        from distributed import get_worker

        raise NotPrepared(worker or str(get_worker().address))
    return kept.carry_out(job)


def leave(session: str) -> None:
    """Discard the files and task processes of a session, in a background thread."""
    with _LOCK:
        kept = _SESSIONS.pop(session, None)
    if kept is not None:
        threading.Thread(target=kept.close).start()


class _Session:
    """The files and task processes that a worker has for one run of a tournament."""

    def __init__(self, shipment: Shipment) -> None:
        self.kept = tempfile.TemporaryDirectory(prefix="rails-cli-bots-", ignore_cleanup_errors=True)
        self.folder = Path(self.kept.name)
        unpack_bots(shipment, self.folder)
        self.idle: list[_Process] = []
        self.all: list[_Process] = []
        self.lock = threading.Lock()
        self.is_over = False

    def carry_out(self, job: bytes) -> bytes:
        while True:
            process = self._take()
            answer = process.ask(job)
            if answer is not None:
                with self.lock:
                    self.idle.append(process)
                return answer
            code = process.end()
            with self.lock:
                self.all.remove(process)
            if code != 0 or self.is_over:  # 0: it exited after idling too long, and did not start this task
                raise TaskProcessLost(f"the process that played has ended with code {code}")

    def _take(self) -> "_Process":
        with self.lock:
            if self.is_over:
                raise TaskProcessLost("the tournament is over")
            if self.idle:
                return self.idle.pop()
            process = _Process(self.folder)
            self.all.append(process)
            return process

    def close(self) -> None:
        with self.lock:
            self.is_over = True
            processes = list(self.all)
        for process in processes:
            process.jobs.close()
        for process in processes:
            process.end(PATIENCE_S)
        self.kept.cleanup()


class _Process:
    """A child process of a worker that runs tasks, and the pipes to it."""

    def __init__(self, folder: Path) -> None:
        self.mark = new_mark()
        jobs, self.jobs = Pipe(duplex=False)
        self.answers, answers = Pipe(duplex=False)
        with jobs, answers:
            ends = [jobs.fileno(), answers.fileno()]
            self.process = subprocess.Popen(
                [sys.executable, "-P", "-c", _START.format(sys.path, *ends, str(folder))],
                stdin=subprocess.DEVNULL,
                pass_fds=ends,
                env={**os.environ, WORKER_MARK: self.mark},
            )

    def ask(self, job: bytes) -> bytes | None:
        """Send the task `job` to the process and return its result, or None if the process has ended."""
        try:
            self.jobs.send_bytes(job)
            return self.answers.recv_bytes()
        except (EOFError, OSError):
            return None

    def end(self, patience_s: float = 0.5) -> int:
        """End the process and return its exit code.

        If the process does not exit within `patience_s` seconds, kill it. If its exit code is not 0, also kill its
        bots.
        """
        self.jobs.close()
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(patience_s)
        self.process.kill()
        code = self.process.wait()
        self.answers.close()
        if code != 0:
            kill_marked(self.mark, WORKER_MARK)
        return code


_SESSIONS: dict[str, _Session] = {}
_LOCK = threading.Lock()


# Task process


def serve(jobs_end: int, answers_end: int, folder: str) -> None:
    """Run the tasks that arrive through the pipe `jobs_end`, and send their results through the pipe `answers_end`.

    Return when `jobs_end` is closed, or when no task arrives for IDLE_S seconds. If `jobs_end` is closed during a task,
    kill the bots and exit immediately. `folder` has the files of the bots.
    """
    signal.signal(signal.SIGINT, lambda number, frame: None)  # not SIG_IGN, which bots would inherit
    os.chdir(folder)
    asked, answers = Connection(jobs_end, writable=False), Connection(answers_end, readable=False)
    jobs: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    is_busy, is_over = threading.Event(), threading.Event()

    def listen() -> None:
        with suppress(EOFError, OSError):
            while True:
                jobs.put(asked.recv_bytes())
        is_over.set()
        jobs.put(b"")
        if is_busy.is_set():
            shutil.rmtree(folder, ignore_errors=True)
            end_worker()

    threading.Thread(target=listen, daemon=True).start()
    with suppress(queue.Empty, OSError):
        while job := jobs.get(timeout=IDLE_S):
            is_busy.set()
            answers.send_bytes(_answer(job))
            is_busy.clear()
    BOTS.close()
    if is_over.is_set():
        shutil.rmtree(folder, ignore_errors=True)


def _answer(job: bytes) -> bytes:
    task: Callable[..., Any]
    task, words, more = pickle.loads(job)
    try:
        return pickle.dumps((True, task(*words, **more)))
    except Exception as error:
        with suppress(Exception):
            packed = pickle.dumps((False, error))
            pickle.loads(packed)
            return packed
        return pickle.dumps((False, RuntimeError(f"{type(error).__name__}: {error}")))
