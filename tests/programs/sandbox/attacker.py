"""A bot that plays while it tries attacks that a sandbox should prevent. It writes the successful attacks to stderr.

Its argument is a JSON object with the targets, and `may_harm`, which must be false outside a sandbox.
"""

import json
import os
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

MOST_PIDS = 70_000


def read(path: str) -> None:
    with open(path, "rb") as file:
        file.read(1)


def write(path: str) -> None:
    with open(path, "r+b"):
        pass


def parents(name: str) -> None:
    """Open the file `name` of the parent process in /proc.

    If the parent is process 1, it belongs to the sandbox and is not a target. In that case raise PermissionError, which
    means that the attack has failed.
    """
    if os.getppid() <= 1:
        raise PermissionError
    with open(f"/proc/{os.getppid()}/{name}", "rb"):
        pass


def rivals() -> None:
    """Try to reach a process outside this bot, such as another bot, by sending signal 0 to it."""
    ours = {os.getpid(), os.getppid() if os.getppid() == 1 else os.getpid()}
    for pid in range(2, MOST_PIDS):
        if pid not in ours:
            with suppress(OSError):
                os.kill(pid, 0)
                return
    raise PermissionError


def escape(mark: str) -> None:
    """Start a process with `mark` on its command line, detached from the parent, session, pipes and environment."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            nothing = os.open("/dev/null", os.O_RDWR)
            for pipe in (0, 1, 2):
                os.dup2(nothing, pipe)
            os.execve(sys.executable, [sys.executable, "-S", "-c", "import time; time.sleep(40)", mark], {})
        os._exit(0)
    os.wait()
    raise PermissionError  # the test checks from outside whether the process survived


def fill(folder: str) -> None:
    """Write more into `folder` than a scratch folder may hold."""
    path = os.path.join(folder, "full")
    try:
        with open(path, "wb") as file:
            for _ in range(100):
                file.write(bytes(2**20))
    finally:
        os.unlink(path)


def attack(target: dict[str, Any]) -> list[str]:
    attempts: dict[str, Callable[[], Any]] = {
        "log": lambda: read(target["log"]),
        "beside": lambda: read(target["beside"]),
        "home": lambda: read(target["home"]),
        "key": lambda: read(target["key"]),
        "results": lambda: write(target["results"]),
        "command line": lambda: parents("cmdline"),
        "memory": lambda: parents("mem"),
        "environment": lambda: os.environ[target["variable"]],
        "rivals": rivals,
        "network": lambda: socket.create_connection(("127.0.0.1", target["port"]), 2).close(),
        "escape": lambda: escape(target["mark"]),
    }
    succeeded = []
    for name, attempt in attempts.items():
        with suppress(OSError, KeyError):
            attempt()
            succeeded.append(name)
    if target["may_harm"]:
        for number in (signal.SIGSTOP, signal.SIGKILL):
            with suppress(OSError):
                os.kill(os.getppid() or MOST_PIDS, number)  # the first process in a container has no parent
        with suppress(OSError):
            fill(os.environ["TMPDIR"])
            succeeded.append("disk")
    return succeeded


def main() -> None:
    is_done = False
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "request":
            if not is_done:
                is_done = True
                print("succeeded: " + json.dumps(attack(json.loads(sys.argv[1]))), file=sys.stderr, flush=True)
            choice = 0 if message["number"] % 3 == 0 else message["default"]
            print(json.dumps({"type": "action", "number": message["number"], "choice": choice}), flush=True)


if __name__ == "__main__":
    main()
