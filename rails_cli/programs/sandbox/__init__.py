"""Sandboxes for untrusted bots: the supported kinds, and the commands that start a bot in a sandbox.

A bot in a sandbox sees the installed programs, its own folder and a scratch folder. It does not see our environment
variables, other processes or the network. The actual protection depends on the system and is tested by `probe.py`.
"""

import base64
import json
import os
import resource
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

import msgspec

from rails_cli.programs.sandbox.installed import installed, is_in
from rails_cli.programs.sandbox.own_files import leads_out, own_folder, own_paths, strange_paths
from rails_cli.programs.sandbox.seccomp import PROFILE, NoFilter, call_number, filter_program

Level = Literal["bubblewrap", "podman"]
SandboxChoice = Literal["auto", "bubblewrap", "podman", "none"]
LEVELS: tuple[Level, ...] = ("bubblewrap",)
"""Kinds of sandboxes that the setting `auto` may choose. `podman` is not one of them, because it needs an image."""
LAUNCHER = Path(__file__).with_name("launch.py")
SETTINGS = (
    *("alternatives", "gai.conf", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime", "mime.types"),
    *("nsswitch.conf", "perl", "php", "protocols", "python3", "services", "ssl/openssl.cnf", "timezone"),
)
"""Files and folders in /etc that a bot may read, in addition to the folders of Java."""
NETWORK = ("hosts", "resolv.conf", "ssl", "ca-certificates", "pki")
"""Additional files and folders in /etc that a bot with network access may read."""
KEPT = ("PATH", "LANG", "LANGUAGE", "TZ", "TERM")
"""Environment variables that a bot in a sandbox receives from our environment, in addition to LC_*."""
PODMAN_VARIABLES = (
    *("HOME", "USER", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "DBUS_SESSION_BUS_ADDRESS"),
    *("CONTAINERS_CONF", "CONTAINERS_STORAGE_CONF"),
)
"""Environment variables that podman receives from our environment, but the bot does not."""
SYSTEM_PROC_ENTRIES = ("sys", "sysrq-trigger", "irq", "bus", "fs", "acpi", "scsi")
"""Files and folders in /proc that concern the whole system. They are read-only in a sandbox."""
HIDDEN_PROC_ENTRIES = ("keys", "key-users", "kcore", "timer_list")
"""Files in /proc that show keys, memory or timers of the whole system. They are empty in a sandbox."""
ULIMITS = {
    resource.RLIMIT_CPU: "cpu",
    resource.RLIMIT_FSIZE: "fsize",
    resource.RLIMIT_NOFILE: "nofile",
    resource.RLIMIT_NPROC: "nproc",
}
"""Mapping from a `resource.RLIMIT_` constant to the name that podman uses for this limit."""
MOST_BY_DEFAULT = 1024
"""Default limit of open files and of processes in a container. Podman's own defaults are too high for some machines."""
RUNTIME_THREADS = 16
"""Number by which the limit of threads in a container exceeds the limit of the bot's processes.

`runc` is a Go program that runs in the container until it starts the bot, and it may create threads meanwhile. The
limit of a container counts threads. `ProcessTree` checks the number of the bot's processes several times a second.
"""
SCRATCH = "/tmp"
DISK = 64 * 2**20
"""Maximum number of bytes that a bot may write to files in memory: half in its scratch folder, half in /dev/shm."""
HIDDEN_FOLDERS = ("/dev", "/proc", "/sys", "/run")
"""Folders of this machine that a bot never sees. A sandbox has its own versions of some of them."""


class NoSandbox(Exception):
    """Raised if the requested kind of sandbox does not work on this machine."""


class Sandbox(msgspec.Struct, frozen=True):
    """A kind of sandbox, with the permissions and limits of the bot in it."""

    level: Level
    network: bool = False
    reads: tuple[str, ...] = ()
    """Files and folders that the bot may read, in addition to those that every bot may read."""
    writes: tuple[str, ...] = ()
    """Existing folders that the program may change. Used by `bubblewrap` only, for builds of bots."""
    hides: tuple[str, ...] = ()
    """Files and folders that the bot must not see, even inside folders that it may read."""
    image: str = ""
    """Container image. Used by `podman` only."""
    rlimits: Sequence[tuple[int, int]] = ()
    """Resource limits of each process, as pairs of a `resource.RLIMIT_` constant and the limit."""
    memory_bytes: int | None = None
    processes: int | None = None


def available_sandbox(choice: SandboxChoice, image: str = "") -> Level | None:
    """Return the kind of sandbox for `choice`, or None for `none`. Raise NoSandbox if this kind does not work here.

    `image` is the container image for the sandbox `podman`.
    """
    if choice == "none":
        return None
    from rails_cli.programs.sandbox.probe import try_bubblewrap, try_podman  # slow import, needed for sandboxes only

    if choice == "podman":
        try_podman(image)
        return "podman"
    try_bubblewrap()
    return "bubblewrap"


def command_in(
    sandbox: Sandbox,
    command: Sequence[str],
    folder: str | None,
    variables: Mapping[str, str] = MappingProxyType({}),
    report_pipe: int | None = None,
) -> list[str]:
    """Return the command that starts the bot `command` in a sandbox. The bot's current folder is `folder`.

    `variables` are additional environment variables of the bot. `report_pipe` is an inherited file descriptor to which
    the launcher writes why it could not start the bot. If `report_pipe` is None, the launcher writes the reason only to
    stderr. After the start, the launcher of a container writes `pid N` to `report_pipe`. N is the pid of the first
    process in the container.
    """
    where = os.path.realpath(folder or os.curdir)
    program = os.path.join(where, command[0]) if os.sep in command[0] else command[0]
    if sandbox.level != "podman":
        program = shutil.which(program) or program
    reads = readable(sandbox, program, command, where)
    spec: dict[str, Any] = {
        "level": sandbox.level,
        "scratch": SCRATCH,
        "folder": where,
        "called": command[0],
        "rlimits": list(sandbox.rlimits),
        "variables": dict(variables),
        "report_pipe": report_pipe,
    }
    if sandbox.level == "bubblewrap":
        spec["words"] = _bubblewrap(sandbox, reads, where)
        try:
            spec["filter"] = base64.b64encode(filter_program()).decode()
            spec["keyctl"] = call_number("keyctl")
        except NoFilter as error:
            raise NoSandbox(str(error)) from None
    if sandbox.level == "podman":
        spec["words"] = _podman(sandbox, reads, where, variables)
        spec["temporary"] = tempfile.gettempdir()
    return [sys.executable, "-I", "-S", str(LAUNCHER), json.dumps(spec), program, *command[1:]]


def variables_in(ours: Mapping[str, str], level: Level) -> dict[str, str]:
    """Return the environment variables that the launcher of a sandbox receives from `ours`, our own environment.

    `level` is the kind of sandbox.
    """
    kept = (*KEPT, *PODMAN_VARIABLES) if level == "podman" else KEPT
    return {name: value for name, value in ours.items() if name in kept or name.startswith("LC_")}


def _bubblewrap(sandbox: Sandbox, reads: Sequence[str], folder: str) -> list[str]:
    words = ["bwrap", "--unshare-all", "--die-with-parent", "--as-pid-1", "--uid", "1000", "--gid", "1000"]
    words += ["--cap-drop", "ALL"]
    words += ["--share-net"] if sandbox.network else []
    words += ["--proc", "/proc", "--dev", "/dev"]
    for name in SYSTEM_PROC_ENTRIES:
        words += ["--ro-bind-try", f"/proc/{name}", f"/proc/{name}"]
    for name in HIDDEN_PROC_ENTRIES:
        words += ["--ro-bind", "/dev/null", f"/proc/{name}"] if os.path.exists(f"/proc/{name}") else []
    for scratch in (SCRATCH, "/dev/shm"):
        words += ["--size", str(DISK // 2), "--tmpfs", scratch]
    for path in reads:
        words += ["--ro-bind", path, path]
    for path in map(os.path.realpath, sandbox.writes):
        words += ["--bind", path, path]
    return [*words, "--dir", folder, "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", folder]


def _podman(sandbox: Sandbox, reads: Sequence[str], folder: str, variables: Mapping[str, str]) -> list[str]:
    """Return the podman command that starts the container of a bot, without the command of the bot.

    The bot may read the paths `reads`, and gets the environment variables `variables`. The launcher inserts the name of
    the container, and appends the command of the bot.
    """
    words = ["podman", "run", "--rm", "--interactive", "--pull=never", "--log-driver=none", "--no-healthcheck"]
    words += ["--read-only", "--read-only-tmpfs=false", "--image-volume=ignore"]
    words += ["--cap-drop=all", "--security-opt=no-new-privileges", f"--security-opt=seccomp={PROFILE}"]
    words += [f"--security-opt=mask={':'.join(f'/proc/{name}' for name in HIDDEN_PROC_ENTRIES)}"]
    words += ["--network=host"] if sandbox.network else ["--network=none", "--no-hosts"]
    words += ["--tmpfs=/dev:ro,nosuid,noexec,size=64k,mode=755"]
    for scratch, more in ((SCRATCH, ""), ("/dev/shm", "noexec,")):
        words += [f"--tmpfs={scratch}:rw,nosuid,nodev,{more}size={DISK // 2},mode=1777"]
    words += [f"--workdir={folder}"]
    if sandbox.memory_bytes is not None:
        words += [f"--memory={sandbox.memory_bytes}", f"--memory-swap={sandbox.memory_bytes}"]
    if sandbox.processes is not None:
        words += [f"--pids-limit={sandbox.processes + RUNTIME_THREADS}"]
    most = {resource.RLIMIT_NOFILE: MOST_BY_DEFAULT, resource.RLIMIT_NPROC: MOST_BY_DEFAULT, **dict(sandbox.rlimits)}
    words += [f"--ulimit={ULIMITS[kind]}={value}:{value}" for kind, value in most.items() if kind in ULIMITS]
    for name, value in {"HOME": SCRATCH, "TMPDIR": SCRATCH, **variables}.items():
        words += ["--env", f"{name}={value}"]
    if folder not in ("/", SCRATCH) and not is_in(folder, reads):  # the current folder must exist, even if it is empty
        words += ["--mount", f"type=tmpfs,{_field('dst', folder)},noexec,tmpfs-size=64k,tmpfs-mode=555"]
    for path in reads:
        words += ["--mount", f"type=bind,{_field('src', path)},{_field('dst', path)},ro"]
    return [*words, sandbox.image]


def _field(name: str, value: str) -> str:
    """Return the field `name=value` of podman's option --mount, quoted. Podman reads the option as a line of CSV."""
    doubled = value.replace('"', '""')
    return f'"{name}={doubled}"'


# Readable paths


def readable(sandbox: Sandbox, program: str, command: Sequence[str], folder: str) -> list[str]:
    """Return the files and folders that a bot may read. Paths inside other returned folders are left out.

    `program` is the path of the bot's program, `command` is its command, and `folder` is its current folder.
    """
    found: list[str] = []
    if sandbox.level != "podman":  # an image has its own files
        found += [*installed(), *(f"/etc/{name}" for name in SETTINGS)]
        found += map(str, Path("/etc").glob("java-*"))
        found += [f"/etc/{name}" for name in NETWORK] if sandbox.network else []
    own = own_paths(command, folder)
    found += [*map(os.path.expanduser, sandbox.reads), *own]
    hides = {os.path.realpath(path) for path in sandbox.hides}
    hides |= {path for mine in own for path in strange_paths(mine)}
    paths = {path for name in found for path in (os.path.abspath(name), os.path.realpath(name))}
    shown = {entry for path in paths for entry in _without(path, hides)}
    is_ours = sandbox.level != "podman"  # otherwise the program is in the image, or it is one of the bot's own files
    if is_ours and (
        os.sep not in command[0] or not leads_out(program, own_folder(program) or os.path.dirname(program))
    ):
        shown |= {program, os.path.realpath(program)}
    there = {path for path in shown if os.path.exists(path) and not is_in(path, HIDDEN_FOLDERS)}
    return sorted(path for path in there if there.isdisjoint(map(str, Path(path).parents)))


def _without(path: str, hides: set[str]) -> list[str]:
    """Return paths that cover everything in `path` except the paths `hides`, which a bot must not see.

    Return only `path` if nothing in it is hidden.
    """
    real = os.path.realpath(path)
    if is_in(real, hides):
        return []
    if not any(is_in(hidden, [real]) for hidden in hides):
        return [path]
    entries = [os.path.join(path, name) for name in os.listdir(path)]
    inside = [entry for entry in entries if is_in(os.path.dirname(os.path.realpath(entry)), [real])]
    return [shown for entry in inside for shown in _without(entry, hides)]  # links to outside are left out
