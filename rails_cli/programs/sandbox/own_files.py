"""Files and folders that belong to a bot, and things that must not be in its folder.

A folder is a bot's own if it contains a `bot.toml`, or if the bot's program in it is called `bot` or `bot.*`. Otherwise
only the files that its command names belong to the bot.
"""

import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path

from rails_cli.programs.sandbox.installed import SYSTEM, installed, is_in

BOT_FILE = "bot.toml"
WIDE = ("/", "/home", "/root", "/tmp", "/var", "/var/tmp", "/etc", "/srv", "/mnt")
"""Folders that contain files of many programs. These folders and the home folder never belong to a single bot."""
SECRETS = {
    "admin-token": "data of a server",
    "seats.jsonl": "data of a server",
    "signing-key": "a key",
    "results.sqlite": "results of a tournament",
}
"""Mapping from the name of a file that bots must not read to a description of its content."""
PLAN_SIGNS = (b"[[entrants]]", b"[[games]]", b"entrants=[")
"""A TOML file is the plan of a tournament if a line without its spaces begins with one of these texts."""
HEAD, SHORT_HEAD = 65_536, 64
"""Numbers of bytes that are read to find out what a file contains.

SHORT_HEAD bytes are read of every file, and HEAD more bytes of TOML and PEM files.
"""


def is_wide(folder: str) -> bool:
    return os.path.realpath(folder) in _wide(os.path.expanduser("~"))


@cache
def _wide(home: str) -> set[str]:
    return {os.path.realpath(name) for name in (*WIDE, home)}


def named_paths(command: Sequence[str], folder: str, *, with_installed: bool = False) -> list[str]:
    """Return the existing files and folders that a command names, as absolute paths. Links are not resolved.

    `folder` is the current folder of the command, to which names are relative. Each word may name a file, a folder, or
    a Java class. The word after `-m` names a Python module or package. An installed program is left out unless
    `with_installed`.
    """
    program = os.path.normpath(os.path.join(folder, command[0]))
    words = [program] if os.sep in command[0] and (with_installed or not is_in(program, installed())) else []
    for flag, word in pairwise(command):
        module = word.split(".")[0]
        words += [module, f"{module}.py"] if flag == "-m" else [word, f"{word}.class"]
    paths = [os.path.normpath(os.path.join(os.path.abspath(folder), word)) for word in words if word]
    return [path for path in dict.fromkeys(paths) if os.path.lexists(path)]


def own_paths(command: Sequence[str], folder: str) -> list[str]:
    """Return the files and folders of the bot that `command` starts in `folder`.

    Symbolic links to targets outside the bot's folder are left out.
    """
    named = [path for path in named_paths(command, folder) if not leads_out(path, _home(path, folder))]
    if not named and os.path.isfile(os.path.join(folder, BOT_FILE)):  # such as `make run`
        named = [os.path.abspath(folder)]
    found = [path if os.path.isdir(path) else own_folder(path) or path for path in named]
    found = [path for path in dict.fromkeys(found) if not is_in(path, installed())]
    return [path for path in found if not (os.path.isdir(path) and is_wide(path))]


def _home(path: str, folder: str) -> str:
    """Return the folder in which the target of `path` must be if `path` is a symbolic link.

    `path` is a path that the command of a bot names, and `folder` is the current folder of the bot.
    """
    inside = os.path.abspath(folder) if is_in(path, [os.path.abspath(folder)]) else os.path.dirname(path)
    return own_folder(path) or inside


def own_folder(file: str) -> str | None:
    """Return the folder that belongs to the bot whose command names `file`. None if there is no such folder."""
    for folder in map(str, Path(file).parents):
        if is_wide(folder):
            break
        if os.path.isfile(os.path.join(folder, BOT_FILE)):
            return folder
    folder = os.path.dirname(file)
    return folder if Path(file).stem.lower() == "bot" and not is_wide(folder) else None


@cache
def link_mistake(command: tuple[str, ...], folder: str, reads: tuple[str, ...]) -> str | None:
    """Return why the symbolic links of a bot are refused. None if no link leads out of its folder.

    The paths that the command names are checked, and all links in the bot's own folders. Links to installed programs
    and to the paths `reads` are allowed, because the bot may read them anyway.
    """
    links = [(path, _home(path, folder)) for path in named_paths(command, folder)]
    links += [(path, own) for own in own_paths(command, folder) for path in _entries(own) if os.path.islink(path)]
    for path, home in links:
        if leads_out(path, home, reads):
            leads = f"a symbolic link out of the bot's folder, to {os.path.realpath(path)}"
            return f"{path} is {leads}; copy the file instead"
    return None


def leads_out(path: str, home: str, reads: Collection[str] = ()) -> bool:
    """Return whether `path` resolves to a place outside the folder `home`, installed programs and `reads`."""
    return not is_in(os.path.realpath(path), [*map(os.path.realpath, (home, *reads)), *installed()])


@cache
def strange_paths(own: str) -> list[str]:
    """Return the real paths of files and folders in the folder `own` that do not belong to its bot.

    For another bot inside `own`, return the folder of that bot.
    """
    found = [path for path, _ in _strange_entries(own)]
    return [os.path.realpath(os.path.dirname(path) if path.endswith(f"/{BOT_FILE}") else path) for path in found]


def _strange_entries(own: str) -> Iterator[tuple[str, str]]:
    """Yield each path in the folder `own` that does not belong to the bot, with a description of its content."""
    for path in _entries(own):
        name = os.path.basename(path)
        if name in SECRETS:
            yield path, SECRETS[name]
        elif name == BOT_FILE and os.path.dirname(path) != own:
            yield path, "another bot"
        elif os.path.isfile(path) and not os.path.islink(path) and (what := _what_it_contains(path)):
            yield path, what


def _what_it_contains(path: str) -> str:
    """Return text such as `a key` if the file at `path` contains something that no bot may read. Otherwise empty."""
    is_toml = path.endswith(".toml")
    try:
        with open(path, "rb") as file:
            head = file.read(SHORT_HEAD)
            is_pem = b"-----BEGIN " in head  # a certificate may come before the key
            head += file.read(HEAD) if is_toml or is_pem else b""
    except OSError:
        return ""
    if is_pem and b" PRIVATE KEY" in head:
        return "a key"
    is_plan = is_toml and any(b"".join(line.split()).startswith(PLAN_SIGNS) for line in head.splitlines())
    return "the plan of a tournament" if is_plan else ""


def _entries(folder: str) -> Iterator[str]:
    for where, folders, files in os.walk(folder):
        folders.sort()
        for name in sorted((*folders, *files)):
            yield os.path.join(where, name)


Bot = tuple[Sequence[str], str]


def paths_of_others(bot: Bot, others: Iterable[Bot]) -> list[str]:
    """Return the files and folders of `others` that `bot` does not use itself and must not see."""
    own = [*own_paths(*bot), *named_paths(*bot)]
    found = [path for other in others for path in (*own_paths(*other), *named_paths(*other))]
    return [path for path in dict.fromkeys(found) if not any(is_in(mine, [path]) for mine in own)]


def own_folder_mistake(bot: Bot, hides: Iterable[str]) -> str | None:
    """Return why an untrusted bot is refused, or None if it is not refused.

    The bot must have a folder of its own, which contains no other files. `hides` are paths that the bot must not see.
    """
    for path in named_paths(*bot):
        if is_in(os.path.realpath(path), SYSTEM):
            return f"{path} is in a folder of the system, which all bots can read; move the bot"
    for own in own_paths(*bot):
        if not os.path.isdir(own):
            words = f"move the bot to a new folder, and call its program bot or bot.*, or add a {BOT_FILE}"
            return f"{own} is not in a folder of its own, so others may have files there; {words}"
        found = [(path, "which is not part of the bot") for path in hides if is_in(*_both(path, own))]
        for path, what in (*found, *_strange_entries(own)):
            return f"{own} is not a folder of the bot alone: it contains {os.path.relpath(path, own)}, {what}"
        if any(is_in(*_both(own, path)) for path in hides):
            return f"{own} is inside a folder that the bot must not see; move the bot"
    return link_mistake(tuple(bot[0]), bot[1], ())


def _both(path: str, folder: str) -> tuple[str, list[str]]:
    return os.path.realpath(path), [os.path.realpath(folder)]
