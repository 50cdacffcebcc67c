"""Attacks that a bot could try on its host, as a script that is run inside a sandbox.

The argument of the script is JSON with the targets. The script prints the names of the successful attacks as JSON. The
parent process finds out whether signals arrived and whether a process is left behind.
"""

import ctypes
import errno
import json
import os
import resource
import signal
import socket
import stat
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

LIBC = ctypes.CDLL(None, use_errno=True)
PTRACE_ATTACH = 16
AF_VSOCK = 40
IN_MODIFY = 2
UNUSED_KEY = 0x5261696C
"""Key of System V IPC that no object uses."""


def main() -> None:
    target = json.loads(sys.argv[1])
    attempts: dict[str, Callable[[], Any]] = {
        "see files": lambda: os.stat(target["file"]),
        "read files": lambda: open(target["file"], "rb").close(),
        "write files": lambda: open(target["file"], "r+b").close(),
        "change the modes of files": lambda: os.chmod(target["file"], 0o600),
        "change the attributes of files": lambda: change_attributes(target),
        "watch files": lambda: watch(target["file"]),
        "see other files in its folder": lambda: os.stat(target["neighbour"]),
        "see the data of a server in its own folder": lambda: os.stat(target["token"]),
        "see another bot in its own folder": lambda: os.stat(target["rival"]),
        "follow links": lambda: open(target["link"], "rb").close(),
        "create devices": create_device,
        "create files in /dev": lambda: create_file(f"/dev/rails-cli-probe-{os.getpid()}"),
        "read the environment": lambda: os.environ[target["variable"]],
        "look into processes": lambda: look_into(target["pid"], target["variable"]),
        "limit processes": lambda: resource.prlimit(target["pid"], resource.RLIMIT_CORE, (0, 0)),
        "trace processes": lambda: call(target, "ptrace", PTRACE_ATTACH, -1, None, None),
        "read the memory of processes": lambda: call(target, "process_vm_readv", os.getpid(), None, 0, None, 0, 0),
        "change the system": lambda: open("/proc/sys/kernel/core_pattern", "r+b").close(),
        "rename the machine": lambda: socket.sethostname(socket.gethostname()),
        "set the clock": lambda: call(target, "clock_settime", time.CLOCK_REALTIME, None),
        "mount file systems": lambda: call(target, "mount", None, None, None, 0, None),
        "create namespaces": lambda: call(target, "unshare", 0),
        "load kernel modules": lambda: call(target, "init_module", None, 0, b""),
        "use keyrings": lambda: use_keyrings(target),
        "see keys": lambda: content_of("/proc/keys"),
        "use io_uring": lambda: call(target, "io_uring_setup", 0, None),
        "use System V messages": lambda: call(target, "msgget", UNUSED_KEY, 0),
        "use System V memory": lambda: call(target, "shmget", UNUSED_KEY, 0, 0),
        "use System V semaphores": lambda: call(target, "semget", UNUSED_KEY, 0, 0),
        "use bpf": lambda: call(target, "bpf", 0, None, 0),
        "use perf": lambda: call(target, "perf_event_open", None, 0, -1, -1, 0),
        "use userfaultfd": lambda: call(target, "userfaultfd", -1),
        "connect to the host of a virtual machine": lambda: call(target, "socket", AF_VSOCK, -1, 0),
        "connect": lambda: socket.create_connection(("127.0.0.1", target["port"]), 5).close(),
        "connect to files": lambda: connect_to(target["socket"]),
        "send to files": lambda: socket.socketpair(type=socket.SOCK_DGRAM)[0].sendto(b"x", target["datagrams"]),
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


def call(target: dict[str, Any], name: str, *arguments: Any) -> None:
    """Make the system call `name` with `arguments`. `target` has the numbers of the calls on this machine.

    Raise PermissionError if the system refuses the call, or KeyError if this machine does not have it. Ignore other
    errors.
    """
    number = target["calls"][name]  # KeyError: this machine does not have the call
    if LIBC.syscall(number, *arguments) < 0 and ctypes.get_errno() in (errno.EPERM, errno.ENOSYS):
        raise PermissionError


def use_keyrings(target: dict[str, Any]) -> None:
    """Try each system call for kernel keyrings. Raise PermissionError if all are refused."""
    for name in ("add_key", "request_key", "keyctl"):
        with suppress(PermissionError):
            call(target, name, None, None, None, 0, 0)
            return
    raise PermissionError


def change_attributes(target: dict[str, Any]) -> None:
    """Try each system call that can change an attribute of a file. Raise OSError if all fail."""
    for name in ("setxattrat", "file_setattr"):
        with suppress(PermissionError, KeyError):
            call(target, name, -1, None, 0, None, None, 0)
            return
    os.setxattr(target["file"], "user.probe", b"")


def watch(path: str) -> None:
    if LIBC.inotify_add_watch(LIBC.inotify_init(), path.encode(), IN_MODIFY) < 0:
        raise PermissionError


def create_device() -> None:
    path = os.path.join(os.environ.get("TMPDIR", "/tmp"), f"rails-cli-probe-{os.getpid()}")
    os.mknod(path, stat.S_IFCHR | 0o600, os.makedev(1, 3))
    os.unlink(path)


def create_file(path: str) -> None:
    open(path, "xb").close()
    os.unlink(path)


def content_of(path: str) -> None:
    with open(path, "rb") as file:
        if not file.read(1):
            raise PermissionError


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
