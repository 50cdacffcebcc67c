"""Tests of command-line options declared by annotations of parameters and of struct fields."""

from pathlib import Path
from typing import Annotated, Any, Literal

import click
import msgspec
import pytest
from click.testing import CliRunner, Result

from rails_cli.basics.settings import setting
from rails_cli.commands.options import argument, given_parameters, with_options


class Group(msgspec.Struct, frozen=True):
    wait_s: Annotated[float, setting("Seconds to wait.", least=0)] = 2
    words: Annotated[list[str], setting("A word.", "--word")] = []
    kept: int = 7
    """A field without the annotation of an option, so it is not an option of the command."""


@click.command
@with_options
def command(
    *,
    file: Annotated[Path, argument("FILE")],
    at: Annotated[int, setting("Where.", metavar="N")],
    group: Group,
    names: Annotated[tuple[str, ...], setting("A name.", "--name")] = (),
    level: Annotated[Literal["easy", "hard"], setting("How well.", "--level --grade")] = "easy",
    bell: Annotated[bool | None, setting("Ring.", "--bell/--no-bell")] = None,
    rest: Annotated[tuple[str, ...], argument("REST...")] = (),
) -> None:
    values = {"file": file, "at": at, "group": group, "names": names, "level": level, "bell": bell, "rest": rest}
    click.echo(msgspec.json.encode({**values, "file": str(file), "given": given_parameters()}))


def call(*words: str) -> dict[str, Any]:
    done = CliRunner().invoke(command, words)
    assert done.exit_code == 0, done.output
    read: dict[str, Any] = msgspec.json.decode(done.stdout)
    return read


def fail(*words: str) -> Result:
    done = CliRunner().invoke(command, words)
    assert done.exit_code == 2
    return done


def test_options_not_given_have_the_defaults_of_parameters_and_fields() -> None:
    assert call("a", "--at", "3") == {
        "file": "a",
        "at": 3,
        "group": {"wait_s": 2, "words": [], "kept": 7},
        "names": [],
        "level": "easy",
        "bell": None,
        "rest": [],
        "given": ["FILE", "--at"],
    }


def test_given_values_are_passed_to_parameters_and_fields() -> None:
    words = "a b c --at 3 --wait 0.5 --word x --word y --name Anna --name Ben --grade hard --no-bell"
    read = call(*words.split())
    assert read["group"] == {"wait_s": 0.5, "words": ["x", "y"], "kept": 7}
    assert (read["names"], read["level"], read["bell"], read["rest"]) == (["Anna", "Ben"], "hard", False, ["b", "c"])
    assert read["given"] == ["FILE", "--at", "--wait", "--word", "--name", "--level", "--bell", "REST..."]


@pytest.mark.parametrize(
    ("words", "error"),
    [
        ("--at 3", "Missing argument 'FILE'"),
        ("a", "Missing option '--at'"),
        ("a --at x", "Invalid value for '--at'"),
        ("a --at 3 --wait -1", "Invalid value for '--wait'"),
        ("a --at 3 --wait nan", "nan is not a finite number"),
        ("a --at 3 --level best", "'best' is not one of 'easy', 'hard'"),
    ],
)
def test_an_invalid_value_is_named_in_the_error(words: str, error: str) -> None:
    assert error in fail(*words.split()).stderr
