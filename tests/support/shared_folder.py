"""A folder that is filled once for all workers of a test run."""

import fcntl
import os
from collections.abc import Callable
from pathlib import Path

import pytest


def shared_folder(tmp_path_factory: pytest.TempPathFactory, name: str, fill: Callable[[Path], None]) -> Path:
    """Return the folder `name`, which all worker processes of the test run share.

    The first worker fills the folder with `fill`. No test may change the folder afterwards. If `fill` fails, the next
    worker starts again with another folder.
    """
    own = tmp_path_factory.getbasetemp()
    root = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
    done = root / f"{name}.done"
    with (root / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            folder = root / f"{name} {own.name}"
            folder.mkdir()
            fill(folder)
            done.write_text(folder.name, encoding="utf-8")
        return root / done.read_text(encoding="utf-8")
