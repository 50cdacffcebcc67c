"""Preparation of the start of a bot: its command, environment, limits and sandbox."""

import ctypes
import os
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from rails_cli.basics.tokens import SECRET_VARIABLES
from rails_cli.programs.finding import BOT_MARK
from rails_cli.programs.limits import BotLimits, user_of
from rails_cli.programs.sandbox import LEVELS, NoSandbox, Sandbox, available_sandbox, command_in, variables_in
from rails_cli.programs.sandbox.own_files import link_mistake
from rails_cli.programs.tree import ProcessTree, ReportPipe

INTERPRETERS = {
    ".py": "python3",
    ".js": "node",
    ".mjs": "node",
    ".pl": "perl",
    ".sh": "bash",
    ".rb": "ruby",
    ".php": "php",
}
"""Mapping from the suffix of a bot's source file to the name of the interpreter that runs the file."""
SPARE_CPU_S = 2
"""Seconds by which the CPU limit in the kernel exceeds the limit that this program checks.

The check by this program must apply first, because only this check reports the reason.
"""
RUN_MARK, WORKER_MARK = "RAILS_CLI_RUN", "RAILS_CLI_WORKER"
"""Environment variables. RUN_MARK identifies all bots of one tournament, WORKER_MARK all bots of one worker process.

Every bot has both variables and BOT_MARK, even outside tournaments, so they do not reveal where the bot plays.
"""
PROGRAM = "RAILS_CLI"
"""Environment variable with the shell command of this program. Bots use it to start `rails-cli engine`."""
WITHHELD = ("PWD", "OLDPWD", "_", *SECRET_VARIABLES)
"""Environment variables not passed to bots, because they are secret or reveal where this program was started."""
PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None
"""The C library, with which bots are killed when this process ends (`PR_SET_PDEATHSIG`). None if not on Linux."""


def command_mistake(words: Sequence[str], folder: Path) -> str | None:
    """Return why the command `words` cannot be run in `folder`. None if no mistake was found."""
    if not words:
        return "an empty command line"
    program = words[0]
    if os.sep in program:
        path = Path(folder, program)
        if not os.path.isfile(path):
            return f"there is no program {path}"
        if not os.access(path, os.X_OK):
            return f"{path} is not executable; try chmod +x"
    elif shutil.which(program) is None:
        return f"there is no program {program} on the path"
    script = next((word for word in words[1:] if word != "-u"), "")
    if Path(script).suffix in INTERPRETERS and not script.startswith("-") and not os.path.isfile(Path(folder, script)):
        return f"there is no file {Path(folder, script)}"
    return None


def new_mark() -> str:
    return uuid.uuid4().hex


@cache
def program_words() -> str:
    """Return the shell command that runs this program: the installed script, or else the Python module."""
    entry = Path(sys.executable).with_name("rails-cli")
    return shlex.join([str(entry)] if os.access(entry, os.X_OK) else [sys.executable, "-m", "rails_cli"])


def prepare_start(
    command: Sequence[str],
    mark: str,
    limits: BotLimits,
    environment: Mapping[str, str] = MappingProxyType({}),
    *,
    folder: str | None = None,
    hides: Sequence[Path],
    counts_cpu: bool = False,
    now: Callable[[], float] = time.monotonic,
) -> tuple[list[str], dict[str, Any], ProcessTree]:
    """Prepare the start of a bot. Return its command, the arguments for Popen, and its process tree.

    The bot has pipes, its own session and limits. It is killed when this process ends. `mark` identifies its processes:
    it is the value of their environment variable BOT_MARK. `hides` lists paths that a bot in a sandbox must not see. If
    `counts_cpu`, CPU time is measured. `now` is the clock of the process tree. Raise NoSandbox or UserUnavailable.
    """
    level = available_sandbox(limits.sandbox, limits.image)
    wanted = (
        (resource.RLIMIT_AS, limits.memory_bytes),
        (resource.RLIMIT_CPU, None if limits.cpu_s is None else limits.cpu_s + SPARE_CPU_S),
        (resource.RLIMIT_NOFILE, limits.open_files),
        (resource.RLIMIT_FSIZE, limits.file_bytes),
        (resource.RLIMIT_NPROC, limits.processes if level in LEVELS else None),  # it counts all processes of a user
    )
    rlimits = [(kind, value) for kind, value in wanted if value is not None]
    ours: Mapping[str, str] = os.environ
    report: ReportPipe | None = None
    other = user_of(limits.user)
    if level is not None:
        mistake = link_mistake(tuple(command), folder or os.curdir, tuple(limits.reads))
        if mistake is not None:
            raise NoSandbox(mistake)
        sandbox = Sandbox(
            level,
            limits.network,
            tuple(limits.reads),
            hides=tuple(map(str, hides)),
            image=limits.image,
            rlimits=rlimits,
            memory_bytes=limits.memory_bytes,
            processes=limits.processes,
        )
        report = ReportPipe()
        try:
            command = command_in(sandbox, command, folder, environment, report.writer)
        except BaseException:
            report.close()
            raise
        rlimits, environment = [], {}  # the launcher applies them to the bot
        ours = variables_in(ours, level)
    tree = ProcessTree(mark, level, limits, counts_cpu=counts_cpu, now=now, report=report)

    def prepare() -> None:
        tree.enter()
        for kind, most in rlimits:
            resource.setrlimit(kind, (most, most))
        if other is not None:
            os.initgroups(other.pw_name, other.pw_gid)
            os.setgid(other.pw_gid)
            os.setuid(other.pw_uid)
        if _LIBC is not None:  # must be last, because a change of user would undo it
            _LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)

    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    kept = {name: value for name, value in ours.items() if name not in WITHHELD}
    marks = {name: os.environ.get(name) or new_mark() for name in (RUN_MARK, WORKER_MARK)}
    home = {} if other is None or level is not None else {"HOME": other.pw_dir, "USER": other.pw_name}
    variables = {**kept, **home, **marks, PROGRAM: program_words(), **environment, BOT_MARK: mark}
    how = {**pipes, "start_new_session": True, "preexec_fn": prepare, "env": variables}
    return list(command), how if report is None else {**how, "pass_fds": [report.writer]}, tree
