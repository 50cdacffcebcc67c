"""Files of released versions that every later version must be able to use.

`python -m tests.support.releases --write` writes the files of the current version to a new folder in
`tests/package/releases/`:

- a finished and an unfinished log of each game.
- the JSON Schemas without their descriptions.
- the commands with their options.
- the public names of the library.

The plans of tournaments in these folders are written by hand. `tests/package/test_compatibility.py` uses the folders of
all versions.
"""

import inspect
import json
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import click
import msgspec

from rails_cli import __version__, library
from rails_cli.basics.schemas import all_schemas
from rails_cli.cli import main as program
from rails_cli.games import game_names
from rails_cli.protocol import live_view
from tests.support.tools import TESTS

RELEASES = TESTS / "package" / "releases"
SEATS = ("builtin:greedy", "builtin:busy", "builtin:random")
"""Players of the recorded games."""
PROSE = ("description", "title", "$schema")
"""Keys of schemas whose values may change in any version."""


def without_prose(schema: Any, *, is_by_name: bool = False) -> Any:
    """Return `schema` without titles and descriptions.

    With `is_by_name`, the keys of `schema` itself are names of types or fields. They stay, even if one is "title".
    """
    if isinstance(schema, list):
        return [without_prose(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: without_prose(part, is_by_name=not is_by_name and key in ("$defs", "properties", "mapping"))
        for key, part in schema.items()
        if is_by_name or key not in PROSE
    }


@cache
def current_schemas() -> dict[str, Any]:
    """Return the schemas of this version by name, without descriptions and without the types of display messages."""
    schemas = {name: without_prose(msgspec.json.decode(content)) for name, content in all_schemas().items()}
    for title in vars(live_view):
        schemas["lobby.json"]["$defs"].pop(title, None)
    return schemas


def command_lines() -> dict[str, list[str]]:
    """Return the options and arguments of each command, by the words of the command."""
    return dict(_command_lines((), program, click.Context(program)))


def _command_lines(
    words: tuple[str, ...], command: click.Command, ctx: click.Context
) -> Iterator[tuple[str, list[str]]]:
    parameters = [one for one in command.params if not getattr(one, "hidden", False)]
    named = [name for one in parameters for name in (*one.opts, *one.secondary_opts) if name.startswith("-")]
    arguments = [one.human_readable_name for one in parameters if isinstance(one, click.Argument)]
    yield " ".join(words), sorted(named) + arguments
    if isinstance(command, click.Group):
        for name in command.list_commands(ctx):
            inner = command.get_command(ctx, name)
            assert inner is not None
            yield from _command_lines((*words, name), inner, click.Context(inner, parent=ctx))


def library_names() -> dict[str, list[str]]:
    """Return the public names of `rails_cli.library` and of its classes, with the names of their parameters."""
    found: dict[str, list[str]] = {}
    for name in library.__all__:
        one = getattr(library, name)
        found[name] = _parameters(one)
        if inspect.isclass(one):
            inherited = {*dir(Exception), *dir(tuple)}
            own = (part for part in dir(one) if not part.startswith("_") and part not in inherited)
            found |= {f"{name}.{part}": _parameters(getattr(one, part)) for part in own}
    return found


def _parameters(one: Any) -> list[str]:
    try:
        return [name for name in inspect.signature(one).parameters if name not in ("self", "args", "kwargs")]
    except (TypeError, ValueError):  # not a function
        return []


def record(folder: Path) -> None:
    """Write the files of this version to `folder`. Plans are not written."""
    for name in ("logs", "schemas"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    for game in game_names():
        target = folder / "logs" / f"{game}.jsonl"
        target.unlink(missing_ok=True)
        seats = [word for seat in SEATS for word in ("--seat", seat)]
        program(["run", game, *seats, "--seed", "1", "--log", str(target), "--quiet", "--json"], standalone_mode=False)
        lines = target.read_bytes().splitlines(keepends=True)
        target.with_stem(f"{game}-unfinished").write_bytes(b"".join(lines[: len(lines) * 9 // 10]))
    for name, schema in current_schemas().items():
        (folder / "schemas" / name).write_text(json.dumps(schema, indent=1) + "\n", encoding="utf-8")
    for name, names in (("commands.json", command_lines()), ("library.json", library_names())):
        rows = [f" {json.dumps(key)}: {json.dumps(value)}" for key, value in names.items()]
        (folder / name).write_text("{\n" + ",\n".join(rows) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit("expected --write, which records the files of this version")
    record(RELEASES / ".".join(__version__.split(".")[:2]))
