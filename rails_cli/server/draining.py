"""Requests to stop a running server. A request is a file in the data folder, followed by the signal SIGTERM."""

import fcntl
import os
import signal
from contextlib import suppress
from pathlib import Path

import msgspec

from rails_cli.basics.files import open_regular, read_file, replace_file
from rails_cli.protocol.lines import UNDECODABLE

LOCK = "lock"
"""Name of the file that a server locks while it uses a data folder. The file contains the process id of the server."""
REQUEST = "drain.json"
LONGEST_ID = 10
"""Maximum number of digits of the id of a process."""
RETURN_S = 2.0
"""Default number of seconds after the end of the server at which clients should connect again."""


class NoServer(Exception):
    """Raised if no server uses a data folder, or if the server cannot be stopped."""


class DrainRequest(msgspec.Struct, frozen=True):
    """A request to stop a server."""

    wait_s: float = 0.0
    """Maximum number of seconds to wait for the end of running games. No new game begins during this wait."""
    return_s: float = RETURN_S
    """Number of seconds after the end of the server at which clients should connect again."""


def server_process(folder: Path) -> int | None:
    """Return the id of the process of the server that uses the data folder `folder`. None if no server uses it."""
    try:
        lock = open_regular(folder / LOCK)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        return None
    except BlockingIOError:
        written = os.read(lock, LONGEST_ID).strip()
        process = int(written) if written.isdigit() else 0
        return process if process > 1 and _is_owned_by(process, os.fstat(lock).st_uid) else None
    finally:
        os.close(lock)


def _is_owned_by(process: int, user: int) -> bool:
    """Return whether a process runs as `user`.

    This check prevents the owner of the lock file from making root send a signal to a process of another user. Return
    True if the operating system does not report the user of a process, as on macOS.
    """
    if not Path("/proc/self").exists():
        return True
    try:
        return Path(f"/proc/{process}").stat().st_uid == user
    except OSError:
        return False


def request_drain(folder: Path, request: DrainRequest) -> int:
    """Ask the server that uses the data folder `folder` to stop. Return the id of its process.

    Raise NoServer if no server uses the folder, or if the user may not stop the server.
    """
    try:
        process = server_process(folder)
        if process is None:
            raise NoServer(f"no server is using {folder}")
        replace_file(folder / REQUEST, msgspec.json.encode(request), 0o644)  # the server may be another user
        os.kill(process, signal.SIGTERM)
    except OSError as error:
        raise NoServer(f"cannot stop the server of {folder}: {error.strerror}") from None
    return process


def take_request(folder: Path) -> DrainRequest:
    """Return the request to stop the server with the data folder `folder`, and delete its file.

    Return a request with default values if there is no valid request.
    """
    file = folder / REQUEST
    with suppress(OSError, *UNDECODABLE):
        return msgspec.json.decode(_taken(file), type=DrainRequest)
    return DrainRequest()


def _taken(file: Path) -> bytes:
    try:
        return read_file(file)
    finally:
        file.unlink()
