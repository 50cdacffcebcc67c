"""Installed programs and libraries of this machine, which every bot may read."""

import os
import sys
from collections.abc import Collection
from functools import cache
from pathlib import Path

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/opt", "/nix/store", "/snap")
INSTALLED = ("lib", "lib64", "libexec", "include", "pyvenv.cfg")
"""Names of files and folders that may lie next to a folder of programs and belong to the same installation."""


def is_in(path: str, folders: Collection[str]) -> bool:
    return any(path == folder or path.startswith(folder.rstrip("/") + "/") for folder in folders)


def installed() -> list[str]:
    """Return the folders and files of the system's programs, of programs in PATH, and of this program."""
    return [*SYSTEM, *_on_the_path(), *_ours()]


@cache
def _on_the_path() -> list[str]:
    """Return the folders listed in PATH, and the libraries that belong to their programs."""
    found = []
    for name in os.environ.get("PATH", os.defpath).split(os.pathsep):
        if os.path.isabs(name) and not is_in(name, SYSTEM) and os.path.isdir(name):
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
    """Return the folder `programs`, the libraries next to it, and the folders of interpreters that it links to."""
    found = [programs, *(os.path.join(os.path.dirname(programs), name) for name in INSTALLED)]
    for name in ("python3", "node", "ruby", "java", "php", "perl"):
        program = os.path.join(programs, name)
        home = os.path.dirname(os.path.realpath(program))
        if os.path.islink(program) and home != programs and not is_in(home, SYSTEM):
            found += [home, *(os.path.join(os.path.dirname(home), name) for name in INSTALLED)]
    return found
