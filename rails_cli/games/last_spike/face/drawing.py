"""The map of The Last Spike as SVG.

It shows cities, routes with track and empty places, and the completed line. A city is drawn as a plate: a rectangle
with the name and the properties of the city. All lengths are in SVG units.
"""

from collections import Counter
from collections.abc import Collection, Iterator
from functools import lru_cache
from html import escape
from itertools import combinations
from math import hypot, sqrt
from textwrap import wrap
from typing import Any, NamedTuple

from rails_cli.games.faces.paints import Look, seat_paint, spot_paint
from rails_cli.games.faces.svg import Base, SvgMark, element, number, rows_of, text_mark, use_mark
from rails_cli.games.game import WireBoard
from rails_cli.games.last_spike.face import scenery
from rails_cli.games.last_spike.face.maps import thousands
from rails_cli.games.last_spike.face.panels import completed_line, line_sentence
from rails_cli.games.shared.text import printable
from rails_cli.protocol.last_spike import City, View

WIDTH = 1000
HEIGHT = 650
"""Usual height of the drawing in SVG units.

WIDTH is its usual width. A crowded board is drawn larger, up to LARGEST times.
"""
NARROWEST, FLATTEST = 0.9, 2.2
"""Smallest and largest width of a drawing, as a multiple of its height."""
LARGEST = 3.0
PLATE_WIDTH = 116
PLATE_HEIGHT = 62
"""Height in SVG units of a plate with one row of properties. PLATE_WIDTH is the width of every plate."""
BORDER_X = 22
BORDER_Y = 17
"""Vertical distance in SVG units of the outermost plates from the frame. BORDER_X is the horizontal distance."""
HEAD = 25
"""Height in SVG units of the coloured part of a plate, which has the name of the city."""
LONGEST_NAME = 11
"""Maximum number of letters in a city name that fits on a plate. A longer name is compressed."""
DEED_WIDTH = 13
DEED_HEIGHT = 21
DEED_PITCH = 14
DEED_ROW = 24
LONGEST_ROW = 5
HALF = 17
"""Half the width of a route in SVG units."""
SHORTEST_PIECE = 28
GAP = 9
"""Distance in SVG units between a plate and the track."""
APART = 50
"""Distance in SVG units between two routes that connect the same cities."""
SLEEPERS = 5
SIGN_DISTANCE = 31
CAPTION_LETTERS = (46, 30)
"""Maximum number of letters in a line of a caption.

The first number is for a wide caption, the second for a narrow one.
"""
CAPTION_LETTER = 8.5
CAPTION_LINE = 20
GROUNDS = 16
"""Maximum number of cached grounds. A ground is the background of the map: land, water and decoration.

Drawing a ground takes a fifth of the time to make a page, and most pages show the same board.
"""

TILE = "track-tile"
"""Id of the SVG definition of the track on tiles. A tile is a picture of a piece in a player's hand."""
STAR = "m0 -6l1.8 3.9l4.2 .5l-3.1 2.9l.8 4.2l-3.7 -2.1l-3.7 2.1l.8 -4.2l-3.1 -2.9l4.2 -.5z"

LOOK = Look(
    scenery.COLOURS
    | {
        "bed": ("#f6f0e0", "#22282a"),
        "socket": ("#fbf7ec", "#2b3233"),
        "socket-edge": ("#a89c80", "#6f7672"),
        "socket-ink": ("#20231f", "#fbf6ea"),
        "socket-cost": ("#574f3d", "#d9d2bf"),
        "ballast": ("#cfc4ae", "#4a463e"),
        "sleeper": ("#6a4a2e", "#8a6844"),
        "steel": ("#cfd6d8", "#e6ebec"),
        "steel-edge": ("#2b2f31", "#0c0e0f"),
        "plate": ("#fffdf8", "#1a2223"),
        "deed": ("#f5f0e5", "#141b1c"),
        "deed-edge": ("#d9d0bf", "#3a4546"),
        "lined": ("#8a6210", "#eac470"),
        "gold-ballast": ("#f6cf5f", "#a8842c"),
        "gold-sleeper": ("#a8720c", "#6b4704"),
        "gold-steel": ("#fff3c8", "#fff3c8"),
        "gold-edge": ("#6b4704", "#3d2902"),
        "gold-glow": ("#ffcf4a", "#ffcf4a"),
        "sign": ("#fff6d8", "#fff6d8"),
        "sign-edge": ("#8a6210", "#8a6210"),
        "caption-ink": ("#1e2a2c", "#efe8d8"),
    },
    scenery.STYLE
    + """\
.board .bed{fill:none;stroke:var(--bed);stroke-width:37;opacity:.92}
.board .socket{fill:var(--socket);stroke:var(--socket-edge);stroke-width:1.3;stroke-dasharray:3.5 3}
.board .socket-id,.board .socket-cost,.board .price{font-size:var(--small-text,13.6px)}
.board .socket-id{font-weight:750;font-stretch:80%;fill:var(--socket-ink)}
.board .socket-cost{font-weight:550;font-stretch:76%;fill:var(--socket-cost)}
.board .socket-id,.board .socket-cost{pointer-events:none}
.board .reach{fill:none;stroke:var(--socket-cost);stroke-width:1.6;stroke-dasharray:3.5 3}
.board .held{fill:none;stroke:var(--lined);stroke-width:3;stroke-linejoin:round}
.board .picked{fill:none;stroke:var(--gold-glow);stroke-width:8;stroke-linejoin:round}
.ballast{fill:var(--ballast)}
.sleeper{fill:none;stroke:var(--sleeper);stroke-width:3.8}
.steel-edge{fill:none;stroke:var(--steel-edge);stroke-width:4.8}
.steel{fill:none;stroke:var(--steel);stroke-width:2.6}
.golden .ballast{fill:var(--gold-ballast)}
.golden .sleeper{stroke:var(--gold-sleeper)}
.golden .steel-edge{stroke:var(--gold-edge)}
.golden .steel{stroke:var(--gold-steel)}
.board .gleam{fill:none;stroke:var(--gold-glow);stroke-width:44;opacity:.8}
.board .laid[class~=unsent]{filter:drop-shadow(0 0 5px var(--gold-glow))}
.board .plate-shadow{fill:#000;opacity:.18}
.board .plate{fill:var(--plate);stroke-width:1.6;stroke-dasharray:none}
.board .terminus{stroke:var(--lined);stroke-width:3.5}
.board .plate-name{font-size:14.5px;font-weight:700;font-stretch:84%;fill:inherit;stroke:none}
.board .deed{fill:var(--deed);stroke:var(--deed-edge)}
.board .deed-letter{font-size:12px}
.board .deed-letter.two-letters{font-stretch:62%}
.board .gone{font-size:16px;fill:var(--faint)}
.board .price{font-weight:700;font-stretch:82%;fill:var(--gain)}
.spike-disc{fill:var(--sign);stroke:var(--sign-edge);stroke-width:1.6}
.spike{fill:var(--sign-edge)}
.board .line-caption{fill:var(--plate);stroke:var(--lined);stroke-width:2}
.board .line-caption-text{font-family:"Besley",Georgia,"DejaVu Serif","DejaVu Sans",serif;font-style:italic}
.board .line-caption-text{font-weight:600;font-size:15px;fill:var(--caption-ink)}
[data-zoom] .deed-letter{font-size:clamp(12px,var(--letter,0px),15.7px);font-stretch:80%}
[data-zoom] .deed-letter.two-letters{font-size:clamp(12px,var(--letter,0px),12.5px);font-stretch:62%}
[data-zoom] .deed-letter{translate:0 calc(.36*(1em - 12px))}
[data-zoom] .plate-name{font-size:clamp(14.5px,var(--letter,0px),15.7px)}
[data-zoom=far] :is(.socket-id,.socket-cost,.price,.deed-letter,.gone,.region,[class^=line-caption]){display:none}
[data-zoom=far] .plate-name{font-size:var(--letter,0px);font-stretch:62%;translate:0 calc(.36*(1em - 14.5px))}
""",
)


class Slot(NamedTuple):
    """The place of a piece on the map: its middle, the direction of its route, its length and its outline.

    `track` is the number of an SVG definition: the track with this direction and length.
    """

    x: float
    y: float
    along_x: float
    along_y: float
    length: float
    outline: str
    track: int


class Box(NamedTuple):
    """A rectangle in SVG units."""

    left: float
    top: float
    right: float
    bottom: float

    def has(self, x: float, y: float, margin: float) -> bool:
        """Return whether a point lies in the rectangle, enlarged by `margin` on each side."""
        return self.left - margin < x < self.right + margin and self.top - margin < y < self.bottom + margin

    def attributes(self) -> dict[str, str]:
        return {
            "x": number(self.left),
            "y": number(self.top),
            "width": number(self.right - self.left),
            "height": number(self.bottom - self.top),
        }


@lru_cache(GROUNDS)
def _ground(
    width: int, height: int, is_standard: bool, plates: tuple[Box, ...], pieces: tuple[tuple[float, float], ...]
) -> str:
    """Return the ground as SVG: the background of the map with its decoration.

    The decoration does not cover the rectangles `plates` or the pieces whose middles are `pieces`. `is_standard` says
    whether the board is the standard board.
    """

    def is_free(x: float, y: float) -> bool:
        if is_standard and scenery.is_near_region(x * WIDTH / width, y * HEIGHT / height):
            return False
        return not any(box.has(x, y, 16) for box in plates) and all(
            hypot(x - at_x, y - at_y) > 1.8 * HALF for at_x, at_y in pieces
        )

    return scenery.scenery(width, height, is_standard=is_standard, is_free=is_free)


class RouteMap:
    """A board of cities and routes, drawn as SVG. These dictionaries have ids as keys:

    - `plates`: the rectangle of each city.
    - `slots`: the `Slot` of each piece.
    - `places`: the coordinates of the middle of each city and piece.
    - `labels`: the marks with the id and the price of each piece.

    Plates have the same size on all boards. The routes between them fill the frame.
    """

    def __init__(self, board: WireBoard, ratio: float = WIDTH / HEIGHT) -> None:
        """Lay out the map for a frame whose width divided by its height is `ratio`."""
        self.board = board
        cities = board["cities"]
        west, north = min(city["x"] for city in cities), min(city["y"] for city in cities)
        wide = max(max(city["x"] for city in cities) - west, 1)
        high = max(max(city["y"] for city in cities) - north, 1)
        is_flat = len({city["y"] for city in cities}) == 1
        at = {
            city["id"]: ((city["x"] - west) / wide, 0.5 if is_flat else (city["y"] - north) / high) for city in cities
        }
        self.tallest = max(_plate_height(city) for city in cities)
        side, top = BORDER_X + PLATE_WIDTH / 2, BORDER_Y + self.tallest / 2
        across = sqrt(WIDTH * HEIGHT * ratio)
        down = across / ratio
        larger = self._enlargement(at, across - 2 * side, down - 2 * top)
        self.width, self.height = round(across * larger), round(down * larger)
        self.middles = {
            city: (round(side + x * (self.width - 2 * side), 1), round(top + y * (self.height - 2 * top), 1))
            for city, (x, y) in at.items()
        }
        self.plates = {city["id"]: self._plate_box(city) for city in cities}
        self.paints = {city["id"]: spot_paint(place) for place, city in enumerate(cities)}
        self.slots: dict[str, Slot] = {}
        self.labels: dict[str, list[SvgMark]] = {}
        self.tracks: list[tuple[float, float, float]] = []
        between = Counter(frozenset((route["from"], route["to"])) for route in board["routes"])
        drawn: Counter[frozenset[str]] = Counter()
        for route in board["routes"]:
            ends = frozenset((route["from"], route["to"]))
            aside = APART * (drawn[ends] - (between[ends] - 1) / 2)
            drawn[ends] += 1
            self._place_pieces(route, aside if min(ends) == route["from"] else -aside)
        self.places = self.middles | {piece: (slot.x, slot.y) for piece, slot in self.slots.items()}

    def fitted(self, ratio: float) -> "RouteMap":
        """Return a drawing of the same board for a frame whose width divided by its height is `ratio`.

        A very narrow or flat frame is not filled, because plates would be too close together.
        """
        return RouteMap(self.board, min(max(ratio, NARROWEST), FLATTEST))

    def _enlargement(self, at: dict[str, tuple[float, float]], wide: float, high: float) -> float:
        """Return how many times larger than usual the drawing must be, so that plates and pieces have enough room.

        `wide` and `high` are the usual distances between the outermost cities. `at` maps city ids to coordinates, as
        fractions of these distances.
        """
        needed = [1.0]
        for (x, y), (other_x, other_y) in combinations(at.values(), 2):
            across, down = wide * abs(x - other_x), high * abs(y - other_y)
            needed.append(min((PLATE_WIDTH + GAP) / max(across, 1), (self.tallest + GAP) / max(down, 1)))
        for route in self.board["routes"]:
            (x, y), (other_x, other_y) = at[route["from"]], at[route["to"]]
            across, down = wide * abs(x - other_x), high * abs(y - other_y)
            length = max(hypot(across, down), 1)
            track = SHORTEST_PIECE * len(route["pieces"])
            needed.append((track + 2 * self._gap(across / length, down / length)) / length)
        return min(max(needed), LARGEST)

    def _gap(self, along_x: float, along_y: float) -> float:
        """Return how far from the middle of a plate the track begins, for track in the given direction."""
        to_edge = min(PLATE_WIDTH / 2 / max(abs(along_x), 0.01), self.tallest / 2 / max(abs(along_y), 0.01))
        return to_edge + GAP

    def _plate_box(self, city: dict[str, Any]) -> Box:
        x, y = self.middles[city["id"]]
        left, top = x - PLATE_WIDTH / 2, y - _plate_height(city) / 2
        return Box(left, top, left + PLATE_WIDTH, top + _plate_height(city))

    def _place_pieces(self, route: dict[str, Any], aside: float) -> None:
        """Add the pieces of a route to `slots` and `labels`.

        The route is moved sideways by `aside` SVG units, so that several routes between the same cities do not overlap.
        """
        (x, y), (to_x, to_y) = self.middles[route["from"]], self.middles[route["to"]]
        length = max(hypot(to_x - x, to_y - y), 1)
        along_x, along_y = (to_x - x) / length, (to_y - y) / length
        gap = min(0.36 * length, self._gap(along_x, along_y))
        x, y = x - along_y * aside, y + along_x * aside
        each = (length - 2 * gap) / len(route["pieces"])
        track = self._track(along_x, along_y, each)
        for place, piece in enumerate(route["pieces"]):
            middle = gap + each * (place + 0.5)
            at_x, at_y = x + along_x * middle, y + along_y * middle
            half, across = each / 2 - 1.2, HALF - 1.5
            corners = [
                (at_x + along_x * a * half - along_y * b * across, at_y + along_y * a * half + along_x * b * across)
                for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))
            ]
            outline = "M" + "L".join(f"{number(one)} {number(other)}" for one, other in corners) + "z"
            slot = Slot(round(at_x, 1), round(at_y, 1), along_x, along_y, each, outline, track)
            self.slots[piece["id"]] = slot
            self.labels[piece["id"]] = [
                text_mark("dashes", "socket-id", slot.x, slot.y - 1.2, printable(piece["id"])),
                text_mark("dashes", "socket-cost", slot.x, slot.y + 11.6, thousands(piece["cost"])),
            ]

    def _track(self, along_x: float, along_y: float, length: float) -> int:
        """Return the number of the SVG definition of track with this direction and length. Add a missing definition.

        Opposite directions share a definition, because their track looks the same.
        """
        turned = (along_x, along_y) if (along_x, along_y) > (-along_x, -along_y) else (-along_x, -along_y)
        track = (round(turned[0], 4), round(turned[1], 4), round(length, 1))
        if track not in self.tracks:
            self.tracks.append(track)
        return self.tracks.index(track)

    # The static part

    def base(self) -> Base:
        definitions = [
            scenery.gradient(self.width),
            element("rect", {"id": "deed", "width": str(DEED_WIDTH), "height": str(DEED_HEIGHT), "rx": "2.5"}),
            _spike_sign(),
            element("g", {"id": TILE}, _track_shapes(150, 11)),
        ]
        for track, (along_x, along_y, length) in enumerate(self.tracks):
            turn = {"transform": f"matrix({along_x} {along_y} {-along_y} {along_x} 0 0)"}
            shapes = _track_shapes(length, SLEEPERS)
            definitions.append(element("g", {"id": f"track-{track}", **turn}, shapes))
            definitions.append(element("g", {"id": f"gold-{track}", "class": "golden", **turn}, shapes))
        plates, pieces = tuple(self.plates.values()), tuple((slot.x, slot.y) for slot in self.slots.values())
        ground = _ground(self.width, self.height, self.board["name"] == "standard", plates, pieces)
        return Base(
            self.width,
            self.height,
            f"Board: {printable(self.board['title'])}",
            "dashed: not laid, darker if it touches a city or a laid piece; brass edge: in your hand; "
            "sign with a spike: would be the last spike; gold: the completed line",
            "".join(definitions),
            ground + "".join(self._route(route) for route in self.board["routes"]),
            "".join(self._city(city) for city in self.board["cities"]),
        )

    def _route_line(self, route: dict[str, Any]) -> str:
        """Return an SVG path along the whole route."""
        first, last = (self.slots[route["pieces"][end]["id"]] for end in (0, -1))
        from_x, from_y = first.x - first.along_x * first.length / 2, first.y - first.along_y * first.length / 2
        to_x, to_y = last.x + last.along_x * last.length / 2, last.y + last.along_y * last.length / 2
        return f"M{number(from_x)} {number(from_y)}L{number(to_x)} {number(to_y)}"

    def _route(self, route: dict[str, Any]) -> str:
        parts = [element("path", {"class": "bed", "d": self._route_line(route)})]
        for piece in route["pieces"]:
            slot = self.slots[piece["id"]]
            title = f"{piece['id']} of route {route['id']}, {route['from']} to {route['to']}: costs ${piece['cost']:,}"
            drawn = element("title", {}, escape(printable(title)))
            drawn += element("path", {"class": "socket", "d": slot.outline})
            parts.append(element("g", {"data-place": printable(piece["id"])}, drawn))
        return "".join(parts)

    def _city(self, city: dict[str, Any]) -> str:
        box, paint = self.plates[city["id"]], self.paints[city["id"]]
        is_end = city["id"] in (self.board["start_city"], self.board["end_city"])
        pays = ", ".join(f"${amount:,}" for amount in city["payout"])
        prices = ", ".join(f"${lot['price']:,}" for lot in city["properties"])
        title = f"{city['name']} ({city['id']}): properties at {prices}; pays {pays} for 1, 2, ... of them"
        shadow = Box(box.left + 1, box.top + 3, box.right + 1, box.bottom + 3)
        head = (
            f"M{number(box.left + 0.8)} {number(box.top + HEAD)}v-17a8 8 0 0 1 8 -8h{PLATE_WIDTH - 17.6}"
            f"a8 8 0 0 1 8 8v17z"
        )
        edge = "terminus" if is_end else f"rail-{paint}"
        drawn = element("title", {}, escape(printable(title)))
        drawn += element("rect", {"class": f"plate {edge}", "rx": "9", **box.attributes()})
        drawn += element("path", {"class": f"paint-{paint}", "d": head})
        drawn += element("g", {"class": f"on-{paint}"}, _plate_name(city, box, is_end=is_end))
        for deed_x, deed_y in self._deeds(city):
            drawn += use_mark("", "deed", deed_x, deed_y, "deed").svg()
        below = element("rect", {"class": "plate-shadow", "rx": "9", **shadow.attributes()})
        return below + element("g", {"data-place": printable(city["id"])}, drawn)

    def _deeds(self, city: dict[str, Any]) -> list[tuple[float, float]]:
        """Return the upper left corner of each property on the plate of a city, as (x, y)."""
        box = self.plates[city["id"]]
        return [
            (box.left + 6 + DEED_PITCH * column, box.top + 33 + DEED_ROW * row)
            for row, length in enumerate(_deed_rows(city))
            for column in range(length)
        ]

    # A position

    def marks(self, view: View, touched: Collection[str] = ()) -> list[SvgMark]:
        """Return the marks of a position: track, the pieces of the viewer, owners of properties, prices and a caption.

        The laid pieces in `touched` are highlighted. A complete line from the start city to the end city is drawn in
        gold, and a caption lists its cities.
        """
        line = completed_line(self.board, view)
        return [*self._line(line), *self._pieces(view, touched, line), *self._owners(view)]

    def _pieces(self, view: View, touched: Collection[str], line: list[Any]) -> Iterator[SvgMark]:
        golden = {route["id"] for route in line}
        for route in view.routes:
            for piece in route.laid:
                slot = self.slots[piece]
                yield use_mark(
                    "rails", "laid", slot.x, slot.y, f"{'gold' if route.id in golden else 'track'}-{slot.track}"
                )
                if piece in touched:
                    yield SvgMark("hot", "path", (("class", "hot"), ("d", slot.outline)))
        asked = view.question
        if asked is not None and asked.piece is not None:
            yield SvgMark("casing", "path", (("class", "picked"), ("d", self.slots[asked.piece].outline)))
        own = [] if view.seat is None else view.players[view.seat].hand or []
        for piece in own:
            yield SvgMark("rails", "path", (("class", "held"), ("d", self.slots[piece].outline)))
        for route in view.routes:  # marks, because the edges of other pieces would cut labels in the static part
            yield from (label for piece in route.missing for label in self.labels[piece])
        for piece in view.touching:
            if piece not in own:
                yield SvgMark("rails", "path", (("class", "reach"), ("d", self.slots[piece].outline)))
        for piece in [] if view.has_ended else view.last_spikes:
            slot = self.slots[piece]
            side = SIGN_DISTANCE if slot.along_x > 0 else -SIGN_DISTANCE
            yield use_mark("pieces", "", slot.x + side * slot.along_y, slot.y - side * slot.along_x, "spike-sign")

    def _owners(self, view: View) -> Iterator[SvgMark]:
        owners = {lot: player.seat for player in view.players for lot in player.properties}
        for city, now in zip(self.board["cities"], view.cities, strict=True):
            for lot, (x, y) in zip(city["properties"], self._deeds(city), strict=True):
                middle = x + DEED_WIDTH / 2
                seat = owners.get(lot["id"])
                if seat is not None:
                    paint = seat_paint(seat)
                    yield use_mark("pieces", f"piece paint-{paint}", x, y, "deed")
                    yield text_mark("pieces", f"deed-letter on-{paint}", middle, y + 15, str(seat + 1))
                elif lot["id"] not in now.pile:
                    yield text_mark("pieces", "gone", middle, y + 16, "×")
            box = self.plates[city["id"]]
            yield text_mark("values", "price", box.right - 20, box.bottom - 13.5, _offer(now))

    def _line(self, line: list[Any]) -> Iterator[SvgMark]:
        """Yield the marks along the routes in `line`, the completed line, and a caption that lists the line.

        Before a line is complete, `line` is empty, and there is nothing to mark.
        """
        if not line:
            return
        for route in line:
            yield SvgMark("casing", "path", (("class", "gleam"), ("d", self._route_line(route))))
        captions = [wrap(printable(line_sentence(self.board, line)), most) for most in CAPTION_LETTERS]
        boxes = [self._caption_box(rows) for rows in captions]
        box, rows = min(zip(boxes, captions, strict=True), key=lambda caption: self._covered_by(caption[0]))
        across, down = number(box.right - box.left - 20), number(box.bottom - box.top - 20)
        shape = (
            f"M{number(box.left + 10)} {number(box.top)}h{across}a10 10 0 0 1 10 10v{down}a10 10 0 0 1 -10 10h-{across}"
            f"a10 10 0 0 1 -10 -10v-{down}a10 10 0 0 1 10 -10z"
        )
        yield SvgMark("values", "path", (("class", "line-caption"), ("d", shape)))
        for place, row in enumerate(rows):
            y = box.top + 22 + CAPTION_LINE * place
            yield text_mark("values", "line-caption-text", (box.left + box.right) / 2, y, row)

    def _caption_box(self, rows: list[str]) -> Box:
        """Return a rectangle for a caption with the text lines `rows`.

        It lies in a corner of the map: the corner where it covers the fewest cities and pieces.
        """
        wide, high = CAPTION_LETTER * max(map(len, rows)) + 28, CAPTION_LINE * len(rows) + 16
        margin = 12
        corners = [
            Box(left, top, left + wide, top + high)
            for left, top in (
                (margin, self.height - high - margin),
                (self.width - wide - margin, margin),
                (margin, margin),
                (self.width - wide - margin, self.height - high - margin),
            )
        ]
        return min(corners, key=self._covered_by)

    def _covered_by(self, box: Box) -> int:
        """Return the number of cities and pieces that a rectangle would cover."""
        points = [
            *((slot.x, slot.y, HALF) for slot in self.slots.values()),
            *((x, y, PLATE_WIDTH / 2) for x, y in self.middles.values()),
        ]
        return sum(box.has(*point) for point in points)


def _deed_rows(city: dict[str, Any]) -> Any:
    return rows_of(len(city["properties"]), LONGEST_ROW)


def _plate_height(city: dict[str, Any]) -> int:
    return PLATE_HEIGHT + DEED_ROW * (len(_deed_rows(city)) - 1)


def _plate_name(city: dict[str, Any], box: Box, *, is_end: bool) -> str:
    """Return the name of a city for its plate as SVG. A long name is compressed. The two end cities have a star."""
    name = printable(city["name"] or city["id"])
    x, y = (box.left + box.right) / 2, box.top + 18
    room = PLATE_WIDTH - 10
    star = ""
    if is_end:
        star = element("path", {"d": f"M{number(box.left + 11)} {number(y - 4.5)}{STAR}"})
        x, room = x + 7, room - 14
    at = {"class": "plate-name", "x": number(x), "y": number(y)}
    if len(name) > LONGEST_NAME:
        at |= {"textLength": str(room), "lengthAdjust": "spacingAndGlyphs"}
    return star + element("text", at, escape(name))


def _track_shapes(length: float, sleepers: int) -> str:
    """Return a piece of track as SVG, centred on the origin, in the direction of the x axis."""
    half, pitch = length / 2, length / sleepers
    ballast = Box(-half, -HALF, half, HALF)
    crossing = "".join(f"M{number(-half + pitch * (sleeper + 0.5))} -13.5v27" for sleeper in range(sleepers))
    rails = "".join(f"M{number(-half)} {y}h{number(length)}" for y in ("-7.5", "7.5"))
    return (
        element("rect", {"class": "ballast", **ballast.attributes()})
        + element("path", {"class": "sleeper", "d": crossing})
        + element("path", {"class": "steel-edge", "d": rails})
        + element("path", {"class": "steel", "d": rails})
    )


def _spike_sign() -> str:
    """Return the sign for a piece that would end the game: a spike on a disc."""
    disc = element("path", {"class": "spike-disc", "d": "M-10 0a10 10 0 0 1 20 0a10 10 0 0 1 -20 0z"})
    spike = element("path", {"class": "spike", "d": "M-3.6 -5.4h7.2v2.6h-2.2v6l-1.4 3.4l-1.4 -3.4v-6h-2.2z"})
    return element("g", {"id": "spike-sign"}, disc + spike)


def _offer(city: City) -> str:
    if not city.free_taken:
        return "free"
    return "sold" if city.price is None else thousands(city.price)
