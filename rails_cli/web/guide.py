"""The illustrated guide of a game as a web page: cropped boards of real positions with short texts."""

import re
from collections.abc import Iterator
from html import escape
from typing import Any

from rails_cli.games import load_face, load_game, standard_board
from rails_cli.games.faces.guides import Guide, GuidePicture
from rails_cli.games.faces.svg import Base, board_svg, element, number
from rails_cli.games.game import PUBLIC
from rails_cli.match.match import Match, header_of
from rails_cli.players.builtin import ChancePlayer, ThinkingPlayer, builtin_player
from rails_cli.protocol.log import PlayerLine
from rails_cli.study.lessons import has_lessons
from rails_cli.web.page import fill
from rails_cli.web.picture import read
from rails_cli.web.site import HTML, SVG, File, file_of, rules_file

CROP_WIDTH = 300.0
"""Smallest width, in SVG units, of the part of a board that a picture shows."""
CROP_RATIO = 1.9
"""Ratio of the width of every picture to its height."""
GROUND = "guide-ground"
"""Id of the SVG group with the ground of the board. All pictures of a guide refer to this group."""
NAMES = "guide-names"
"""Id of the SVG group with the names on the board. All pictures of a guide refer to this group."""
_REFERENCE = re.compile(r'\bid="|\bhref="#|url\(#')
"""Pattern of the text before an id in SVG, both in the definition of the id and in references to it."""
_ON_DEMAND = re.compile(r'<text class="[^"]*\bon-demand\b[^>]*>[^<]*</text>')
"""Pattern of a text on a board that is hidden until players turn it on at a table. Pictures never show such texts."""
_TOOLTIP = re.compile("<title>[^<]*</title>")
MARGIN = 60.0
"""Minimum space in SVG units around the places that a picture must show, except at the edge of the board."""


def guide_file(name: str) -> File:
    """Return the guide of a game as an HTML page. If the game has no guide, return its rule sheet."""
    guide = load_face(name).guide
    if guide is None:
        return rules_file(name)
    title = escape(load_game(name).title)
    shared, pictures = guide_pictures(name, guide)
    parts = {
        "title": title,
        "about": escape(guide.about),
        "game": escape(name),
        "learn": f' <a href="../#learn/{escape(name)}">Learn it step by step</a>' if has_lessons(name) else "",
        "shared": shared,
        "pictures": "".join(_item(picture, drawn) for picture, drawn in pictures),
    }
    return file_of(HTML, fill(read("guide.html"), parts).encode())


def cover_file(name: str) -> File:
    """Return the picture of a game for the lobby page, as SVG. The game must have a guide with a cover.

    The picture has no style of its own, because the page that contains it has the style of boards. All ids in the
    picture begin with the name of the game, so that a page can contain the pictures of several games.
    """
    face = load_face(name)
    guide = face.guide
    assert guide is not None
    assert guide.cover is not None
    match, players = _new_match(name, guide)
    for _ in range(guide.cover.actions):
        if match.seat is not None:
            match.submit(match.seat, players[match.seat].choose(match))
    drawn: Any = face.board_map(load_game(name).wire_board(standard_board(name)))
    base = drawn.base()
    box = _crop([drawn.places[one] for one in guide.cover.places], base.width, base.height)
    svg = _cropped(board_svg(base, drawn.marks(match.view_for(PUBLIC))), box)
    seen = _TOOLTIP.sub("", _ON_DEMAND.sub("", svg))  # a third of all elements, which each page would have to style
    return file_of(SVG, _REFERENCE.sub(rf"\g<0>{name}-", seen).encode())


def guide_pictures(name: str, guide: Guide) -> tuple[str, list[tuple[GuidePicture, str]]]:
    """Return the SVG code that all pictures of a guide use, and each picture with its own SVG code.

    `name` is the name of the game. Raise LookupError if a picture fits no position of the game.
    """
    face = load_face(name)
    board = load_game(name).wire_board(standard_board(name))
    drawn: Any = face.board_map(board)
    base = drawn.base()
    part = base._replace(definitions="", ground=f'<use href="#{GROUND}"/>', names=f'<use href="#{NAMES}"/>')
    wanted = list(enumerate(guide.pictures))
    found: dict[int, tuple[GuidePicture, str]] = {}
    for view, events in _positions(name, guide):
        for place, picture in wanted:
            shown = picture.places(board, view, events)
            if shown:
                box = _crop([drawn.places[one] for one in shown], base.width, base.height)
                marks = drawn.marks(view, face.touched(events))
                found[place] = picture, _cropped(board_svg(part._replace(title=picture.title), marks), box)
        wanted = [(place, picture) for place, picture in wanted if place not in found]
        if not wanted:
            return _shared(base), [found[place] for place in sorted(found)]
    raise LookupError(f"no position for {', '.join(picture.title for _, picture in wanted)}")


def _shared(base: Base) -> str:
    """Return an invisible SVG element with the static part of a board. The pictures refer to the groups in it.

    The groups have the class `board`, because CSS selectors for a referenced group do not match elements outside the
    group.
    """
    ground = element("g", {"id": GROUND, "class": "board"}, element("g", {"class": "ground"}, base.ground))
    names = element("g", {"id": NAMES, "class": "board"}, element("g", {"class": "names"}, base.names))
    hidden = {"class": "board guide-shared", "width": "0", "height": "0", "aria-hidden": "true"}
    return element("svg", hidden, element("defs", {}, base.definitions + _ON_DEMAND.sub("", ground + names)))


def _positions(name: str, guide: Guide) -> Iterator[tuple[Any, list[Any]]]:
    """Play a game with built-in players. After each action, yield the view of the seat to move and the action's events.

    After the last action, yield the view and the events that a spectator sees.
    """
    match, players = _new_match(name, guide)
    while match.seat is not None:
        before = len(match.history)
        match.submit(match.seat, players[match.seat].choose(match))
        observer = PUBLIC if match.seat is None else match.seat
        yield match.view_for(observer), match.events_for(observer, before)


def _new_match(name: str, guide: Guide) -> tuple[Match, list[ChancePlayer | ThinkingPlayer]]:
    """Return the match from which the positions of `guide` come, at its start, and its built-in players by seat."""
    game = load_game(name)
    header = header_of(game, game.options_type(), guide.seed, [PlayerLine(guide.player)] * guide.players)
    players = [builtin_player(guide.player, name, guide.seed, seat) for seat in range(guide.players)]
    return Match(game, standard_board(name), header), players


def _cropped(svg: str, box: tuple[float, ...]) -> str:
    """Return the board `svg` cropped to the rectangle `box`: left, top, width and height in SVG units."""
    frame = f'viewBox="{" ".join(map(number, box))}" preserveAspectRatio="xMidYMid slice"'
    return re.sub('viewBox="[^"]*"', frame, svg, count=1)


def _crop(points: list[tuple[float, float]], width: float, height: float) -> tuple[float, float, float, float]:
    """Return a rectangle of a board that contains all `points`: left, top, width and height.

    `width` and `height` are those of the whole board. All numbers are in SVG units.
    """
    west, east = min(x for x, _ in points), max(x for x, _ in points)
    north, south = min(y for _, y in points), max(y for _, y in points)
    across = max(CROP_WIDTH, east - west + 2 * MARGIN, (south - north + 2 * MARGIN) * CROP_RATIO)
    down = across / CROP_RATIO
    left = min(max((west + east - across) / 2, 0), max(width - across, 0))
    top = min(max((north + south - down) / 2, 0), max(height - down, 0))
    return left, top, across, down


def _item(picture: GuidePicture, drawn: str) -> str:
    return (
        f'<li class="card"><div class="guide-picture">{drawn}</div>'
        f"<h2>{escape(picture.title)}</h2><p>{escape(picture.text)}</p></li>\n"
    )
