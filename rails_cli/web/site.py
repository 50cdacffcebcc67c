"""The files of the server's page, and the policy under which a browser may use them."""

import hashlib
import posixpath
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import msgspec

from rails_cli.games import load_face, load_game, load_openings, whole_games
from rails_cli.games.face import options_in_words
from rails_cli.players.builtin import BUILTIN_PLAYERS
from rails_cli.web.modules import modules
from rails_cli.web.page import fill, themed
from rails_cli.web.picture import read

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HTML = "text/html; charset=utf-8"
CSS = "text/css; charset=utf-8"
JAVASCRIPT = "text/javascript; charset=utf-8"
SVG = "image/svg+xml"
JSON = "application/json"


class File(NamedTuple):
    """Something to be fetched, and its name for caches."""

    kind: str
    content: bytes
    version: str


def file_of(kind: str, content: bytes) -> File:
    return File(kind, content, f'"{hashlib.sha256(content).hexdigest()[:24]}"')


@cache
def files() -> dict[str, File]:
    """What the page is made of, by path."""
    scripts = {posixpath.basename(path): text for path, text in modules("web/app.js").items()}
    preloaded = "".join(f'<link rel="modulepreload" href="{name}">\n' for name in scripts if name != "app.js")
    looks = [load_face(name).look for name in whole_games()]
    return {
        "/": file_of(HTML, fill(read("server.html"), {"modules": preloaded}).encode()),
        "/page.css": file_of(CSS, themed(read("server.css"), looks).encode()),
        "/icon.svg": file_of(SVG, read("icon.svg").encode()),
        **{f"/{name}": file_of(JAVASCRIPT, text.encode()) for name, text in scripts.items()},
    }


class ChoiceOffered(msgspec.Struct):
    value: str
    words: str


class OptionOffered(msgspec.Struct):
    name: str
    question: str
    choices: list[ChoiceOffered]
    """The default first."""


class GameOffered(msgspec.Struct):
    name: str
    title: str
    players: Sequence[int]
    options: list[OptionOffered]
    boards: list[str]
    has_openings: bool


class GameOffer(msgspec.Struct):
    """What a table can be made of: games with their players and options, and who may be seated by the server."""

    games: list[GameOffered]
    seats: list[str]
    has_pool: bool
    """Whether there is a rated pool."""


def games_file(bots: list[str], boards: dict[str, str], *, has_pool: bool = False) -> File:
    games = []
    for name in whole_games():
        game = load_game(name)
        options = [
            OptionOffered(option, question, [ChoiceOffered(*choice) for choice in choices.items()])
            for option, (question, choices) in options_in_words(game, load_face(name)).items()
        ]
        own = [board for board, of in boards.items() if of == name]
        games.append(GameOffered(name, game.title, game.players, options, own, load_openings(name) is not None))
    seats = [*(f"builtin:{name}" for name in BUILTIN_PLAYERS), *(f"bot:{name}" for name in bots)]
    return file_of(JSON, msgspec.json.encode(GameOffer(games, seats, has_pool)))
