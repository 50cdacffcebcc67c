"""A logged game as a web page in one HTML file, which needs no other files."""

import base64
import hashlib
import re
from collections.abc import Sequence
from functools import cache
from html import escape
from importlib import resources

import msgspec

from rails_cli.games.faces.paints import Look, declared
from rails_cli.games.faces.svg import board_svg
from rails_cli.logs.signing import signed_words
from rails_cli.study.analysis.analysis import Analysis
from rails_cli.study.playback.recorded import Recorded
from rails_cli.web.modules import bundle
from rails_cli.web.picture import board_style, read
from rails_cli.web.story import BranchShown, PlayFrom, Story, story

FONTS = ("archivo", "besley", "italic")
"""Names of the fonts. For each font, `.ci/subset_fonts.py` makes a small version with fewer characters."""
_PLACEHOLDER = re.compile(r"\{\{([a-z]+)\}\}")


def replay_page(
    recorded: Recorded,
    observer: int,
    analysis: Analysis | None = None,
    analysis_at: str | None = None,
    back_at: str | None = None,
    branches: Sequence[BranchShown] = (),
    play_from: PlayFrom | None = None,
) -> str:
    """Return a web page about a logged game that contains only what the seat `observer` (or ALL_SEATS) could see.

    `analysis_at` is the URL of the page with an analysis, and `back_at` the URL of the previous page. If a URL is None,
    its link is left out. `branches` are games that continue this game in another way. `play_from` says how to continue
    the game.
    """
    content = story(recorded, observer, analysis, branches, play_from)
    base = recorded.face.board_map(recorded.wire_board).base()
    style, script = themed(read("style.css") + read("charts.css"), [recorded.face.look]), bundle("web/replay.js")
    filled = {
        "heading": escape(content.game),
        "back": "" if back_at is None else f'<a class="back" href="{escape(back_at)}">← Back</a>',
        "signed": "" if recorded.signing is None else f"<p>Log {escape(signed_words(recorded.signing))}.</p>",
        "board": board_svg(base),
        "legend": escape(base.legend),
        "analysis": ""
        if analysis_at is None
        else f'<p><a href="{escape(analysis_at)}">What decided this game?</a></p>',
        "story": harmless_json(content),
    }
    title = f"{content.game}: {', '.join(player.name for player in content.players)}"
    return standalone_page(title, fill(read("replay.html"), filled), style, script)


def standalone_page(title: str, body: str, style: str, script: str) -> str:
    """Return an HTML page in a single file. `body` is HTML, `style` is CSS, and `script` is JavaScript.

    Its content security policy allows only `script`, `style` and the embedded fonts, and no requests.
    """
    style = _embedded_fonts() + style
    allowed = f"script-src {_hash(script)}; style-src {_hash(style)}; font-src data:"
    policy = f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'"
    parts = {"policy": escape(policy), "title": escape(title), "style": style, "body": body, "script": script}
    return fill(read("standalone.html"), parts)


@cache
def _embedded_fonts() -> str:
    """Return CSS rules that contain the small fonts, which have only the characters of English texts.

    The rules have 72 kB.
    """
    folder = resources.files("rails_cli.web").joinpath("fonts")
    urls = {
        name: f"data:font/woff2;base64,{base64.b64encode(folder.joinpath(f'{name}-small.woff2').read_bytes()).decode()}"
        for name in FONTS
    }
    return fill(read("fonts/fonts.css"), urls)


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def fill(template: str, parts: dict[str, str]) -> str:
    """Return a template with each placeholder `{{name}}` replaced by `parts[name]`. The parts are not escaped."""
    return _PLACEHOLDER.sub(lambda found: parts[found[1]], template)


def themed(more: str, looks: Sequence[Look]) -> str:
    """Return the style sheet of a page: the colours of both themes, the rules for boards and all pages, and `more`.

    `looks` are the colours and styles of the games on the page.
    """
    themes = two_themes(declared("light", looks), declared("dark", looks))
    return f"{themes}{board_style(looks)}{read('common.css')}{more}"


def two_themes(light: str, dark: str) -> str:
    """Return CSS that selects the light or dark theme, given the CSS declarations of both.

    The attribute `data-theme` overrides the preference of the browser.
    """
    return (
        f":root{{{light}color-scheme:light}}\n"
        f"@media (prefers-color-scheme:dark){{:root{{{dark}color-scheme:dark}}}}\n"
        f":root[data-theme=light]{{{light}color-scheme:light}}\n"
        f":root[data-theme=dark]{{{dark}color-scheme:dark}}\n"
    )


def harmless_json(content: Story) -> str:
    """Return `content` as JSON that is safe inside an HTML element: characters such as `<` are escaped."""
    written = msgspec.json.encode(content).decode()
    for sign in "<>&\u2028\u2029":
        written = written.replace(sign, f"\\u{ord(sign):04x}")
    return written
