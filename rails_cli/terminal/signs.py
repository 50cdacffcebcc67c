"""Replacement of characters beyond ASCII for terminals without Unicode."""

import os
import unicodedata

SPELLED = {"→": "->", "…": "...", "±": "+-", "×": "x", "–": "-", "—": "-", "·": ".", "’": "'", "“": '"', "”": '"'}


def is_unicode(environment: "os._Environ[str] | dict[str, str]" = os.environ) -> bool:
    """Return whether the locale in `environment` is UTF-8, so that the terminal shows Unicode."""
    locale = next((environment[name] for name in ("LC_ALL", "LC_CTYPE", "LANG") if environment.get(name)), "")
    return "utf" in locale.lower() and "ascii" not in environment.get("PYTHONIOENCODING", "").lower()


def legible(text: str) -> str:
    """Return the text, converted to ASCII if the terminal does not show Unicode."""
    return text if text.isascii() or is_unicode() else as_ascii(text)


def as_ascii(text: str) -> str:
    return "".join(SPELLED.get(sign) or same_length_ascii(sign) for sign in text)


def same_length_ascii(text: str) -> str:
    """Return the text in ASCII with the same length. Letters lose accents, and other characters become `?`."""
    if text.isascii():
        return text
    return "".join(sign if sign.isascii() else _letter(sign) for sign in text)


def _letter(sign: str) -> str:
    first = unicodedata.normalize("NFKD", sign)[:1]
    return first if first.isascii() else "?"
