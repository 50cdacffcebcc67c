"""The position on its board, drawn in characters: a map of hexes, or cities and the routes between them.

A drawing is a list of lines and comes in three sizes. Everything in it is told by letters; colours only repeat it.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from rich.text import Text

from protocol import american_rails, chicago_express, last_spike

View = chicago_express.View | american_rails.View | last_spike.View
Board = Mapping[str, Any]
Size = Literal["large", "normal", "small"]

SIZES: tuple[Size, ...] = ("large", "normal", "small")

COLOURS = {
    "red": "bold white on red",
    "blue": "bold white on blue",
    "yellow": "bold black on yellow",
    "green": "bold black on green",
    "black": "bold white on black",
    "white": "bold black on white",
    "grey": "bold white on bright_black",
}
SEAT_STYLES = ("cyan", "magenta", "yellow", "green", "blue", "red")
TERRAIN = {"forest": (":", "green"), "mountain": ("^", "yellow")}
PLAIN = (".", "dim")
OUTLINE = "dim"
LABEL = "dim"
NAME = "bold"
MARKED = "reverse"


def draw(board: Board, view: View, size: Size, marked: Collection[str] = ()) -> list[Text]:
    """The position on `board` (as the wire tells it); the hexes or pieces in `marked` stand out."""
    if isinstance(view, last_spike.View):
        return _draw_routes(board, view, size, marked)
    return _draw_hexes(board, view, size, marked)


def largest(board: Board, view: View, width: int, height: int, marked: Collection[str] = ()) -> list[Text]:
    """The largest drawing that fits; the small one if none does."""
    for size in SIZES:
        lines = draw(board, view, size, marked)
        if len(lines) <= height and width_of(lines) <= width:
            break
    return lines


def width_of(lines: Sequence[Text]) -> int:
    return max((line.cell_len for line in lines), default=0)


def legend(view: View) -> str:
    """What the signs of a drawing mean."""
    if isinstance(view, last_spike.View):
        signs = "A1 is laid, a1 would touch, .. would touch nothing; behind a city: the seats that own its properties"
        return signs if view.seat is None else f"{signs}; underlined: in your hand"
    companies = ", ".join(f"{letter} {company}" for company, letter in letters(view).items())
    return f"{companies}; : forest, ^ mountain, @ city, * developed, +2 two more"


def letters(view: chicago_express.View | american_rails.View) -> dict[str, str]:
    """A capital letter for each company, the first of its name where that is free."""
    given: dict[str, str] = {}
    for company in tracks(view):
        spare = (letter for letter in f"{company.upper()}ABCDEFGHIJKLMNOPQRSTUVWXYZ" if letter.isalpha())
        given[company] = next(letter for letter in spare if letter not in given.values())
    return given


def styles(board: Board) -> dict[str, str]:
    """How the letter of each company looks."""
    companies = board.get("companies", ())
    return {company["id"]: COLOURS.get(company["colour"], "bold") for company in companies}


def tracks(view: chicago_express.View | american_rails.View) -> dict[str, list[str]]:
    """The hexes that each company stands on."""
    return {company.id: company.track for company in view.companies}


class Canvas:
    """Characters with styles, put anywhere."""

    def __init__(self) -> None:
        self.cells: dict[tuple[int, int], tuple[str, str]] = {}
        self.clashes = False

    def put(self, x: int, y: int, text: str, style: str = "") -> None:
        for column, character in enumerate(text, x):
            self.cells[column, y] = (character, style)

    def put_apart(self, x: int, y: int, text: str, style: str = "") -> None:
        """As `put`, but notes if anything is there or right beside it already."""
        self.clashes |= any((column, y) in self.cells for column in range(x - 1, x + len(text) + 1))
        self.put(x, y, text, style)

    def lines(self) -> list[Text]:
        rows: dict[int, list[tuple[int, str, str]]] = {}
        for (x, y), (character, style) in sorted(self.cells.items()):
            rows.setdefault(y, []).append((x, character, style))
        left = min(x for x, _ in self.cells)
        return [_assembled(rows.get(y, []), left) for y in range(max(rows) + 1)]


def _assembled(row: Sequence[tuple[int, str, str]], left: int) -> Text:
    """A line of characters, those of the same look joined."""
    runs: list[tuple[str, str]] = []
    for x, character, style in row:
        gap = " " * (x - left)
        if not gap and runs and runs[-1][1] == style:
            runs[-1] = (runs[-1][0] + character, style)
        else:
            runs += [(gap, ""), (character, style)] if gap else [(character, style)]
        left = x + 1
    return Text.assemble(*runs, no_wrap=True)


# Maps of hexes


class Layout(NamedTuple):
    """Columns from a hex to the next, columns inside a hex, lines of a hex, and whether it has an outline."""

    pitch: int
    room: int
    lines: int
    outline: bool


FLAT = {"large": Layout(6, 5, 2, True), "normal": Layout(4, 3, 2, True), "small": Layout(2, 3, 1, False)}
POINTY = {"large": Layout(4, 3, 2, True), "normal": Layout(4, 3, 1, True), "small": Layout(2, 2, 1, False)}
MARGIN = 3


class Place(NamedTuple):
    """A hex of the board, where its text begins, and where its column and its row have their labels."""

    hex: Mapping[str, Any]
    x: int
    y: int
    column: int
    row: int


def _draw_hexes(
    board: Board, view: chicago_express.View | american_rails.View, size: Size, marked: Collection[str]
) -> list[Text]:
    pointy = board.get("grid", {}).get("orientation") == "pointy-top"
    layout = (POINTY if pointy else FLAT)[size]
    places = list((_pointy_places if pointy else _flat_places)(board["hexes"], layout))
    canvas = Canvas()
    if layout.outline:
        for place in places:
            (_pointy_outline if pointy else _flat_outline)(canvas, place, layout)
    named = short_names([spot["name"] for spot in board["hexes"] if spot.get("name")], layout.room)
    there = _companies_by_hex(view)
    letter_of, style_of = letters(view), styles(board)
    for place in places:
        if not layout.outline:
            canvas.put(place.x, place.y, " " * layout.room)
        spot = place.hex["id"]
        cell = Cell(
            name=named.get(place.hex.get("name") or "", ""),
            terrain=TERRAIN.get(place.hex["terrain"], ("", "") if layout.outline else PLAIN),
            companies=[(letter_of[company], style_of[company]) for company in there.get(spot, ())],
            developed=spot in view.developed,
            room=layout.room,
            marked=spot in marked,
        )
        parts = [cell.upper(), cell.lower()] if layout.lines == 2 else [cell.only()]
        for line, part in enumerate(parts):
            x = place.x + (layout.room - sum(len(text) for text, _ in part)) // 2
            for text, style in part:
                canvas.put(x, place.y + line, text, style)
                x += len(text)
    _label(canvas, places, layout, pointy)
    return canvas.lines()


def _flat_places(hexes: Sequence[Mapping[str, Any]], layout: Layout) -> Iterator[Place]:
    west = min(spot["q"] for spot in hexes)
    north = min(2 * spot["r"] + spot["q"] for spot in hexes)
    for spot in hexes:
        x = MARGIN + (spot["q"] - west) * layout.pitch
        y = 1 + 2 * spot["r"] + spot["q"] - north
        yield Place(spot, x + layout.outline, y, x + layout.outline + layout.room // 2, y)


def _pointy_places(hexes: Sequence[Mapping[str, Any]], layout: Layout) -> Iterator[Place]:
    west = min(2 * spot["q"] + spot["r"] for spot in hexes)
    north = min(spot["r"] for spot in hexes)
    for spot in hexes:
        x = MARGIN + (2 * spot["q"] + spot["r"] - west) * layout.pitch // 2
        y = 1 + (spot["r"] - north) * layout.lines
        yield Place(spot, x + layout.outline, y, x + layout.outline, y)


def _flat_outline(canvas: Canvas, place: Place, layout: Layout) -> None:
    left, right = place.x - 1, place.x + layout.room
    for y in (place.y - 1, place.y + 1):
        canvas.put(place.x, y, "_" * layout.room, OUTLINE)
    for x, y, edge in ((left, 0, "/"), (right, 0, "\\"), (left, 1, "\\"), (right, 1, "/")):
        canvas.put(x, place.y + y, edge, OUTLINE)


def _pointy_outline(canvas: Canvas, place: Place, layout: Layout) -> None:
    for line in range(layout.lines):
        canvas.put(place.x - 1, place.y + line, "|" + " " * layout.room + "|", OUTLINE)


def _companies_by_hex(view: chicago_express.View | american_rails.View) -> dict[str, list[str]]:
    there: dict[str, list[str]] = {}
    for company, track in tracks(view).items():
        for spot in track:
            there.setdefault(spot, []).append(company)
    return there


Part = list[tuple[str, str]]


class Cell(NamedTuple):
    """What is written in a hex."""

    name: str
    terrain: tuple[str, str]
    companies: list[tuple[str, str]]
    developed: bool
    room: int
    marked: bool

    def upper(self) -> Part:
        """The name or the terrain, with a star if the hex is developed."""
        text, style = (self.name, NAME) if self.name else (self.terrain[0].center(self.room), self.terrain[1])
        if self.developed:
            text = f"{text:<{self.room}}"[:-1] + "*"
        return [(f"{text:<{self.room}}", f"{style} {MARKED}" if self.marked else style)]

    def lower(self) -> Part:
        """The companies."""
        return self._letters(self.room)

    def only(self) -> Part:
        """All in one line: the companies if there are any, else the name or the terrain."""
        if not self.companies:
            return self.upper()
        sign = "*" if self.developed else "@" if self.name else ""
        part = [*self._letters(self.room - len(sign)), *([(sign, NAME)] if sign else [])]
        return [(text, f"{style} {MARKED}") for text, style in part] if self.marked else part

    def _letters(self, room: int) -> Part:
        if len(self.companies) <= room:
            return self.companies
        shown = self.companies[: max(room - 2, 0)]
        more = str(len(self.companies) - len(shown))
        return [*shown, (f"+{more}"[-room:], "bold")]


def short_names(names: Sequence[str], length: int) -> dict[str, str]:
    """A different short form for each name: its first letters, or, where these are taken, some later ones."""
    short: dict[str, str] = {}
    for name in names:
        words = ["".join(filter(str.isalnum, word)) for word in name.split()]
        packed = "".join(word[:1] for word in words[:-1]) + words[-1]
        tries = [packed[:length]]
        tries += [packed[: length - 1] + letter for letter in packed[length:]]
        tries += [packed[: length - 2] + one + two for one in packed[length - 1 :] for two in packed[length:]]
        short[name] = next((form for form in tries if form not in short.values()), tries[0])
    return short


def _label(canvas: Canvas, places: Sequence[Place], layout: Layout, pointy: bool) -> None:
    """Letters and numbers along the edges, where the ids of the hexes are made of them."""
    by_row = _shared(places, lambda place: place.row, letters_first=pointy)
    by_column = _shared(places, lambda place: place.column, letters_first=not pointy)
    for y, label in _firsts(by_row):
        canvas.put(0, y, label[:MARGIN], LABEL)
    west = min(by_column, default=0)
    columns = _firsts({x: label for x, label in by_column.items() if (x - west) % layout.pitch == 0})
    step = 1 + max((len(label) for _, label in columns), default=0) // layout.pitch
    for x, label in columns[::step]:
        canvas.put(x, 0, label, LABEL)


def _firsts(labels: dict[int, str]) -> list[tuple[int, str]]:
    """Each label where it comes first."""
    first: dict[str, int] = {}
    for line, label in sorted(labels.items()):
        first.setdefault(label, line)
    return [(line, label) for label, line in first.items()]


def _shared(places: Sequence[Place], line: Callable[[Place], int], *, letters_first: bool) -> dict[int, str]:
    """For each line of hexes the part of their ids that is the same in all of them."""
    parts: dict[int, set[str]] = {}
    for place in places:
        letter = place.hex["id"].rstrip("0123456789")
        part = letter if letters_first else place.hex["id"].removeprefix(letter)
        parts.setdefault(line(place), set()).add(part)
    return {number: next(iter(found)) for number, found in parts.items() if len(found) == 1}


# Cities and routes

DIAGRAM_WIDTH = 77
DIAGRAM_MARGIN = 6
PIECE_PITCH = 3


class Point(NamedTuple):
    x: float
    y: int


def _draw_routes(board: Board, view: last_spike.View, size: Size, marked: Collection[str]) -> list[Text]:
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
        _put_text(canvas, x, point.y, _city(city, view))
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


def _put_text(canvas: Canvas, x: int, y: int, text: Text) -> None:
    for column, character in enumerate(text.plain):
        looks = [str(span.style) for span in text.spans if span.start <= column < span.end]
        canvas.put(x + column, y, character, " ".join(looks))


def _piece(piece: str, view: last_spike.View, marked: Collection[str]) -> tuple[str, str]:
    if any(piece in route.laid for route in view.routes):
        return piece, f"bold {MARKED}" if piece in marked else "bold green"
    is_touching = piece in view.touching
    hand = [] if view.seat is None else view.players[view.seat].hand or []
    style = "bold underline" if piece in hand else "" if is_touching else "dim"
    return piece.lower() if is_touching else "." * len(piece), style


def _city(city: Mapping[str, Any], view: last_spike.View) -> Text:
    """The city, the owner of each of its properties, and the price of the one for sale."""
    now = next(shown for shown in view.cities if shown.id == city["id"])
    label = Text.assemble((city["id"], NAME), " ")
    owners = {lot: player.seat for player in view.players for lot in player.properties}
    for lot in city["properties"]:
        seat = owners.get(lot["id"])
        if seat is None:
            label.append("." if lot["id"] in now.pile else "x", "dim")
        else:
            label.append(str(seat), SEAT_STYLES[seat % len(SEAT_STYLES)])
    if now.price is not None:
        label.append(f" ${now.price // 1000}k" if now.price % 1000 == 0 else f" ${now.price}")
    return label


def _list_routes(board: Board, view: last_spike.View, marked: Collection[str]) -> list[Text]:
    """The routes one below the other, and the cities beside them."""
    rows = []
    for route in board["routes"]:
        row = Text.assemble((f"{route['id']} {route['from']}-{route['to']}", LABEL))
        for piece in route["pieces"]:
            row.append(" ").append(*_piece(piece["id"], view, marked))
        rows.append(row)
    beside = width_of(rows) + 2
    for number, city in enumerate(board["cities"]):
        if number == len(rows):
            rows.append(Text())
        rows[number].append(" " * (beside - rows[number].cell_len)).append_text(_city(city, view))
    return rows
