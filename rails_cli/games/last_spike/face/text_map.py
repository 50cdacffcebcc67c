"""The cities of The Last Spike and the routes between them, drawn in characters."""

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from protocol.last_spike import View
from rails_cli.games.canvas import HEADING, MARKED, NAME, Canvas, Line, Size, plain, seat_style

DIAGRAM_WIDTH = 77
DIAGRAM_MARGIN = 6
PIECE_PITCH = 3


class Point(NamedTuple):
    x: float
    y: int


def draw(board: Mapping[str, Any], view: View, size: Size, marked: Collection[str]) -> list[Line]:
    """The position on `board` (as the wire tells it); the pieces in `marked` stand out."""
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
        for number, piece in enumerate(route["pieces"], 1):
            place = _along(one, other, number, len(route["pieces"]), is_steep=size == "large")
            text, style = _piece(piece["id"], view, marked)
            canvas.put_apart(round(place.x - len(text) / 2), place.y, text, style)
    return _list_routes(board, view, marked) if canvas.clashes else canvas.lines()


def _along(one: Point, other: Point, number: int, pieces: int, *, is_steep: bool) -> Point:
    """Where a piece of the route between two cities stands: on the way, or in a row half-way."""
    if is_steep:
        share = number / (pieces + 1)
        return Point(one.x + (other.x - one.x) * share, round(one.y + (other.y - one.y) * share))
    side = 1 if other.x > one.x else -1
    middle = (one.x + other.x) / 2
    return Point(middle + side * PIECE_PITCH * (number - (pieces + 1) / 2), (one.y + other.y) // 2)


def _piece(piece: str, view: View, marked: Collection[str]) -> tuple[str, str]:
    if any(piece in route.laid for route in view.routes):
        return piece, f"bold {MARKED}" if piece in marked else "bold green"
    is_touching = piece in view.touching
    hand = [] if view.seat is None else view.players[view.seat].hand or []
    style = "bold underline" if piece in hand else "" if is_touching else "dim"
    return piece.lower() if is_touching else "." * len(piece), style


def _city(city: Mapping[str, Any], view: View) -> Line:
    """The city, the owner of each of its properties, and the price of the one for sale."""
    now = next(shown for shown in view.cities if shown.id == city["id"])
    label = [(city["id"], NAME), (" ", "")]
    owners = {lot: player.seat for player in view.players for lot in player.properties}
    for lot in city["properties"]:
        seat = owners.get(lot["id"])
        if seat is None:
            label.append(("." if lot["id"] in now.pile else "x", "dim"))
        else:
            label.append((str(seat), seat_style(seat)))
    if now.price is not None:
        label.append((f" ${now.price // 1000}k" if now.price % 1000 == 0 else f" ${now.price}", ""))
    return label


def _list_routes(board: Mapping[str, Any], view: View, marked: Collection[str]) -> list[Line]:
    """The routes one below the other, and the cities beside them."""
    rows: list[Line] = []
    for route in board["routes"]:
        row = [(f"{route['id']} {route['from']}-{route['to']}", HEADING)]
        for piece in route["pieces"]:
            row += [(" ", ""), _piece(piece["id"], view, marked)]
        rows.append(row)
    beside = max((len(plain(row)) for row in rows), default=0) + 2
    for number, city in enumerate(board["cities"]):
        if number == len(rows):
            rows.append([])
        rows[number] += [(" " * (beside - len(plain(rows[number]))), ""), *_city(city, view)]
    return rows


def legend(view: View) -> str:
    """What the signs of a drawing mean."""
    signs = "A1 is laid, a1 would touch, .. would touch nothing; behind a city: the seats that own its properties"
    return signs if view.seat is None else f"{signs}; underlined: in your hand"
