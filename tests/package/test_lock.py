"""Tests of `.ci/lock.py`, which checks the files with the versions and hashes of all packages that CI installs."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.tools import ROOT

LOCK, RELEASE_LOCK = ".ci/requirements.txt", ".ci/wheels.txt"


def checked(folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run `.ci/lock.py` on the copies of `pyproject.toml` and the lock files in `folder`."""
    words = [sys.executable, str(ROOT / ".ci/lock.py")]
    own = {name: value for name, value in os.environ.items() if name != "RAILS_CLI_LOCKED"}
    return subprocess.run(words, cwd=folder, env=own | environment, capture_output=True, text=True, check=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / ".ci").mkdir()
    for name in ("pyproject.toml", LOCK, RELEASE_LOCK):
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    return tmp_path


def test_the_lock_file_lists_all_dependencies(folder: Path) -> None:
    done = checked(folder)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("file", "pattern", "changed", "problem"),
    [
        ("pyproject.toml", '"click>=8.5"', '"click>=8.5", "unlisted"', "unlisted is needed, but no version is listed"),
        ("pyproject.toml", '"click>=8.5"', '"click>=999"', "click>=999 is needed"),
        (LOCK, r"(?<=\nclick==)(\S+) (\\\n    --hash=\S+ ?)+", r"\1", "click lacks a version or hashes"),
        (
            RELEASE_LOCK,
            r"(?<=\nhatchling==)(\S+) (\\\n    --hash=\S+ ?)+",
            r"\1",
            "hatchling lacks a version or hashes",
        ),
        (RELEASE_LOCK, r"(?<=\nhatchling==)\S+", "1.0", "hatchling>=1.28 is needed, but 1.0 is listed"),
        (LOCK, r"\A", "--index-url https://example.org/simple\n", "it names a package index"),
    ],
)
def test_a_wrong_lock_file_is_reported(folder: Path, file: str, pattern: str, changed: str, problem: str) -> None:
    content = (folder / file).read_text()
    spoiled = re.sub(pattern, changed, content, count=1)
    assert spoiled != content
    (folder / file).write_text(spoiled)
    done = checked(folder)
    assert done.returncode == 1
    assert problem in done.stdout
    assert "Traceback" not in done.stderr


def test_installed_versions_are_compared_in_ci_only(folder: Path) -> None:
    content = (folder / LOCK).read_text()
    (folder / LOCK).write_text(re.sub(r"(?<=\nclick==)\S+", "8.5.999", content))
    assert checked(folder).returncode == 0
    assert "click==8.5.999 is listed, but" in checked(folder, RAILS_CLI_LOCKED="1").stdout
