"""Check the versions and hashes of all packages that CI installs. `make lock` writes the checked files.

These are `.ci/requirements.txt`, and `.ci/wheels.txt` for building a release. Every dependency of `pyproject.toml` must
be listed with a fitting version and hashes, and the files must not name a package index. In CI, where RAILS_CLI_LOCKED
is set, the installed versions must be those of `.ci/requirements.txt`.
"""

import os
import re
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

LOCK = Path(".ci/requirements.txt")
RELEASE_LOCK = Path(".ci/wheels.txt")
HASH = re.compile(r"--hash=sha256:[0-9a-f]{64}")


def locked(content: str) -> list[tuple[Requirement, int]]:
    """Return the requirements in the content of a lock file, each with its number of hashes."""
    logical = content.replace("\\\n", " ").splitlines()
    lines = [line for line in logical if line.strip() and not line.lstrip().startswith(("#", "-"))]
    return [(Requirement(HASH.sub("", line).strip()), len(HASH.findall(line))) for line in lines]


def wanted(project: str, *, with_extras: bool) -> list[Requirement]:
    """Return the dependencies in `project`, the content of a `pyproject.toml`.

    These are the packages needed to build and to run the program, and with `with_extras` also those of all extras.
    """
    table = tomllib.loads(project)
    extras = table["project"]["optional-dependencies"].values() if with_extras else ()
    groups = (table["build-system"]["requires"], table["project"]["dependencies"], *extras)
    return [Requirement(words) for group in groups for words in group]


def problems(project: str, content: str, *, with_extras: bool = True) -> list[str]:
    """Return the faults of the lock file with the text `content`. `project` is the content of the `pyproject.toml`.

    The lock file must list the dependencies of extras only if `with_extras`.
    """
    found = ["it names a package index"] if "://" in content else []
    versions: dict[str, list[str]] = {}
    for requirement, hashes in locked(content):
        pins = [one.version for one in requirement.specifier if one.operator == "=="]
        if len(pins) != 1 or not hashes:
            found.append(f"{requirement.name} lacks a version or hashes")
        versions.setdefault(canonicalize_name(requirement.name), []).extend(pins)
    for requirement in wanted(project, with_extras=with_extras):
        pins = versions.get(canonicalize_name(requirement.name), [])
        if not pins or not all(pin in requirement.specifier for pin in pins):
            found.append(f"{requirement} is needed, but {' and '.join(pins) or 'no version'} is listed")
    return found


def differences(content: str) -> list[str]:
    """Return a sentence for each package of the lock file `content` that is missing or installed in another version."""
    found = []
    for requirement, _ in locked(content):
        if requirement.marker is None or requirement.marker.evaluate():
            try:
                installed = version(requirement.name)
            except PackageNotFoundError:
                found.append(f"{requirement} is not installed")
                continue
            if installed not in requirement.specifier:
                found.append(f"{requirement} is listed, but {installed} is installed")
    return found


def main() -> None:
    content = LOCK.read_text(encoding="utf-8")
    project = Path("pyproject.toml").read_text(encoding="utf-8")
    release = RELEASE_LOCK.read_text(encoding="utf-8")
    found = [(LOCK, problem) for problem in problems(project, content)]
    found += [(RELEASE_LOCK, problem) for problem in problems(project, release, with_extras=False)]
    if os.environ.get("RAILS_CLI_LOCKED"):
        found += [(LOCK, problem) for problem in differences(content)]
    for file, problem in found:
        print(f"{file}: {problem}")
    if found:
        sys.exit("Write the files again with `make lock`, or install what they list with .ci/install-locked.")


if __name__ == "__main__":
    main()
