"""Conversion of text from any source to text that is safe to show, and line breaks between words."""

import textwrap
import unicodedata
from functools import partial

wrap = partial(textwrap.wrap, break_on_hyphens=False)
"""`textwrap.wrap` that keeps words with hyphens whole, such as `north-east` and names of saved games."""
fill = partial(textwrap.fill, break_on_hyphens=False)
"""`textwrap.fill` that keeps words with hyphens whole."""


def printable(text: str) -> str:
    """Return the text with `?` in place of characters that are not printable."""
    if text.isprintable():
        return text
    return "".join(character if character.isprintable() else "?" for character in text)


_BLANK = "\u115f\u1160\u2800\u3164\uffa0"
"""Letters and symbols that look empty, because they have no visible shape."""


def is_visible(letter: str) -> bool:
    """Return whether the character `letter` can be seen on its own. Spaces and combining marks cannot."""
    return unicodedata.category(letter)[0] in "LNPS" and letter not in _BLANK


def columns_of(text: str) -> int:
    """Return the number of terminal columns that `text` needs. Letters of some scripts are two columns wide."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)
