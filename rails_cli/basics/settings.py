"""Metadata that gives a field of a struct a command-line flag. Also parses sizes in bytes."""

import re
from typing import Any, get_args

import msgspec

_UNITS = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30}
_MOST_BYTES = 2**50


def setting(
    help_text: str,
    flag: str = "",
    metavar: str = "",
    least: float | None = None,
    most: float | None = None,
    **more: Any,
) -> msgspec.Meta:
    """Return the metadata of a setting: its help text, its command-line flag, and the limits of its value.

    `flag` may contain several flags separated by spaces. A slash separates a flag from its opposite. If `flag` is
    empty, the name of the field gives the flag, such as --wait for `wait_s`. `metavar` stands for the value in the help
    text. `least` and `most` are the smallest and largest allowed value. `more` is passed to `click.option`.
    """
    return msgspec.Meta(
        description=help_text, ge=least, le=most, extra={"flag": flag, "metavar": metavar, "more": more}
    )


def flag_of(field: msgspec.structs.FieldInfo) -> str:
    """Return the command-line flag of a setting. If the setting has several flags, return the first one."""
    flags: str = get_args(field.type)[1].extra["flag"]
    if flags:
        return flags.partition(" ")[0].partition("/")[0]
    return "--" + field.name.removesuffix("_s").removesuffix("_bytes").replace("_", "-")


def parse_size(text: int | str) -> int:
    """Parse a size such as `512M` and return the number of bytes. The units K, M and G are powers of 1024.

    Raise ValueError if `text` is not a size, is 0, or is more than any machine has.
    """
    found = re.fullmatch(r"([0-9]{1,20})([kmg]?)b?", str(text).lower())
    if found is None or int(found[1]) == 0:
        raise ValueError(f"{str(text)[:40]!r} is not a size; try 512M or 2G")
    size = int(found[1]) * _UNITS[found[2]]
    if size > _MOST_BYTES:
        raise ValueError(f"{text!r} is more than any machine has; try 512M or 2G")
    return size
