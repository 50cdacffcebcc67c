"""Attacks that a bot could try on its host, as a script that is run inside a sandbox.

The argument of the script is JSON with the targets. The script prints the names of the successful attacks as JSON. The
parent process finds out whether signals arrived and whether a process is left behind.
"""

import json
import os
import resource
import signal
import socket
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any


def main() -> None:
    target = json.loads(sys.argv[1])
    attempts: dict[str, Callable[[], Any]] = {
        "read files": lambda: open(target["file"], "rb").close(),
        "write files": lambda: open(target["file"], "r+b").close(),
        "change the modes of files": lambda: os.chmod(target["file"], 0o600),
        "read the environment": lambda: os.environ[target["variable"]],
        "look into processes": lambda: look_into(target["pid"], target["variable"]),
        "limit processes": lambda: resource.prlimit(target["pid"], resource.RLIMIT_CORE, (0, 0)),
        "change the system": lambda: open("/proc/sys/kernel/core_pattern", "r+b").close(),
        "connect": lambda: socket.create_connection(("127.0.0.1", target["port"]), 5).close(),
        "connect to files": lambda: connect_to(target["socket"]),
    }
    succeeded = []
    for name, attempt in attempts.items():
        with suppress(OSError, KeyError):
            attempt()
            succeeded.append(name)
    with suppress(OSError):
        if target["pid"] != os.getpid():  # the pid may be our own in this namespace
            os.kill(target["pid"], signal.SIGUSR1)
    survive()
    print(json.dumps(succeeded), flush=True)


def look_into(pid: int, variable: str) -> None:
    with open(f"/proc/{pid}/environ", "rb") as file:
        if variable.encode() not in file.read():
            raise PermissionError


def connect_to(path: str) -> None:
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(path)


def survive() -> None:
    """Start a detached process that keeps the output of this script open for a minute."""
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        return
    os.setsid()
    if os.fork():
        os._exit(0)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    time.sleep(60)
    os._exit(0)


if __name__ == "__main__":
    main()
