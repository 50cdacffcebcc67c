"""What tests of running programs share: commands, bots, and a look for processes left behind."""

import shlex
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import psutil

from rails_cli.bot_process import marked_processes

TESTS = Path(__file__).parent.parent
ROOT = TESTS.parent
BOTS = TESTS / "bad_bots"
GOLDEN = TESTS / "games" / "golden"
RAILS = [sys.executable, "-m", "rails_cli"]


def bot(name: str) -> str:
    """The command line of a bot from tests/bad_bots."""
    return shlex.join([sys.executable, str(BOTS / f"{name}.py")])


def rails(*words: str, timeout: float = 120, **more: object) -> subprocess.CompletedProcess[str]:
    """Runs rails-cli as a person would, and waits for it."""
    done: subprocess.CompletedProcess[str] = subprocess.run(
        [*RAILS, *words],
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
        **more,  # type: ignore[call-overload]
    )
    return done


def left_behind(mark: str, patience_s: float = 3.0) -> list[str]:
    """Processes that carry `mark` in their environment; those just ending are given a moment."""
    until = time.monotonic() + patience_s
    while True:
        found = []
        for pid in marked_processes(mark, "RAILS_TEST"):
            with suppress(psutil.Error):
                process = psutil.Process(pid)
                if process.status() != psutil.STATUS_ZOMBIE:
                    found.append(" ".join(process.cmdline()))
        if not found or time.monotonic() > until:
            return found
        time.sleep(0.05)
