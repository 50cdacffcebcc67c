"""Names of entrants and owners: which names are allowed, and which names look alike and so count as equal."""

import re
import unicodedata
from string import digits

from rails_cli.games.shared.text import printable
from rails_cli.players.builtin import BUILTIN_PLAYERS
from rails_cli.players.levels import SEARCH
from rails_cli.server.refused import Refused

_LONGEST = 40
_PUNCTUATION = " .-_+"
_INVISIBLE = "\u115f\u1160\u3164\uffa0"
"""Letters without a visible glyph."""
_EAST_ASIAN = {"CJK", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO"}
"""Scripts that a name may mix with each other and with Latin letters. Letters of other scripts look too much alike."""
_LOOK_ALIKE = str.maketrans(
    "авекмнорстухіјѕһԁαβεηικμνορτυχζ",
    "abekmhopctyxijshdabehikmnoptyxz",
)
"""Table from lower case Cyrillic and Greek letters to the Latin letters that they look like."""
_RULE = f"a name has 1 to {_LONGEST} letters, digits, spaces and .-_+, and starts with a letter or digit"


def checked_name(name: str) -> str:
    """Return the normalized form of `name`, a name of an entrant or owner. Raise Refused if the name is not allowed."""
    name = unicodedata.normalize("NFC", name).strip()
    is_good = 0 < len(name) <= _LONGEST and name[0].isalnum() and "  " not in name
    if not is_good or not all(
        (letter.isalnum() and letter not in _INVISIBLE) or letter in _PUNCTUATION for letter in name
    ):
        raise Refused("bad_request", f"{printable(name[:60])!r} cannot be used: {_RULE}")
    scripts = {_script(letter) for letter in name if letter not in _PUNCTUATION and letter not in digits}
    if len(scripts) > 1 and not scripts <= _EAST_ASIAN | {"LATIN"}:
        raise Refused("bad_request", f"{name!r} cannot be used: it mixes letters of several scripts")
    return name


def _script(letter: str) -> str:
    """Return the script of a letter, such as LATIN: the first word of its Unicode name."""
    return unicodedata.name(letter, "unnamed").replace("-", " ").partition(" ")[0]


def look_alike_key(name: str) -> str:
    """Return a key that is equal for names that look alike, regardless of case."""
    return unicodedata.normalize("NFKC", name).casefold().translate(_LOOK_ALIKE)


_BUILTIN_NAMES = re.compile(
    f"({'|'.join(map(re.escape, map(look_alike_key, (*BUILTIN_PLAYERS, SEARCH))))})[ .+_-]*[0-9]*"
)
"""Pattern of the look-alike keys of reserved names: names of built-in players, with or without a number."""


def is_builtin_name(name: str) -> bool:
    """Return whether `name` is reserved because it looks like the name of a built-in player."""
    return _BUILTIN_NAMES.fullmatch(look_alike_key(name)) is not None
