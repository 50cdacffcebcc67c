"""Sending of the files of bots to the workers of a cluster.

The files of a bot are sent if the plan names them by relative paths. These are the files in the entrant's own folder,
and in the folders of the files that its command names. Subfolders are sent too, unless the folder is that of the plan.
Hidden files, caches and results of tournaments are not sent. Files with an absolute path and programs on PATH must
exist on the workers.
"""

import os
import shlex
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from rails_cli.programs.sandbox import NoSandbox, available_sandbox
from rails_cli.programs.starting import command_mistake
from rails_cli.tournament.model import Entrant
from rails_cli.tournament.plan.plan import TournamentPlan
from rails_cli.tournament.results.store import DATABASE

MOST_BYTES = 64 * 2**20
"""Maximum size in bytes of a folder that is sent to the workers."""
MOST_FILES = 10_000
"""Maximum number of files of a folder that is sent to the workers."""

_CACHES = {"__pycache__"}


class ShippingError(Exception):
    """Raised if the files of bots cannot be sent. The message gives the reason and a solution."""


class ShippedFile(msgspec.Struct, frozen=True, array_like=True):
    """A file of a bot that is sent to workers."""

    path: str
    """Path of the file, relative to the folder in which a worker unpacks all files."""
    is_executable: bool
    content: bytes


class Shipment(msgspec.Struct, frozen=True):
    """The entrants of a plan and the files of their bots, as sent to a worker."""

    entrants: tuple[Entrant, ...]
    """The entrants of the plan. Their folders are relative to the folder in which the worker unpacks the files."""
    files: bytes


def pack_bots(plan: TournamentPlan, secret: Path | None) -> Shipment:
    """Collect the files of all bots of a plan, except the file `secret`.

    Raise ShippingError if the files are too large or too many.
    """
    stays = None if secret is None else secret.resolve()
    base = os.path.normpath(plan.base)
    folders: dict[str, bool] = {}
    for entrant in plan.entrants:
        for folder, is_deep in _folders_of(entrant, base):
            folders[folder] = folders.get(folder, False) or is_deep
    top = os.path.commonpath([base, *folders, *(os.path.join(base, one.folder) for one in _movable(plan.entrants))])
    found: dict[str, Path] = {}
    size = 0
    for folder, is_deep in sorted(folders.items()):
        for file in _files_in(Path(folder), is_deep):
            path = os.path.relpath(file, top)
            if path in found or file.resolve() == stays:
                continue
            found[path] = file
            size += file.stat().st_size
            if size > MOST_BYTES or len(found) > MOST_FILES:
                raise ShippingError(
                    f"{folder} is too large to send: more than {MOST_BYTES // 2**20} MiB or {MOST_FILES:,} files; "
                    "give the bot its own folder, or name an absolute path that exists on every worker"
                )
    files = [ShippedFile(path, os.access(found[path], os.X_OK), found[path].read_bytes()) for path in sorted(found)]
    entrants = tuple(_moved(entrant, base, top) for entrant in plan.entrants)
    return Shipment(entrants, zlib.compress(msgspec.msgpack.encode(files), 1))


def unpack_bots(shipment: Shipment, folder: Path) -> None:
    """Write the files of `shipment` into `folder`, and create the folders in which commands run."""
    for file in msgspec.msgpack.decode(zlib.decompress(shipment.files), type=list[ShippedFile]):
        place = folder / file.path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(file.content)
        place.chmod(0o755 if file.is_executable else 0o644)
    for entrant in _movable(shipment.entrants):
        Path(folder, entrant.folder).mkdir(parents=True, exist_ok=True)


def missing_here(entrants: Sequence[Entrant], folder: Path) -> list[str]:
    """Return what is missing on this machine: a text for each entrant without its program, folder or sandbox.

    `folder` has the unpacked files of the bots. Each text starts with the name of the entrant.
    """
    found = []
    for entrant in entrants:
        if not entrant.is_program:
            continue
        where = Path(folder, entrant.folder)
        mistake = command_mistake(shlex.split(entrant.spec), where)
        mistake = None if entrant.image else mistake  # the image contains the programs
        if mistake is None and not where.is_dir():
            mistake = f"there is no folder {where}"
        try:
            available_sandbox(entrant.sandbox, entrant.image)
        except NoSandbox as error:
            mistake = str(error)
        if mistake is not None:
            found.append(f"{entrant.name}: {mistake}")
    return found


def _movable(entrants: Sequence[Entrant]) -> list[Entrant]:
    return [one for one in entrants if one.is_program and not os.path.isabs(one.folder)]


def _folders_of(entrant: Entrant, base: str) -> Iterator[tuple[str, bool]]:
    """Yield each folder to send for an entrant, and whether to send its subfolders.

    `base` is the folder of the plan.
    """
    if not _movable([entrant]):
        return
    home = os.path.normpath(os.path.join(base, entrant.folder))
    if home != base:
        yield home, True
    for word in shlex.split(entrant.spec):
        file = os.path.normpath(os.path.join(home, word))
        if not os.path.isabs(word) and os.path.isfile(file):
            yield os.path.dirname(file), os.path.dirname(file) != base


def _files_in(folder: Path, is_deep: bool) -> Iterator[Path]:
    for place, inner, names in os.walk(folder):
        if place != str(folder) and DATABASE in names:
            inner.clear()
            continue
        inner[:] = sorted(name for name in inner if is_deep and not name.startswith(".") and name not in _CACHES)
        for name in sorted(names):
            file = Path(place, name)
            if not name.startswith(".") and file.is_file():
                yield file


def _moved(entrant: Entrant, base: str, top: str) -> Entrant:
    if not _movable([entrant]):
        return entrant
    home = os.path.join(base, entrant.folder)
    return msgspec.structs.replace(entrant, folder=os.path.relpath(home, top))
