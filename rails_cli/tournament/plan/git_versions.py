"""Versions of a bot in a git repository: a commit is checked out and built once, and kept in a cache folder."""

import fcntl
import hashlib
import os
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

from rails_cli.tournament.plan.bots_folder import bot_in

GIT = "git:"
_BUILT = "built"
_LAST_LINES = 20
"""Number of lines that an error shows from the output of a failed build."""


class NoVersion(Exception):
    """Raised for a version of a bot that does not exist or cannot be built. The message is the reason."""


def cache_folder() -> Path:
    """Return the folder for versions of bots, according to the XDG base directory specification."""
    base = os.environ.get("XDG_CACHE_HOME") or ""
    return (Path(base) if os.path.isabs(base) else Path.home() / ".cache") / "rails-cli" / "versions"


def git_version(words: str, here: Path, cache: Path) -> tuple[dict[str, Any], str]:
    """Return the entrant table of a bot in a commit of the git repository that contains `here`, and the commit.

    `words` is REF or REF:PATH. PATH is a folder in the repository, by default the folder `here`. The files of the
    commit are written to a folder in `cache`, where the bot is built with its build command. If that is done already,
    they are used again. Raises NoVersion or PlanError.
    """
    ref, colon, path = words.partition(":")
    commit = _git(here, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}", what=ref)
    inside = path if colon else _git(here, "rev-parse", "--show-prefix", what=ref)
    place = cache / f"{commit}-{hashlib.sha256(inside.encode()).hexdigest()[:8]}"
    files = place / "files"
    folder = Path(os.path.normpath(files / inside))
    if not folder.is_relative_to(files):
        raise NoVersion(f"{GIT}{words}: {path} is not a folder in the repository")
    place.mkdir(parents=True, exist_ok=True)
    with (place / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        is_built = (place / _BUILT).exists()
        if not is_built:
            shutil.rmtree(files, ignore_errors=True)
            _write_files(here, commit, files)
        if not folder.is_dir():
            raise NoVersion(f"{GIT}{words}: commit {commit[:12]} has no folder {inside}")
        table, build = bot_in(folder, here)
        if build is not None and not is_built:
            _build(build, folder, commit)
        (place / _BUILT).touch()
    return table, commit


def _git(here: Path, *words: str, what: str) -> str:
    """Run git in the folder `here` and return its output as text. Raises NoVersion, which names `what`."""
    return _git_bytes(here, *words, what=what).decode().strip()


def _git_bytes(here: Path, *words: str, what: str) -> bytes:
    try:
        done = subprocess.run(["git", *words], cwd=here, capture_output=True, check=False)
    except FileNotFoundError:
        raise NoVersion(f"{GIT}{what} needs the program git, which is not installed") from None
    if done.returncode != 0:
        said = done.stderr.decode(errors="replace").strip() or f"no such commit in the repository of {here}"
        raise NoVersion(f"{GIT}{what}: {said}")
    return done.stdout


def _write_files(here: Path, commit: str, folder: Path) -> None:
    """Write all files of a commit to `folder`. Submodules are left out."""
    top = Path(_git(here, "rev-parse", "--show-toplevel", what=commit))
    content = _git_bytes(top, "archive", "--format=tar", commit, what=commit)
    folder.mkdir()
    done = subprocess.run(["tar", "-xf", "-"], cwd=folder, input=content, capture_output=True, check=False)
    if done.returncode != 0:
        said = done.stderr.decode(errors="replace").strip()
        raise NoVersion(f"{GIT}{commit[:12]} cannot be checked out: {said}")


def _build(build: str, folder: Path, commit: str) -> None:
    """Run the command `build` in `folder`. Raises NoVersion if it fails."""
    try:
        done = subprocess.run(
            shlex.split(build), cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, errors="replace", check=False,
        )  # fmt: skip
    except (OSError, ValueError) as error:
        raise NoVersion(f"{GIT}{commit[:12]} cannot be built with {build!r}: {error}") from None
    if done.returncode != 0:
        last = "\n".join(done.stdout.splitlines()[-_LAST_LINES:])
        raise NoVersion(f"{GIT}{commit[:12]} cannot be built: {build!r} ends with code {done.returncode}\n{last}")
