"""Descriptions of the valid values of a plan, derived from their types."""

from collections.abc import Iterator
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import msgspec
from msgspec import Meta

from rails_cli.tournament.plan import said
from rails_cli.tournament.toml_lines import join

LONGEST = 60
"""Most characters of an invalid value shown in an error message."""

_PLAIN = {
    int: ("whole number", "whole numbers"),
    float: ("number", "numbers"),
    str: ("text", "texts"),
    dict: ("table", "tables"),
    Any: ("table", "tables"),  # the tables in a list are validated later
}


def misfits(kind: Any, value: Any, place: str) -> Iterator[tuple[str, str]]:
    """Yield the places at which `value`, or a part of it, does not match its type, each with an error message."""
    inner = _inner(kind, value, place)
    if inner is None:
        words = f"{_told(value)} is not valid; expected {wanted(kind)}"
        yield place, words + _heading(kind, place)
        return
    for own, part, where in inner:
        try:
            msgspec.convert(part, own)
        except msgspec.ValidationError:
            yield from misfits(own, part, where)


def _inner(kind: Any, value: Any, place: str) -> list[tuple[Any, Any, str]] | None:
    """Return the parts of a list or table with their types and places.

    Return None if the value itself has a wrong type.
    """
    for one in _members(kind):
        own, arguments = get_origin(one), get_args(one)
        if own is dict and isinstance(value, dict):
            return [(arguments[1], part, join(place, key)) for key, part in value.items()]
        if own in (list, tuple) and isinstance(value, list) and (_length(one) in (None, len(value))):
            return [(arguments[0], part, f"{place}[{number}]") for number, part in enumerate(value)]
    return None


def wanted(kind: Any) -> str:
    """Describe the valid values of a type."""
    words = [word for one in _members(kind) for word in _words(one)]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def _heading(kind: Any, place: str) -> str:
    """Return a hint which TOML header the key's tables need."""
    if kind == list[Any]:
        return f", each under [[{place}]]"
    return f", under [{place}]" if dict[str, Any] in _members(kind) else ""


def _members(kind: Any) -> list[Any]:
    """Return the members of a union, without None."""
    if get_origin(kind) in (Union, UnionType):
        return [one for one in get_args(kind) if one is not NoneType]
    return [kind]


def _words(kind: Any) -> list[str]:
    if get_origin(kind) is Literal:
        return list(map(str, get_args(kind)))
    if kind is bool:
        return ["true", "false"]
    if get_origin(kind) is Annotated:
        plain, limits = get_args(kind)
        return [_limited(plain, limits)]
    if get_origin(kind) in (list, tuple):
        length = _length(kind)
        return [f"a list of {'' if length is None else f'{length} '}{_PLAIN[get_args(kind)[0]][1]}"]
    return [f"a {_PLAIN[get_origin(kind) or kind][0]}"]


def _length(kind: Any) -> int | None:
    arguments = get_args(kind)
    return len(arguments) if get_origin(kind) is tuple and arguments[-1] is not ... else None


def _limited(plain: Any, limits: Meta) -> str:
    if limits.pattern is not None:
        return "a name: 1 to 60 characters without slashes or control characters"
    words = f"a {_PLAIN[plain][0]}"
    if limits.ge is not None:
        words += f" from {limits.ge:,}"
    if limits.gt is not None:
        words += f" above {limits.gt:,}"
    if limits.le is not None:
        words += f" to {limits.le:,}" if limits.ge is not None else f" and at most {limits.le:,}"
    if limits.lt is not None:
        words += f" and below {limits.lt:,}"
    return words


def _told(value: Any) -> str:
    """Format a value as in a plan, shortened. Quotes distinguish text from numbers."""
    words = f'"{value}"' if isinstance(value, str) else said(value)
    return words if len(words) <= LONGEST else f"{words[: LONGEST - 1]}…"
