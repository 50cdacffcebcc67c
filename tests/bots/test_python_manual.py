"""Tests of docs/PYTHON_BOTS.md: the programs and commands on the page print what the page shows.

The program with type annotations in docs/LIBRARY.md is also checked here, because one run of mypy is enough for all
programs.
"""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.tools import ROOT
from tests.support.transcripts import EXAMPLE
from tests.support.ws_client import Client, ServerProcess, create

PAGE = (ROOT / "docs" / "PYTHON_BOTS.md").read_text(encoding="utf-8")
PROGRAMS = dict(re.findall(r"^```python\n# (\S+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))
COMMANDS = re.findall(r"^```console\n\$ (.+)\n((?:[^`].*\n)*)```$", PAGE, re.MULTILINE)
ENVIRONMENT = {**os.environ, "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, program in PROGRAMS.items():
        (tmp_path / name).write_text(program)
    return tmp_path


def run_command(words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(shlex.split(words), cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, check=False)


def test_every_command_prints_what_the_manual_shows(folder: Path) -> None:
    assert len(COMMANDS) == 2
    assert PAGE.count("```python") == len(PROGRAMS)
    for words, shown in COMMANDS:
        completed = run_command(words, folder)
        assert (completed.returncode, completed.stdout) == (0, shown), completed.stderr


def test_the_programs_pass_mypy_in_strict_mode(folder: Path) -> None:
    library = (ROOT / "docs" / "LIBRARY.md").read_text(encoding="utf-8")
    typed = next(found[2] for found in EXAMPLE.finditer(library) if found[1] == "typed.py")
    (folder / "typed.py").write_text(typed)
    (folder / "misspelt.py").write_text(typed.replace("houses_left", "house_left"))
    words = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(ROOT / ".mypy_cache" / "manual"), "."]
    checked = run_command(shlex.join(words), folder)
    (mistake, _) = checked.stdout.splitlines()
    assert re.fullmatch(r'misspelt.py:\d+: error: "View" has no attribute "house_left".*', mistake), checked.stdout


def test_the_online_program_plays_at_a_server(folder: Path) -> None:
    with ServerProcess(folder / "data") as server, Client(server.url) as client:
        for _ in range(4):
            create(client, seats=[None, "builtin:random"])
        completed = run_command(f"python3 online.py {server.url}", folder)
        assert completed.returncode == 0, completed.stderr
        assert len(re.findall(r"^\[\d, \d\] \[\d+, \d+\]$", completed.stdout, re.MULTILINE)) == 4
