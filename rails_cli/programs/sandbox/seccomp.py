"""The system calls that no sandbox allows, as a filter for bubblewrap and as a profile for podman.

The list is in `seccomp.json`, in the format of the OCI runtime specification, which podman reads itself. For
bubblewrap, libseccomp translates it for the processor of this machine.
"""

import json
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

PROFILE = Path(__file__).with_name("seccomp.json")
NO_LIBRARY = "libseccomp is not installed: try apt install libseccomp2, dnf install libseccomp or pacman -S libseccomp"


class NoFilter(Exception):
    """Raised if libseccomp is missing. The text says how to install it."""


def _library() -> Any:
    try:
        import pyseccomp  # loads libseccomp, which takes 10 ms
    except (ImportError, RuntimeError):
        raise NoFilter(NO_LIBRARY) from None
    return pyseccomp


@cache
def filter_program() -> bytes:
    """Return the filter of system calls as a program for the kernel. Calls unknown to libseccomp are left out.

    Raise NoFilter if libseccomp is missing.
    """
    seccomp = _library()
    rules = seccomp.SyscallFilter(seccomp.ALLOW)
    for rule in json.loads(PROFILE.read_bytes())["syscalls"]:
        masks = [(arg["index"], seccomp.MASKED_EQ, arg["value"], arg["valueTwo"]) for arg in rule.get("args", ())]
        for name in rule["names"]:
            if call_number(name) is not None:
                rules.add_rule(seccomp.ERRNO(rule["errnoRet"]), name, *(seccomp.Arg(*mask) for mask in masks))
    with tempfile.TemporaryFile() as file:
        rules.export_bpf(file)
        file.seek(0)
        return file.read()


def call_number(name: str) -> int | None:
    """Return the number of a system call on this machine. None if there is no such call.

    Raise NoFilter if libseccomp is missing.
    """
    seccomp = _library()
    number: int = seccomp.resolve_syscall(seccomp.Arch.NATIVE, name)
    return number if number >= 0 else None  # negative numbers stand for calls of other processors
