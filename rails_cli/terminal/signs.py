"""Characters beyond ASCII: kept if the terminal's locale supports them, else replaced."""

import os
import unicodedata

SPELLED = {"→": "->", "…": "...", "±": "+-", "×": "x", "–": "-", "—": "-", "·": ".", "’": "'", "“": '"', "”": '"'}


def is_unicode(environment: "os._Environ[str] | dict[str, str]" = os.environ) -> bool:
    """Return whether the terminal's locale is UTF-8. The first variable that is set counts, as usual in POSIX."""
    locale = next((environment[name] for name in ("LC_ALL", "LC_CTYPE", "LANG") if environment.get(name)), "")
    return "utf" in locale.lower() and "ascii" not in environment.get("PYTHONIOENCODING", "").lower()


def legible(text: str) -> str:
    """Return the text with only characters that the terminal supports."""
    return text if text.isascii() or is_unicode() else as_ascii(text)


def as_ascii(text: str) -> str:
    """Return the text in ASCII. Replacements may be longer."""
    return "".join(SPELLED.get(sign) or same_length_ascii(sign) for sign in text)


def same_length_ascii(text: str) -> str:
    """Return the text in ASCII with the same length: letters without accents, and ? for anything else."""
    if text.isascii():
        return text
    return "".join(sign if sign.isascii() else _letter(sign) for sign in text)


def _letter(sign: str) -> str:
    first = unicodedata.normalize("NFKD", sign)[:1]
    return first if first.isascii() else "?"
