"""A folder of bots as the entrants of a tournament, in the order of names."""

import os
import re
import shlex
import tomllib
from pathlib import Path
from typing import Any

from rails_cli.bot_process import INTERPRETERS
from rails_cli.tournament.config import Mistake, PlanError
from rails_cli.tournament.plan import said

_RUN = re.compile(r"^\W*Run:\s*`([^`]+)`", re.MULTILINE)


def bots_in(folder: Path, base: Path) -> tuple[list[dict[str, Any]], list[str]]:
    """The tables of the entrants, with folders as seen from `base`, and the names that were passed over.

    Names that start with a dot or an underscore are not even told. Raises PlanError, which names the file of a bot that
    cannot be read.
    """
    tables: list[dict[str, Any]] = []
    passed_over = []
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.name.startswith((".", "_")):
            continue
        try:
            found = _in_folder(entry) if entry.is_dir() else _file(entry)
        except OSError as error:
            raise PlanError([Mistake(None, str(entry), f"cannot be read: {error.strerror}")]) from None
        if found is None:
            passed_over.append(entry.name)
            continue
        where = Path(os.path.relpath(entry if entry.is_dir() else folder, base), found.pop("folder", ""))
        name = entry.name if entry.is_dir() else entry.stem
        taken = {table["name"] for table in tables}
        tables.append({"name": entry.name if name in taken else name, **found, "folder": os.path.normpath(where)})
    return tables, passed_over


def _file(file: Path) -> dict[str, Any] | None:
    """A source file, run by its interpreter, or any other file that may be executed."""
    if file.suffix in INTERPRETERS:
        return {"command": shlex.join([INTERPRETERS[file.suffix], file.name])}
    if file.is_file() and os.access(file, os.X_OK):
        return {"command": shlex.join([f"./{file.name}"])}
    return None


def _told(about: Path) -> dict[str, Any]:
    """What a bot.toml says, in the words of `[[entrants]]` of a plan."""
    try:
        table = tomllib.loads(about.read_text(encoding="utf-8"))
    except UnicodeDecodeError:
        raise PlanError([Mistake(None, str(about), "the file is not UTF-8")]) from None
    except (ValueError, RecursionError) as error:
        raise PlanError([Mistake(None, str(about), f"not TOML: {error}")]) from None
    wrong = [key for key in ("name", "folder") if not isinstance(table.get(key, ""), str)]
    if wrong:
        raise PlanError(
            [Mistake(None, f"{about}: {key}", f"a text is wanted, not {said(table[key])}") for key in wrong]
        )
    return table


def _in_folder(folder: Path) -> dict[str, Any] | None:
    """By its bot.toml, by a line "Run: `COMMAND`" of its README.md, or by the one file named `bot` or `bot.*`."""
    about, manual = folder / "bot.toml", folder / "README.md"
    if about.is_file():
        return _told(about)
    if manual.is_file():
        run = _RUN.search(manual.read_text(encoding="utf-8", errors="replace"))
        if run:
            return {"command": run[1]}
    bots = [found for file in sorted(folder.glob("bot*")) if file.stem == "bot" and (found := _file(file))]
    return bots[0] if len(bots) == 1 else None
