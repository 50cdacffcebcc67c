"""Functions that run commands and bots, skip tests whose programs are missing, and find processes left running."""

import os
import shlex
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from rails_cli.programs.finding import marked_processes
from tests.support.forking import ForkedRails, can_be_forked
from tests.support.waiting import HANG_S, wait_until

TESTS = Path(__file__).parent.parent
ROOT = TESTS.parent
BOTS = TESTS / "bad_bots"
GOLDEN = TESTS / "games" / "golden"
RAILS = [sys.executable, "-m", "rails_cli"]
NO_SANDBOX = "warning: bots run without a sandbox and can do whatever you can; {} prevents that\n"
"""Warning of commands that start bots without a sandbox. `{}` stands for the option that prevents this."""
# The first terminal opened in a new session becomes its controlling terminal, so that Ctrl-C reaches the program.
INTO_TERMINAL = "import os, sys; os.close(os.open(sys.argv[1], os.O_RDWR)); os.execv(sys.argv[2], sys.argv[2:])"


NOT_INSTALLED = "not installed: "
"""Prefix of the reason for skipping a test whose programs are missing. The names of the programs follow."""


def skip_without(*programs: str, path: str | None = None) -> None:
    """Skip the test unless all `programs` are found on the search path `path`, by default PATH and /usr/sbin."""
    path = path or f"{os.environ.get('PATH', os.defpath)}{os.pathsep}/usr/sbin"
    if missing := [name for name in programs if shutil.which(name, path=path) is None]:
        pytest.skip(NOT_INSTALLED + ", ".join(missing))


def skip_summary(reasons: Iterable[str]) -> str:
    """Return a paragraph about skipped tests: their number, the missing programs, and how to install these programs."""
    counts = Counter(reason.removeprefix("Skipped: ") for reason in reasons)
    missing = sorted(
        {
            name
            for reason in counts
            if NOT_INSTALLED in reason
            for name in reason.partition(NOT_INSTALLED)[2].split(", ")
        }
    )
    skipped = counts.total()
    words = [f"{skipped} test{'s were' if skipped > 1 else ' was'} skipped."]
    if missing:
        words.append(f"Not installed: {', '.join(missing)}. `make test-tools` installs what is missing.")
    words += [f"{reason} ({count})." for reason, count in sorted(counts.items()) if NOT_INSTALLED not in reason]
    return " ".join(words)


def bot(name: str) -> str:
    """Return the command line of the bot `name` in tests/bad_bots.

    Python runs with the option -S, which shortens the start by a third. The bot cannot import installed packages.
    """
    return shlex.join([sys.executable, "-S", str(BOTS / f"{name}.py")])


def start_rails(
    *words: str,
    terminal: str | None = None,
    before: Sequence[str] = (),
    module: str = "rails_cli",
    besides: str = "",
    **how: Any,
) -> subprocess.Popen[Any]:
    """Start rails-cli with the arguments `words` in a separate process.

    - `terminal`: the path of the controlling terminal of the process.
    - `before`: a command to which the command line of rails-cli is appended.
    - `module`: the module to run instead of rails-cli.
    - `besides`: a module to import before the fork, if processes are forked.
    - `how`: further arguments of `Popen`.
    """
    if terminal is not None:
        how["start_new_session"] = True
    if not before and can_be_forked(**how):
        return ForkedRails(list(words), terminal, module, besides, **how)
    into = [] if terminal is None else [sys.executable, "-c", INTO_TERMINAL, terminal]
    return subprocess.Popen([*into, *before, sys.executable, "-m", module, *words], **how)


def rails(
    *words: str, timeout: float = HANG_S, input: str | None = None, check: bool = False, **how: Any
) -> subprocess.CompletedProcess[str]:
    """Run rails-cli with the arguments `words` in a separate process and wait for its end.

    `input` is its standard input. With `check`, fail unless its exit code is 0. `how` are arguments of `start_rails`.
    """
    how = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, **how}
    if input is not None:
        how["stdin"] = subprocess.PIPE
    with start_rails(*words, **how) as process:
        try:
            output, errors = process.communicate(input, timeout)
        except BaseException:
            process.kill()
            raise
    done = subprocess.CompletedProcess([*RAILS, *words], process.returncode, output, errors)
    if check:
        done.check_returncode()
    return done


def left_behind(mark: str) -> list[str]:
    """Wait until no process has `mark` in its environment, and fail if some process does not end.

    Return an empty list, so that a test can write `assert not left_behind(mark)`.
    """
    wait_until(lambda: not marked(mark), "the end of all processes", lambda: marked(mark))
    return []


def marked(mark: str) -> list[str]:
    """Return descriptions of the running processes that have `mark` in their environment."""
    found = []
    for pid in marked_processes(mark, "RAILS_TEST"):
        with suppress(psutil.Error):
            process = psutil.Process(pid)
            if process.status() != psutil.STATUS_ZOMBIE:
                found.append(f"{pid} of {process.ppid()}, {process.status()}: {' '.join(process.cmdline())}")
    return found
