"""Arguments and options shared by several commands, and their error messages."""

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType, NoneType
from typing import Annotated, Any, Literal, NamedTuple, TypeVar, cast, get_args, get_origin
from urllib.parse import unquote, urlsplit

import click
import msgspec
from click.shell_completion import CompletionItem

from rails_cli.basics.files import read_file
from rails_cli.basics.schemas import field_docs
from rails_cli.basics.seeds import read_seed
from rails_cli.basics.settings import flag_of, read_size
from rails_cli.games import GAME_NAMES, NoSuchGame, game_named, game_sizes, load_openings, standard_board
from rails_cli.games.faces.phrases import listed
from rails_cli.games.faces.vocabulary import whole_number
from rails_cli.games.game import BoardError, Game
from rails_cli.games.openings import drawn_opening
from rails_cli.games.options import read_options
from rails_cli.games.shared.text import printable
from rails_cli.protocol.log import MAX_SEED, Opening, Seed

DEFAULT_PORT = 8765
SCHEMES = {"": "ws", "ws": "ws", "wss": "wss", "http": "ws", "https": "wss"}

F = TypeVar("F", bound=Callable[..., Any])
S = TypeVar("S", bound=msgspec.Struct)
T = TypeVar("T")


class Parsed(click.ParamType[T]):
    """A parameter type that converts words with a function. Its ValueError becomes the error message."""

    def __init__(self, name: str, read: Callable[[str], T]) -> None:
        self.name = name
        self.read = read

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> T:
        try:
            return self.read(value) if isinstance(value, str) else cast(T, value)
        except ValueError as error:
            self.fail(str(error), param, ctx)


class ServerLink(NamedTuple):
    """The parts of a link to a server or to one of its tables."""

    url: str
    table: str | None = None
    invite: str | None = None


def server_link(words: str) -> ServerLink:
    """Parse a server address: a host with optional port and scheme, or the URL of its page with a table or invitation
    after #.

    Raise UsageError if it is invalid.
    """
    scheme, _, rest = words.rpartition("://")
    scheme = scheme.lower()
    rest, _, fragment = rest.partition("#")
    if scheme in ("http", "https"):
        folder, slash, _ = rest.partition("?")[0].rpartition("/")
        rest = f"{folder}{slash}" or rest
    url = f"{SCHEMES.get(scheme, '')}://{rest}"
    try:
        parts = urlsplit(url)
        has_port = parts.port is not None  # raises ValueError for an invalid port
        is_whole = bool(parts.scheme and parts.hostname) and " " not in url
        if is_whole and not scheme and not has_port and not parts.path:
            url = f"{url.rstrip(':')}:{DEFAULT_PORT}"
    except ValueError:
        is_whole = False
    if not is_whole or (not scheme and ":" not in rest and "." not in rest and rest != "localhost"):
        raise click.UsageError(f"{words}: that is not a server address; try ws://127.0.0.1:8765")
    place = [unquote(piece) for piece in fragment.split("/")]
    table = place[1] if place[0] == "table" and len(place) > 1 else ""
    invite = place[3] if table and len(place) > 3 and place[2] == "invite" else ""
    return ServerLink(url, table or None, invite or None)


SERVER_URL: Parsed[str] = Parsed("text", lambda words: server_link(words).url)
"""A server address in any accepted notation, converted to a websocket URL."""


def known_name(what: str, known: Collection[str], unknown: str) -> Parsed[str]:
    """Return a parameter type for one of the names `known`. Hyphens match underscores. `unknown` starts the error
    message."""

    def read(words: str) -> str:
        name = words.lower().replace("-", "_")
        if name not in known:
            raise ValueError(f"{unknown} {words!r}; the {what}s are {', '.join(known)}")
        return name

    return Parsed(what, read)


def _sendable(words: str) -> str:
    try:
        words.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{words!a} is not UTF-8") from None
    return words


TEXT = Parsed("text", _sendable)
"""Text that can be encoded as UTF-8."""


class Number(click.FloatRange):
    """A number in a range, without `nan` and `inf`."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number = float(super().convert(value, param, ctx))
        if not math.isfinite(number):
            self.fail(f"{value} is not a finite number", param, ctx)
        return number


class OfGame(Parsed[T]):
    """A parameter that begins with the name of a game, with shell completion."""

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        return [CompletionItem(name) for name in GAME_NAMES if name.startswith(incomplete.lower().replace("-", "_"))]


def _game_named(words: str) -> str:
    try:
        return game_named(words)
    except NoSuchGame as error:
        raise ValueError(str(error)) from None


GAME_NAME = OfGame("game", _game_named)
GAME_SIZES = OfGame("game", game_sizes)

EXISTING_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
NEW_FILE = click.Path(dir_okay=False, path_type=Path)
FOLDER = click.Path(file_okay=False, path_type=Path)

game_argument = click.argument("game_name", type=GAME_NAME, metavar="GAME")

log_argument = click.argument(
    "log_file", type=click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path), metavar="FILE"
)

seed_option = click.option(
    "--seed",
    type=Parsed("seed", read_seed),
    help="Random seed: a whole number, or the seed of an earlier game.  [default: random]",
)
first_seed_option = click.option(
    "--seed", type=click.IntRange(0, MAX_SEED), default=0, help="Random seed of the first game: a whole number from 0."
)

options_option = click.option(
    "--option", "options", multiple=True, metavar="NAME=VALUE", help="An option of the game; see `rails-cli games`."
)

board_option = click.option("--board", "board_file", type=EXISTING_FILE, help="Play on the board in this file.")


openings_option = click.option(
    "--openings",
    type=click.Choice(["drawn", "none"]),
    default="none",
    help="Start from an opening drawn from the seed, in a game without luck.",
)


def game_options(game: Game[Any, Any], given: Sequence[str]) -> Any:
    """Return the options of a game from `name=value` words. Raise BadParameter if they are invalid."""
    try:
        return read_options(game, option_pairs(given))
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--option") from None


def option_pairs(given: Sequence[str]) -> dict[str, str]:
    pairs = {}
    for word in given:
        name, equals, value = word.partition("=")
        if not equals:
            raise click.BadParameter(f"{word!r} is not of the form NAME=VALUE", param_hint="--option")
        pairs[name.strip()] = value.strip()
    return pairs


def option_words(game: Game[Any, Any]) -> dict[str, str]:
    """Return the description of each option of a game, from its type."""
    return {name: " ".join(words.split()) for name, words in field_docs(game.options_type).items()}


def board_and_content(game: Game[Any, Any], board_file: Path | None) -> tuple[Any, bytes | None]:
    """Return the board and the content of its file, None for the standard board. Read once, because it may be a
    pipe."""
    if board_file is None:
        return standard_board(game.name), None
    try:
        content = read_file(board_file)
        return game.read_board(content), content
    except BoardError as error:
        raise click.UsageError("\n".join(f"{board_file}: {mistake}" for mistake in error.mistakes)) from None
    except OSError as error:
        raise click.UsageError(f"{board_file}: {error.strerror}") from None


def openings_of(
    game: Game[Any, Any], board: Any, players: int, options: Any, openings: str
) -> Callable[[Seed], Opening | None]:
    """Return a function that returns the opening of a game for its seed, according to `--openings`."""
    if openings == "none":
        return lambda seed: None
    if load_openings(game.name) is None:
        raise no_openings(game)
    return lambda seed: drawn_opening(game, board, players, options, seed)


def no_openings(game: Game[Any, Any]) -> click.BadParameter:
    return click.BadParameter(f"{game.title} has no openings to draw", param_hint="--openings")


def check_players(game: Game[Any, Any], players: int, option: str = "--players") -> None:
    if players not in game.players:
        words = f"{game.title} is for {game.players[0]} to {game.players[-1]} players, not {players}"
        raise click.BadParameter(words, param_hint=option)


def check_seat(seat: int, players: int) -> None:
    if not 0 <= seat < players:
        raise click.BadParameter(
            f"there is no seat {seat}; seats are 0 to {players - 1}, counted from 0 as in logs", param_hint="--seat"
        )


def seat_named(words: str, names: Sequence[str]) -> int:
    """Return a seat given by number or by the name of its player. Raise BadParameter if there is none."""
    if (number := whole_number(words)) is not None:
        check_seat(number, len(names))
        return number
    if words not in names:
        there = listed([f"{seat} ({name})" for seat, name in enumerate(names)])
        wrong = f"there is no seat or player {words!r}; the seats are {there}, counted from 0 as in logs"
        raise click.BadParameter(printable(wrong), param_hint="--seat")
    return names.index(words)


# Options generated from the fields of a settings struct


def setting_options(
    record: type[msgspec.Struct], read: Mapping[str, Callable[[Any], Any]] = MappingProxyType({})
) -> Callable[[F], F]:
    """Return a decorator that adds the options for a settings struct. `read` converts values, by flag."""

    def add(command: F) -> F:
        for field in reversed(msgspec.structs.fields(record)):
            if isinstance(field.type, type) and issubclass(field.type, msgspec.Struct):
                command = setting_options(field.type, read)(command)
            elif get_origin(field.type) is Annotated:
                command = _setting_option(field, read.get(flag_of(field)))(command)
        return command

    return add


def settings_of(record: type[S], values: Mapping[str, Any]) -> S:
    """Build a settings struct from option values. Fields without an option keep their defaults."""
    said = {}
    for field in msgspec.structs.fields(record):
        if isinstance(field.type, type) and issubclass(field.type, msgspec.Struct):
            said[field.name] = settings_of(field.type, values)
        elif get_origin(field.type) is Annotated and _variable(flag_of(field)) in values:
            said[field.name] = values[_variable(flag_of(field))]
    return record(**said)


def _variable(flag: str) -> str:
    return flag.removeprefix("--").replace("-", "_")


def _setting_option(field: msgspec.structs.FieldInfo, read: Callable[[Any], Any] | None) -> Callable[[F], F]:
    inner, meta = get_args(field.type)
    kinds = [kind for kind in get_args(inner) if kind is not NoneType] if NoneType in get_args(inner) else [inner]
    is_many = get_origin(inner) in (list, dict)
    return click.option(
        flag_of(field),
        _variable(flag_of(field)),
        type=None if inner is bool else _setting_type(field, kinds[0], meta),
        is_flag=inner is bool,
        is_eager=field.name == "image",  # it decides which programs exist, so it is parsed first
        default=None if is_many else field.default,
        show_default=False if field.default == "" else None,
        multiple=is_many,
        metavar=meta.extra["metavar"] or None,
        help=meta.description,
        callback=None if read is None else lambda context, parameter, value: read(value),
    )


def _setting_type(field: msgspec.structs.FieldInfo, kind: Any, meta: msgspec.Meta) -> click.ParamType[Any]:
    if get_origin(kind) is Literal:
        return click.Choice(get_args(kind))
    if kind is Path:
        is_folder = (meta.extra or {}).get("metavar") == "DIRECTORY"
        return click.Path(exists=field.default is None, file_okay=not is_folder, dir_okay=is_folder, path_type=Path)
    if field.name.endswith("_bytes"):
        return Parsed("size", read_size)
    if kind is float:
        return Number(meta.ge, meta.le)
    return click.IntRange(cast(int, meta.ge), cast(int, meta.le)) if kind is int else TEXT
