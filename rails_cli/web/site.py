"""The files that the server sends to browsers for its pages, and their content security policy."""

import hashlib
import re
from collections.abc import Sequence
from functools import cache
from html import escape
from importlib import resources
from typing import NamedTuple

import msgspec

from rails_cli.games import BUILT_IN_NAMES, load_face, load_game, load_openings, rule_sheet, whole_games
from rails_cli.games.faces.interface import Face, options_in_words
from rails_cli.match.seat_specs import BUILTIN
from rails_cli.players.builtin import BUILTIN_PLAYERS, players_of
from rails_cli.players.levels import LEVELS
from rails_cli.protocol.lobby import QUICK_PHRASES
from rails_cli.study.lessons import has_lessons
from rails_cli.web.modules import bundle
from rails_cli.web.page import FONTS, fill, themed
from rails_cli.web.picture import read

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; font-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HTML = "text/html; charset=utf-8"
CSS = "text/css; charset=utf-8"
JAVASCRIPT = "text/javascript; charset=utf-8"
SVG = "image/svg+xml"
FONT = "font/woff2"
STYLES = ("server", "prompt", "hand", "track", "guide", "follow", "pool", "charts", "result", "lobby", "lesson")
"""Names of the style sheets that are joined, in this order, to one file for the server's pages."""
JSON = "application/json"
RULE_ID = re.compile(r"\b[A-Z]+-X?\d+\b")


class File(NamedTuple):
    """A file to send to browsers: `kind` is its content type, and `version` its ETag."""

    kind: str
    content: bytes
    version: str


def file_of(kind: str, content: bytes) -> File:
    return File(kind, content, f'"{hashlib.sha256(content).hexdigest()[:24]}"')


def fonts() -> tuple[dict[str, File], str]:
    """Return a dictionary from URL path to font file, and the CSS rules that load the fonts.

    The path of a font contains its version, so that browsers may cache the font without a time limit.
    """
    found, urls = {}, {}
    for name in FONTS:
        file = file_of(FONT, resources.files("rails_cli.web").joinpath(f"fonts/{name}.woff2").read_bytes())
        urls[name] = f"fonts/{name}-{file.version.strip(chr(34))}.woff2"
        found[f"/{urls[name]}"] = file
    return found, fill(read("fonts/fonts.css"), urls)


@cache
def files() -> dict[str, File]:
    """Return a dictionary from URL path to file, with all static files of the server's pages."""
    letters, lettering = fonts()
    scripts = {name: bundle(f"web/{name}") for name in ("app.js", "projector.js", "theme.js")}
    looks = [load_face(name).look for name in whole_games()]
    style = "".join(read(f"{name}.css") for name in STYLES)
    return {
        "/": file_of(HTML, read("server.html").encode()),
        "/projector": file_of(HTML, read("projector.html").encode()),
        "/page.css": file_of(CSS, (lettering + themed(style, looks)).encode()),
        "/projector.css": file_of(CSS, (lettering + themed(read("projector.css"), looks)).encode()),
        **letters,
        **{f"/{name}": file_of(SVG, read(name).encode()) for name in ("icon.svg", "icon-turn.svg")},
        **{f"/{name}": file_of(JAVASCRIPT, text.encode()) for name, text in scripts.items()},
    }


@cache
def rules_file(game: str) -> File:
    """Return the rule sheet of a game as an HTML page."""
    from markdown_it import MarkdownIt

    sheet = MarkdownIt("commonmark", {"html": False}).enable("table").render(rule_sheet(game))
    sheet = sheet.replace("<table>", '<table tabindex="0">')  # keys can scroll a wide table on a phone
    sheet = RULE_ID.sub(r'<span class="rule-id">\g<0></span>', sheet)
    return file_of(HTML, fill(read("rules.html"), {"title": escape(load_game(game).title), "rules": sheet}).encode())


class ChoiceOffered(msgspec.Struct):
    value: str
    words: str


class OptionOffered(msgspec.Struct):
    name: str
    question: str
    choices: list[ChoiceOffered]
    """Possible values of the option, the default first."""


class GameOffered(msgspec.Struct):
    name: str
    title: str
    about: str
    """Description of the game for users: its subject, duration and difficulty."""
    players: Sequence[int]
    options: list[OptionOffered]
    boards: list[str]
    has_openings: bool
    levels: list[str]
    """Names of the levels of built-in players for this game, easiest first."""
    difficulty: int
    """Difficulty of the game from 1 (suitable as a first game) to 5."""
    has_cover: bool
    """Whether the server has a picture of the game, at `board/NAME.svg`."""
    has_lessons: bool
    """Whether the page can teach the game step by step."""
    unit: str
    """Unit of scores: `$`, or a word such as `points`."""


class GameOffer(msgspec.Struct):
    """What a user can choose when creating a table: games with their options, and players that the server can seat."""

    games: list[GameOffered]
    """All games, the easiest first."""
    seats: list[str]
    phrases: Sequence[str]
    """Common phrases that players can send in the chat with one click."""
    has_pool: bool


def has_cover(face: Face) -> bool:
    """Return whether the lobby shows a picture of the game to which `face` belongs."""
    return face.guide is not None and face.guide.cover is not None


def games_file(bots: list[str], boards: dict[str, str], *, has_pool: bool = False) -> File:
    games = []
    for name in sorted(whole_games(), key=lambda name: (load_face(name).difficulty, name not in BUILT_IN_NAMES)):
        game, face = load_game(name), load_face(name)
        options = [
            OptionOffered(option, question, [ChoiceOffered(*choice) for choice in choices.items()])
            for option, (question, choices) in options_in_words(game, face).items()
        ]
        levels = [level for level in LEVELS if level in players_of(name)]
        own = [board for board, of in boards.items() if of == name]
        has_openings = load_openings(name) is not None
        games.append(
            GameOffered(
                *(name, game.title, face.about, game.players, options, own, has_openings, levels),
                *(face.difficulty, has_cover(face), has_lessons(name), face.unit),
            )
        )
    seats = [*(f"{BUILTIN}{name}" for name in BUILTIN_PLAYERS), *(f"bot:{name}" for name in bots)]
    return file_of(JSON, msgspec.json.encode(GameOffer(games, seats, QUICK_PHRASES, has_pool)))
