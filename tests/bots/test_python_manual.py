"""Tests of docs/PYTHON_BOTS.md: the programs and commands on the page print what the page shows.

`.ci/manual_types.py` checks the types of the programs.
"""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.tools import ROOT
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


def test_the_online_program_plays_at_a_server(folder: Path) -> None:
    with ServerProcess(folder / "data") as server, Client(server.url) as client:
        for _ in range(4):
            create(client, seats=[None, "builtin:random"])
        completed = run_command(f"python3 online.py {server.url}", folder)
        assert completed.returncode == 0, completed.stderr
        assert len(re.findall(r"^\[\d, \d\] \[\d+, \d+\]$", completed.stdout, re.MULTILINE)) == 4
