"""Signs beyond ASCII, where the terminal's locale has them."""

import os


def is_unicode(environment: "os._Environ[str] | dict[str, str]" = os.environ) -> bool:
    """Whether the locale of the terminal is one of UTF-8; the first variable that is set counts, as everywhere."""
    locale = next((environment[name] for name in ("LC_ALL", "LC_CTYPE", "LANG") if environment.get(name)), "")
    return "utf" in locale.lower() and "ascii" not in environment.get("PYTHONIOENCODING", "").lower()
