"""How a field of a record says that it is a setting: its help, its flag and its range, for whoever offers it."""

import msgspec


def setting(
    words: str, flag: str = "", metavar: str = "", least: float | None = None, most: float | None = None
) -> msgspec.Meta:
    """`words` are its help; without a `flag` it is named like its field, without the unit."""
    return msgspec.Meta(description=words, ge=least, le=most, extra={"flag": flag, "metavar": metavar})
