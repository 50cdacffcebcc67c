"""Versions of a bot in a git repository. A commit is checked out and built once, and its files stay in a cache folder.

A digest of the files is stored after the build. If the files have changed since then, the commit is checked out and
built again.
"""

import fcntl
import hashlib
import os
import shlex
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from rails_cli.programs.sandbox import Sandbox, command_in, variables_in
from rails_cli.tournament.plan.bots_folder import NoBot, bot_in, folder_digest
from rails_cli.tournament.plan.reading import PlanError

GIT = "git:"
BUILD_S = 600.0
"""Maximum number of seconds of a build command."""
_BUILT, _FILES = "built", "files"
_LAST_LINES = 20
"""Number of lines at the end of a failed build's output that the error message shows."""


class NoVersion(Exception):
    """Raised for a version of a bot that does not exist. The message is the reason."""


class BuildFailed(Exception):
    """Raised for a version of a bot that cannot be built. The message is the reason."""


def cache_folder() -> Path:
    """Return the folder for versions of bots, according to the XDG base directory specification."""
    base = os.environ.get("XDG_CACHE_HOME") or ""
    return (Path(base) if os.path.isabs(base) else Path.home() / ".cache") / "rails-cli" / "versions"


class GitVersion(msgspec.Struct, frozen=True):
    """A version of a bot: its files in one commit, written to the cache folder.

    `build` is the command that builds the bot, if any. `here` is a folder in the repository.
    """

    commit: str
    table: dict[str, Any]
    """Table of the bot, as in `BotInFolder.table`."""
    build: str | None
    folder: Path
    """Folder of the bot in the cache folder."""
    place: Path
    """Folder in the cache folder for this version.

    It has the files, a lock, and after the build a digest of the files.
    """
    here: Path

    @property
    def needs_build(self) -> bool:
        return self.build is not None and not (self.place / _BUILT).exists()

    def make(self, sandbox: Sandbox | None) -> None:
        """Build the bot from the files of the commit. Do nothing if the bot is built already.

        If a `sandbox` is given, the build runs in it and can change only these files. Raise BuildFailed, NoVersion or
        NoSandbox.
        """
        files = self.place / _FILES
        with _locked(self.place):
            if self.build is not None and self.needs_build:
                _write_files(self.here, self.commit, files)
                if sandbox is not None:
                    sandbox = msgspec.structs.replace(sandbox, writes=(str(files),))
                _build(self.build, self.folder, self.commit, sandbox)
                _store_digest(self.place)

    def check(self) -> None:
        """Raise BuildFailed if the files have changed since the bot was built.

        The build of another version may change files of this version.
        """
        with _locked(self.place):
            if not _is_intact(self.place):
                raise BuildFailed(f"{GIT}{self.commit[:12]}: another build has changed the files of this version")


def git_version(words: str, here: Path, cache: Path, *, trust: bool) -> GitVersion:
    """Return a version of a bot: its files in one commit of a git repository. The bot is not built yet.

    - `words` is REF or REF:PATH. PATH is the folder of the bot in the repository, by default the folder `here`.
    - `here` is a folder inside the repository.
    - `cache` is the folder for all versions. The files are written to a folder in it. Files of an earlier call are
      reused if the bot was built and they have not changed since.
    - If `trust` is false, the command of the bot may name only files of the bot.

    Raise NoVersion or PlanError.
    """
    ref, colon, path = words.partition(":")
    commit = _git(here, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}", what=ref)
    inside = path if colon else _git(here, "rev-parse", "--show-prefix", what=ref)
    place = cache / f"{commit}-{hashlib.sha256(inside.encode()).hexdigest()[:8]}"
    files = place / _FILES
    folder = Path(os.path.normpath(files / inside))
    outside = NoVersion(f"{GIT}{words}: {path} is not a folder in the repository")
    if not folder.is_relative_to(files):
        raise outside
    place.mkdir(parents=True, exist_ok=True)
    with _locked(place):
        if not _is_intact(place):
            (place / _BUILT).unlink(missing_ok=True)
            _write_files(here, commit, files)
        if not folder.is_dir():
            raise NoVersion(f"{GIT}{words}: commit {commit[:12]} has no folder {inside}")
        if not folder.resolve().is_relative_to(files.resolve()):  # a symbolic link
            raise outside
        try:
            table, build, _ = bot_in(folder, here, trust=trust)
        except PlanError as error:
            if folder == files and isinstance(error.__cause__, NoBot):
                top = f"{GIT}{ref} has no bot at its top; give its folder, such as {GIT}{ref}:PATH"
                raise NoVersion(f"{top} ({error.__cause__})") from None
            raise
        if build is None:
            _store_digest(place)
    return GitVersion(commit, table, build, folder, place, here)


def _store_digest(place: Path) -> None:
    """Store a digest of the files of the version in the folder `place`. The digest marks the version as built."""
    (place / _BUILT).write_text(folder_digest(place / _FILES), encoding="utf-8")


def _is_intact(place: Path) -> bool:
    """Return whether the version in the folder `place` is built and its files are unchanged since.

    Files in `__pycache__` are deleted.
    """
    for path, folders, _ in os.walk(place / _FILES):
        if "__pycache__" in folders:  # a digest does not include it
            folders.remove("__pycache__")
            shutil.rmtree(Path(path, "__pycache__"), ignore_errors=True)
    try:
        return (place / _BUILT).read_text(encoding="utf-8") == folder_digest(place / _FILES)
    except (OSError, ValueError):
        return False


@contextmanager
def _locked(place: Path) -> Iterator[None]:
    """Keep other processes from changing the folder `place` while the `with` block runs."""
    with (place / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _git(here: Path, *words: str, what: str) -> str:
    """Run git with the arguments `words` in the folder `here`, and return its output as text.

    Raise NoVersion if git fails or is not installed. The error message contains `what`.
    """
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
    """Replace the content of `folder` by all files of a commit. Submodules are left out.

    `here` is a folder in the repository. Raise NoVersion if the files cannot be written.
    """
    top = Path(_git(here, "rev-parse", "--show-toplevel", what=commit))
    content = _git_bytes(top, "archive", "--format=tar", commit, what=commit)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    done = subprocess.run(["tar", "-xf", "-"], cwd=folder, input=content, capture_output=True, check=False)
    if done.returncode != 0:
        said = done.stderr.decode(errors="replace").strip()
        raise NoVersion(f"{GIT}{commit[:12]} cannot be checked out: {said}")


def _build(build: str, folder: Path, commit: str, sandbox: Sandbox | None) -> None:
    """Run the command `build` in `folder`. If `sandbox` is not None, run the command in this sandbox.

    `commit` is named in error messages. Raise BuildFailed if the command fails or takes longer than `BUILD_S` seconds.
    Raise NoSandbox if this machine cannot provide the sandbox.
    """
    try:
        words, variables = shlex.split(build), dict(os.environ)
        if sandbox is not None:
            words, variables = command_in(sandbox, words, str(folder)), variables_in(variables, sandbox.level)
        process = subprocess.Popen(
            words, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env=variables, text=True, errors="replace", start_new_session=True,
        )  # fmt: skip
    except (OSError, ValueError) as error:
        raise BuildFailed(f"{GIT}{commit[:12]} cannot be built with {build!r}: {error}") from None
    with process:
        try:
            output, _ = process.communicate(timeout=BUILD_S)
        except BaseException as error:  # also Ctrl-C, which does not reach the session of the build
            os.killpg(process.pid, signal.SIGKILL)
            if not isinstance(error, subprocess.TimeoutExpired):
                raise
            raise BuildFailed(f"{GIT}{commit[:12]}: {build!r} takes longer than {BUILD_S:g} seconds") from None
    if process.returncode != 0:
        last = "\n".join(output.splitlines()[-_LAST_LINES:])
        raise BuildFailed(f"{GIT}{commit[:12]} cannot be built: {build!r} ends with code {process.returncode}\n{last}")
