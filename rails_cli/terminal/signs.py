"""Signs beyond ASCII, where the terminal's locale has them; else they are spelled out."""

import os
import unicodedata

SPELLED = {"→": "->", "…": "...", "±": "+-", "×": "x", "–": "-", "—": "-", "·": ".", "’": "'", "“": '"', "”": '"'}


def is_unicode(environment: "os._Environ[str] | dict[str, str]" = os.environ) -> bool:
    """Whether the locale of the terminal is one of UTF-8; the first variable that is set counts, as everywhere."""
    locale = next((environment[name] for name in ("LC_ALL", "LC_CTYPE", "LANG") if environment.get(name)), "")
    return "utf" in locale.lower() and "ascii" not in environment.get("PYTHONIOENCODING", "").lower()


def legible(text: str) -> str:
    """A text with no signs but those that the terminal has."""
    return text if text.isascii() or is_unicode() else spelled(text)


def spelled(text: str) -> str:
    """A text in ASCII; signs may become longer."""
    return "".join(SPELLED.get(sign) or lettered(sign) for sign in text)


def lettered(text: str) -> str:
    """A text in ASCII of the same length: letters without their accents, and ? for what has no letter."""
    if text.isascii():
        return text
    return "".join(sign if sign.isascii() else _letter(sign) for sign in text)


def _letter(sign: str) -> str:
    first = unicodedata.normalize("NFKD", sign)[:1]
    return first if first.isascii() else "?"
