"""The words that users type for the actions of a game and for companies, places and other things in actions."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

_SPOT = re.compile(r"([a-z]+)0*(\d+)")
SHORTEST_PREFIX = 3
LONGEST_NAME = 12
"""Maximum number of words in a name, such as "the plain 3 north-east and 2 north of Fort Wayne"."""
SHORTEST_MISSPELT = 5
WHOLE = "="
"""Prefix of a key in `Names` for a word that must be typed in full. Words without this prefix may be abbreviated."""
MOST_DIGITS = 9
TOO_MANY = 10**MOST_DIGITS
"""Value that stands for a typed number with more than MOST_DIGITS digits. No number in a game is as large."""

Names = Mapping[str, str]
"""A mapping from words that users type to the ids of the named things. Keys have the form that `plain` returns."""


@dataclass(frozen=True, slots=True)
class Verb:
    """How users type one kind of action: the tag of the action or a synonym, then the values of the action's fields."""

    kind: str
    """The tag of the action type in messages, such as `build`."""
    fields: tuple[str, ...]
    """Names of the fields that identify an action, in the order in which they are typed."""
    also: tuple[str, ...] = ()
    """Other words that users can type instead of the tag."""
    optional: str = ""
    """Name of the action's first field, if users may leave out its value when only one value is possible.

    Empty if they must type the value.
    """
    which: str = ""
    """Question that is shown if users leave out the value of the optional field and several values are possible."""
    where: str = ""
    """Question shown if a user types the verb without all values. `{0}` is replaced by the values typed so far."""
    is_menu: bool = False
    """Whether the action chooses from a menu. Users then type the values alone, without the verb."""
    is_ranked: bool = True
    """Whether choices of this kind are sorted by estimated gain.

    Otherwise they have the order of the list of legal actions.
    """

    @property
    def required(self) -> tuple[str, ...]:
        return tuple(field for field in self.fields if field != self.optional)


@dataclass(frozen=True, slots=True)
class Examples:
    """Example texts from a game, for help texts and error messages."""

    answers: str
    """Example commands, as lines of the help text."""
    things: tuple[str, ...]
    """Example words that users can type after the command `why`. The first word names a place or a piece."""
    answer: str
    """An example command that uses the first word of `things`."""
    maps: str
    """Text that lists the commands that show maps, including maps on which costs or income are written."""
    rules: tuple[str, str]
    """Examples for the search in the rules: the id of a rule, and a word that occurs in a rule."""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The words that users can type in a game, except for bids and passes."""

    verbs: tuple[Verb, ...]
    """The verbs of all kinds of actions. If a user types only a name, the first verb that accepts the name is used."""
    names: Callable[[Mapping[str, Any], Any], Mapping[str, Names]]
    """Return a mapping from the names of action fields to the words that users can type for values of the field.

    The arguments are a board in the form sent to clients, and a view.
    """
    examples: Examples
    called: Callable[[Mapping[str, Any], str], str] = lambda board, name: name
    """Return the displayed name of a thing from its id. The arguments are the board and the id."""

    def verb_of(self, entry: Any) -> Verb | None:
        """Return the verb for `entry`, an action or an entry of the list of legal actions.

        Return None for a bid or a pass.
        """
        kind = entry.__struct_config__.tag
        return next((verb for verb in self.verbs if verb.kind == kind), None)


@lru_cache(10_000)
def plain(word: str) -> str:
    """Return a word in lower case with only letters and digits. Zeros before the number of a hex id are removed."""
    packed = "".join(character for character in word.casefold() if character.isalnum())
    spot = _SPOT.fullmatch(packed)
    return f"{spot[1]}{spot[2]}" if spot else packed


def whole_number(word: str) -> int | None:
    """Return the value of a word such as `12` or `$12`, or None if the word is not a whole number."""
    digits = word.lstrip("$")
    if not (digits.isascii() and digits.isdecimal()):
        return None
    digits = digits.lstrip("0") or "0"
    return int(digits) if len(digits) <= MOST_DIGITS else TOO_MANY


def looked_up(table: Names, word: str) -> str | None:
    """Return the id that `word` names in `table`, or None if `word` is not a name."""
    key = plain(word)
    if key in table or len(key) < SHORTEST_PREFIX:
        return table.get(key)
    if WHOLE + key in table:
        return table[WHOLE + key]
    found = {value for name, value in table.items() if name.startswith(key)}
    if not found and len(key) >= SHORTEST_MISSPELT:
        similar = [name for name in table if len(name) >= SHORTEST_MISSPELT and abs(len(name) - len(key)) <= 1]
        found = {table[name] for name in words_in(similar) if _is_near(key, name)}
    return found.pop() if len(found) == 1 else None


def words_in(table: Iterable[str]) -> list[str]:
    """Return the keys of `table` with which misspelled words are compared.

    Hex ids, and keys that start with WHOLE, are left out.
    """
    return [name for name in table if not name.startswith(WHOLE) and not _SPOT.fullmatch(name)]


def _is_near(one: str, other: str) -> bool:
    """Return whether two words are equal except for one inserted, missing or different letter."""
    short, long = sorted((one, other), key=len)
    if len(long) - len(short) > 1:
        return False
    same = next((at for at, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    return short[same + (len(short) == len(long)) :] == long[same + 1 :]


def taken_from(table: Names, words: Sequence[str]) -> tuple[str, int] | None:
    """Return the id of the longest name with which `words` start, and the number of words of this name.

    Return None if `words` do not start with a name.
    """
    for count in range(min(LONGEST_NAME, len(words)), 0, -1):
        found = looked_up(table, " ".join(words[:count]))
        if found is not None:
            return found, count
    return None


def named_in(table: Names, words: Sequence[str]) -> str | None:
    """Return the id of the thing that `words` name.

    All words together may be a name. Otherwise the first word that is a name on its own counts. Return None if there is
    no such word.
    """
    whole = looked_up(table, " ".join(words)) if words else None
    return whole or next((found for word in words if (found := looked_up(table, word))), None)
