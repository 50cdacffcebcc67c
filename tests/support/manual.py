"""The generated parts of the manual in protocol/: transcripts of real games, and tables of message fields.

A transcript is a fenced block below a line `<!-- transcript: NAME -->`. A table stands below `<!-- table: NAME -->`.
`python -m tests.support.manual --write` updates all transcripts and tables.
"""

import json
import re
import sys
from collections.abc import Callable, Iterator
from functools import partial
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import click
import msgspec

from rails_cli.basics.schemas import field_docs
from rails_cli.protocol import american_rails, chicago_express, engine, last_spike, lobby, log, messages, pool
from tests.support.engine_transcripts import ENGINE_TRANSCRIPTS
from tests.support.lobby_transcripts import LOBBY_TRANSCRIPTS
from tests.support.transcripts import PAGES, tag_of
from tests.support.transcripts import TRANSCRIPTS as GAME_TRANSCRIPTS

TRANSCRIPTS = {**GAME_TRANSCRIPTS, **LOBBY_TRANSCRIPTS, **ENGINE_TRANSCRIPTS}

# Tables


APART = (lobby.TableInfo, pool.StandingInfo, pool.EntrantInfo)
"""Structs that have a table of their own in the manual and are not repeated inside other tables."""
GENERIC = {"EventT": "event", "EventsT": "list of events", "EntryT": "entry", "ViewT": "view", "ActionT": "action"}
PLAIN = {int: "integer", float: "number", str: "string", bool: "true or false", NoneType: "null", Any: "anything"}


def type_words(kind: Any) -> str:
    """Return the description of the type `kind` as used in the manual, such as `list of strings`."""
    if isinstance(kind, TypeVar):
        return GENERIC[kind.__name__]
    if kind in PLAIN:
        return PLAIN[kind]
    origin, parts = get_origin(kind), get_args(kind)
    if origin is Literal:
        *others, last = (f'`"{value}"`' for value in parts)
        return f"{', '.join(others)} or {last}" if others else last
    if origin in (Union, UnionType):
        return " or ".join(type_words(part) for part in parts if part is not msgspec.UnsetType)
    if origin is list and parts[0] is Any:
        return "list"
    if origin is list:
        inner = type_words(parts[0])
        if get_origin(parts[0]) in (Union, UnionType, list, dict, Literal):
            return f"list of ({inner})"
        return f"list of {inner[:-1] + 'ies' if inner.endswith('y') else inner + 's'}"
    if origin is tuple:
        return "list"
    if origin is dict:
        return "object" if parts[1] is Any else f"object with {type_words(parts[1])} values"
    return "object"


def struct_in(kind: Any) -> tuple[Any, str] | None:
    """Return the struct in the type `kind` of a field, and the prefix of the struct's fields: `.`, or `[].` for a list.

    Return None if `kind` contains no struct.
    """
    for part in (kind, *get_args(kind)):
        if isinstance(part, type) and issubclass(part, msgspec.Struct):
            return part, "[]." if get_origin(kind) is list else "."
    return None


def field_rows(kind: Any, before: str = "") -> Iterator[str]:
    """Yield a table row for each field of the struct `kind`. `before` is the prefix of the field names."""
    hints, docs = get_type_hints(kind), field_docs(kind)
    for field in msgspec.structs.fields(kind):
        words = type_words(hints[field.name])
        if not field.required:
            is_made = field.default is msgspec.NODEFAULT
            words += default_words(kind, field.default_factory() if is_made else field.default)
        yield f"| `{before}{field.encode_name}` | {words} | {plain_text(docs[field.name])} |"
        inner = struct_in(hints[field.name])
        if inner is not None and inner[0] not in APART:
            yield from field_rows(inner[0], before + field.encode_name + inner[1])


def default_words(kind: Any, default: Any) -> str:
    """Return the words of the manual about the default value of an optional field of the struct `kind`.

    `default` is the default value. The words depend on the kind of message:

    - Requests: the client may omit the field.
    - Answers: the server omits a field that has its default value.
    - Structs whose fields are always sent: the text is empty.
    """
    if kind.__struct_config__.forbid_unknown_fields:
        return ", optional" if default is None else f", optional: `{json.dumps(default)}`"
    return f", left out if `{json.dumps(default)}`" if kind.__struct_config__.omit_defaults else ""


def plain_text(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def field_table(kind: Any) -> list[str]:
    return ["| field | type | meaning |", "| --- | --- | --- |", *field_rows(kind)]


def union_table(union: Any, name: str) -> list[str]:
    """Return the lines of a table with one row for each member of a union of actions, entries or events.

    `name` is the heading of the first column.
    """
    rows = [f"| {name} | meaning | fields |", "| --- | --- | --- |"]
    for kind in get_args(union):
        hints, docs = get_type_hints(kind), field_docs(kind)
        fields = []
        for field in msgspec.structs.fields(kind):
            hint = hints[field.name]
            choices = f" ({type_words(hint)})" if get_origin(hint) in (Literal, list) else ""
            optional = " (optional)" if not field.required and kind.__struct_config__.forbid_unknown_fields else ""
            fields.append(f"`{field.encode_name}`{choices}{optional}: {plain_text(docs[field.name])}")
        rows.append(f"| `{tag_of(kind)}` | {plain_text(kind.__doc__)} | {' '.join(fields)} |")
    return rows


def options_table(kind: Any) -> list[str]:
    docs = field_docs(kind)
    rows = ["| option | values, the default first | meaning |", "| --- | --- | --- |"]
    for field in msgspec.structs.fields(kind):
        values = sorted(get_args(field.type), key=lambda value: value != field.default)
        listed = ", ".join(f"`{value}`" for value in values)
        rows.append(f"| `{field.encode_name}` | {listed} | {plain_text(docs[field.name])} |")
    return rows


WORDS: dict[str, Any] = {"chicago_express": chicago_express, "american_rails": american_rails, "last_spike": last_spike}

TABLES: dict[str, Callable[[], list[str]]] = {
    **{
        kind.__name__: partial(field_table, kind)
        for kind in (
            messages.Hello,
            messages.Start,
            messages.Request,
            messages.Update,
            messages.Rejected,
            messages.End,
            messages.Error,
            messages.Join,
            messages.Answer,
            messages.Again,
            log.Header,
            log.SetupLine,
            log.ActionLine,
            log.FaultLine,
            log.ResumedLine,
            log.UndoLine,
            log.SignedLine,
            log.ResultLine,
            *get_args(lobby.LobbyRequest),
            *get_args(lobby.Order),
            *get_args(lobby.LobbyAnswer),
            lobby.TableInfo,
            *get_args(pool.PoolRequest),
            *get_args(pool.PoolAnswer),
            pool.StandingInfo,
            pool.EntrantInfo,
        )
    },
    **{
        f"engine.{kind.__name__}": partial(field_table, kind)
        for kind in (*get_args(engine.EngineRequest), *engine.ANSWERS)
        if kind not in engine.PASSED_OVER
    },
    **{f"{game}.actions": partial(union_table, words.Action, "action") for game, words in WORDS.items()},
    **{f"{game}.events": partial(union_table, words.Event, "event") for game, words in WORDS.items()},
    **{f"{game}.View": partial(field_table, words.View) for game, words in WORDS.items()},
    **{f"{game}.options": partial(options_table, words.Options) for game, words in WORDS.items()},
}


# The manual


FENCED = re.compile(r"(<!-- transcript: (\S+) -->\n+```\w*\n)(.*?)(^```$)", re.MULTILINE | re.DOTALL)
TABLED = re.compile(r"(<!-- table: (\S+) -->\n+)((?:\|.*\n)+)")


def filled(manual: str) -> str:
    """Return the text `manual` with all generated parts updated."""

    def put(makers: dict[str, Callable[[], list[str]]], found: re.Match[str]) -> str:
        lines = makers[found[2]]()
        return found[1] + "".join(f"{line}\n" for line in lines) + (found[4] if found.re is FENCED else "")

    return TABLED.sub(partial(put, TABLES), FENCED.sub(partial(put, TRANSCRIPTS), manual))


def parts(manual: str) -> dict[str, str]:
    return {
        **{f"transcript: {found[2]}": found[3] for found in FENCED.finditer(manual)},
        **{f"table: {found[2]}": found[3] for found in TABLED.finditer(manual)},
    }


@click.command
@click.option("--write", is_flag=True, help="Write the parts into the manual instead of naming those that differ.")
def main(write: bool) -> None:
    """Print the generated parts of the manual that are out of date. Exit with code 1 if there are any.

    With `write`, update the manual instead.
    """
    is_current = True
    for page in PAGES:
        manual = page.read_text(encoding="utf-8")
        wanted = filled(manual)
        if write:
            page.write_text(wanted, encoding="utf-8")
        real = parts(wanted)
        for name, content in parts(manual).items():
            if content != real[name]:
                is_current = False
                click.echo(f"{page.name}, {name}: {'written' if write else 'differs'}")
    sys.exit(0 if write or is_current else 1)


if __name__ == "__main__":
    main()
