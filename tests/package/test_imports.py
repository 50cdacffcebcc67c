"""Tests of what commands import: a command that starts quickly imports no package that it does not use."""

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any

import pytest

from tests.support.terminal import Terminal
from tests.support.tools import ROOT
from tests.support.waiting import HANG_S

IMPORT_TIMES = {"PYTHONPROFILEIMPORTTIME": "1"}
"""Environment in which Python writes the name of each imported module to standard error."""
OF_THE_INTERPRETER = {"_distutils_hack", "coverage", "pip", "setuptools", "typing_extensions"}
"""Packages to ignore: Python or a library imports them whenever they are installed."""
RULES = {"msgspec", "rails_cli"}


def modules(printed: str) -> set[str]:
    return set(re.findall(r"^import time: +\d+ \| +\d+ \| +(\S+)$", printed, re.MULTILINE))


def packages(imported: set[str]) -> set[str]:
    """Return the packages of the modules in `imported`, without those of the standard library."""
    return {name.partition(".")[0] for name in imported} & {*packages_distributions()} - OF_THE_INTERPRETER


def imported_by(*words: str) -> set[str]:
    """Return the names of the modules that a Python process with the arguments `words` imports."""
    environment = {**os.environ, **IMPORT_TIMES}
    run = [sys.executable, *words]
    done = subprocess.run(
        run, env=environment, cwd=ROOT, input="", capture_output=True, text=True, timeout=HANG_S, check=False
    )
    assert done.returncode == 0, done.stdout
    return modules(done.stderr)


def test_the_version_is_shown_without_importing_commands() -> None:
    imported = imported_by("-m", "rails_cli", "--version")
    assert packages(imported) == {"click", "rails_cli"}
    assert "importlib.resources" not in imported
    own = {name for name in imported if name.startswith("rails_cli.")}
    assert own <= {"rails_cli.cli", "rails_cli.commands", "rails_cli.match"}


SEATS = ("--seat", "builtin:busy", "--seat", "builtin:busy")


@pytest.mark.parametrize(
    ("words", "allowed"),
    [
        (("-m", "rails_cli", "run", "last_spike", *SEATS, "--quiet"), {"click"}),
        (("-m", "rails_cli", "verify", str(ROOT / "tests/games/golden/last_spike/last_spike-2p.jsonl")), {"click"}),
        (("-m", "rails_cli", "tournament", "run", "--check", str(ROOT / "bots/demo.toml")), {"click"}),
        (("bots/python/bot.py",), set()),
    ],
    ids=["run", "verify", "tournament", "bot"],
)
def test_games_and_bots_need_few_packages(words: Sequence[str], allowed: set[str]) -> None:
    imported = imported_by(*words)
    assert packages(imported) <= RULES | allowed
    assert "asyncio" not in imported


def test_playing_at_a_terminal_needs_no_packages_of_servers_and_tournaments(tmp_path: Path) -> None:
    names = tmp_path / "imported"
    into_file = ("/bin/sh", "-c", 'exec "$@" 2>"$IMPORTED"', "sh")
    settings: Any = {**IMPORT_TIMES, "IMPORTED": str(names), "XDG_STATE_HOME": str(tmp_path)}
    words = ("play", "last_spike", "--players", "2", "--bots", "busy", "--name", "Anna", "--seed", "1")
    with Terminal(*words, width=120, height=40, before=into_file, stdin=None, **settings) as terminal:
        terminal.wait_for("The Last Spike")
    shown = RULES | {"click", "prompt_toolkit", "rich", "wcwidth"}
    imported = modules(names.read_text(encoding="utf-8"))
    assert packages(imported) <= shown
    assert "importlib.metadata" not in imported  # only games of other packages need it
