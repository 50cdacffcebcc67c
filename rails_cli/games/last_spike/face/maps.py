"""Names of places of The Last Spike, and its map as text."""

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from rails_cli.games.faces.canvas import GREEN, HEADING, MARKED, NAME, Canvas, Line, Size, plain, seat_style
from rails_cli.games.faces.phrases import dollars
from rails_cli.protocol.last_spike import Buy, Play, Sell, View

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
    """Return a phrase such as "double" for the cost of a piece that touches no city and no laid piece."""
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
        return piece, f"bold {MARKED}" if piece in marked else f"bold {GREEN}"
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


def name_key(board: Mapping[str, Any], size: Size) -> dict[str, str]:
    """Return a dictionary from the ids of cities on the map to names. The map has the same ids in every `size`."""
    return {city["id"]: city["name"] for city in board["cities"] if city["name"]}


def thousands(amount: int) -> str:
    return f"${amount // 1000}k" if amount and amount % 1000 == 0 else f"${amount:,}"
