"""The files of the server's page, and the policy under which a browser may use them."""

import hashlib
from functools import cache
from typing import Any, NamedTuple, get_args

import msgspec

from rails_cli.games import GAME_NAMES, load_game
from rails_cli.players.builtin import BUILTIN_PLAYERS
from rails_cli.web.drawing import read
from rails_cli.web.page import themed

SCRIPTS = ("board.js", "parts.js", "wire.js", "lobby.js", "seats.js", "places.js", "choosing.js", "table.js", "app.js")
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
    return {
        "/": file_of(HTML, read("server.html").encode()),
        "/page.css": file_of(CSS, themed(read("server.css")).encode()),
        "/icon.svg": file_of(SVG, read("icon.svg").encode()),
        **{f"/{name}": file_of(JAVASCRIPT, read(name).encode()) for name in SCRIPTS},
    }


def games_file(bots: list[str], boards: dict[str, str]) -> File:
    """What a table can be made of: games with their players and options, and who may be seated by the server."""
    games = []
    for name in GAME_NAMES:
        game = load_game(name)
        options: list[dict[str, Any]] = [
            {"name": field.encode_name, "choices": list(get_args(field.type)), "default": field.default}
            for field in msgspec.structs.fields(game.options_type)
        ]
        own = [board for board, of in boards.items() if of == name]
        games.append({"name": name, "title": game.title, "players": game.players, "options": options, "boards": own})
    seats = [*(f"builtin:{name}" for name in BUILTIN_PLAYERS), *(f"bot:{name}" for name in bots)]
    return file_of(JSON, msgspec.json.encode({"games": games, "seats": seats}))
