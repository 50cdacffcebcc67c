"""The errors of the library, and the conversion of arguments.

All errors inherit from `GameError`. Its subclasses in other modules are `NoSuchGame`, `BoardError`, `IllegalAction`
and `BadLog`.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from operator import index
from typing import Any

import msgspec

from rails_cli.games.game import Game, GameError
from rails_cli.protocol.log import Seed

NOT_CONVERTED = msgspec.ValidationError, UnicodeError
"""Exceptions that `msgspec.convert` raises for an invalid value. UnicodeError is for a text that cannot be encoded."""
LONGEST_SHOWN = 60
"""Maximum number of characters that an error message quotes from an argument."""
MOST_BITS = 64
"""Maximum number of bits of a whole number that is passed as an argument. Only seeds may have more bits."""


class BadArgument(GameError, ValueError):
    """Error for an argument that the library cannot use. The message says what was received and what was expected."""


class NoSuchAction(BadArgument, LookupError):
    """Error for an action that does not exist on the board, such as a build in an unknown hex."""


class Unavailable(GameError, ValueError):
    """Error for something that the game or the position does not have, such as the ranks of an unfinished game."""


@contextmanager
def as_bad_argument() -> Iterator[None]:
    """Turn a ValueError in a `with` block into a BadArgument with the same message. A `GameError` is not changed."""
    try:
        yield
    except GameError:
        raise
    except ValueError as error:
        raise BadArgument(str(error)) from None


def shown(value: object) -> str:
    """Return the beginning of the `repr` of an argument, for an error message."""
    try:
        words = repr(value)
    except ValueError:  # Python does not write numbers with more than 4,300 digits
        return "a very long number"
    except Exception:  # an object of the program may have a `__repr__` that fails
        return f"an object of type {type(value).__name__}"
    return words if len(words) <= LONGEST_SHOWN else f"{words[:LONGEST_SHOWN]}..."


def number_in(value: Any) -> int | None:
    """Return `value` as an `int` if it is a whole number, such as an integer of numpy. Otherwise return None."""
    try:
        return index(value)
    except TypeError:
        return None


def whole(name: str, value: Any) -> int:
    """Return `value`, an argument called `name`, as an `int`.

    Raise BadArgument if it is not a whole number, or has more than MOST_BITS bits.
    """
    number = number_in(value)
    if number is None or number.bit_length() > MOST_BITS:
        size = "" if number is None else f" of at most {MOST_BITS} bits"
        raise BadArgument(f"{name}: expected a whole number{size}, got {shown(value)}")
    return number


def listed(name: str, values: Any) -> list[Any]:
    """Return `values`, an argument called `name`, as a list. Raise BadArgument if it cannot be iterated over."""
    try:
        return list(values)
    except TypeError:
        raise BadArgument(f"{name}: expected a list, got {shown(values)}") from None


def checked_players(game: Game[Any, Any], players: Any) -> int:
    """Return `players` as an `int`. Raise BadArgument if `game` does not allow this number of players."""
    number = whole("players", players)
    if mistake := game.players_mistake(number):
        raise BadArgument(mistake)
    return number


def checked_seed(seed: Any) -> Seed:
    """Return a seed as `int` or `str`. Raise BadArgument for anything else, and for a seed that cannot be encoded."""
    kept = seed if isinstance(seed, str) else number_in(seed)
    if kept is None:
        raise BadArgument(f"seed: expected a whole number or a text, got {shown(seed)}")
    try:
        f"{kept}".encode()
    except ValueError as error:
        raise BadArgument(f"seed: expected a number or text that can be encoded, got {shown(seed)}: {error}") from None
    return kept
