"""Functions that install packages with additional games into a separate folder."""

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

from tests.support.tools import TESTS

FOURTH_GAME = TESTS / "fourth_game"
HIDDEN_GAME = TESTS / "hidden_game"


def install(source: Path, folder: Path) -> None:
    """Build and install the package in `source` into `folder` with pip, without a network."""
    words = ("--no-deps", "--no-build-isolation", "--no-index", "--disable-pip-version-check", "--quiet", "--target")
    done = subprocess.run(
        [sys.executable, "-m", "pip", "install", *words, str(folder), str(source)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def place(source: Path, folder: Path) -> None:
    """Copy the package of a game in `source` to `folder`, with the entry points that its pyproject.toml declares.

    This is faster than `install`.
    """
    project = tomllib.loads((source / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    points: dict[str, dict[str, str]] = project["entry-points"]
    (package,) = points["rails_cli.games"].values()
    shutil.copytree(source / package, folder / package, ignore=shutil.ignore_patterns("__pycache__"))
    lines = [
        line
        for group, entries in points.items()
        for line in (f"[{group}]\n", *(f"{name} = {value}\n" for name, value in entries.items()))
    ]
    _write_information(folder, package, "".join(lines))


def _write_information(folder: Path, package: str, entry_points: str) -> None:
    information = folder / f"{package}-1.dist-info"
    information.mkdir()
    (information / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1\n", encoding="utf-8")
    (information / "entry_points.txt").write_text(entry_points, encoding="utf-8")


def announce(folder: Path, package: str, files: dict[str, str], **points: str) -> None:
    """Write into `folder` what an installation of the package `package` with games would write there.

    `files` maps the file names of its modules to their source. `points` maps the names of games to their modules (entry
    points).
    """
    (folder / package).mkdir(parents=True)
    for name, content in files.items():
        (folder / package / name).write_text(content, encoding="utf-8")
    lines = [f"{name} = {value}\n" for name, value in points.items()]
    _write_information(folder, package, f"[rails_cli.games]\n{''.join(lines)}")
