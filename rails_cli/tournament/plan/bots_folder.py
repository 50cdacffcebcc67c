"""Reading of a folder of bots. Each bot becomes an entrant of a tournament, in alphabetical order."""

import hashlib
import os
import re
import shlex
import tomllib
from collections.abc import Collection, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from rails_cli.programs.sandbox.installed import installed, is_in
from rails_cli.programs.sandbox.own_files import named_paths
from rails_cli.programs.starting import INTERPRETERS
from rails_cli.protocol.lines import decoding_problem
from rails_cli.tournament.plan.bot_parameters import Parameter, bot_parameters, variables
from rails_cli.tournament.plan.plan import value_text
from rails_cli.tournament.plan.reading import Mistake, PlanError

_LABELLED = re.compile(r"^[^\w\n]*(Run|Build):\s*`([^`]+)`", re.MULTILINE)
_LONG_KEY = re.compile(r"""(?:\.[ \t]*+(?:[\w-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')[ \t]*+){10}""")
"""Pattern that finds a TOML key with more than 10 parts, such as `a.b.c` with 3 parts.

Such keys are refused, because they make a file slow to parse. Parsing 64 kB with keys of 100 parts takes 0.7 s or more.
A file within the limits of this module is parsed in less than 0.05 s.
"""
_LINK = "a symbolic link, which is refused of bots that are not trusted; copy the files instead"
MOST_BYTES = {"bot.toml": 16_384, "README.md": 65_536}
"""Mapping from the name of a file that describes a bot to its maximum size in bytes."""


class BotInFolder(NamedTuple):
    """The description of a bot, read from the files in its folder."""

    table: dict[str, Any]
    """Table of the bot with the keys of `[[entrants]]` in a plan, but without a name."""
    build: str | None = None
    """Shell command that builds the bot. None if the bot needs no build."""
    parameters: Sequence[Parameter] = ()


def bots_in(folder: Path, base: Path, *, trust: bool = True) -> tuple[list[dict[str, Any]], list[str]]:
    """Return an entrant table for each bot in `folder`, and the name of each skipped file with the reason.

    The folder in a table is relative to `base`. The command of a bot with a container image may name only files of this
    bot. If `trust` is false, this applies to all bots. Files that start with a dot or an underscore are ignored. Raise
    PlanError if a bot cannot be read.
    """
    tables: list[dict[str, Any]] = []
    passed_over = []
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.name.startswith((".", "_")):
            continue
        try:
            if entry.is_symlink() and not trust:
                raise NoBot(_LINK)
            if entry.is_dir():
                found = _in_folder(entry, base, trust=trust)
            else:
                found = BotInFolder({**_file(entry), "folder": os.path.relpath(folder, base)})
            if entry.is_symlink() and "image" in found.table:
                raise NoBot(_LINK)
        except NoBot as reason:
            passed_over.append(f"{entry.name} ({reason})")
            continue
        except OSError as error:
            raise PlanError([Mistake("", f"{entry}: cannot be read: {error.strerror}")]) from None
        name = entry.name if entry.is_dir() else entry.stem
        taken = {table["name"] for table in tables}
        tables.append({"name": entry.name if name in taken else name, **found.table})
    return tables, passed_over


def bot_in(folder: Path, base: Path, *, trust: bool) -> BotInFolder:
    """Return the bot in `folder`. The folder in its table is relative to `base`.

    If `trust` is false, or the bot has a container image, its command may name only files in `folder`. Raise PlanError
    if `folder` has no bot that can be read.
    """
    try:
        return _in_folder(folder, base, trust=trust)
    except NoBot as reason:
        raise PlanError([Mistake("", f"{folder}: {reason}")]) from reason
    except OSError as error:
        raise PlanError([Mistake("", f"{folder}: cannot be read: {error.strerror}")]) from None


def _in_folder(folder: Path, base: Path, *, trust: bool) -> BotInFolder:
    """Return the bot in `folder`, with its folder relative to `base`. Raise NoBot, PlanError or OSError.

    If `trust` is false, or the bot has a container image, its command may name only files in `folder`.
    """
    found = _described(folder)
    if not trust or "image" in found.table:
        _check_inside(folder, found.table)
    where = Path(os.path.relpath(folder, base), found.table.pop("folder", ""))
    return found._replace(table={**found.table, "folder": os.path.normpath(where)})


def folder_digest(folder: Path, ignored: Collection[Path] = ()) -> str:
    """Return a digest of all files in `folder`, without `__pycache__`, `.git`, and the resolved paths in `ignored`.

    Links are not followed. Raise OSError if a file cannot be read.
    """
    entries = []
    for path, folders, files in os.walk(folder.resolve()):
        here = Path(path)
        folders[:] = [name for name in folders if name not in ("__pycache__", ".git") and here / name not in ignored]
        for file in (here / name for name in (*files, *folders) if here / name not in ignored):
            about = file.lstat()
            if file.is_symlink():
                content = os.readlink(file)
            elif not file.is_file():
                continue
            else:
                with file.open("rb") as opened:
                    content = hashlib.file_digest(opened, "sha256").hexdigest()
            entries.append(ascii((str(file.relative_to(folder.resolve())), about.st_mode & 0o111, content)))
    return hashlib.sha256("\n".join(sorted(entries)).encode()).hexdigest()


def _check_inside(folder: Path, found: dict[str, Any]) -> None:
    """Raise PlanError if the command in the entrant table `found` names an existing file outside `folder`.

    Such a command is refused, because a bot in a sandbox may read every file that its command names. A command that
    runs in a folder outside `folder` is refused too. Installed programs, which every bot may read, are allowed.
    """
    command = found.get("command", "")
    with suppress(ValueError):  # reported later
        given = shlex.split(command) if isinstance(command, str) else command if isinstance(command, list) else []
        words = list(map(str, given))
        own = os.path.realpath(folder)
        where = os.path.normpath(os.path.join(own, found.get("folder", "")))
        named = {path: path for path in (named_paths(words, where, with_installed=True) if words else ())}
        named[where] = "."
        system = [place for place in installed() if not is_in(own, [place])]
        for path, shown in named.items():
            if not (is_in(path, [own, *system]) and is_in(os.path.realpath(path), [own, *system])):
                raise PlanError([Mistake("", f"{folder}: its command names {shown!r}, which is not in its folder")])


class NoBot(Exception):
    """Raised for a file or folder that is not a bot. The message is the reason."""


def _file(file: Path) -> dict[str, Any]:
    """Return an entrant table with the command that runs `file`.

    Raise NoBot if `file` is neither executable nor a source file with a known interpreter.
    """
    if file.suffix in INTERPRETERS:
        return {"command": shlex.join([INTERPRETERS[file.suffix], file.name])}
    if file.is_file() and os.access(file, os.X_OK):
        return {"command": shlex.join([f"./{file.name}"])}
    raise NoBot("neither executable nor a source file that can be run")


def _content(file: Path) -> bytes:
    """Return the content of `file`, a bot.toml or README.md.

    Raise NoBot if the file is longer than MOST_BYTES allows.
    """
    most = MOST_BYTES[file.name]
    with open(file, "rb") as opened:
        content = opened.read(most + 1)
    if len(content) > most:
        raise NoBot(f"its {file.name} is longer than {most:,} bytes")
    return content


def _read_bot_toml(about: Path) -> BotInFolder:
    """Return the bot that the bot.toml at `about` describes. Raise NoBot, PlanError or OSError."""
    try:
        content = _content(about).decode()
        if _LONG_KEY.search(content):
            raise NoBot(f"its {about.name} has a key with more than 10 parts")
        table = tomllib.loads(content)
    except UnicodeDecodeError:
        raise PlanError([Mistake("", f"{about}: the file is not UTF-8")]) from None
    except (ValueError, RecursionError) as error:
        raise PlanError([Mistake("", f"{about}: not TOML: {decoding_problem(error)}")]) from None
    granted = [key for key in ("sandbox", "network", "reads", "user", "clock") if key in table]
    if granted:
        words = "a bot cannot decide what it may do; set this in the [[entrants]] of a plan"
        raise PlanError([Mistake("", f"{about}: {key}: {words}") for key in granted])
    wrong = [key for key in ("name", "folder", "build") if not isinstance(table.get(key, ""), str)]
    if wrong:
        raise PlanError(
            [Mistake("", f"{about}: $.{key}: expected text; found {value_text(table[key])}") for key in wrong]
        )
    parameters = bot_parameters(table, str(about))
    if parameters:
        given = table.get("environment", {})
        if not isinstance(given, dict):
            raise PlanError([Mistake("", f"{about}: $.environment: expected a table; found {value_text(given)}")])
        table["environment"] = given | variables(parameters, [one.default for one in parameters])
    table.pop("parameters", None)
    return BotInFolder(table, table.pop("build", None), parameters)


def _described(folder: Path) -> BotInFolder:
    """Return the bot in `folder`. The folder in its entrant table is relative to `folder`.

    The bot is described by bot.toml, or else by a line "Run: `COMMAND`" in README.md. If there is neither, the bot is
    the only file named `bot` or `bot.*`. Raise NoBot, PlanError or OSError.
    """
    about, manual = folder / "bot.toml", folder / "README.md"
    if about.is_file():
        return _read_bot_toml(about)
    if manual.is_file():
        labelled = dict(_LABELLED.findall(_content(manual).decode(errors="replace")))
        if "Run" in labelled:
            return BotInFolder({"command": labelled["Run"]}, labelled.get("Build"))
    named = [file for file in sorted(folder.glob("bot*")) if file.stem == "bot" and file.is_file()]
    bots: dict[str, dict[str, Any]] = {}
    for file in named:
        with suppress(NoBot):
            bots[file.name] = _file(file)
    if len(bots) == 1:
        return BotInFolder(next(iter(bots.values())))
    if bots:
        raise NoBot(f"{' and '.join(bots)} are both bots; add a bot.toml that says which")
    if named:
        names = ", ".join(file.name for file in named)
        raise NoBot(f"{names} is not executable; try chmod +x, or write its command into a bot.toml")
    without = "" if not manual.is_file() else ', and its README.md has no line "Run: `COMMAND`"'
    raise NoBot(f"no bot.toml, no file named bot or bot.*{without}")
