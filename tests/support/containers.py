"""A container image without any files. The programs of this machine are mounted into its containers."""

import io
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PYTHON = os.path.realpath(sys.executable)
READS = ("/usr", sys.base_prefix)
"""Folders of this machine that Python needs inside a container."""


@contextmanager
def small_image() -> Iterator[tuple[str, dict[str, str]]]:
    """Create a container image. Yield the name of the image and the environment variables for podman.

    Podman stores the image and its containers in a temporary folder. Its storage driver needs no special file system.
    If podman is not installed, a name is yielded, but no image with this name exists.
    """
    # If the path of `runroot` has more than 40 characters, podman 4.3 waits 20 s for the end of each container.
    with tempfile.TemporaryDirectory(prefix="podman-", dir="/tmp", ignore_cleanup_errors=True) as folder:
        yield from _image_in(Path(folder))


def _image_in(folder: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """Create an image in `folder`, yield its name and the environment variables for podman, and remove the image."""
    name = f"localhost/rails-cli-test-{uuid.uuid4().hex}"
    storage = {"driver": "vfs", "graphroot": str(folder / "storage"), "runroot": str(folder / "run")}
    engine = {"events_logger": "none", "tmp_dir": str(folder / "podman")}
    has_v2_only = os.path.exists("/sys/fs/cgroup/cgroup.controllers")
    if not has_v2_only and shutil.which("runc"):  # crun, the default, does not support control groups of both versions
        engine["runtime"] = "runc"
    if os.geteuid() == 0:  # there may be no systemd
        engine["cgroup_manager"] = "cgroupfs"
    environment = dict(os.environ)
    for file, variable, section, settings in (
        ("storage.conf", "CONTAINERS_STORAGE_CONF", "storage", storage),
        ("containers.conf", "CONTAINERS_CONF", "engine", engine),
    ):
        lines = [f"[{section}]", *(f'{key} = "{value}"' for key, value in settings.items())]
        (folder / file).write_text("\n".join([*lines, ""]))
        environment[variable] = str(folder / file)
    if shutil.which("podman") is None:
        yield name, environment
        return
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as tar:
        for link in ("bin", "lib", "lib64", "sbin"):
            entry = tarfile.TarInfo(link)
            entry.type, entry.linkname = tarfile.SYMTYPE, f"usr/{link}"
            tar.addfile(entry)
    words = ["podman", "import", "--quiet", "-", name]
    subprocess.run(words, input=content.getvalue(), env=environment, capture_output=True, check=True)
    try:
        yield name, environment
    finally:
        subprocess.run(["podman", "rmi", "--force", name], env=environment, capture_output=True, check=False)
