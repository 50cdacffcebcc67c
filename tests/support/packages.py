"""Functions that install packages with additional games into a separate folder."""

import subprocess
import sys
from pathlib import Path

from tests.support.tools import TESTS

FOURTH_GAME = TESTS / "fourth_game"


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


def announce(folder: Path, package: str, files: dict[str, str], **points: str) -> None:
    """Write the files that an installed package with games has into `folder`.

    `files` maps the names of its modules to their source. `points` are entry points: names of games and their modules.
    """
    (folder / package).mkdir(parents=True)
    for name, content in files.items():
        (folder / package / name).write_text(content, encoding="utf-8")
    information = folder / f"{package}-1.dist-info"
    information.mkdir()
    (information / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1\n", encoding="utf-8")
    lines = [f"{name} = {value}\n" for name, value in points.items()]
    (information / "entry_points.txt").write_text(f"[rails_cli.games]\n{''.join(lines)}", encoding="utf-8")
