"""An SVG map of hexes: land, water and names, and for each position the networks, houses and values."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from html import escape
from typing import Any, NamedTuple

from rails_cli.games.faces.svg import REMEMBERED, Base, SvgMark, element, number, text_mark, use_mark
from rails_cli.games.game import WireBoard
from rails_cli.games.railways import card as cards
from rails_cli.games.railways.companies import companies_by_hex, letters, paints
from rails_cli.games.railways.gauges import ABOVE, BELOW, PITCH, Dial, Gauges
from rails_cli.games.railways.places import place_name
from rails_cli.games.railways.scenery import MARGIN, SIZE, Grid, Scenery
from rails_cli.games.shared.luck import stream
from rails_cli.games.shared.text import printable

SITE = SIZE - 2.2
"""Radius in SVG units of the light area of a city."""
TRACK_APART = 9.5
"""Distance in SVG units between the tracks of two companies in a hex."""
ROOM = 50
"""Width in SVG units that stations side by side in a hex share.

The more stations there are, the smaller each is drawn.
"""
FEW, SOME = 3, 5
"""Numbers of companies in a city that decide the size of stations.

Up to FEW companies have stations in full size, and up to SOME in medium size. More have the smallest size. In hexes
that are not cities, stations have full size only up to FEW - 1 companies.
"""
CARD_INSETS = (90, 50)
"""Horizontal and vertical distance in SVG units between the card (see `HexMap`) and the frame.

The buttons of a page need this space.
"""
MOST_PIPS = 12
"""Maximum number of steps of a value scale that is drawn as a row of dots. Longer scales are not drawn."""
WAY_DOT = 3.1
CHIEF_RISE = 1.6
"""Distance in SVG units by which an emphasised name is moved up. The value of the hex then does not cover the name."""
SEED = 4
VARIANTS = 4
TREES = ((-13, -11), (1, -15), (13, -9), (-17, 6), (17, 8))
PEAKS = ((-9, -7, 1.25), (11, -10, 0.9), (-17, 9, 0.6), (17, 8, 0.7))
"""The peaks of a hex as tuples (x, y, size). The coordinates are in SVG units from the centre of the hex."""
LAND = ("plain", "forest", "mountain")
COLOURED_SITES = ("industrial", "start")
"""Terrains that have their own colour for cities."""
GLYPHS = {"forest": "wood", "mountain": "rock"}
"""Dictionary from a terrain to the name of the shape drawn in its hexes: trees or peaks."""

Point = tuple[float, float]


class Lines(NamedTuple):
    """Positions of texts and stations in a hex, and sizes.

    Positions are distances below the centre of the hex in SVG units. `scale` is the size of stations, where 1 is the
    size on flat-top boards. `letters` is the font size of names.
    """

    name: float
    id: float
    city_stations: float
    value: float
    cost: float
    open_value: float
    """Vertical offset of a value that is not in a pill (a rounded rectangle)."""
    scale: float
    price: str
    """Horizontal and vertical offset of the current price of a hex, separated by a space."""
    city_price: str
    """Horizontal and vertical offset of the current price of a hex with a name, separated by a space."""
    letters: float


FLAT = Lines(
    name=4.6,
    id=-14,
    city_stations=-14.5,
    value=15.4,
    cost=19.2,
    open_value=19.2,
    scale=1,
    price="0 20",
    city_price="-15 19.2",
    letters=12.2,
)
POINTY = Lines(
    name=-12.5,
    id=-7,
    city_stations=0.5,
    value=20,
    cost=23,
    open_value=9,
    scale=1.18,
    price="0 15",
    city_price="0 36",
    letters=15.7,
)
WIDTHS = {**dict.fromkeys("fijlrtI.,'’ -", 0.25), **dict.fromkeys("mwMW★", 0.7)}
"""Dictionary from narrow and wide letters to their widths in a condensed font, as fractions of the font size."""


class Station(NamedTuple):
    """The look of a station: the name of its shape, its radius, and the baseline of the company's letter in it.

    Lengths are in SVG units.
    """

    shape: str
    radius: float
    baseline: float


STATIONS = (Station("", 8.2, 3.9), Station("narrow-", 5.8, 3.2), Station("slim-", 4, 2.4))


class HexFacts(NamedTuple):
    """Properties of a hex that do not change during a game: building cost, descriptions, and the look of its name.

    `cost` is None if building is impossible. If `is_starred`, a star is drawn at the name of the hex. If `is_chief`,
    the name is emphasised.
    """

    cost: int | None
    notes: Sequence[str]
    is_starred: bool = False
    is_chief: bool = False


class Value(NamedTuple):
    """The current value of a hex for a company.

    If no company is in the hex yet, `text` is its value for a single company, and `shared` its value for each of
    several companies. Otherwise `text` is the current value, and `shared` is empty.
    """

    text: str
    shared: str = ""


class HexMap:
    """A board of hexes that can be drawn as SVG.

    - `facts`: takes the data of a hex and returns its `HexFacts`.
    - `values`: takes a view and returns a mapping from hex ids to current values.
    - `scales`: mapping from hex ids to the number of steps of the hex's value scale.
    - `steps`: takes a view and returns a mapping from hex ids to the number of steps reached.
    - `dials`: mapping from the name of each dial to its number of steps.
    - `turned`: takes a view and returns a mapping from the names of dials to their positions.
    - `card`: a box with the title of the board, drawn in a corner without hexes.
    """

    def __init__(
        self,
        board: WireBoard,
        facts: Callable[[dict[str, Any]], HexFacts],
        values: Callable[[Any], Mapping[str, Value]],
        *,
        income: str = "income",
        more_legend: str,
        is_pointy: bool = False,
        scenery: Scenery | None,
        scales: Mapping[str, int] | None = None,
        steps: Callable[[Any], Mapping[str, int]] = lambda _: {},
        dials: Mapping[str, int] | None = None,
        turned: Callable[[Any], Mapping[str, Dial]] = lambda _: {},
        card: cards.Card | None = None,
    ) -> None:
        self.board = board
        hexes = board["hexes"]
        self.spots = {spot["id"]: spot for spot in hexes}
        self.facts = {spot["id"]: facts(spot) for spot in hexes}
        self.values = values
        self.usual = _usual_costs(hexes, self.facts)
        self.scales = {id: count for id, count in (scales or {}).items() if count <= MOST_PIPS}
        self.steps = steps
        self.turned = turned
        self.paints = paints(board)
        self.is_pointy = is_pointy
        self.lines = POINTY if is_pointy else FLAT
        self.grid = Grid(is_pointy)
        self.scenery = scenery if scenery is not None and scenery.fits(board) else None
        self.card = card
        self._lay_out(dials or {})
        costs = [f"{terrain} ${cost}" for terrain, cost in self.usual.items()]
        self.legend = "; ".join(
            [
                *([f"{', '.join(costs)} unless marked"] if costs else []),
                f"green: {income}",
                f"house: developed{more_legend}",
            ]
        )

    def _lay_out(self, dials: Mapping[str, int]) -> None:
        """Compute the size of the drawing, and the places of the hexes, the card and the gauges (drawn dials)."""
        cells = {spot["id"]: (spot["q"], spot["r"]) for spot in self.board["hexes"]}
        self.cells = cells
        centres = {id: self.grid.centre(cell) for id, cell in cells.items()}
        west_margin, north_margin, east_margin, south_margin = self.scenery.margins if self.scenery else (MARGIN,) * 4
        reach = {id: max(self.grid.half_width, self._name_width(id) / 2 - 8) for id in cells}
        self.west = min(x - reach[id] for id, (x, _) in centres.items()) - west_margin
        self.north = min(y for _, y in centres.values()) - self.grid.half_height - north_margin
        east = max(x + reach[id] for id, (x, _) in centres.items()) + east_margin
        south = max(y for _, y in centres.values()) + self.grid.half_height + south_margin
        self.width, self.height = round(east - self.west), round(south - self.north)
        self.places = {id: (round(x - self.west, 1), round(y - self.north, 1)) for id, (x, y) in centres.items()}
        x, y = self._free_corner(PITCH * len(dials), ABOVE + BELOW, 14, 14) if dials else (0, 0)
        self.gauges = Gauges(x + PITCH / 2, y + ABOVE, dials)
        if self.card is not None:
            self.card_at = self._free_corner(cards.WIDTH, cards.HEIGHT, *CARD_INSETS)

    def _free_corner(self, width: float, height: float, aside: float, below: float) -> Point:
        """Return the left and top edge of an area of the given width and height in a corner without hexes.

        `aside` and `below` are the horizontal and vertical distance of the area from the frame. If all corners have
        hexes, the drawing is made higher, and the area is at the bottom.
        """
        for y in (self.height - height - below, below):
            for x in (aside, self.width - width - aside):
                if not any(
                    x - self.grid.half_width < hex_x < x + width + self.grid.half_width
                    and y - self.grid.half_height < hex_y < y + height + self.grid.half_height
                    for hex_x, hex_y in self.places.values()
                ):
                    return x, y
        top = self.height
        self.height = round(top + height + below)
        self.width = max(self.width, round(width + 2 * aside))
        return aside, top

    # The static part

    def base(self) -> Base:
        hexes = self.board["hexes"]
        return Base(
            self.width,
            self.height,
            f"Board: {printable(self.board['title'])}",
            self.legend,
            self._definitions(),
            "".join([*self._land(), *map(self._ground, hexes), self.gauges.drawn(), self._card()]),
            "".join([*(self._cost(spot) for spot in hexes), *(self._name(spot) for spot in hexes if spot["name"])]),
        )

    def _id(self, shape: str) -> str:
        """Return the id of a shape. Flat-top and pointy-top boards have different ids, because a page may show both."""
        return f"{'pointy' if self.is_pointy else 'flat'}-{shape}"

    def _definitions(self) -> str:
        cells = self.cells.values()
        beyond = self.scenery.land(self.grid, cells) if self.scenery else ()
        shapes = {
            "map": element("path", {"d": self.grid.outline(cells, self.west, self.north)}),
            "far": element("path", {"d": self.grid.outline(beyond, self.west, self.north)}),
            "land": self._use("map") + self._use("far"),
            "hexagon": element("path", {"d": self.grid.hexagon(SIZE)}),
            "site": element("path", {"d": self.grid.hexagon(SITE)}),
            "dot": element("circle", {"r": number(WAY_DOT)}),
            "pip": element("circle", {"r": "1.6"}),
            "house": element("path", {"d": "M-4.8.2L0-4.4L4.8.2H3.4V4.2H-3.4V.2z"}),
            "tree": element("path", {"d": "M0-5l3.1 6h-6.2zM-.6.8h1.2v2.2h-1.2z"}),
            "peak": element("path", {"class": "peak", "d": "M-7 5L0-6L7 5z"})
            + element("path", {"class": "slope", "d": "M0-6L7 5L1.2 5L-1.2 0z"})
            + element("path", {"class": "snow", "d": "M0-6L2.5-2.1L.4-3L-2.3-2.3z"}),
        }
        for kind, radius, _ in STATIONS:
            radius *= self.lines.scale
            shapes[f"{kind}station"] = element("circle", {"class": "station-ring", "r": number(radius + 1.7)})
            shapes[f"{kind}station"] += element("circle", {"r": number(radius)})
        chance = stream(SEED)
        for variant in range(VARIANTS):
            shapes[f"wood-{variant}"] = "".join(
                self._use("tree", dx + 4 * chance() - 2, dy + 4 * chance() - 2) for dx, dy in TREES
            )
            shapes[f"rock-{variant}"] = "".join(
                self._use("peak", size=size, x=dx + 4 * chance() - 2, y=dy + 2 * chance() - 1) for dx, dy, size in PEAKS
            )
        return "".join(element("g", {"id": self._id(name)}, drawn) for name, drawn in shapes.items())

    def _use(self, shape: str, x: float = 0, y: float = 0, look: str = "", size: float = 1) -> str:
        attributes = {"href": f"#{self._id(shape)}"}
        if look:
            attributes["class"] = look
        if size != 1:
            attributes["transform"] = f"translate({number(x)} {number(y)}) scale({size})"
        else:
            attributes |= {"x": number(x), "y": number(y)} if x or y else {}
        return element("use", attributes)

    def _land(self) -> Iterator[str]:
        """Yield the parts of the ground, lowest first: the water, the shore, the terrain, and its trees and peaks."""
        far = {"x": -3 * self.width, "y": -3 * self.height, "width": 7 * self.width, "height": 7 * self.height}
        yield element("rect", {"class": "open-water", **{name: str(value) for name, value in far.items()}})
        for look in ("outer-waterline", "middle-waterline", "inner-waterline", "shoreline"):
            yield self._use("land", look=look)
        yield self._use("far", look="beyond")
        yield self._use("map", look="land")
        chance = stream(SEED)
        glyphs = ""
        for terrain, kind in GLYPHS.items():
            found = [spot["id"] for spot in self.board["hexes"] if spot["terrain"] == terrain]
            outline = self.grid.outline([self.cells[id] for id in found], self.west, self.north)
            yield element("path", {"class": kind, "d": outline}) if outline else ""
            drawn = [self._use(f"{kind}-{int(VARIANTS * chance())}", *self.places[id]) for id in found]
            glyphs += element("g", {"class": f"{kind}-glyphs"}, "".join(drawn))
        yield element("g", {"class": "glyphs"}, glyphs)
        for name in self.scenery.names if self.scenery else ():
            yield self._water_name(*name)

    def _look(self, kind: str) -> str:
        """Return the CSS classes of a text. Texts on boards with pointy-top hexes are larger."""
        return f"{kind} large-{kind}" if self.is_pointy else kind

    def _card(self) -> str:
        if self.card is None:
            return ""
        cities = [(printable(self.spots[id]["name"] or id), *self.places[id]) for id in self.card.cities]
        return cards.card_svg(self.card, *self.card_at, cities)

    def _water_name(self, text: str, x: float, y: float, turned: int, is_ocean: bool) -> str:
        look = self._look("ocean-name" if is_ocean else "water-name")
        place = {"x": number(x - self.west), "y": number(y - self.north)}
        turn = {"transform": f"rotate({turned} {place['x']} {place['y']})"} if turned else {}
        return element("text", {"class": look, **place, **turn}, text)

    def _ground(self, spot: dict[str, Any]) -> str:
        x, y = self.places[spot["id"]]
        parts = element("title", {}, escape(printable(self._tooltip(spot)))) + self._use("hexagon", x, y, "hex")
        terrain = spot["terrain"]
        if spot["name"] or terrain not in LAND:
            parts += self._use("site", x, y, f"site {terrain}" if terrain in COLOURED_SITES else "site")
        if not spot["name"]:
            at = {"x": number(x), "y": number(y + self.lines.id)}
            look = f"{self._look('id')} on-demand"
            parts += element("text", {"class": look, **at}, escape(printable(spot["id"])))
        for step in range(self.scales.get(spot["id"], 0)):
            parts += self._use("pip", *self._pip(spot["id"], step), "pip to-come")
        price = self.lines.city_price if spot["name"] else self.lines.price
        return element("g", {"data-place": printable(spot["id"]), "data-price": price}, parts)

    def _pip(self, id: str, step: int) -> Point:
        x, y = self.places[id]
        count = self.scales[id]
        pitch = 5 if count <= MOST_PIPS / 2 else 32 / count
        return x + pitch * (step - (count - 1) / 2), y + self.lines.value + 9.4 * self.lines.scale

    def _cost(self, spot: dict[str, Any]) -> str:
        cost = self.facts[spot["id"]].cost
        is_usual = self.usual.get(spot["terrain"]) == cost
        if cost is None or (is_usual and spot["name"]):
            return ""
        x, y = self.places[spot["id"]]
        place = {"x": number(x - (15 if spot["name"] else 0)), "y": number(y + self.lines.cost)}
        look = f"{self._look('cost')} on-demand" if is_usual else self._look("cost")
        return element("text", {"class": look, **place}, f"${cost}")

    def _label(self, id: str) -> str:
        return printable(f"{'★' if self.facts[id].is_starred else ''}{self.spots[id]['name'] or ''}")

    def _name_width(self, id: str) -> float:
        return self.lines.letters * sum(
            WIDTHS.get(letter, 0.54 if letter.isupper() else 0.45) for letter in self._label(id)
        )

    def _name(self, spot: dict[str, Any]) -> str:
        x, y = self.places[spot["id"]]
        label = self._label(spot["id"])
        attributes = {"class": self._look("name"), "x": number(x), "y": number(y + self.lines.name)}
        if spot["terrain"] in COLOURED_SITES:
            attributes["class"] += f" {spot['terrain']}"
        if self.facts[spot["id"]].is_chief:
            attributes |= {"class": f"{attributes['class']} chief", "y": number(y + self.lines.name - CHIEF_RISE)}
        else:  # the same width in all fonts
            attributes |= {"textLength": number(self._name_width(spot["id"])), "lengthAdjust": "spacingAndGlyphs"}
        return element("text", attributes, escape(label))

    def _tooltip(self, spot: dict[str, Any]) -> str:
        facts = self.facts[spot["id"]]
        called = place_name(self.board, spot["id"])
        name = f"{called} ({spot['id']})" if spot["name"] and spot["id"] not in called else called
        cost = [] if facts.cost is None else [f"costs ${facts.cost}"]
        return ", ".join([f"{name}: {spot['terrain']}", *cost, *facts.notes])

    # The marks of a position

    def marks(self, view: Any, touched: Collection[str] = ()) -> list[SvgMark]:
        """Return the marks for networks, houses, values and dials. Hexes in `touched` are highlighted."""
        links = {company.id: [*self._links(company.track)] for company in view.companies}
        return [
            *self._networks(view, links),
            *self._values(view),
            *(
                use_mark("values", "pip", *self._pip(id, step), self._id("pip"))
                for id, reached in self.steps(view).items()
                for step in range(reached if id in self.scales else 0)
            ),
            *self.gauges.marks(self.turned(view)),
            *(use_mark("hot", "hot", *self.places[spot], self._id("site")) for spot in self.places if spot in touched),
        ]

    def _links(self, track: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Yield pairs of adjacent hexes of a network, by id.

        Together, the pairs connect all hexes of the network without cycles.
        """
        joined: dict[str, str] = {}

        def root(spot: str) -> str:
            while joined[spot] != spot:
                spot = joined[spot]
            return spot

        for spot in track:
            joined[spot] = spot
            for beside in self.spots[spot]["neighbours"]:
                if beside in joined and root(beside) != root(spot):
                    joined[root(beside)] = spot
                    yield beside, spot

    def _networks(self, view: Any, links: Mapping[str, list[tuple[str, str]]]) -> Iterator[SvgMark]:
        """Yield the marks of the networks of all companies.

        `links` maps company ids to the pairs of connected hexes. A network is drawn as track, with stations in cities
        and at ends of the track, and dots in other hexes. A station has the letter of its company.
        """
        letter_of = letters(view)
        degrees = {id: Counter(spot for link in found for spot in link) for id, found in links.items()}
        stations = {
            id: {spot for spot in track if self.spots[spot]["name"] or degrees[id][spot] <= 1}
            for id, track in ((company.id, company.track) for company in view.companies)
        }
        stands = self._stands(view, stations)
        for company in view.companies:
            id, paint = company.id, self.paints[company.id]
            ends: dict[str, list[Point]] = {spot: [] for spot in company.track}
            for one, other in links[id]:
                (x, y), (other_x, other_y) = stands[one][id], stands[other][id]
                middle = (x + other_x) / 2, (y + other_y) / 2
                ends[one].append(middle)
                ends[other].append(middle)
            for spot in company.track:
                place, found = stands[spot][id], ends[spot]
                is_curve = spot not in stations[id] and len(found) == 2
                if found:
                    yield from _track(tuple(found), place, is_curve, paint)
                if is_curve:
                    place = _middle_of_curve(found[0], place, found[1])
                if spot in stations[id]:
                    few = FEW if self.spots[spot]["name"] else FEW - 1
                    kind, _, baseline = STATIONS[(len(stands[spot]) > few) + (len(stands[spot]) > SOME)]
                    shape = self._id(f"{kind}station")
                    yield use_mark("pieces", f"piece station edge-{paint} paint-{paint}", *place, shape)
                    look = f"{kind or ('large-' if self.is_pointy else '')}station-letter on-{paint}"
                    below = place[1] + baseline * self.lines.scale
                    yield text_mark("pieces", look, place[0], below, letter_of[id])
                else:
                    yield use_mark("pieces", f"piece way-dot edge-{paint}", *place, self._id("dot"))

    def _stands(self, view: Any, stations: Mapping[str, set[str]]) -> dict[str, dict[str, Point]]:
        """Return the points where tracks pass through hexes: for each hex id, a mapping from company ids to points.

        `stations` maps company ids to the ids of the hexes with a station of the company.
        """
        stands = {}
        for spot, found in companies_by_hex(view).items():
            x, y = self.places[spot]
            is_wide = bool(self.spots[spot]["name"]) or sum(spot in stations[id] for id in found) > 1
            most = 2 * STATIONS[0].radius * self.lines.scale + 0.6 if is_wide else TRACK_APART
            pitch = min(most, ROOM * self.lines.scale / max(len(found), 1))
            offsets = [pitch * (place - (len(found) - 1) / 2) for place in range(len(found))]
            if self.spots[spot]["name"]:
                places = [(x + offset, y + self.lines.city_stations) for offset in offsets]
            elif self.is_pointy:
                places = [(x, y + offset) for offset in offsets]
            else:
                places = [(x + offset, y) for offset in offsets]
            stands[spot] = dict(zip(found, places, strict=True))
        return stands

    def _values(self, view: Any) -> Iterator[SvgMark]:
        """Yield the marks of hex values, most in a pill (a rounded rectangle). A house marks a developed hex."""
        values, developed = self.values(view), set(view.developed)
        scale = self.lines.scale
        for id in dict.fromkeys([*values, *view.developed]):
            x, y = self.places[id]
            value = values.get(id)
            if value is not None and value.shared:
                yield text_mark("values", "lone-value", x - 6, y + self.lines.open_value, value.text)
                yield text_mark("values", "shared-value", x - 3, y + self.lines.open_value, f"/ {value.shared}")
            else:
                text, has_house = value.text if value else "", id in developed
                has_cost = self.facts[id].cost is not None and self.usual.get(self.spots[id]["terrain"]) is None
                letter = 6.2 * scale * (1.1 if self.is_pointy else 1)
                width = max((7.5 + (11 if has_house else 0)) * scale + letter * len(text), 14.4 * scale)
                middle = x + (9 if has_cost else 0)
                line = y + self.lines.value
                yield _pill(middle, line, width, 7.2 * scale)
                if has_house:
                    left = middle - width / 2 + 9 * scale
                    yield use_mark("values", "house", left, line, self._id("house"))
                if text:
                    right = middle + (5.5 * scale if has_house else 0)
                    yield text_mark("values", self._look("value"), right, line + 4.1 * scale, text)


def _usual_costs(hexes: Sequence[dict[str, Any]], facts: Mapping[str, HexFacts]) -> dict[str, int]:
    """Return the most frequent building cost of each terrain. The legend of the map states these costs."""
    costs: dict[str, Counter[int]] = {}
    named = {spot["terrain"] for spot in hexes if spot["name"]}
    for spot in hexes:
        cost = facts[spot["id"]].cost
        if cost is not None:
            costs.setdefault(spot["terrain"], Counter())[cost] += 1
    return {
        terrain: max(found, key=lambda cost: (found[cost], cost))
        for terrain, found in costs.items()
        if terrain not in named or len(found) == 1
    }


def _middle_of_curve(start: Point, middle: Point, end: Point) -> Point:
    return (start[0] + 2 * middle[0] + end[0]) / 4, (start[1] + 2 * middle[1] + end[1]) / 4


@lru_cache(REMEMBERED)
def _track(ends: tuple[Point, ...], place: Point, is_curve: bool, paint: str) -> tuple[SvgMark, ...]:
    """Return the marks of the track in a hex: a curve between two points, or lines from points to `place`."""
    inside, *points = (f"{number(x)} {number(y)}" for x, y in (place, *ends))
    way = f"M{points[0]}Q{inside} {points[1]}" if is_curve else "".join(f"M{point}L{inside}" for point in points)
    looks = {
        "halo": "track-halo",
        "casing": f"track-edge edge-{paint}",
        "rails": f"track-line track-{paint}",
        "dashes": f"track-dash dash-{paint}",
    }
    return tuple(SvgMark(layer, "path", (("class", look), ("d", way))) for layer, look in looks.items())


def _pill(x: float, y: float, width: float, radius: float) -> SvgMark:
    arc = f"a{number(radius)} {number(radius)} 0 0 1 0"
    straight = number(width - 2 * radius)
    way = f"M{number(x - width / 2 + radius)} {number(y - radius)}h{straight}{arc} {number(2 * radius)}"
    return SvgMark("values", "path", (("class", "pill"), ("d", f"{way}h-{straight}{arc} {number(-2 * radius)}z")))
