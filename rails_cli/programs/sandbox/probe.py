"""Tests whether sandboxes protect this machine: a script inside a sandbox tries several attacks."""

import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path

import msgspec

from rails_cli.programs.sandbox import Level, NoSandbox, Sandbox, command_in, variables_in
from rails_cli.programs.sandbox.seccomp import NoFilter, call_number

ATTACKS = Path(__file__).with_name("attacks.py")
VARIABLE = "RAILS_CLI_PROBE"
LIBRARIES = ("/usr", "/lib", "/lib64")
ALL = (
    *("see files", "read files", "write files", "change the modes of files", "change the attributes of files"),
    *("watch files", "see other files in its folder", "see the data of a server in its own folder"),
    *("see another bot in its own folder", "follow links", "create devices", "create files in /dev"),
    *("read the environment", "look into processes", "limit processes", "trace processes"),
    *("read the memory of processes", "change the system", "rename the machine", "set the clock"),
    *("mount file systems", "create namespaces", "load kernel modules", "use keyrings", "see keys", "use io_uring"),
    *("use System V messages", "use System V memory", "use System V semaphores", "use bpf", "use perf"),
    *("use userfaultfd", "connect to the host of a virtual machine", "connect", "connect to files", "send to files"),
    *("send signals", "leave processes behind"),
)
CALLS = (
    *("ptrace", "process_vm_readv", "clock_settime", "mount", "unshare", "init_module", "add_key", "request_key"),
    *("keyctl", "setxattrat", "file_setattr", "io_uring_setup", "msgget", "shmget", "semget", "bpf", "socket"),
    *("perf_event_open", "userfaultfd"),
)
"""Names of the system calls that the attacking script makes by number. The other attacks use Python's functions."""
PATIENCE_S = 20.0
"""Maximum number of seconds that all attacks may take in total. With podman, the limit is PODMAN_S."""
CLOSE_S = 2.0
"""Seconds to wait after the attacking script has exited. If its output is still open, it has left a process behind."""
POLL_S = 0.05
"""Maximum number of seconds to wait for data in a pipe before the clock is read again."""
PODMAN_S = 60.0
"""Maximum number of seconds of one command of podman."""
NOT_FOUND = 127
"""Exit code of podman if a file does not exist, such as the program in the container."""
NO_SUCH_IMAGE = 1
"""Exit code of `podman image exists` if there is no such image on this machine."""


class Probe(msgspec.Struct, frozen=True):
    """The result of attacks from inside a sandbox on this machine."""

    sandbox: Level
    works: bool
    """Whether programs can be run in the sandbox at all."""
    succeeded: list[str]
    """Names of the attacks that succeeded. All attacks if the sandbox does not work."""
    reason: str = ""
    """Why the sandbox does not work, or why no attacks were tried. Empty if attacks were tried."""

    @property
    def holds(self) -> bool:
        return self.works and not self.succeeded


def failed_probe(level: Level, reason: str) -> Probe:
    return Probe(level, False, list(ALL), reason)


def try_bubblewrap() -> None:
    """Raise NoSandbox if bubblewrap does not work or does not prevent all attacks."""
    if probe("bubblewrap").holds:
        return
    reasons = [f"bubblewrap {probe_text(probe('bubblewrap'))}"]
    if sys.platform == "linux" and shutil.which("podman") is None:
        reasons.append(f"podman does not work ({not_installed('podman', 'podman')})")
    raise NoSandbox(f"no such sandbox works on this machine: {'; '.join(reasons)}")


def not_installed(program: str, package: str) -> str:
    return f"{program} is not installed: try apt install {package}, dnf install {package} or pacman -S {package}"


def probe_text(found: Probe) -> str:
    if not found.works:
        return f"does not work ({found.reason})"
    if found.succeeded:
        return f"lets a bot {', '.join(found.succeeded)}"
    return f"works ({found.reason})" if found.reason else "works"


@cache
def probe(level: Level) -> Probe:
    """Try attacks from inside a sandbox that needs no image, and return the result. The result is cached."""
    if sys.platform != "linux":
        return failed_probe(level, "sandboxes need Linux")
    if level == "bubblewrap" and shutil.which("bwrap") is None:
        return failed_probe(level, not_installed("bwrap", "bubblewrap"))
    try:
        return _attacked(Sandbox(level), sys.executable)
    except NoFilter as error:
        return failed_probe(level, str(error))


@cache
def probe_podman(image: str) -> Probe:
    """Try attacks from inside a podman container of an image, and return the result. The result is cached.

    The attacks are run by Python of this machine, which is mounted into the container. If this Python does not work in
    the container, only check that the container can be started.
    """
    if shutil.which("podman") is None:
        return failed_probe("podman", not_installed("podman", "podman"))
    if reason := _why_not_here(image):
        return failed_probe("podman", reason)
    python = os.path.realpath(sys.executable)
    reads = [path for path in (*LIBRARIES, sys.base_prefix) if os.path.exists(path)]
    try:
        attacked = _attacked(Sandbox("podman", image=image, reads=tuple(reads)), python)
    except NoFilter as error:
        return failed_probe("podman", str(error))
    return attacked if attacked.works else _started(image)


def _why_not_here(image: str) -> str:
    """Return an error message if this machine has no image called `image`. Empty if the image exists."""
    try:
        done = subprocess.run(
            ["podman", "image", "exists", "--", image], capture_output=True, text=True, timeout=PODMAN_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"podman does not answer: {error}"
    if done.returncode == NO_SUCH_IMAGE:
        return f"there is no image {image!r} on this machine"
    return _last_line(done) if done.returncode else ""


def _last_line(done: "subprocess.CompletedProcess[str]") -> str:
    lines = done.stderr.strip().splitlines() or [f"podman exited with code {done.returncode}"]
    return lines[-1].removeprefix("Error: ")


def _started(image: str) -> Probe:
    """Return a probe without attacks that says whether a container of an image can be started."""
    with tempfile.TemporaryDirectory(prefix="rails-cli-probe-") as folder:
        command = command_in(Sandbox("podman", image=image), [f"/{VARIABLE}"], folder)
        words: list[str] = json.loads(command[4])["words"][:-1]
    try:
        done = subprocess.run(
            [*words, "--entrypoint", f"/{VARIABLE}", "--", image],
            capture_output=True,
            text=True,
            timeout=PODMAN_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return failed_probe("podman", f"podman does not answer: {error}")
    if done.returncode == NOT_FOUND and VARIABLE in done.stderr:  # podman uses this code for other errors, too
        return Probe("podman", True, [], "not attacked: our programs do not run in it")
    return failed_probe("podman", _last_line(done))


def try_podman(image: str) -> None:
    """Raise NoSandbox if `image` is empty, if podman does not work with it, or if not all attacks are prevented."""
    if not image:
        raise NoSandbox("podman needs the image that bots are started in; name one that is here with --sandbox-image")
    if not probe_podman(image).holds:
        raise NoSandbox(f"no such sandbox works on this machine: podman {probe_text(probe_podman(image))}")


def _attacked(sandbox: Sandbox, python: str) -> Probe:
    """Create a file, a process and two servers as targets, attack them from inside a sandbox, and return the result.

    `python` is the path of the interpreter that runs the attacks in the sandbox.
    """
    with (
        tempfile.TemporaryDirectory(prefix="rails-cli-probe-") as folder,
        socket.socket(socket.AF_UNIX) as file,
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as datagrams,
        socket.socket() as listener,
    ):
        path = os.path.join(folder, "socket")
        file.bind(path)
        file.listen()
        datagrams.bind(f"{path}s")
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        names = ("secret", "bots/neighbour", "bots/own/bot.py", "bots/own/admin-token", "bots/own/rival/bot.toml")
        secret, neighbour, own, token, rival = files = [Path(folder, name) for name in names]
        rival.parent.mkdir(parents=True)
        for each in files:
            each.touch()
        link = neighbour.with_name("link")
        link.symlink_to(secret)
        script = str(shutil.copy(ATTACKS, neighbour.parent))
        code = "import sys; print(flush=True); sys.stdin.read()"
        with subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={VARIABLE: "1"},
        ) as victim:
            assert victim.stdout is not None
            victim.stdout.readline()
            port = listener.getsockname()[1]
            target = {
                "file": str(secret),
                "neighbour": str(neighbour),
                "token": str(token),
                "rival": str(rival),
                "link": str(link),
                "variable": VARIABLE,
                "pid": victim.pid,
                "port": port,
                "socket": path,
                "datagrams": f"{path}s",
                "calls": {name: call_number(name) for name in CALLS if call_number(name) is not None},
            }
            return _attack(sandbox, [python, "-I", "-S", script, json.dumps(target), str(link), str(own)], victim)


def _attack(sandbox: Sandbox, attack: list[str], victim: "subprocess.Popen[bytes]") -> Probe:
    level = sandbox.level
    command = command_in(sandbox, attack, None)
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=variables_in({**os.environ, VARIABLE: "1"}, level),
        start_new_session=True,
    ) as attacker:
        assert attacker.stdout is not None
        assert attacker.stderr is not None
        try:
            attacker.wait(PODMAN_S if level == "podman" else PATIENCE_S)
        except subprocess.TimeoutExpired:
            if level == "podman":  # ask the launcher to remove the container
                attacker.send_signal(signal.SIGUSR1)
                with suppress(subprocess.TimeoutExpired):
                    attacker.wait(PODMAN_S)
            with suppress(ProcessLookupError):
                os.killpg(attacker.pid, signal.SIGKILL)
            return failed_probe(level, "it takes too long to start")
        reply, has_ended = read_to_end(attacker.stdout.fileno())
        words = read_to_end(attacker.stderr.fileno())[0].decode(errors="replace").strip()
        if not has_ended:
            with suppress(ProcessLookupError):
                os.killpg(attacker.pid, signal.SIGKILL)
    try:
        succeeded = set(msgspec.json.decode(reply, type=list[str]))
    except msgspec.MsgspecError:
        reason = words.splitlines()[-1] if words else f"it ended with code {attacker.returncode}"
        return failed_probe(level, reason.removeprefix("rails-cli: "))
    with suppress(subprocess.TimeoutExpired):
        victim.wait(0.05)
    if victim.poll() is not None:
        succeeded.add("send signals")
    if not has_ended:
        succeeded.add("leave processes behind")
    return Probe(level, True, [name for name in ALL if name in succeeded])


def read_to_end(pipe: int, now: Callable[[], float] = time.monotonic) -> tuple[bytes, bool]:
    """Read a pipe for at most CLOSE_S seconds. Return its content, and whether all writers have closed it."""
    content, until = b"", now() + CLOSE_S
    while now() < until:
        if select.select([pipe], [], [], POLL_S)[0]:
            chunk = os.read(pipe, 65536)
            if not chunk:
                return content, True
            content += chunk
    return content, False
