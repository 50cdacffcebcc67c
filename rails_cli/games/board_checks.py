"""Validation of board files, shared by the games."""

from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any, TypeVar, get_args, get_origin

import msgspec

EntryT = TypeVar("EntryT")

LONGEST_NAME = 80


class _WithId(msgspec.Struct):
    id: str = ""


def read_entries(raw: Iterable[msgspec.Raw], kind: type[EntryT], word: str, mistakes: list[str]) -> list[EntryT]:
    """Decode the entries of a list in a board file one by one, and return the valid entries as objects of type `kind`.

    Append a message to `mistakes` for each invalid entry. `word` names the kind of entry in the messages.
    """
    entries = []
    for number, entry in enumerate(raw, 1):
        try:
            entries.append(msgspec.json.decode(entry, type=kind))
        except (msgspec.MsgspecError, UnicodeError, RecursionError) as mistake:
            mistakes.append(f"{word} {_id_in(entry) or f'number {number}'}: {mistake}")
    return entries


def _id_in(entry: msgspec.Raw) -> str:
    """Return the id of an invalid list entry in a board file.

    Return an empty string if the entry has no readable id.
    """
    try:
        return msgspec.json.decode(entry, type=_WithId).id
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return ""


def known_fields(kind: Any, value: Any) -> Any:
    """Return the JSON value `value` without the fields that the type `kind` does not define."""
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return {name: known_fields(part, value[name]) for name, part in _field_types(kind).items() if name in value}
    if get_origin(kind) is list:
        return [known_fields(get_args(kind)[0], part) for part in value]
    if get_origin(kind) is dict:
        return {key: known_fields(get_args(kind)[1], part) for key, part in value.items()}
    return value


@cache
def _field_types(kind: type[msgspec.Struct]) -> dict[str, Any]:
    return {field.encode_name: field.type for field in msgspec.structs.fields(kind)}


def range_mistakes(entry: str, value: int, least: int, most: int) -> Iterator[str]:
    if value < least:
        yield f"{entry} {value} is below {least}"
    if value > most:
        yield f"{entry} {value} is above {most}"


def name_mistakes(entry: str, name: str | None) -> Iterator[str]:
    """Yield an error message if `name` is empty, too long or not printable. None is allowed.

    The message starts with `entry`, which says where in the board file the name is.
    """
    if name is not None and not (0 < len(name) <= LONGEST_NAME and name.isprintable()):
        yield f"{entry} must be 1 to {LONGEST_NAME} printable characters"
