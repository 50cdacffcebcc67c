"""Names of entrants and owners: which names are allowed, and which names look alike and therefore count as equal."""

import re
import unicodedata
from functools import cache
from string import digits

from rails_cli.games.shared.text import is_visible, printable
from rails_cli.players.builtin import BUILTIN_PLAYERS
from rails_cli.players.levels import SEARCH
from rails_cli.server.refused import Refused

_LONGEST = 40
"""Maximum number of characters of a name."""
_PUNCTUATION = " .-_+"
_EAST_ASIAN = {"CJK", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO"}
"""Scripts that may be mixed with each other and with Latin letters in a name.

Other mixtures are not allowed, because letters of different scripts can look alike.
"""
_RULE = f"a name has 1 to {_LONGEST} letters, digits, spaces and .-_+, and starts with a letter or digit"


def checked_name(name: str) -> str:
    """Return the normalized form of `name`, a name of an entrant or owner. Raise Refused if the name is not allowed."""
    name = unicodedata.normalize("NFC", name).strip()
    is_good = 0 < len(name) <= _LONGEST and name[0].isalnum() and "  " not in name
    if not is_good or not all((letter.isalnum() and is_visible(letter)) or letter in _PUNCTUATION for letter in name):
        raise Refused("bad_request", f"{printable(name[:60])!r} cannot be used: {_RULE}")
    scripts = {_script(letter) for letter in name if letter not in _PUNCTUATION and letter not in digits}
    if len(scripts) > 1 and not scripts <= _EAST_ASIAN | {"LATIN"}:
        raise Refused("bad_request", f"{name!r} cannot be used: it mixes letters of several scripts")
    return name


def _script(letter: str) -> str:
    """Return the script of a letter, such as LATIN: the first word of its Unicode name."""
    return unicodedata.name(letter, "unnamed").replace("-", " ").partition(" ")[0]


def look_alike_key(name: str) -> str:
    """Return a key that is equal for all names that look alike, such as `Bill`, `BILL` and `B1ll`.

    Upper and lower case count as equal. Unicode defines which characters look alike (UTS #39).
    """
    upper = unicodedata.normalize("NFKC", name).upper()
    return "".join(map(_skeleton, "".join(map(_skeleton, upper)).casefold()))


@cache
def _skeleton(letter: str) -> str:
    """Return the prototype of `letter`: the character that stands for all characters that look like `letter`.

    The data of UTS #39 have an entry for each character. The entry of a prototype lists all characters that look like
    it. The entry of any other character lists only its prototype.
    """
    from confusable_homoglyphs.confusables import confusables_data  # a quarter of a second, so only for pools

    similar: list[str] = [other["c"] for other in confusables_data.get(letter, ())]
    if len(similar) != 1:
        return letter
    return similar[0] if len(confusables_data.get(similar[0], ())) > 1 else min(letter, similar[0])


@cache
def _builtin_names() -> re.Pattern[str]:
    """Return a pattern of the look-alike keys of reserved names: built-in players, with or without a number."""
    names, between, numbers = (
        "|".join(sorted(re.escape(look_alike_key(each)) for each in texts))
        for texts in ((*BUILTIN_PLAYERS, SEARCH), _PUNCTUATION, digits)
    )
    return re.compile(f"({names})({between})*({numbers})*")


def is_builtin_name(name: str) -> bool:
    """Return whether `name` is reserved because it looks like the name of a built-in player."""
    return _builtin_names().fullmatch(look_alike_key(name)) is not None
