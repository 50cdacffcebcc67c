"""Sandboxes for untrusted bots: the supported kinds, and the commands that start a bot in a sandbox.

A bot in a sandbox sees the installed programs, its own folder and a scratch folder. It does not see our environment
variables, other processes or the network. The actual protection depends on the system and is tested by `probe.py`.
"""

import json
import os
import resource
import shutil
import sys
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Literal

import msgspec

Level = Literal["bubblewrap", "podman"]
SandboxChoice = Literal["auto", "bubblewrap", "podman", "none"]
LEVELS: tuple[Level, ...] = ("bubblewrap",)
"""Kinds of sandboxes that the setting `auto` may choose. `podman` is not one of them, because it needs an image."""
LAUNCHER = Path(__file__).with_name("launch.py")
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/opt", "/nix/store", "/snap")
SETTINGS = (
    *("alternatives", "gai.conf", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime", "mime.types"),
    *("nsswitch.conf", "perl", "php", "protocols", "python3", "services", "ssl/openssl.cnf", "timezone"),
)
"""Files and folders in /etc that a bot may read. The folders of Java are added."""
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
ULIMITS = {
    resource.RLIMIT_CPU: "cpu",
    resource.RLIMIT_FSIZE: "fsize",
    resource.RLIMIT_NOFILE: "nofile",
    resource.RLIMIT_NPROC: "nproc",
}
"""Names that podman uses for resource limits, by `resource.RLIMIT_` constant."""
MOST_BY_DEFAULT = 1024
"""Default limit of open files and of processes in a container. Podman's own defaults are too high for some machines."""
SCRATCH = "/tmp"
DISK = 64 * 2**20
"""Maximum number of bytes that a bot may write to files in memory: half in its scratch folder, half in /dev/shm."""
WIDE = ("/", "/home", "/root", "/tmp", "/var", "/var/tmp", "/etc", "/srv", "/mnt")
"""Folders that contain files of many programs. A bot in such a folder may read only its own file there."""
NEVER = ("/dev", "/proc", "/sys", "/run")
"""Folders of this machine that a bot never sees. A sandbox has its own versions of some of them."""
INSTALLED = ("lib", "lib64", "libexec", "include", "pyvenv.cfg")
"""Names of files and folders that may lie next to a folder of programs and belong to the same installation."""


class NoSandbox(Exception):
    """Raised if the requested kind of sandbox does not work on this machine."""


class Sandbox(msgspec.Struct, frozen=True):
    """A kind of sandbox, with the permissions and limits of the bot in it."""

    level: Level
    network: bool = False
    reads: tuple[str, ...] = ()
    """Files and folders that the bot may read in addition to the usual ones."""
    hides: tuple[str, ...] = ()
    """Files and folders that the bot must not see, even inside folders that it may read."""
    image: str = ""
    """Container image. Used by `podman` only."""
    rlimits: Sequence[tuple[int, int]] = ()
    """Resource limits of each process, as pairs of a `resource.RLIMIT_` constant and the limit."""
    memory_bytes: int | None = None
    processes: int | None = None


def available_sandbox(choice: SandboxChoice, image: str = "") -> Level | None:
    """Return the kind of sandbox to use for the setting `choice`, or None for the setting `none`.

    Raise NoSandbox if this kind of sandbox does not work on this machine.
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
    sandbox: Sandbox, command: Sequence[str], folder: str | None, variables: Mapping[str, str] = MappingProxyType({})
) -> list[str]:
    """Return the command that starts the bot `command` in a sandbox. The bot's current folder is `folder`.

    `variables` are additional environment variables of the bot.
    """
    where = os.path.realpath(folder or os.curdir)
    program = os.path.join(where, command[0]) if os.sep in command[0] else command[0]
    if sandbox.level != "podman":
        program = shutil.which(program) or program
    reads = readable(sandbox, program, command[1:], where)
    spec = {
        "level": sandbox.level,
        "scratch": SCRATCH,
        "folder": where,
        "called": command[0],
        "rlimits": list(sandbox.rlimits),
        "variables": dict(variables),
    }
    if sandbox.level == "bubblewrap":
        spec["words"] = _bubblewrap(sandbox, reads, where)
    if sandbox.level == "podman":
        spec["words"] = _podman(sandbox, reads, where, variables)
    return [sys.executable, "-I", "-S", str(LAUNCHER), json.dumps(spec), program, *command[1:]]


def variables_in(ours: Mapping[str, str], level: Level) -> dict[str, str]:
    """Return the environment variables for the launcher of a sandbox. `ours` is the environment of this process."""
    kept = (*KEPT, *PODMAN_VARIABLES) if level == "podman" else KEPT
    return {name: value for name, value in ours.items() if name in kept or name.startswith("LC_")}


def _bubblewrap(sandbox: Sandbox, reads: Sequence[str], folder: str) -> list[str]:
    words = ["bwrap", "--unshare-all", "--die-with-parent", "--as-pid-1", "--uid", "1000", "--gid", "1000"]
    words += ["--share-net"] if sandbox.network else []
    words += ["--proc", "/proc", "--dev", "/dev"]
    for name in SYSTEM_PROC_ENTRIES:
        words += ["--ro-bind-try", f"/proc/{name}", f"/proc/{name}"]
    for scratch in (SCRATCH, "/dev/shm"):
        words += ["--size", str(DISK // 2), "--tmpfs", scratch]
    for path in reads:
        words += ["--ro-bind", path, path]
    return [*words, "--dir", folder, "--remount-ro", "/", "--chdir", folder, "--"]


def _podman(sandbox: Sandbox, reads: Sequence[str], folder: str, variables: Mapping[str, str]) -> list[str]:
    """Return the podman command that creates the bot's container, up to and including the image.

    The launcher inserts the container name and appends the bot's command.
    """
    words = ["podman", "run", "--rm", "--interactive", "--pull=never", "--log-driver=none", "--read-only"]
    words += ["--read-only-tmpfs=false", "--cap-drop=all", "--security-opt=no-new-privileges"]
    words += [f"--network={'host' if sandbox.network else 'none'}", f"--shm-size={DISK // 2}"]
    words += [f"--tmpfs={SCRATCH}:rw,nosuid,nodev,size={DISK // 2},mode=1777", f"--workdir={folder}"]
    if sandbox.memory_bytes is not None:
        words += [f"--memory={sandbox.memory_bytes}", f"--memory-swap={sandbox.memory_bytes}"]
    if sandbox.processes is not None:
        words += [f"--pids-limit={sandbox.processes}"]
    most = {resource.RLIMIT_NOFILE: MOST_BY_DEFAULT, resource.RLIMIT_NPROC: MOST_BY_DEFAULT, **dict(sandbox.rlimits)}
    words += [f"--ulimit={ULIMITS[kind]}={value}:{value}" for kind, value in most.items() if kind in ULIMITS]
    for name, value in {"HOME": SCRATCH, "TMPDIR": SCRATCH, **variables}.items():
        words += ["--env", f"{name}={value}"]
    if folder not in ("/", SCRATCH) and not _is_in(folder, reads):  # the current folder must exist, even if it is empty
        words += [f"--tmpfs={folder}:rw,nosuid,nodev,noexec,size=64k,mode=555"]
    for path in reads:
        words += ["--mount", f"type=bind,src={path},dst={path},ro"]
    return [*words, sandbox.image]


# Readable paths


def readable(sandbox: Sandbox, program: str, words: Sequence[str], folder: str) -> list[str]:
    """Return the files and folders that a bot may read. Paths inside other returned folders are left out.

    `program` is the bot's program, `words` are its arguments, and `folder` is its current folder.
    """
    found: list[str] = []
    if sandbox.level != "podman":  # an image has its own files
        found += [*SYSTEM, *(f"/etc/{name}" for name in SETTINGS), *_on_the_path(), *_ours()]
        found += map(str, Path("/etc").glob("java-*"))
        found += [f"/etc/{name}" for name in NETWORK] if sandbox.network else []
    found += [*map(os.path.expanduser, sandbox.reads), *(_around(program) if os.path.exists(program) else ())]
    found += _around(folder) if "-m" in words else []
    for word in words:
        path = os.path.join(folder, word)
        if word and os.path.exists(path):
            found += [*_around(path), *_around(os.path.realpath(path))]
    hides = {os.path.realpath(path) for path in sandbox.hides}
    paths = {path for name in found for path in (os.path.abspath(name), os.path.realpath(name))}
    shown = {entry for path in paths for entry in _without(path, hides)} | {program}
    there = {path for path in shown if os.path.exists(path) and not _is_in(path, NEVER)}
    return sorted(path for path in there if there.isdisjoint(map(str, Path(path).parents)))


def _around(path: str) -> list[str]:
    """Return what a bot may read because `path` is in its command: the path if it is a folder, or the folder of a file.

    If the folder is the home folder or contains files of many programs (see WIDE), return only the file, if any.
    """
    folder = path if os.path.isdir(path) else os.path.dirname(path)
    wide = {os.path.realpath(name) for name in (*WIDE, os.path.expanduser("~"))}
    is_wide = os.path.realpath(folder) in wide
    return [folder] if not is_wide else [] if folder == path else [path]


def _without(path: str, hides: set[str]) -> list[str]:
    """Return the parts of `path` that a bot may see. `hides` are the paths that the bot must not see.

    If `path` contains no hidden path, return `path` itself. Otherwise return the files and folders inside `path` that
    contain no hidden path.
    """
    real = os.path.realpath(path)
    if _is_in(real, hides):
        return []
    if not any(_is_in(hidden, [real]) for hidden in hides):
        return [path]
    entries = [os.path.join(path, name) for name in os.listdir(path)]
    inside = [entry for entry in entries if _is_in(os.path.dirname(os.path.realpath(entry)), [real])]
    return [shown for entry in inside for shown in _without(entry, hides)]  # links to outside are left out


def _is_in(path: str, folders: Collection[str]) -> bool:
    return any(path == folder or path.startswith(folder.rstrip("/") + "/") for folder in folders)


@cache
def _on_the_path() -> list[str]:
    """Return the folders listed in PATH, and the libraries that belong to their programs."""
    found = []
    for name in os.environ.get("PATH", os.defpath).split(os.pathsep):
        if os.path.isabs(name) and not _is_in(name, SYSTEM) and os.path.isdir(name):
            shims = Path(name).name == "shims"  # scripts of a version manager, which need its other files
            found += [str(Path(name).parent)] if shims else _installation(name)
    return found


@cache
def _ours() -> list[str]:
    """Return the paths of this program, its Python interpreter and libraries. Bots may use them."""
    programs = {os.path.join(prefix, "bin") for prefix in (sys.prefix, sys.base_prefix)}
    package = Path(__file__).parents[2]
    packages = [str(package), os.path.realpath(package / "protocol")]  # a link in a checkout
    return [*packages, *(path for name in sorted(programs) for path in _installation(name))]


def _installation(programs: str) -> list[str]:
    """Return the folder `programs`, the libraries next to it, and the folders of interpreters to which it has links."""
    found = [programs, *(os.path.join(os.path.dirname(programs), name) for name in INSTALLED)]
    for name in ("python3", "node", "ruby", "java", "php", "perl"):
        program = os.path.join(programs, name)
        home = os.path.dirname(os.path.realpath(program))
        if os.path.islink(program) and home != programs and not _is_in(home, SYSTEM):
            found += [home, *(os.path.join(os.path.dirname(home), name) for name in INSTALLED)]
    return found
