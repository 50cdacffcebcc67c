"""The map of The Last Spike as text and as SVG."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from html import escape
from math import hypot
from typing import Any, NamedTuple

from rails_cli.games.faces.canvas import HEADING, MARKED, NAME, Canvas, Line, Size, plain, seat_style
from rails_cli.games.faces.paints import Look, seat_paint
from rails_cli.games.faces.phrases import dollars
from rails_cli.games.faces.svg import Base, Mark, element, number, rows_of, text_mark, use_mark
from rails_cli.games.game import WireBoard
from rails_cli.games.shared.text import printable
from rails_cli.protocol.last_spike import Buy, City, Play, Sell, View

DIAGRAM_WIDTH = 77
DIAGRAM_MARGIN = 6
PIECE_PITCH = 3


class Point(NamedTuple):
    x: float
    y: int


def city_of(board: Mapping[str, Any], city: str) -> Any:
    """Return the data in `board` about the city with the id `city`."""
    return next(entry for entry in board["cities"] if entry["id"] == city)


def city_name(board: Mapping[str, Any], city: str) -> str:
    """Return the displayed name of a city."""
    return str(city_of(board, city)["name"] or city)


def city_with(board: Mapping[str, Any], lot: str) -> Any:
    """Return the data in `board` about the city that contains the property with the id `lot`."""
    return next(city for city in board["cities"] if any(entry["id"] == lot for entry in city["properties"]))


def lot_name(board: Mapping[str, Any], lot: str) -> str:
    """Return the displayed name of a property: the name of the city and the price of the property."""
    city = city_with(board, lot)
    price = next(entry["price"] for entry in city["properties"] if entry["id"] == lot)
    return f"{city_name(board, city['id'])} ({dollars(price) if price else 'free'})"


def times_apart(board: Mapping[str, Any]) -> str:
    """Return the higher cost of a piece that touches no city and no laid piece in words, such as "double"."""
    times = board["non_adjacent_multiplier"]
    return "double" if times == 2 else f"{times} times as much"


def places(board: Mapping[str, Any], action: Any) -> list[str]:
    """Return a list with the id of the piece or city that an action affects. Return an empty list for a pass."""
    match action:
        case Play():
            return [action.piece]
        case Buy():
            return [action.city]
        case Sell():
            return [city_with(board, action.property)["id"]]
    return []


# As text


def draw(board: Mapping[str, Any], view: View, size: Size, marked: Collection[str]) -> list[Line]:
    """Draw a position as styled text. `board` has the form sent to clients. The pieces in `marked` are highlighted."""
    if size == "small":
        return _list_routes(board, view, marked)
    levels = sorted({city["y"] for city in board["cities"]})
    columns = [city["x"] for city in board["cities"]]
    stretch = (DIAGRAM_WIDTH - 2 * DIAGRAM_MARGIN) / max(max(columns) - min(columns), 1)
    pieces = max(len(route["pieces"]) for route in board["routes"])
    gap = pieces + 1 if size == "large" else 2
    points = {
        city["id"]: Point(DIAGRAM_MARGIN + (city["x"] - min(columns)) * stretch, levels.index(city["y"]) * gap)
        for city in board["cities"]
    }
    canvas = Canvas()
    canvas.put(0, 0, " ")
    canvas.put(DIAGRAM_WIDTH - 1, 0, " ")
    for city in board["cities"]:
        point = points[city["id"]]
        room = len(city["id"]) + len(city["properties"]) + len("  $99k")
        x = round(min(max(point.x - room / 2, 0), DIAGRAM_WIDTH - room))
        canvas.put_line(x, point.y, _city(city, view))
    for route in board["routes"]:
        one, other = points[route["from"]], points[route["to"]]
        for nth, piece in enumerate(route["pieces"], 1):
            place = _along(one, other, nth, len(route["pieces"]), is_steep=size == "large")
            text, style = _piece(piece["id"], view, marked)
            canvas.put_apart(round(place.x - len(text) / 2), place.y, text, style)
    return _list_routes(board, view, marked) if canvas.clashes else canvas.lines()


def _along(one: Point, other: Point, nth: int, pieces: int, *, is_steep: bool) -> Point:
    """Return the coordinates of piece number `nth` of a route with `pieces` pieces between two cities.

    If `is_steep`, the pieces lie on the line between the cities. Otherwise they form a horizontal row halfway between
    the cities.
    """
    if is_steep:
        share = nth / (pieces + 1)
        return Point(one.x + (other.x - one.x) * share, round(one.y + (other.y - one.y) * share))
    side = 1 if other.x > one.x else -1
    middle = (one.x + other.x) / 2
    return Point(middle + side * PIECE_PITCH * (nth - (pieces + 1) / 2), (one.y + other.y) // 2)


def _piece(piece: str, view: View, marked: Collection[str]) -> tuple[str, str]:
    if any(piece in route.laid for route in view.routes):
        return piece, f"bold {MARKED}" if piece in marked else "bold green"
    is_touching = piece in view.touching
    hand = [] if view.seat is None else view.players[view.seat].hand or []
    style = "bold underline" if piece in hand else "" if is_touching else "dim"
    return piece.lower() if is_touching else "." * len(piece), style


def _city(city: Mapping[str, Any], view: View) -> Line:
    """Return a city as text: its id, the owner of each property, and the price of the property for sale."""
    now = next(shown for shown in view.cities if shown.id == city["id"])
    label = [(city["id"], NAME), (" ", "")]
    owners = {lot: player.seat for player in view.players for lot in player.properties}
    for lot in city["properties"]:
        seat = owners.get(lot["id"])
        if seat is None:
            label.append(("." if lot["id"] in now.pile else "x", "dim"))
        else:
            label.append((str(seat + 1), seat_style(seat)))
    if now.price is not None:
        label.append((f" ${now.price // 1000}k" if now.price % 1000 == 0 else f" ${now.price}", ""))
    return label


def _list_routes(board: Mapping[str, Any], view: View, marked: Collection[str]) -> list[Line]:
    """Return the map as a list of text lines: a route on the left and a city on the right of each line."""
    rows: list[Line] = []
    for route in board["routes"]:
        row = [(f"{route['id']} {route['from']}-{route['to']}", HEADING)]
        for piece in route["pieces"]:
            row += [(" ", ""), _piece(piece["id"], view, marked)]
        rows.append(row)
    beside = max((len(plain(row)) for row in rows), default=0) + 2
    for line, city in enumerate(board["cities"]):
        if line == len(rows):
            rows.append([])
        rows[line] += [(" " * (beside - len(plain(rows[line]))), ""), *_city(city, view)]
    return rows


def legend(view: View) -> str:
    """Return an explanation of the symbols on the map."""
    signs = "A1 is laid, a1 would touch, .. would touch nothing; behind a city: the seats that own its properties"
    return signs if view.seat is None else f"{signs}; underlined: in your hand"


def name_key(board: Mapping[str, Any], size: Size) -> str:
    """Return an explanation of the ids of cities on the map. The map has the same ids in every `size`."""
    return ", ".join(f"{city['id']} {city['name']}" for city in board["cities"] if city["name"])


# As SVG

WIDTH = 1100
MOST_HEIGHT = 1000
TALLER = 1.3
"""Maximum factor by which a very wide board is stretched vertically, to make room for text."""
SIDE = 84
TOP = 58
CITY_WIDTH = 138
CITY_HEIGHT = 84
LOT = 21
LONGEST_ROW = 6
THICK = 21
"""Half the thickness of a piece in SVG units."""
APART = 50
"""Distance in SVG units between two routes that connect the same cities."""

SHAPES = '<rect id="lot" x="-9" y="-9" width="18" height="18" rx="2.5"/>'

LOOK = Look(
    {
        "track": ("#d8d0bf", "#34383f"),
        "laid": ("#35312a", "#e9e3d3"),
        "on-laid": ("#fffdf7", "#23211c"),
        "spike": ("#b98700", "#ffd24d"),
        "town": ("#fffaf0", "#4b4a55"),
    },
    """\
.board .town-name{font-size:17px}
.board .slot{fill:var(--track);stroke:var(--edge);stroke-width:1}
.board .slot-id{font-size:15px;font-weight:700;fill:var(--faint)}
.board .slot-cost{font-size:14.5px;fill:var(--faint)}
.board .reach{fill:none;stroke:var(--gain);stroke-width:2.2;stroke-linejoin:round}
.board .spike{fill:none;stroke:var(--spike);stroke-width:4;stroke-linejoin:round}
.board .laid{fill:var(--laid);stroke:var(--laid);stroke-width:2.5;stroke-linejoin:round}
.board .laid-id{font-size:16px;font-weight:700;fill:var(--on-laid)}
.board .town{fill:var(--town);stroke:var(--casing);stroke-width:1.5}
.board .end{stroke-width:4}
.board .lot{fill:var(--paper);stroke:var(--edge);stroke-width:1.2}
.board .gone{font-size:17px;fill:var(--faint)}
.board .price{font-size:15px;fill:var(--gain);font-weight:700}
""",
)


class Slot(NamedTuple):
    """Where a piece of a route is drawn: the coordinates of its centre in SVG units, and its outline as an SVG path."""

    x: float
    y: float
    outline: str


class RouteMap:
    """A board of cities and routes, drawn as SVG.

    `places` has the coordinates of each city. `slots` has the coordinates and outline of each piece.
    """

    def __init__(self, board: WireBoard) -> None:
        self.board = board
        cities = board["cities"]
        west, north = min(city["x"] for city in cities), min(city["y"] for city in cities)
        wide = max(max(city["x"] for city in cities) - west, 1)
        high = max(max(city["y"] for city in cities) - north, 1)
        scale = min((WIDTH - 2 * SIDE) / wide, (MOST_HEIGHT - 2 * TOP) / high)
        down = min(TALLER * scale, (MOST_HEIGHT - 2 * TOP) / high)
        self.height = round(high * down + 2 * TOP)
        left = (WIDTH - wide * scale) / 2
        self.places = {
            city["id"]: (round(left + (city["x"] - west) * scale, 1), round(TOP + (city["y"] - north) * down, 1))
            for city in cities
        }
        self.slots: dict[str, Slot] = {}
        between = Counter(frozenset((route["from"], route["to"])) for route in board["routes"])
        drawn: Counter[frozenset[str]] = Counter()
        for route in board["routes"]:
            ends = frozenset((route["from"], route["to"]))
            aside = APART * (drawn[ends] - (between[ends] - 1) / 2)
            drawn[ends] += 1
            self._lay(route, aside if min(ends) == route["from"] else -aside)

    def _lay(self, route: dict[str, Any], aside: float) -> None:
        """Add the coordinates of the pieces of a route to `slots`.

        The route is moved sideways by `aside` SVG units, so that several routes between the same cities do not overlap.
        """
        (x, y), (to_x, to_y) = self.places[route["from"]], self.places[route["to"]]
        length = max(hypot(to_x - x, to_y - y), 1)
        along_x, along_y = (to_x - x) / length, (to_y - y) / length
        to_edge = min(CITY_WIDTH / 2 / max(abs(along_x), 0.01), CITY_HEIGHT / 2 / max(abs(along_y), 0.01))
        gap = min(0.36 * length, to_edge + 9)
        x, y = x - along_y * aside, y + along_x * aside
        pieces = route["pieces"]
        each = (length - 2 * gap) / len(pieces)
        for place, piece in enumerate(pieces):
            middle = gap + each * (place + 0.5)
            at_x, at_y = x + along_x * middle, y + along_y * middle
            half = each / 2 - 1.5
            corners = [
                (at_x + along_x * a * half - along_y * b * THICK, at_y + along_y * a * half + along_x * b * THICK)
                for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))
            ]
            outline = "M" + "L".join(f"{number(one)} {number(other)}" for one, other in corners) + "z"
            self.slots[piece["id"]] = Slot(round(at_x, 1), round(at_y, 1), outline)

    def base(self) -> Base:
        return Base(
            WIDTH,
            self.height,
            f"Board: {printable(self.board['title'])}",
            "filled: laid; green edge: touches a city or a laid piece; gold edge: would be the last spike",
            SHAPES,
            "".join(self._route(route) for route in self.board["routes"]),
            "".join(self._city(city) for city in self.board["cities"]),
        )

    def _route(self, route: dict[str, Any]) -> str:
        parts = []
        for piece in route["pieces"]:
            slot = self.slots[piece["id"]]
            title = f"{piece['id']} of route {route['id']}, {route['from']} to {route['to']}: costs ${piece['cost']:,}"
            drawn = element("title", {}, escape(printable(title)))
            drawn += element("path", {"class": "slot", "d": slot.outline})
            drawn += text_mark("", "slot-id", slot.x, slot.y - 2, printable(piece["id"])).svg()
            drawn += text_mark("", "slot-cost", slot.x, slot.y + 13, thousands(piece["cost"])).svg()
            parts.append(element("g", {"data-place": printable(piece["id"])}, drawn))
        return "".join(parts)

    def _city(self, city: dict[str, Any]) -> str:
        x, y = self.places[city["id"]]
        is_end = city["id"] in (self.board["start_city"], self.board["end_city"])
        pays = ", ".join(f"${amount:,}" for amount in city["payout"])
        prices = ", ".join(f"${lot['price']:,}" for lot in city["properties"])
        title = f"{city['name']} ({city['id']}): properties at {prices}; pays {pays} for 1, 2, ... of them"
        height = CITY_HEIGHT + LOT * (len(self._rows(city)) - 1)
        box = {
            "x": number(x - CITY_WIDTH / 2),
            "y": number(y - CITY_HEIGHT / 2),
            "width": str(CITY_WIDTH),
            "height": str(height),
        }
        drawn = element("title", {}, escape(printable(title)))
        drawn += element("rect", {"class": "town end" if is_end else "town", "rx": "9", **box})
        drawn += text_mark("", "town-name", x, y - 21, printable(city["name"] or city["id"])).svg()
        for lot_x, lot_y in self._lots(city):
            drawn += use_mark("", "lot", lot_x, lot_y, "lot").svg()
        return element("g", {"data-place": printable(city["id"])}, drawn)

    @staticmethod
    def _rows(city: dict[str, Any]) -> Any:
        return rows_of(len(city["properties"]), LONGEST_ROW)

    def _lots(self, city: dict[str, Any]) -> list[tuple[float, float]]:
        x, y = self.places[city["id"]]
        return [
            (x + LOT * (column - (length - 1) / 2), y + LOT * row)
            for row, length in enumerate(self._rows(city))
            for column in range(length)
        ]

    def marks(self, view: View, touched: Collection[str] = ()) -> list[Mark]:
        """Return the marks for laid pieces, pieces that touch a city or a laid piece, owners of properties, and prices.

        The laid pieces in `touched` are highlighted.
        """
        return [*self._pieces(view, touched), *self._owners(view)]

    def _pieces(self, view: View, touched: Collection[str]) -> Iterator[Mark]:
        for route in view.routes:
            for piece in route.laid:
                slot = self.slots[piece]
                yield Mark("rails", "path", (("class", "laid"), ("d", slot.outline)))
                yield text_mark("pieces", "laid-id", slot.x, slot.y + 5.5, printable(piece))
                if piece in touched:
                    yield Mark("hot", "path", (("class", "hot"), ("d", slot.outline)))
        for piece in view.touching:
            look = "spike" if piece in view.last_spikes else "reach"
            yield Mark("rails", "path", (("class", look), ("d", self.slots[piece].outline)))

    def _owners(self, view: View) -> Iterator[Mark]:
        owners = {lot: player.seat for player in view.players for lot in player.properties}
        for city, now in zip(self.board["cities"], view.cities, strict=True):
            for lot, (x, y) in zip(city["properties"], self._lots(city), strict=True):
                seat = owners.get(lot["id"])
                if seat is not None:
                    paint = seat_paint(seat)
                    yield use_mark("pieces", f"piece paint-{paint}", x, y, "lot")
                    yield text_mark("pieces", f"letter on-{paint}", x, y + 5, str(seat + 1))
                elif lot["id"] not in now.pile:
                    yield text_mark("pieces", "gone", x, y + 6, "×")
            x, y = self.places[city["id"]]
            below = y + 32 + LOT * (len(self._rows(city)) - 1)
            yield text_mark("values", "price", x, below, _offer(now))


def _offer(city: City) -> str:
    if not city.free_taken:
        return "first is free"
    return "sold out" if city.price is None else f"next {thousands(city.price)}"


def thousands(amount: int) -> str:
    return f"${amount // 1000}k" if amount and amount % 1000 == 0 else f"${amount:,}"
