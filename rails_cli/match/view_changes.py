"""Changes between two views, for players that ask for `"view": "delta"`."""

from typing import Any


def changes(before: Any, after: Any) -> dict[str, Any]:
    """Return the changes from `before` to `after` as a mapping from JSON Pointers (RFC 6901) to new values.

    Both parameters are plain JSON. If an object or list has lost or gained members, the mapping has its whole new
    value. The result is not a JSON Merge Patch (RFC 7396). Such a patch can neither set a value to null nor change one
    element of a list.
    """
    found: dict[str, Any] = {}
    _compare(before, after, "", found)
    return found


def _compare(before: Any, after: Any, pointer: str, found: dict[str, Any]) -> None:
    if type(before) is dict and type(after) is dict and before.keys() == after.keys():
        for name, value in after.items():
            _compare(before[name], value, f"{pointer}/{name.replace('~', '~0').replace('/', '~1')}", found)
    elif type(before) is list and type(after) is list and len(before) == len(after):
        for index, value in enumerate(after):
            _compare(before[index], value, f"{pointer}/{index}", found)
    elif before != after or type(before) is not type(after):
        found[pointer] = after
