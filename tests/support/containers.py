"""A container image without any files. The programs of this machine are mounted into its containers."""

import io
import os
import shutil
import subprocess
import sys
import tarfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PYTHON = os.path.realpath(sys.executable)
READS = ("/usr", sys.base_prefix)
"""Folders of this machine that Python needs inside a container."""


@contextmanager
def small_image(folder: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """Create an image in a context. Yield the name of the image and the environment variables for podman.

    Remove the image at the end of the context. If podman is not installed, no image with this name exists.
    """
    name = f"localhost/rails-cli-test-{uuid.uuid4().hex}"
    environment = dict(os.environ)
    if shutil.which("runc"):  # crun, the default, does not support the control groups of some machines
        (folder / "containers.conf").write_text('[engine]\nruntime = "runc"\n')
        environment["CONTAINERS_CONF"] = str(folder / "containers.conf")
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
