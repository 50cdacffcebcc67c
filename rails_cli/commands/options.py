"""Command-line options and arguments, declared by annotations of function parameters or struct fields.

    @cli_command
    def command(file: Annotated[Path, argument("FILE")], name: Annotated[str, setting("Your name.")] = "Anna") -> None:

`file` is an argument and `name` an option `--name`. A parameter whose type is a struct stands for the annotated fields
of that struct. The type, the default and the number of values follow from the annotation. Further keyword arguments of
`setting` and `argument` are passed to click.
"""

import inspect
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import wraps
from pathlib import Path
from textwrap import wrap
from types import NoneType
from typing import Annotated, Any, Literal, TypeVar, cast, get_args, get_origin, get_type_hints

import click
import msgspec
from click.core import ParameterSource
from msgspec.structs import FieldInfo

from rails_cli.basics.settings import flag_of, parse_size

F = TypeVar("F", bound=Callable[..., Any])
S = TypeVar("S", bound=msgspec.Struct)
T = TypeVar("T")


class ParsedType(click.ParamType[T]):
    """A type of command-line parameters that are parsed by the function `read`.

    If `read` raises ValueError, the user sees the text of this exception as the error message.
    """

    def __init__(self, name: str, read: Callable[[str], T]) -> None:
        self.name = name
        self.read = read

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> T:
        try:
            return self.read(value) if isinstance(value, str) else cast(T, value)
        except ValueError as error:
            self.fail(str(error), param, ctx)


def _encodable(words: str) -> str:
    try:
        words.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{words!a} is not UTF-8") from None
    return words


TEXT = ParsedType("text", _encodable)
"""Type of command-line parameters that are text. The text must be encodable as UTF-8."""


class Number(click.FloatRange):
    """A type of command-line parameters that are numbers in a range. `nan` and `inf` are not allowed."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number = float(super().convert(value, param, ctx))
        if not math.isfinite(number):
            self.fail(f"{value} is not a finite number", param, ctx)
        return number


POSITIVE = Number(0, min_open=True)


def argument(metavar: str | None = None, **more: Any) -> msgspec.Meta:
    """Return the metadata of a positional argument.

    `metavar` is the name of the argument in the help. `more` is passed to `click.argument`.
    """
    return msgspec.Meta(extra={"is_argument": True, "metavar": metavar, "more": more})


def given_parameters() -> list[str]:
    """Return the names of the options and arguments that the user has given on the command line."""
    context = click.get_current_context()
    return [
        parameter.opts[0] if isinstance(parameter, click.Option) else parameter.make_metavar(context).strip("[]")
        for parameter in context.command.params
        if context.get_parameter_source(parameter.name or "") is ParameterSource.COMMANDLINE
    ]


def with_options(function: F) -> F:
    """Return the function of a command, decorated with a click option or argument for each of its parameters."""

    @wraps(function)
    def call(**values: Any) -> Any:
        return function(**_values(function, values))

    decorated: Any = call
    for decorate in reversed(list(_decorators(function))):
        decorated = decorate(decorated)
    return cast(F, decorated)


class WrappedHelp(click.Command):
    """A command whose help fits the window: examples that are too long continue on the next line after a backslash."""

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        part = ctx.make_formatter()
        part.current_indent = formatter.current_indent
        super().format_help_text(ctx, part)
        for line in part.getvalue().splitlines():
            indent = " " * (len(line) - len(line.lstrip()))
            parts = [line]
            if len(line) > part.width:
                joined = re.sub("'[^']*'", lambda quoted: quoted[0].replace(" ", "\0"), line)  # quotes stay in one line
                parts = wrap(
                    joined,
                    part.width - 2,
                    subsequent_indent=f"{indent}  ",
                    break_long_words=False,
                    break_on_hyphens=False,
                )
            formatter.write(" \\\n".join(parts).replace("\0", " ") + "\n")


def cli_command(function: Callable[..., Any]) -> click.Command:
    """Return a click command that calls `function`, with an option or argument for each parameter of `function`."""
    return click.command(cls=WrappedHelp)(with_options(function))


def settings_of(record: type[S], values: Mapping[str, Any]) -> S:
    """Return a struct of type `record` whose fields have the values of command-line options.

    `values` maps click's parameter names to the values of all options. Fields that are not options keep their defaults.
    """
    return record(**_values(record, values))


def _fields(owner: Any) -> Sequence[FieldInfo]:
    """Return the fields of the struct type `owner`, or the parameters of the function `owner` in the form of fields."""
    if isinstance(owner, type):
        return msgspec.structs.fields(owner)
    hints = get_type_hints(owner, include_extras=True)
    return [
        FieldInfo(
            name, name, hints[name], msgspec.NODEFAULT if parameter.default is parameter.empty else parameter.default
        )
        for name, parameter in inspect.signature(owner).parameters.items()
    ]


def _is_group(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct)


def _decorators(owner: Any) -> Iterator[Callable[[F], F]]:
    for field in _fields(owner):
        if _is_group(field.type):
            yield from _decorators(field.type)
        elif get_origin(field.type) is Annotated:
            yield _decorator(field)


def _values(owner: Any, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values for the fields of the struct type `owner`, or for the parameters of the function `owner`.

    The result maps names of fields or parameters to values. `values` maps click's parameter names to values.
    """
    found = {}
    for field in _fields(owner):
        if _is_group(field.type):
            found[field.name] = settings_of(field.type, values)
        elif get_origin(field.type) is Annotated:
            found[field.name] = values[_variable(field)]
    return found


def _variable(field: FieldInfo) -> str:
    """Return the name under which click passes the value of `field`. For an option, the name is derived from the flag.

    The name of the field is not used for options, because several structs may have a field of that name.
    """
    if get_args(field.type)[1].extra.get("is_argument"):
        return field.name
    return flag_of(field).removeprefix("--").replace("-", "_")


def _decorator(field: FieldInfo) -> Callable[[F], F]:
    inner, meta = get_args(field.type)
    kinds = [kind for kind in get_args(inner) if kind is not NoneType] if NoneType in get_args(inner) else [inner]
    kind = kinds[0]
    is_many = get_origin(kind) in (list, dict) or (get_origin(kind) is tuple and get_args(kind)[-1] is ...)
    if is_many and get_origin(kind) is tuple:
        kind = get_args(kind)[0]
    more: dict[str, Any] = {"metavar": meta.extra["metavar"] or None, **meta.extra["more"]}
    more.setdefault("required", field.required and "default" not in more)
    if kind is not bool:
        more.setdefault("type", _type(field, kind, meta))
    if field.name.endswith("_bytes") and field.default:
        more.setdefault("default", f"{field.default >> 20}M")
    if not is_many and field.default is not msgspec.NODEFAULT:
        more.setdefault("default", field.default)
    if meta.extra.get("is_argument"):
        return click.argument(field.name, nargs=-1 if is_many else 1, **more)
    if field.default == "":
        more.setdefault("show_default", False)
    if kind is bool:
        more["is_flag"] = True
    flags = (meta.extra["flag"] or flag_of(field)).split()
    return click.option(*flags, _variable(field), multiple=is_many, help=meta.description, **more)


def _type(field: FieldInfo, kind: Any, meta: msgspec.Meta) -> click.ParamType[Any]:
    if get_origin(kind) is Literal:
        return click.Choice(get_args(kind))
    if kind is Path:
        is_folder = (meta.extra or {}).get("metavar") == "DIRECTORY"
        return click.Path(exists=field.default is None, file_okay=not is_folder, dir_okay=is_folder, path_type=Path)
    if field.name.endswith("_bytes"):
        return ParsedType("size", parse_size)
    if kind is float:
        return Number(meta.ge, meta.le)
    if kind is int:
        is_limited = meta.ge is not None or meta.le is not None
        return click.IntRange(cast(int, meta.ge), cast(int, meta.le)) if is_limited else click.INT
    return TEXT
