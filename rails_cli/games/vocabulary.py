"""The words that people type for the actions of a game, and for the things that these name."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

_SPOT = re.compile(r"([a-z]+)0*(\d+)")
SHORTEST_PREFIX = 3
LONGEST_NAME = 12
"""In words, as "the plain 3 north-east and 2 north of Fort Wayne" has them."""
SHORTEST_MISSPELT = 5
WHOLE = "="
"""Before names that are understood in whole only, not by how they begin."""
MOST_DIGITS = 9
TOO_MANY = 10**MOST_DIGITS
"""What a number with more digits counts as; nothing in a game is as large."""

Names = Mapping[str, str]
"""What each word stands for, written as `plain` has it."""


@dataclass(frozen=True, slots=True)
class Verb:
    """How one kind of action is said: its tag or another word, then the names of its fields."""

    kind: str
    """The tag of its entries."""
    fields: tuple[str, ...]
    """What identifies an action of this kind, in the order in which it is said."""
    also: tuple[str, ...] = ()
    """Other words for it."""
    optional: str = ""
    """The first field, if it may be left out where only one value fits."""
    which: str = ""
    """What is asked if several values of it fit, with the last field in it."""
    where: str = ""
    """What is asked if it was said alone."""
    is_menu: bool = False
    """Whether it chooses what to do, so that the names in its field are said alone, as if they were verbs."""
    is_ranked: bool = True
    """Whether the more promising of its choices are listed first; else they come as the rules have them."""

    @property
    def required(self) -> tuple[str, ...]:
        return tuple(field for field in self.fields if field != self.optional)


@dataclass(frozen=True, slots=True)
class Examples:
    """Things of a game to name when somebody does not know what to say."""

    answers: str
    """Answers, in lines for the help."""
    things: tuple[str, ...]
    """What can be asked about; the first is a place or a piece."""
    answer: str
    """An answer about the first of them."""
    maps: str
    """The maps with numbers in them, and others."""
    rules: tuple[str, str]
    """The number of a rule, and a word in one."""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What can be typed in a game, besides bids and passes."""

    verbs: tuple[Verb, ...]
    """A name said alone is understood as the first that it fits."""
    names: Callable[[Mapping[str, Any], Any], Mapping[str, Names]]
    """The names for each field, by the board as the wire tells it and a view."""
    examples: Examples
    called: Callable[[Mapping[str, Any], str], str] = lambda board, name: name
    """What people call a thing that has been named, by the board."""

    def verb_of(self, entry: Any) -> Verb | None:
        """How an action or entry is said; None for bids and passes."""
        kind = entry.__struct_config__.tag
        return next((verb for verb in self.verbs if verb.kind == kind), None)


@lru_cache(10_000)
def plain(word: str) -> str:
    """Small letters and digits only; a hex without leading zeros."""
    packed = "".join(character for character in word.casefold() if character.isalnum())
    spot = _SPOT.fullmatch(packed)
    return f"{spot[1]}{spot[2]}" if spot else packed


def whole_number(word: str) -> int | None:
    """The number that a word such as `12` or `$12` is; None if it is none."""
    digits = word.lstrip("$")
    if not (digits.isascii() and digits.isdecimal()):
        return None
    digits = digits.lstrip("0") or "0"
    return int(digits) if len(digits) <= MOST_DIGITS else TOO_MANY


def looked_up(table: Names, word: str) -> str | None:
    """What a word stands for: the name itself, the only one that begins so, or else the only one a letter away."""
    key = plain(word)
    if key in table or len(key) < SHORTEST_PREFIX:
        return table.get(key)
    if WHOLE + key in table:
        return table[WHOLE + key]
    found = {value for name, value in table.items() if name.startswith(key)}
    if not found and len(key) >= SHORTEST_MISSPELT:
        found = {table[name] for name in words_in(table) if len(name) >= SHORTEST_MISSPELT and _is_near(key, name)}
    return found.pop() if len(found) == 1 else None


def words_in(table: Names) -> list[str]:
    """The names in a table that people spell, and may misspell; a code such as `E9` is none."""
    return [name for name in table if not name.startswith(WHOLE) and not _SPOT.fullmatch(name)]


def _is_near(one: str, other: str) -> bool:
    """Whether a letter more, less or different is all that two words differ in."""
    short, long = sorted((one, other), key=len)
    if len(long) - len(short) > 1:
        return False
    same = next((at for at, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    return short[same + (len(short) == len(long)) :] == long[same + 1 :]


def taken_from(table: Names, words: Sequence[str]) -> tuple[str, int] | None:
    """What the first words name, as many of them as fit, and how many these are."""
    for count in range(min(LONGEST_NAME, len(words)), 0, -1):
        found = looked_up(table, " ".join(words[:count]))
        if found is not None:
            return found, count
    return None


def named_in(table: Names, words: Sequence[str]) -> str | None:
    """What a few words name together, or the first that one of them names."""
    whole = looked_up(table, " ".join(words)) if words else None
    return whole or next((found for word in words if (found := looked_up(table, word))), None)
