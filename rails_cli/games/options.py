"""The options of a game: their possible values, and validation of chosen values."""

from collections.abc import Mapping
from functools import cache
from typing import Any, get_args

import msgspec

from rails_cli.games.game import Game


@cache
def option_choices(game: Game[Any, Any]) -> dict[str, list[str]]:
    """Return a dictionary from option names of a game to the possible values. The first value is the default."""
    choices = {}
    for field in msgspec.structs.fields(game.options_type):
        values = [str(value) for value in get_args(field.type)]
        choices[field.name] = [field.default, *(value for value in values if value != field.default)]
    return choices


def read_options(game: Game[Any, Any], given: Mapping[str, Any]) -> Any:
    """Return the options object of a game with the values in `given`, a mapping from option names to values.

    Raise ValueError for an unknown name or value. The message states the expected names or values.
    """
    known = option_choices(game)
    for name, value in given.items():
        if name not in known:
            raise ValueError(f"there is no option {name[:60]!r}; {_all_options(game)}")
        if value not in known[name]:
            raise ValueError(f"{name} cannot be {str(value)[:60]!r}; {_all_options(game)}")
    return msgspec.convert(given, game.options_type, strict=False)


def _all_options(game: Game[Any, Any]) -> str:
    listed = "; ".join(f"{name} is {' or '.join(choices)}" for name, choices in option_choices(game).items())
    return f"{game.name} has {'the options: ' + listed if listed else 'no options'}"
