"""A Dask cluster for tests: a real scheduler and real workers, each in its own process."""

import os
import re
import subprocess
from pathlib import Path
from types import TracebackType

from tests.support.tools import start_rails
from tests.support.waiting import wait_until


class DaskCluster:
    """A Dask scheduler on this machine. `worker` starts workers. All processes are ended at the end of the context."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.count = 0
        self.processes: list[subprocess.Popen[bytes]] = []
        self.scheduler = self._start("dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-show")
        self.address = self._address("Scheduler at:", 0)

    def __enter__(self) -> "DaskCluster":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for process in reversed(self.processes):
            process.kill()
            process.wait()

    def worker(self, threads: int = 1, **environment: str) -> "Worker":
        """Start a worker with `threads` threads and without a nanny, which would restart the worker."""
        number = self.count
        place = ["--local-directory", str(self.folder / "dask"), "--nthreads", str(threads)]
        process = self._start("dask_worker", self.address, "--no-nanny", *place, **environment)
        self._wait_for("Registered to:", number)
        return Worker(process, self._address("Start worker at:", number))

    def _address(self, words: str, number: int) -> str:
        """Return the address that follows `words` in the log of the process with the index `number`."""
        return self._wait_for(rf"{words} *(tcp://[0-9.:]+)\n", number)[1]

    def _wait_for(self, pattern: str, number: int) -> re.Match[str]:
        """Wait until the log of the process with the index `number` matches `pattern`.

        Fail if the process ends before that.
        """
        process = self.processes[number]
        found = wait_until(
            lambda: re.search(pattern, self.log(number)) or process.poll() is not None,
            f"{pattern} in a log",
            lambda: self.log(number),
        )
        assert isinstance(found, re.Match), self.log(number)
        return found

    def log(self, number: int) -> str:
        file = self.folder / f"dask-{number}.log"
        return file.read_text() if file.exists() else ""

    def _start(self, program: str, *words: str, **environment: str) -> "subprocess.Popen[bytes]":
        with open(self.folder / f"dask-{self.count}.log", "wb") as log:
            process = start_rails(
                *words,
                "--no-dashboard",
                module=f"distributed.cli.{program}",
                besides="distributed",
                stdout=log,
                stderr=log,
                cwd=self.folder,
                env={**os.environ, **environment},
            )
        self.count += 1
        self.processes.append(process)
        return process


class Worker:
    """A worker process of a Dask cluster, and the address of the worker."""

    def __init__(self, process: "subprocess.Popen[bytes]", address: str) -> None:
        self.process = process
        self.address = address

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
