"""Registry of the installed games: find them and load their parts on demand.

The built-in games are the subpackages with a file `RULES.md`. Another distribution adds a game by an entry point of the
group `rails_cli.games`. The name of the entry point is the name of the game, and the entry point refers to the package
of the game.

The package of a game contains the rules (`GAME`) and `RULES.md`. Its module `face` shows the game to people (`FACE`).
The other parts are optional:

- `board.json`, the standard board
- a module `players` with the built-in players (`PLAYERS`) and the evaluation for searches (`EVALUATION`)
- a module `openings` that makes random openings (`OPENINGS`)
- in `players`, the weights of a value network (`network.npz`) and their description (`network.json`)
- a module `numbers` that converts positions to numbers for learning programs (`NUMBERS`)

A broken package is reported by `problems` and does not affect the other games. Built-in games cannot be replaced.
"""

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache, lru_cache
from hashlib import sha256
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from pkgutil import get_data
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from rails_cli.games.game import BoardError, Game, GameError

if TYPE_CHECKING:
    from rails_cli.games.evaluation import Evaluation
    from rails_cli.games.faces.interface import Face
    from rails_cli.games.network import Network
    from rails_cli.games.numbers import Numbers
    from rails_cli.games.openings import Openings

GROUP = "rails_cli.games"
OWN_PLAYERS = ("greedy", "medium")
"""Names that a game may use for its own built-in players in the dictionary `PLAYERS`."""
MOST_PLAYERS = 6
"""Largest number of players of a game. Web pages have this many colours for players."""
LONGEST_NAME = 60
LONGEST_SIZES = 20
"""Maximum number of characters of an invalid list of player counts that an error message quotes."""
_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
BUILT_IN_NAMES = tuple(sorted(sheet.parent.name for sheet in Path(__path__[0]).glob("*/RULES.md")))
"""Names of the games of this package, in alphabetical order."""

T = TypeVar("T")


@cache
def _announced() -> dict[str, list[str]]:
    """Return a mapping from the names of games to the packages that other distributions register for them.

    Reading all entry points takes 30 ms, so this function is not called for a built-in game.
    """
    from importlib.metadata import entry_points

    found: dict[str, list[str]] = {}
    for point in sorted(entry_points(group=GROUP)):
        if point.name not in BUILT_IN_NAMES or point.value != f"{__name__}.{point.name}":
            found.setdefault(point.name, []).append(point.value)
    return found


@cache
def game_names() -> tuple[str, ...]:
    """Return the names of all registered games in alphabetical order, including games whose package is broken."""
    return tuple(sorted({*BUILT_IN_NAMES, *_announced()}))


class NoSuchGame(GameError, LookupError):
    """Error for a game that is not registered, or whose package is broken. The message says which of these it is."""


def game_called(words: str) -> str | None:
    """Return the name of the game whose name, title or alias is `words`, or None if there is no such game."""
    return next((game for game in game_names() if _key(words) in _names_of(game)), None)


def game_named(words: str) -> str:
    """Return the name of the game that `words` means: its name, title or alias, or the beginning of one of these.

    Raise NoSuchGame if no game or more than one game matches.
    """
    name, key = words.lower().replace("-", "_"), _key(words)
    if name in BUILT_IN_NAMES:
        return name
    names = {game: _names_of(game) for game in BUILT_IN_NAMES}
    built_in = [game for game in names if key in names[game]]
    if built_in or name in game_names():  # another package cannot take over an alias of a built-in game
        return built_in[0] if built_in else name
    names = {game: names.get(game) or _names_of(game) for game in game_names()}
    fitting = [game for game in names if key in names[game]]
    fitting = fitting or [game for game in names if key and any(known.startswith(key) for known in names[game])]
    if len(fitting) == 1:
        return fitting[0]
    shown = repr(words[:LONGEST_NAME])
    if fitting:
        raise NoSuchGame(f"{shown} could be {' or '.join(fitting)}; type more of its name")
    from difflib import get_close_matches

    every = {known: game for game in names for known in names[game]}
    close = get_close_matches(key, every, 1)
    meant = f"did you mean {every[close[0]]}? " if close else ""
    raise NoSuchGame(f"unknown game {shown}; {meant}the games are {', '.join(names)}")


def game_sizes(words: str) -> tuple[str, tuple[int, ...]]:
    """Parse `GAME` or `GAME:PLAYERS,...` (such as `chicago_express:3,4`). Return the game's name and the player counts.

    Without `PLAYERS` the tuple of player counts is empty. Raise ValueError if the game or a player count is invalid.
    """
    named, colon, players = words.partition(":")
    try:
        name = game_named(named)
        game = load_game(name)
    except NoSuchGame as error:
        raise ValueError(str(error)) from None
    said = players.split(",") if colon else []
    sizes = tuple(size for size in game.players if str(size) in said)
    if len(sizes) < len({*said}):
        mistake = game.players_mistake(repr(players[:LONGEST_SIZES]))
        raise ValueError(f"{mistake}; try {name}:{game.players[0]}")
    return name, sizes


def _names_of(game: str) -> list[str]:
    """Return the name, title and aliases of a game in the form that `_key` returns: lower case, without spaces.

    Return only the name if the package of the game is broken.
    """
    try:
        known = load_game(game)
    except NoSuchGame:
        return [_key(game)]
    return [_key(name) for name in (game, known.title, *known.aliases)]


def _key(words: str) -> str:
    plain = re.sub(r"[^a-z0-9]+", " ", words.lower()).strip()
    return plain.removeprefix("the ").replace(" ", "")


@cache
def load_game(name: str) -> Game[Any, Any]:
    """Return the rules of a game. Raise NoSuchGame if the game is not registered or its package is broken."""
    game = _part(name, "GAME", Game)
    if game.name != name:
        raise _broken(name, f"its GAME is called {game.name!r}")
    if not game.players:
        raise _broken(name, "its GAME.players is empty; expected the numbers of players, such as (2, 3, 4)")
    if not all(number in range(1, MOST_PLAYERS + 1) for number in game.players):
        raise _broken(name, f"its GAME.players is {game.players!r}; expected numbers from 1 to {MOST_PLAYERS}")
    return game


@cache
def load_face(name: str) -> "Face":
    """Return the `Face` that shows a game to people, with defaults for parts that the game omits.

    Raise NoSuchGame if the game is not registered, or if its package is broken.
    """
    from rails_cli.games.faces.derived import completed
    from rails_cli.games.faces.interface import Face

    face, game = _part(name, "face.FACE", Face), load_game(name)
    try:
        return completed(face, game, lambda wire: board_from_wire(name, wire), load_players(name)["greedy"])
    except NoSuchGame:
        raise
    except Exception as error:  # see _part
        raise _broken(name, f"its FACE: {type(error).__name__}: {error}") from error


@cache
def load_players(name: str) -> dict[str, Callable[..., Any]]:
    """Return a dictionary from the names of a game's built-in players to the players.

    A player is a function that takes a view, the list of legal actions and the board, and returns an action.

    The player `medium` takes one more argument: a function that returns random numbers in [0, 1). With these it chooses
    among nearly equal moves. A game without a player `greedy` gets a default one that looks one action ahead. Raise
    NoSuchGame if the game is not registered, or if its package is broken.
    """
    game = load_game(name)
    players: dict[str, Callable[..., Any]] = _part(name, "players.PLAYERS", dict) if _has(name, "players") else {}
    unknown = [player for player in players if player not in OWN_PLAYERS]
    if unknown:
        raise _broken(name, f"its PLAYERS has {unknown[0]!r}; expected only {' and '.join(OWN_PLAYERS)}")
    if "greedy" in players:
        return players
    from rails_cli.games.greedy import greedy_player

    return {"greedy": greedy_player(game), **players}


@cache
def load_evaluation(name: str) -> "Evaluation[Any, Any] | None":
    """Return the evaluation of positions that searches use for a game, or None if the game has no evaluation.

    Raise NoSuchGame if the weights of the game's value network are damaged.
    """
    from rails_cli.games.evaluation import Evaluation

    load_players(name)
    if not (_has(name, "players") and hasattr(import_module(f"{package_of(name)}.players"), "EVALUATION")):
        return None
    evaluation = _part(name, "players.EVALUATION", Evaluation)
    inputs, network = evaluation.inputs, _network(name)
    if inputs is None or network is None:
        return evaluation
    return replace(evaluation, network=network, looks_a_second=inputs.looks_a_second, expert_looks=inputs.expert_looks)


def _network(name: str) -> "Callable[[], Network] | None":
    """Return a function that loads the value network of a game, or None if the game has no network.

    Loading imports numpy, which takes 0.1 s.
    """
    described, weights = (_file(name, f"players/network.{kind}", b"") for kind in ("json", "npz"))
    if not (described or weights):
        return None
    try:
        checksum = msgspec.json.decode(described, type=dict[str, Any])["sha256"]
    except (msgspec.MsgspecError, KeyError) as error:
        raise _broken(name, f"its players/network.json: {error}") from error
    if sha256(weights).hexdigest() != checksum:
        raise _broken(name, "its players/network.npz is damaged; install the package again")

    @cache
    def load() -> "Network":
        from rails_cli.games.network import read_network

        return read_network(weights)

    return load


@cache
def load_openings(name: str) -> "Openings[Any, Any] | None":
    """Return the generator of random openings of a game, or None if the game has no such generator."""
    from rails_cli.games.openings import Openings

    load_game(name)
    if not _has(name, "openings"):
        return None
    return _part(name, "openings.OPENINGS", Openings)


@cache
def load_numbers(name: str) -> "Numbers[Any, Any] | None":
    """Return the functions that convert positions to numbers for learning programs, or None if a game has none."""
    from rails_cli.games.numbers import Numbers

    load_game(name)
    if find_spec(f"{package_of(name)}.numbers") is None:
        return None
    return _part(name, "numbers.NUMBERS", Numbers)


@cache
def standard_board(name: str) -> Any:
    """Return the board that the package of a game contains. Raise NoSuchGame if there is no such game or board."""
    game, file = load_game(name), board_file(name)
    try:
        return game.read_board(file)
    except Exception as error:  # see _part
        raise _broken(name, f"its board.json: {error}") from error


def board_from_wire(name: str, wire: Any) -> Any:
    """Return the board that `wire` describes, in the form that servers send to clients in the message `start`.

    Return the standard board if `wire` is None. Raise BoardError if the description is invalid or inconsistent.
    """
    game, standard = load_game(name), standard_board(name)
    if wire is None or _contains(wire, _wire(game, standard)):
        return standard
    mistake = f"this does not describe a board of {name}"
    if not isinstance(wire, dict):
        raise BoardError([f"{mistake}: expected an object with the fields of a board"])
    try:
        board = game.read_board(msgspec.json.encode(game.board_file(wire)))
    except KeyError as error:
        raise BoardError([f"{mistake}: {error} is missing"]) from None
    except (LookupError, TypeError, AttributeError, ValueError, RecursionError) as error:
        raise BoardError([f"{mistake}: {type(error).__name__}: {error}"]) from None
    if not _contains(wire, _wire(game, board)):
        raise BoardError([f"this description of a board of {name} contradicts itself"])
    return board


def _wire(game: Game[Any, Any], board: Any) -> Any:
    return msgspec.json.decode(msgspec.json.encode(game.wire_board(board)))


def _contains(value: Any, known: Any) -> bool:
    """Return whether the JSON value `value` equals `known`. Object fields that only `value` has are ignored."""
    if isinstance(known, dict):
        return isinstance(value, dict) and all(name in value and _contains(value[name], known[name]) for name in known)
    if isinstance(known, list):
        return isinstance(value, list) and len(value) == len(known) and all(map(_contains, value, known))
    return bool(value == known)


def board_file(name: str) -> bytes:
    """Return the content of a game's `board.json`. Without such a file, return JSON with only the name of the game."""
    return _file(name, "board.json", msgspec.json.encode({"game": name}))


@cache
def rule_sheet(name: str) -> str:
    """Return the numbered rules of a game as Markdown."""
    return _file(name, "RULES.md").decode(errors="replace")


@lru_cache(maxsize=100)
def problem_of(name: str) -> str | None:
    """Return a message that says why the package of a game cannot be used, or None if the package is complete."""
    try:
        for load in (load_game, load_face, load_players, load_evaluation, load_openings, standard_board, rule_sheet):
            load(name)
    except NoSuchGame as error:
        return str(error)
    return None


@cache
def whole_games() -> tuple[str, ...]:
    """Return the names of the games whose packages are complete."""
    return tuple(name for name in game_names() if problem_of(name) is None)


def problems() -> list[str]:
    """Return one message for each game whose package is broken, or whose name is already used by a built-in game."""
    ignored = [
        f"the package {package} announces {name!r}, the name of a built-in game, and is ignored"
        for name in BUILT_IN_NAMES
        for package in _announced().get(name, ())
    ]
    return ignored + [problem for name in game_names() if (problem := problem_of(name)) is not None]


def title_of(name: str) -> str:
    """Return the title of a game, or `name` if the game cannot be loaded."""
    try:
        return load_game(name).title
    except NoSuchGame:
        return name


def is_game_name(name: str) -> bool:
    """Return whether `name` can be the name of a game: lower-case letters, digits and single underscores."""
    return _NAME.fullmatch(name) is not None


def package_of(name: str) -> str:
    """Return the name of the Python package that contains a game. Raise NoSuchGame if there is no such game."""
    if name in BUILT_IN_NAMES:
        return f"{__name__}.{name}"
    packages = _announced().get(name)
    if packages is None:
        raise NoSuchGame(f"unknown game {name[:LONGEST_NAME]!r}; the games are {', '.join(game_names())}")
    if not is_game_name(name):
        raise _broken(name, "a game's name must consist of lower-case letters, digits and single underscores")
    if len(packages) > 1:
        raise _broken(name, "the name is announced more than once")
    return packages[0]


def _part(name: str, path: str, kind: type[T]) -> T:
    """Return the object of type `kind` at `path` ("module.VARIABLE") in the package of a game.

    Raise NoSuchGame if the package has no such object.
    """
    module, _, variable = f"{package_of(name)}.{path}".rpartition(".")
    try:
        found = getattr(import_module(module), variable)
    except (Exception, SystemExit) as error:  # any error in the game's package marks that game as broken
        raise _broken(name, f"{type(error).__name__}: {error}") from error
    if not isinstance(found, kind):
        raise _broken(name, f"its {variable} is not a {kind.__name__}")
    return found


def _has(name: str, module: str) -> bool:
    return find_spec(f"{package_of(name)}.{module}") is not None


def _file(name: str, file: str, default: bytes | None = None) -> bytes:
    load_game(name)
    try:
        return get_data(package_of(name), file) or b""
    except OSError:
        if default is None:
            raise _broken(name, f"it has no {file}") from None
        return default


def _broken(name: str, problem: str) -> NoSuchGame:
    packages = " and ".join([f"{__name__}.{name}"] if name in BUILT_IN_NAMES else _announced()[name])
    return NoSuchGame(" ".join(f"the game {name!r} of the package {packages} cannot be played: {problem}".split()))
