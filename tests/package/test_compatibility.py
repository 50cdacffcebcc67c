"""Tests of the promises in docs/COMPATIBILITY.md: this version can use the stored files of each released version.

A failure means that a change breaks files or programs of users. Undo this change, or start a new major version.
"""

import copy
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from rails_cli import __version__, library
from rails_cli.cli import main
from rails_cli.logs.verify import verify
from rails_cli.players.search import outcome
from tests.support.releases import RELEASES, command_lines, current_schemas, library_names

OPEN = ("anyOf", "enum", "mapping")
"""Keys of a JSON Schema whose lists or mappings may get more entries in later versions."""
NULL = {"type": "null"}


def recorded(pattern: str) -> list[Path]:
    return sorted(RELEASES.glob(f"*/{pattern}"))


def named(file: Path) -> str:
    return str(file.relative_to(RELEASES))


UNFINISHED = recorded("logs/*-unfinished.jsonl")


def test_this_release_and_all_games_are_recorded() -> None:
    folder = RELEASES / ".".join(__version__.split(".")[:2])
    assert folder.is_dir(), "run: python -m tests.support.releases --write"
    games = {"american_rails", "chicago_express", "last_spike"}
    assert {file.stem.removesuffix("-unfinished") for file in folder.glob("logs/*.jsonl")} == games
    formats = {"duel", "gauntlet", "knockout", "round_robin", "swiss"}
    assert {file.stem for file in folder.glob("plans/*.toml")} >= formats


@pytest.mark.parametrize("file", [file for file in recorded("logs/*.jsonl") if file not in UNFINISHED], ids=named)
def test_finished_logs_are_verified_and_read(file: Path) -> None:
    verdict = verify(file.read_bytes())
    assert verdict.mistake is None
    assert verdict.is_finished
    assert library.read_log(file).end.ranks()


@pytest.mark.parametrize("file", UNFINISHED, ids=named)
def test_unfinished_logs_are_resumed(file: Path, tmp_path: Path) -> None:
    copied = Path(shutil.copy(file, tmp_path))
    done = CliRunner().invoke(main, ["resume", str(copied), "--quiet"])
    assert done.exit_code == 0, done.output
    assert copied.read_bytes().startswith(file.read_bytes())
    verdict = verify(copied.read_bytes())
    assert verdict.mistake is None
    assert verdict.is_finished


@pytest.mark.parametrize("file", recorded("plans/*.toml"), ids=named)
def test_plans_are_read(file: Path) -> None:
    done = CliRunner().invoke(main, ["tournament", "run", "--check", str(file)])
    assert done.exit_code == 0, done.output


@pytest.mark.parametrize("file", recorded("schemas/*.json"), ids=named)
def test_messages_keep_their_fields_and_types(file: Path) -> None:
    problems = [*breaks(json.loads(file.read_bytes()), current_schemas()[file.name], "$")]
    assert not problems, "\n".join(problems)


def breaks(old: Any, new: Any, path: str) -> Iterator[str]:
    """Yield each difference between the schemas `old` and `new` that breaks programs written for `old`.

    Types, optional fields, kinds of messages and values that exist only in `new` break no program. Each result begins
    with `path`, which names the part of the schemas that is compared.
    """
    if not isinstance(old, dict) or not isinstance(new, dict):
        if old != new:
            yield f"{path} was {json.dumps(old)} and is {json.dumps(new)}"
        return
    for key in sorted({*old, *new}):
        here = f"{path}.{key}"
        if key in ("$defs", "properties"):
            for name, part in old.get(key, {}).items():
                if name in new.get(key, {}):
                    yield from breaks(part, new[key][name], f"{here}.{name}")
                else:
                    yield f"{here}.{name} is missing"
        elif key in OPEN and key in old and key in new:
            yield from lost_alternatives(old[key], new[key], here)
        elif key == "discriminator":
            yield from breaks(old.get(key), new.get(key), here)
        elif sorted_names(old.get(key)) != sorted_names(new.get(key)):
            yield f"{here} was {json.dumps(old.get(key))} and is {json.dumps(new.get(key))}"


def lost_alternatives(old: Any, new: Any, path: str) -> Iterator[str]:
    """Yield a message for each difference between two lists of alternatives that breaks programs written for `old`.

    Programs break if an alternative of `old` is missing in `new`, or if null is allowed only in `new`. Each message
    begins with `path`, the place of the list in the schema.
    """
    for one in old:
        if one not in new or (isinstance(old, dict) and old[one] != new[one]):
            yield f"{path} lacks {json.dumps(one)}"
    if NULL in [*new] and NULL not in [*old]:
        yield f"{path} may now be null"


def sorted_names(value: Any) -> Any:
    """Return `value`, sorted if it is a list of strings such as the names of required fields."""
    return sorted(value) if isinstance(value, list) and all(isinstance(one, str) for one in value) else value


def test_removed_retyped_and_required_fields_are_found() -> None:
    old = current_schemas()["last_spike.json"]
    assert not [*breaks(old, copy.deepcopy(old), "$")]
    start = old["$defs"]["Start"]

    def changed(**parts: Any) -> list[str]:
        new = copy.deepcopy(old)
        new["$defs"]["Start"] |= parts
        return [*breaks(old, new, "$")]

    properties = start["properties"]
    assert not changed(properties=properties | {"added": {"type": "integer", "default": 0}})
    assert changed(properties={name: part for name, part in properties.items() if name != "seat"})
    assert changed(properties=properties | {"match": {"type": "integer"}})
    assert changed(required=[*start["required"], "added"])
    assert changed(required=start["required"][1:])
    new = copy.deepcopy(old)
    new["$defs"]["Action"]["anyOf"] = old["$defs"]["Action"]["anyOf"][1:]
    assert [*breaks(old, new, "$")]


@pytest.mark.parametrize("file", recorded("commands.json"), ids=named)
def test_commands_and_options_are_kept(file: Path) -> None:
    current = command_lines()
    for words, names in json.loads(file.read_bytes()).items():
        assert words in current, f"rails-cli {words}"
        assert not {*names} - {*current[words]}, f"rails-cli {words}"


@pytest.mark.parametrize("file", recorded("library.json"), ids=named)
def test_names_and_parameters_of_the_library_are_kept(file: Path) -> None:
    current = library_names()
    for name, parameters in json.loads(file.read_bytes()).items():
        assert name in current
        if not current[name] and not outcome.__file__.endswith(".py"):
            continue  # compiled methods do not tell their parameters
        kept = [one for one in current[name] if one in parameters]
        assert kept == parameters, f"{name}: parameters are gone, or in another order"
