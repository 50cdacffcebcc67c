"""The launcher that starts one bot in a sandbox. It is run as a script in a separate interpreter.

The launcher uses only the standard library, so that it starts fast and is easy to audit. Its first argument is a
specification of the sandbox as JSON, and the bot's command follows. The launcher runs until the bot ends, forwards
SIGTERM to the bot, and ends with the exit status of the bot. It kills all processes that the bot started.

If the sandbox cannot be set up or the bot cannot be started, the launcher writes the reason to stderr. It also writes
the reason to a pipe (`report_pipe`) to which the bot cannot write.
"""

import base64
import ctypes
import json
import os
import resource
import signal
import struct
import sys
import time
from contextlib import suppress
from typing import Any, NoReturn

LIBC = ctypes.CDLL(None, use_errno=True)

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS = 1, 4, 36, 38
KEYCTL_JOIN_SESSION_KEYRING = 1
CANNOT, NOT_THERE = 126, 127
"""Exit codes of the launcher if the sandbox could not be set up, and if the bot's program could not be run."""
PODMAN_FAILED, SIGNALLED = 125, 128
"""Exit code of podman if podman itself failed, and number added to the signal number if a signal ended the program."""
AWAITED = (signal.SIGTERM, signal.SIGUSR1, signal.SIGCHLD)
"""Signals that the launcher of a container waits for. SIGUSR1 means that the container is to be removed."""
HARMLESS = {
    *(signal.SIGCHLD, signal.SIGCONT, signal.SIGURG, signal.SIGWINCH),
    *(signal.SIGSTOP, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU),
}
"""Signals that do not end a process by default."""
STATE_POLL_S = 0.01
"""Seconds between two checks whether podman has started the bot, or has ended after the container was removed."""
END_S = 3.0
"""Seconds after which podman is killed if it does not end although its container was removed."""
MARKS = "RAILS_CLI_"
"""Prefix of the environment variables that identify the processes of bots."""
PIPES = (0, 1, 2)


def main() -> NoReturn:
    spec, command = json.loads(sys.argv[1]), sys.argv[2:]
    report_pipe = spec["report_pipe"]
    if report_pipe is not None:
        os.set_inheritable(report_pipe, False)
    try:
        if spec["level"] == "bubblewrap":
            in_bubblewrap(spec, command)
        if spec["level"] == "inside":
            inside(spec, command)
        in_podman(spec, command)
    except OSError as error:
        why = f"{error.strerror or error}: {error.filename or 'the system refuses'}"
        give_up(report_pipe, f"no sandbox could be set up: {why}")


def give_up(report_pipe: int | None, words: str, code: int = CANNOT) -> NoReturn:
    with suppress(BrokenPipeError):
        os.write(2, f"rails-cli: {words}\n".encode())
        if report_pipe is not None:
            os.write(report_pipe, words.encode())
    os._exit(code)


# Bubblewrap: a new root with only what the bot needs, no other processes, no network. Bubblewrap itself would keep our
# standard streams open, so they are passed to the bot under other descriptor numbers.


def in_bubblewrap(spec: dict[str, Any], command: list[str]) -> NoReturn:
    status_reader, status_writer = os.pipe()
    first = os.fork()
    if first:
        os.close(status_writer)
        wait_outside(first, status_reader)
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    LIBC.syscall(spec["keyctl"], KEYCTL_JOIN_SESSION_KEYRING, None)  # fails only if nobody may use keyrings here
    streams = [os.dup(pipe) for pipe in PIPES]
    nothing = os.open("/dev/null", os.O_RDWR)
    for pipe in PIPES[:2]:  # messages of bubblewrap itself go to our stderr
        os.dup2(nothing, pipe)
    filter_reader, filter_writer = os.pipe()
    os.write(filter_writer, base64.b64decode(spec["filter"]))
    os.close(filter_writer)
    for pipe in (*streams, status_writer, filter_reader, spec["report_pipe"]):
        if pipe is not None:
            os.set_inheritable(pipe, True)
    within = {**spec, "level": "inside", "streams": streams, "status_pipe": status_writer, "words": [], "filter": ""}
    launch = [sys.executable, "-I", "-S", sys.argv[0], json.dumps(within), *command]
    os.execvp(spec["words"][0], [*spec["words"], "--seccomp", str(filter_reader), "--", *launch])


def inside(spec: dict[str, Any], command: list[str]) -> NoReturn:
    """Start the bot, and act as the first process of the process namespace that bubblewrap created.

    `spec` is the specification of the sandbox.
    """
    for stream, pipe in zip(spec["streams"], PIPES, strict=True):
        os.dup2(stream, pipe)
        os.close(stream)
    os.set_inheritable(spec["status_pipe"], False)
    LIBC.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)  # otherwise the bot could open our pipes in /proc/1/fd
    run_as_first_process(start(spec, command), spec["status_pipe"])


def run_as_first_process(bot: int, status_pipe: int) -> NoReturn:
    """Wait for the bot as the first process of a process namespace, and write its exit status to `status_pipe`.

    `bot` is the pid of the bot. When this process ends, the kernel kills all other processes of the namespace.
    """
    signal.signal(signal.SIGTERM, lambda number, frame: os.kill(bot, number))
    close_pipes()
    while True:
        with suppress(ChildProcessError):
            pid, status = os.wait()
            if pid == bot:
                os.write(status_pipe, struct.pack("i", status))
                os._exit(0)


def wait_outside(first: int, status_pipe: int) -> NoReturn:
    """Wait outside the sandbox until the bot has ended, then end with the exit status of the bot.

    `first` is the pid of bubblewrap, whose child is the first process in the sandbox. The status is read from
    `status_pipe`.
    """

    def forward(number: int, frame: Any) -> None:
        with open(f"/proc/{first}/task/{first}/children", "rb") as children:
            for pid in children.read().split():
                os.kill(int(pid), number)

    signal.signal(signal.SIGTERM, forward)
    close_pipes()
    status = os.read(status_pipe, 4)
    ended = os.waitpid(first, 0)[1]
    exit_with_status(struct.unpack("i", status)[0] if len(status) == 4 else ended)


def close_pipes() -> None:
    """Replace our standard streams by /dev/null, so that only the bot holds the pipes open."""
    nothing = os.open("/dev/null", os.O_RDWR)
    for pipe in PIPES:
        os.dup2(nothing, pipe)
    os.close(nothing)


def exit_with_status(status: int) -> NoReturn:
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if number != signal.SIGKILL:
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    os._exit(os.waitstatus_to_exitcode(status) if os.WIFEXITED(status) else CANNOT)


def start(spec: dict[str, Any], command: list[str]) -> int:
    bot = os.fork()
    if not bot:
        LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        exec_bot(spec, command)
    return bot


def exec_bot(spec: dict[str, Any], command: list[str]) -> NoReturn:
    try:
        if LIBC.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
        os.chdir(spec["folder"])
        for kind, most in spec["rlimits"]:
            resource.setrlimit(kind, (most, most))
        own = {"HOME": spec["scratch"], "TMPDIR": spec["scratch"], **spec["variables"]}
        os.execvpe(command[0], command, {**os.environ, **own})
    except (OSError, ValueError) as error:
        words = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        give_up(spec["report_pipe"], f"cannot start {spec['called']!r}: {words}", NOT_THERE)


# Podman: another process manages the container, so the launcher must remove the container explicitly. The pid of the
# first process in the container is written to a file, but only if the bot's program was started. So this file shows
# whether an exit code is that of the bot or that of podman.


def in_podman(spec: dict[str, Any], command: list[str]) -> NoReturn:
    signal.pthread_sigmask(signal.SIG_BLOCK, AWAITED)
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGUSR1)
    LIBC.prctl(PR_SET_CHILD_SUBREAPER, 1)  # the monitor of the container becomes our child
    name = f"rails-cli-{os.urandom(16).hex()}"
    folder = os.path.join(spec["temporary"], name)
    os.mkdir(folder, 0o700)  # others must not write the pid
    pid_file = os.path.join(folder, "pid")
    complaints = os.dup(2)
    podman = start_podman(spec["words"], command, name, pid_file)
    close_pipes()
    status, is_started = wait_for_podman(podman, name, pid_file, spec["report_pipe"])
    with suppress(OSError):
        for entry in os.scandir(folder):
            os.unlink(entry)
        os.rmdir(folder)
    code = os.waitstatus_to_exitcode(status)
    if code < 0 or not is_started:
        remove_container(name)
    signal.signal(signal.SIGUSR1, signal.SIG_IGN)  # nothing is left to remove
    signal.pthread_sigmask(signal.SIG_UNBLOCK, AWAITED)
    if not is_started and code in (PODMAN_FAILED, CANNOT, NOT_THERE):
        os.dup2(complaints, 2)
        where = f"in a container of {spec['words'][-1]}"
        give_up(spec["report_pipe"], f"cannot start {spec['called']!r} {where}: podman says why on stderr")
    if is_started and code - SIGNALLED in signal.valid_signals() - HARMLESS:
        exit_with_status(code - SIGNALLED)
    exit_with_status(status)


def start_podman(words: list[str], command: list[str], name: str, pid_file: str) -> int:
    """Start podman, which runs `command` in a container. Return the pid of the podman process.

    `words` is the command line of podman with the image as its last word. `name` is the name of the container. Only the
    bot gets the environment variables that identify the processes of bots.
    """
    podman = os.fork()
    if not podman:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, AWAITED)
        marks = {key: value for key, value in os.environ.items() if key.startswith(MARKS)}
        unmarked = {key: value for key, value in os.environ.items() if key not in marks}
        passed = [word for key, value in marks.items() for word in ("--env", f"{key}={value}")]
        own = ["--name", name, "--pidfile", pid_file, *passed, "--entrypoint", command[0]]
        os.execvpe(words[0], [*words[:-1], *own, "--", words[-1], *command[1:]], unmarked)
    return podman


def wait_for_podman(podman: int, name: str, pid_file: str, report_pipe: int | None) -> tuple[int, bool]:
    """Wait until the process `podman` ends. Return its exit status and whether the bot was started.

    Forward SIGTERM to the bot. After SIGUSR1, remove the container `name` repeatedly until podman ends, because podman
    may not have created the container yet. After END_S seconds, kill podman and all processes that it started. Write
    the pid in `pid_file` to `report_pipe` as soon as podman has written the file.
    """
    is_started, over_at = False, None
    while True:
        ended = dict(iter(ended_child, None))
        if not is_started:
            is_started = report_pid(pid_file, report_pipe)
        if podman in ended:
            break
        if over_at is not None:
            remove_container(name)
            if time.monotonic() > over_at + END_S:
                os.kill(podman, signal.SIGKILL)
        is_polled = over_at is not None or not is_started
        received = signal.sigtimedwait(AWAITED, STATE_POLL_S) if is_polled else signal.sigwaitinfo(AWAITED)
        number = None if received is None else received.si_signo
        if number == signal.SIGUSR1 and over_at is None:
            over_at = time.monotonic()
        if number == signal.SIGTERM:
            os.kill(podman, signal.SIGTERM)
    if over_at is not None:
        kill_children()
        remove_container(name)
    return ended[podman], is_started


def ended_child() -> tuple[int, int] | None:
    """Return the pid and the exit status of a child process that has ended. None if there is no such child."""
    with suppress(ChildProcessError):
        pid, status = os.waitpid(-1, os.WNOHANG)
        return (pid, status) if pid else None
    return None


def kill_children() -> None:
    """Kill all processes that podman started and left behind.

    They are child processes of this process, because it is a subreaper: it becomes the parent of orphaned processes.
    """
    with suppress(ChildProcessError):  # there are no more children
        while True:
            with open(f"/proc/self/task/{os.getpid()}/children", "rb") as children:
                for pid in children.read().split():
                    os.kill(int(pid), signal.SIGKILL)  # not waited for, so the pid is not reused
            os.wait()


def report_pid(pid_file: str, report_pipe: int | None) -> bool:
    """Write the pid in `pid_file` to `report_pipe`. Return whether the file contains a pid. The file is not deleted."""
    try:
        with open(pid_file, "rb") as file:
            pid = file.read()
    except FileNotFoundError:
        return False
    if pid and report_pipe is not None:
        with suppress(BrokenPipeError):  # our parent was killed
            os.write(report_pipe, b"pid " + pid)
    return pid != b""


def remove_container(name: str) -> None:
    remover = os.fork()
    if not remover:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, AWAITED)
        with suppress(OSError):
            os.execvp("podman", ["podman", "rm", "--force", "--time=0", "--ignore", name])
        os._exit(NOT_THERE)
    os.waitpid(remover, 0)


if __name__ == "__main__":
    main()
