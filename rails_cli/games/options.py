"""The options of a game: their possible values, and validation of chosen values.

People count seats from 1, so they type and read `player_1` for the value `seat_0` of JSON.
"""

import re
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


def typed_value(value: object) -> str:
    """Return a value of an option as people type it: `player_1` for `seat_0`, and any other value unchanged."""
    return re.sub(r"^seat_(\d+)$", lambda seat: f"player_{int(seat[1]) + 1}", str(value))


def value_of_typed(typed: str) -> str:
    """Return the value of an option that a user has typed: `seat_0` for `player_1`, and any other value unchanged."""
    return re.sub(r"^player_([1-9]\d*)$", lambda player: f"seat_{int(player[1]) - 1}", typed)


def read_options(game: Game[Any, Any], given: Mapping[str, Any], *, is_typed: bool = False) -> Any:
    """Return the options object of a game with the values in `given`, a mapping from option names to values.

    `is_typed` says whether a user has typed the values. Raise ValueError for an unknown name or value. The message
    states the expected names or values.
    """
    known = option_choices(game)
    form = typed_value if is_typed else str
    listed = "; ".join(f"{name} is {' or '.join(map(form, choices))}" for name, choices in known.items())
    expected = f"{game.name} has {'the options: ' + listed if listed else 'no options'}"
    values = {name: value_of_typed(value) if is_typed else value for name, value in given.items()}
    for name, value in values.items():
        if name not in known:
            raise ValueError(f"there is no option {name[:60]!r}; {expected}")
        if value not in known[name]:
            raise ValueError(f"{name} cannot be {str(given[name])[:60]!r}; {expected}")
    return msgspec.convert(values, game.options_type, strict=False)
