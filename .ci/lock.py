"""Check `.ci/requirements.txt`, the versions and hashes of all packages that CI installs. `make lock` writes it.

Every dependency of `pyproject.toml` must be listed with a fitting version and hashes, and the file must not name a
package index. In CI, where RAILS_CLI_LOCKED is set, the installed versions must be the listed ones.
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
HASH = re.compile(r"--hash=sha256:[0-9a-f]{64}")


def locked(content: str) -> list[tuple[Requirement, int]]:
    """Return the requirements in the content of a lock file, each with its number of hashes."""
    logical = content.replace("\\\n", " ").splitlines()
    lines = [line for line in logical if line.strip() and not line.lstrip().startswith(("#", "-"))]
    return [(Requirement(HASH.sub("", line).strip()), len(HASH.findall(line))) for line in lines]


def wanted(project: str) -> list[Requirement]:
    """Return all dependencies in the content of a `pyproject.toml`: to build, to run, and of all extras."""
    table = tomllib.loads(project)
    extras = table["project"]["optional-dependencies"].values()
    groups = (table["build-system"]["requires"], table["project"]["dependencies"], *extras)
    return [Requirement(words) for group in groups for words in group]


def problems(project: str, content: str) -> list[str]:
    """Return what is wrong with the lock file `content` for the `pyproject.toml` in `project`."""
    found = ["it names a package index"] if "://" in content else []
    versions: dict[str, list[str]] = {}
    for requirement, hashes in locked(content):
        pins = [one.version for one in requirement.specifier if one.operator == "=="]
        if len(pins) != 1 or not hashes:
            found.append(f"{requirement.name} lacks a version or hashes")
        versions.setdefault(canonicalize_name(requirement.name), []).extend(pins)
    for requirement in wanted(project):
        pins = versions.get(canonicalize_name(requirement.name), [])
        if not pins or not all(pin in requirement.specifier for pin in pins):
            found.append(f"{requirement} is needed, but {' and '.join(pins) or 'no version'} is listed")
    return found


def differences(content: str) -> list[str]:
    """Return the packages of the lock file `content` that are installed in another version, or not at all."""
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
    found = problems(Path("pyproject.toml").read_text(encoding="utf-8"), content)
    if os.environ.get("RAILS_CLI_LOCKED"):
        found += differences(content)
    for problem in found:
        print(f"{LOCK}: {problem}")
    if found:
        sys.exit("Write the file again with `make lock`, or install what it lists with .ci/install-locked.")


if __name__ == "__main__":
    main()
