"""A map of cities and the routes between them: the pieces laid, and who owns the properties."""

from collections import Counter
from collections.abc import Collection, Iterator
from html import escape
from math import hypot
from typing import Any, NamedTuple

from protocol.last_spike import City, View
from rails_cli.games.game import WireBoard
from rails_cli.games.paints import seat_paint
from rails_cli.games.phrases import printable
from rails_cli.games.svg import Base, Mark, element, number, rows_of, text_mark, use_mark

WIDTH = 1100
MOST_HEIGHT = 1000
SIDE = 76
TOP = 52
CITY_WIDTH = 108
LOT = 15
LONGEST_ROW = 6
THICK = 14
"""Half of how thick a piece is."""
APART = 34
"""Between two routes of the same cities."""

SHAPES = '<rect id="lot" x="-6.5" y="-6.5" width="13" height="13" rx="2"/>'


class Slot(NamedTuple):
    """Where a piece lies."""

    x: float
    y: float
    outline: str


class RouteMap:
    """A board of cities and routes, and where each is drawn."""

    def __init__(self, board: WireBoard) -> None:
        self.board = board
        cities = board["cities"]
        west, north = min(city["x"] for city in cities), min(city["y"] for city in cities)
        wide = max(max(city["x"] for city in cities) - west, 1)
        high = max(max(city["y"] for city in cities) - north, 1)
        scale = min((WIDTH - 2 * SIDE) / wide, (MOST_HEIGHT - 2 * TOP) / high)
        self.height = round(high * scale + 2 * TOP + 10)
        left = (WIDTH - wide * scale) / 2
        self.places = {
            city["id"]: (round(left + (city["x"] - west) * scale, 1), round(TOP + (city["y"] - north) * scale, 1))
            for city in cities
        }
        self.slots: dict[str, Slot] = {}
        self.cost = {piece["id"]: piece["cost"] for route in board["routes"] for piece in route["pieces"]}
        between = Counter(frozenset((route["from"], route["to"])) for route in board["routes"])
        drawn: Counter[frozenset[str]] = Counter()
        for route in board["routes"]:
            ends = frozenset((route["from"], route["to"]))
            aside = APART * (drawn[ends] - (between[ends] - 1) / 2)
            drawn[ends] += 1
            self._lay(route, aside if min(ends) == route["from"] else -aside)

    def _lay(self, route: dict[str, Any], aside: float) -> None:
        """Places the pieces of a route in the gap between its two cities."""
        (x, y), (to_x, to_y) = self.places[route["from"]], self.places[route["to"]]
        length = max(hypot(to_x - x, to_y - y), 1)
        along_x, along_y = (to_x - x) / length, (to_y - y) / length
        gap = min(0.36 * length, self._reach(along_x, along_y))
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

    @staticmethod
    def _reach(along_x: float, along_y: float) -> float:
        """How far a city reaches in a direction."""
        return min(CITY_WIDTH / 2 / max(abs(along_x), 0.01), 36 / max(abs(along_y), 0.01)) + 8

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
            told = f"{piece['id']} of route {route['id']}, {route['from']} to {route['to']}: costs ${piece['cost']:,}"
            drawn = element("title", {}, escape(printable(told)))
            drawn += element("path", {"class": "slot", "d": slot.outline})
            drawn += element(
                "text", {"class": "slot-id", "x": number(slot.x), "y": number(slot.y)}, escape(printable(piece["id"]))
            )
            drawn += element(
                "text", {"class": "slot-cost", "x": number(slot.x), "y": number(slot.y + 10)}, thousands(piece["cost"])
            )
            parts.append(element("g", {"data-place": printable(piece["id"])}, drawn))
        return "".join(parts)

    def _city(self, city: dict[str, Any]) -> str:
        x, y = self.places[city["id"]]
        is_end = city["id"] in (self.board["start_city"], self.board["end_city"])
        pays = ", ".join(f"${amount:,}" for amount in city["payout"])
        prices = ", ".join(f"${lot['price']:,}" for lot in city["properties"])
        told = f"{city['name']} ({city['id']}): properties at {prices}; pays {pays} for 1, 2, ... of them"
        height = 60 + LOT * (len(self._rows(city)) - 1)
        box = {"x": number(x - CITY_WIDTH / 2), "y": number(y - 30), "width": str(CITY_WIDTH), "height": str(height)}
        drawn = element("title", {}, escape(printable(told)))
        drawn += element("rect", {"class": "town end" if is_end else "town", "rx": "9", **box})
        name = escape(printable(city["name"] or city["id"]))
        drawn += element("text", {"class": "town-name", "x": number(x), "y": number(y - 15)}, name)
        for lot_x, lot_y in self._lots(city):
            drawn += element("use", {"href": "#lot", "class": "lot", "x": number(lot_x), "y": number(lot_y)})
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
        """The pieces laid or within reach, the owners of properties, and prices."""
        return [*self._pieces(view, touched), *self._owners(view)]

    def _pieces(self, view: View, touched: Collection[str]) -> Iterator[Mark]:
        for route in view.routes:
            for piece in route.laid:
                slot = self.slots[piece]
                yield Mark("rails", "path", (("class", "laid"), ("d", slot.outline)))
                yield text_mark("pieces", "laid-id", slot.x, slot.y + 4, printable(piece))
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
                    yield text_mark("pieces", f"letter on-{paint}", x, y + 3.5, str(seat))
                elif lot["id"] not in now.pile:
                    yield text_mark("pieces", "gone", x, y + 4, "×")
            x, y = self.places[city["id"]]
            below = y + 22 + LOT * (len(self._rows(city)) - 1)
            yield text_mark("values", "price", x, below, _offer(now))


def _offer(city: City) -> str:
    if not city.free_taken:
        return "first is free"
    return "sold out" if city.price is None else f"next {thousands(city.price)}"


def thousands(amount: int) -> str:
    return f"${amount // 1000}k" if amount and amount % 1000 == 0 else f"${amount:,}"
