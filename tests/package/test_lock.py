"""Tests of `.ci/lock.py`, which checks the files with the versions and hashes of all packages that CI installs."""

import re
import runpy
from pathlib import Path

import pytest

from tests.support.tools import ROOT

LOCK, RELEASE_LOCK = ".ci/requirements.txt", ".ci/wheels.txt"


MAIN = runpy.run_path(str(ROOT / ".ci/lock.py"))["main"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, which contains copies of `pyproject.toml` and the lock files."""
    (tmp_path / ".ci").mkdir()
    for name in ("pyproject.toml", LOCK, RELEASE_LOCK):
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("RAILS_CLI_LOCKED", raising=False)
    return tmp_path


def printed_problems(capsys: pytest.CaptureFixture[str]) -> str:
    with pytest.raises(SystemExit, match="make lock"):
        MAIN()
    return capsys.readouterr().out


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
def test_a_wrong_lock_file_is_reported(
    folder: Path, file: str, pattern: str, changed: str, problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    content = (folder / file).read_text()
    spoiled = re.sub(pattern, changed, content, count=1)
    assert spoiled != content
    (folder / file).write_text(spoiled)
    assert problem in printed_problems(capsys)


def test_installed_versions_are_compared_in_ci_only(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    content = (folder / LOCK).read_text()
    (folder / LOCK).write_text(re.sub(r"(?<=\nclick==)\S+", "8.5.999", content))
    MAIN()
    monkeypatch.setenv("RAILS_CLI_LOCKED", "1")
    assert "click==8.5.999 is listed, but" in printed_problems(capsys)
