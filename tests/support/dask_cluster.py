"""A Dask cluster for tests: a real scheduler and real workers, each a process."""

import os
import socket
import subprocess
import time
from pathlib import Path
from types import TracebackType

from tests.support.tools import start_rails

PATIENCE_S = 90.0


class DaskCluster:
    """A scheduler on this machine; workers are started as they are wanted, and all end with it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.address = f"tcp://127.0.0.1:{self.port}"
        self.count = 0
        self.processes: list[subprocess.Popen[bytes]] = []
        self.scheduler = self._start("dask_scheduler", "--host", "127.0.0.1", "--port", str(self.port), "--no-show")
        until = time.monotonic() + PATIENCE_S
        while time.monotonic() < until:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            except OSError:
                time.sleep(0.05)
        raise AssertionError(f"the scheduler does not start: {self.log('0')}")

    def __enter__(self) -> "DaskCluster":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for process in reversed(self.processes):
            process.kill()
            process.wait()

    def worker(self, threads: int = 1, **environment: str) -> "Worker":
        """A worker without a nanny that would start it again."""
        number = str(self.count)
        place = ["--local-directory", str(self.folder / "dask"), "--nthreads", str(threads)]
        process = self._start("dask_worker", self.address, "--no-nanny", *place, **environment)
        until = time.monotonic() + PATIENCE_S
        while "Registered to:" not in self.log(number):
            assert time.monotonic() < until, self.log(number)
            assert process.poll() is None, self.log(number)
            time.sleep(0.05)
        lines = self.log(number).splitlines()
        address = next(line.split("Start worker at:")[1].strip() for line in lines if "Start worker at:" in line)
        return Worker(process, address)

    def log(self, number: str) -> str:
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
    """A worker and its address."""

    def __init__(self, process: "subprocess.Popen[bytes]", address: str) -> None:
        self.process = process
        self.address = address

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
