"""Arguments and options shared by several commands, and their error messages."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, TypeVar
from urllib.parse import unquote, urlsplit

import click
from click.shell_completion import CompletionItem

from rails_cli.basics.files import read_file
from rails_cli.basics.seeds import parse_seed
from rails_cli.basics.settings import setting
from rails_cli.commands import reported
from rails_cli.commands.log_names import ANY_LOG, LOG
from rails_cli.commands.options import ParsedType, argument
from rails_cli.games import NoSuchGame, game_named, game_names, game_sizes, load_openings, standard_board
from rails_cli.games.faces.phrases import listed
from rails_cli.games.faces.vocabulary import whole_number
from rails_cli.games.game import BoardError, Game
from rails_cli.games.openings import drawn_opening
from rails_cli.games.options import read_options
from rails_cli.games.shared.text import printable
from rails_cli.protocol.log import MAX_SEED, Opening, Seed

DEFAULT_PORT = 8765
SCHEMES = {"": "ws", "ws": "ws", "wss": "wss", "http": "ws", "https": "wss"}

T = TypeVar("T")


class ServerLink(NamedTuple):
    """The parts of a link to a server: its URL, the id of a table or None, and the token of an invitation or None."""

    url: str
    table: str | None = None
    invite: str | None = None


def server_link(words: str) -> ServerLink:
    """Return the parts of the address of a server, or of a table on its web page. Raise UsageError if invalid.

    An address is a host with optional scheme and port. The address of a table has the id of the table, and perhaps an
    invitation, after `#`.
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
    pieces = [unquote(piece) for piece in fragment.split("/")]
    table = pieces[1] if pieces[0] == "table" and len(pieces) > 1 else ""
    invite = pieces[3] if table and len(pieces) > 3 and pieces[2] == "invite" else ""
    return ServerLink(url, table or None, invite or None)


SERVER_URL: ParsedType[str] = ParsedType("text", lambda words: server_link(words).url)
"""Type of command-line parameters that are server addresses. An address is converted to a websocket URL."""


class GameNameType(ParsedType[T]):
    """A type of command-line parameters that begin with the name of a game. The shell completes the name."""

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        return [CompletionItem(name) for name in game_names() if name.startswith(incomplete.lower().replace("-", "_"))]


def _game_named(words: str) -> str:
    try:
        return game_named(words)
    except NoSuchGame as error:
        raise ValueError(str(error)) from None


GAME_NAME = GameNameType("game", _game_named)
GAME_SIZES = GameNameType("game[:players,...]", game_sizes)

EXISTING_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
NEW_FILE = click.Path(dir_okay=False, path_type=Path)
FOLDER = click.Path(file_okay=False, path_type=Path)

# Shared options and arguments, as types of parameters

GameArgument = Annotated[str, argument("GAME", type=GAME_NAME)]
OptionalGame = Annotated[str | None, argument("[GAME]", type=GAME_NAME)]
LogArgument = Annotated[Path, argument("LOG", type=ANY_LOG)]
OwnLog = Annotated[Path, argument("LOG", type=LOG)]
BotCommand = Annotated[tuple[str, ...], argument("-- COMMAND [ARGS]...", type=click.UNPROCESSED)]
Json = Annotated[bool, setting("Print one JSON object for programs.", "--json")]
SeedOption = Annotated[
    Seed | None,
    setting(
        "Random seed: a whole number, or the seed of an earlier game.  [default: random]",
        "--seed",
        type=ParsedType("seed", parse_seed),
    ),
]
FirstSeed = Annotated[
    int, setting("Random seed of the first game: a whole number from 0.", "--seed", least=0, most=MAX_SEED)
]
GameOptions = Annotated[
    tuple[str, ...], setting("An option of the game; see `rails-cli games`.", "--option", "NAME=VALUE")
]
BoardFile = Annotated[Path | None, setting("Play on the board in this file.", "--board")]
Openings = Annotated[
    Literal["drawn", "none"], setting("Start from an opening drawn from the seed, in a game without luck.")
]
Workers = Annotated[int | None, setting("Processes to use.  [default: all cores]", least=1, most=1024)]
SeatOfLog = Annotated[
    str | None,
    setting(
        "Show only what this player saw: a name, or the number of a seat.  [default: what all seats saw]",
        "--seat",
        "SEAT",
    ),
]
OwnName = Annotated[str | None, setting("Your name.", "--name")]
Fast = Annotated[bool, setting("Do not pause between the moves of the others.")]
Quiet = Annotated[bool, setting("Show no progress, only faults and the result.")]
ResultJson = Annotated[bool, setting("Print the result as one JSON object for programs.", "--json")]
OutcomeJson = Annotated[bool, setting("Print the outcome as one JSON object for programs.", "--json")]
DataFolder = Annotated[Path, setting("The data folder of the server.", "--data", "DIRECTORY")]
ServerCertificate = Annotated[Path | None, setting("With --server: certificates to trust.", "--tls-ca")]
AT = setting("With --from: start after action N; 0 is the set-up, -1 the last action.", "--at", "N")
"""Metadata of an option whose type differs between commands."""


def game_options(game: Game[Any, Any], given: Sequence[str]) -> Any:
    with reported(ValueError, option="--option"):
        return read_options(game, option_pairs(given), is_typed=True)


def option_pairs(given: Sequence[str]) -> dict[str, str]:
    pairs = {}
    for word in given:
        name, equals, value = word.partition("=")
        if not equals:
            raise click.BadParameter(f"{word!r} is not of the form NAME=VALUE", param_hint="--option")
        pairs[name.strip()] = value.strip()
    return pairs


def board_and_content(game: Game[Any, Any], board_file: Path | None) -> tuple[Any, bytes | None]:
    """Return the board in `board_file`, and the content of the file.

    If `board_file` is None, return the standard board and None. Raise UsageError if the board is invalid. The file is
    read only once, because it may be a pipe.
    """
    if board_file is None:
        return standard_board(game.name), None
    with reported(OSError, prefix=f"{board_file}: ", kind=click.UsageError):
        content = read_file(board_file)
    try:
        return game.read_board(content), content
    except BoardError as error:
        raise click.UsageError("\n".join(f"{board_file}: {mistake}" for mistake in error.mistakes)) from None


def openings_of(
    game: Game[Any, Any], board: Any, players: int, options: Any, openings: str
) -> Callable[[Seed], Opening | None]:
    """Return a function that takes the seed of a game and returns a random opening: the first actions of the game.

    `openings` is the value of `--openings`. If it is `none`, the function returns None. Raise BadParameter if the game
    has no openings.
    """
    if openings == "none":
        return lambda seed: None
    if load_openings(game.name) is None:
        raise no_openings(game)
    return lambda seed: drawn_opening(game, board, players, options, seed)


def no_openings(game: Game[Any, Any]) -> click.BadParameter:
    return click.BadParameter(f"{game.title} has no openings to draw", param_hint="--openings")


def check_players(game: Game[Any, Any], players: int, option: str = "--players") -> None:
    if mistake := game.players_mistake(players):
        raise click.BadParameter(mistake, param_hint=option)


def seat_index(number: int, players: int) -> int:
    """Return the index, from 0, of the seat `number`, from 1. Raise BadParameter if there is no such seat."""
    if not 1 <= number <= players:
        raise click.BadParameter(f"there is no seat {number}; seats are 1 to {players}", param_hint="--seat")
    return number - 1


def seat_named(words: str, names: Sequence[str]) -> int:
    """Return the index of the seat that `words` name: the number of the seat, from 1, or the name of its player.

    `names` are the players in the order of the seats. Raise BadParameter if there is no such seat.
    """
    if (number := whole_number(words)) is not None:
        return seat_index(number, len(names))
    if words not in names:
        there = listed([f"{seat} ({name})" for seat, name in enumerate(names, 1)])
        wrong = f"there is no seat or player {words!r}; the seats are {there}"
        raise click.BadParameter(printable(wrong), param_hint="--seat")
    return names.index(words)
