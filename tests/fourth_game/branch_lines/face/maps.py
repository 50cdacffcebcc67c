"""The map of Branch Lines, in characters and as SVG: a row for each line, from the junction to its last station."""

from collections.abc import Collection, Iterable
from typing import Any
from xml.sax.saxutils import escape

from branch_lines.protocol import Build, Built, Event, View
from rails_cli.games.faces.canvas import HEADING, MARKED, NAME, Line, Size
from rails_cli.games.faces.paints import Look, distinct_paints
from rails_cli.games.faces.svg import Base, SvgMark, element, number, text_mark
from rails_cli.games.game import WireBoard
from rails_cli.games.shared.text import printable

LONGEST = {"large": 11, "normal": 11, "small": 4}
"""Number of characters of a station's name that are shown, by map size."""

FIRST, TOP, ACROSS, DOWN, WIDE, HIGH = 80, 60, 170, 90, 120, 44
"""Measures of the SVG map in SVG units.

- left margin and top margin.
- horizontal and vertical distance between stations.
- width and height of a station.
"""

LOOK = Look(
    {"depot": ("#fffaf0", "#4b4a55"), "stop": ("#d8d0bf", "#34383f")},
    """\
.board .stop-name{font-size:12.5px;font-weight:700;fill:var(--ink)}
.board .stop{fill:var(--stop);stroke:var(--edge);stroke-width:1}
.board .stop-cost{font-size:8px;fill:var(--faint)}
.board .stop-income,.board .depot-note{font-size:9px;font-weight:700;fill:var(--gain)}
.board .depot{fill:var(--depot);stroke:var(--casing);stroke-width:1.5}
.board .opened{fill:none;stroke:var(--gain);stroke-width:2.2}
""",
)


def touched(events: Iterable[Event]) -> set[str]:
    """Return the names of the stations built in `events`."""
    return {event.station for event in events if isinstance(event, Built)}


def places(board: WireBoard, action: Any) -> list[str]:
    """Return the railway line on which `action` builds, as a list with one id. The list is empty for other actions."""
    return [action.line] if isinstance(action, Build) else []


# In characters


def draw(board: WireBoard, view: View, size: Size, marked: Collection[str]) -> list[Line]:
    """Return the map in characters: a heading, and a row for each railway line.

    Stations not built yet are in brackets, and `marked` stations are highlighted.
    """
    room = LONGEST[size]
    first = max(len(line["id"][:room]) for line in board["lines"])
    drawn: list[Line] = [[(board["junction"][: first + room], HEADING)]]
    for line, now in zip(board["lines"], view.lines, strict=True):
        row: Line = [(f"{line['id'][:room]:<{first}}", NAME)]
        for place, station in enumerate(line["stations"]):
            is_built = place < now.built
            name = station["id"][:room]
            style = "bold green" if is_built else "dim"
            row += [(" = " if is_built else " - ", style)]
            row += [(f"{name if is_built else f'({name})':<{room + 2}}", MARKED if station["id"] in marked else style)]
        drawn.append(row)
    return drawn


def legend(view: View) -> str:
    return "= leads to a station that is built, (brackets) are stations to come"


# As SVG


class BranchMap:
    """An SVG map of a board."""

    def __init__(self, board: WireBoard) -> None:
        self.board = board
        self.paints = distinct_paints(line["colour"] for line in board["lines"])
        self.longest = max(len(line["stations"]) for line in board["lines"])

    def base(self) -> Base:
        return Base(
            round(FIRST + ACROSS * (self.longest + 0.5)),
            TOP + DOWN * len(self.board["lines"]),
            f"Board: {printable(self.board['title'])}",
            "green edge: built; $ cost; green number: income",
            "",
            "".join(self._line(row, line) for row, line in enumerate(self.board["lines"])),
            element("text", {"class": "stop-name", "x": "90", "y": "26"}, escape(printable(self.board["junction"]))),
        )

    def _line(self, row: int, line: dict[str, Any]) -> str:
        """Return the SVG drawing of one railway line: its name and its stations. `row` is the index of its row."""
        stations = "".join(
            element(
                "g",
                {"data-place": printable(station["id"])},
                element("title", {}, escape(printable(_station_title(station))))
                + _box("stop", FIRST + ACROSS * (place + 1), _y(row))
                + _text("stop-name", FIRST + ACROSS * (place + 1), _y(row) - 4, printable(station["id"]))
                + _text("stop-cost", FIRST + ACROSS * (place + 1) - 20, _y(row) + 13, f"${station['cost']}")
                + _text("stop-income", FIRST + ACROSS * (place + 1) + 20, _y(row) + 13, f"+{station['income']}"),
            )
            for place, station in enumerate(line["stations"])
        )
        head = element("title", {}, escape(printable(line["id"]))) + _box("depot", FIRST, _y(row))
        head += _text("stop-name", FIRST, _y(row) - 4, printable(line["id"]))
        return element("g", {"data-place": printable(line["id"])}, head) + stations

    def marks(self, view: View, touched: Collection[str] = ()) -> list[SvgMark]:
        """Return the parts of the drawing that change during a game.

        These are the texts with treasury and income, the built track and the built stations. The stations in `touched`
        are highlighted.
        """
        marks = []
        for row, (line, now) in enumerate(zip(self.board["lines"], view.lines, strict=True)):
            marks.append(
                text_mark("values", "depot-note", FIRST, _y(row) + 14, f"${now.treasury}, earns ${now.income}")
            )
            for place, station in enumerate(line["stations"][: now.built]):
                x = FIRST + ACROSS * (place + 1)
                track = f"M{number(x - ACROSS + WIDE / 2)} {number(_y(row))}H{number(x - WIDE / 2)}"
                marks.append(_path("casing", "casing", track))
                marks.append(_path("rails", f"rail rail-{self.paints[row]}", track))
                marks.append(_path("pieces", "opened", _outline(x, _y(row))))
                if station["id"] in touched:
                    marks.append(_path("hot", "hot", _outline(x, _y(row))))
        return marks


def _y(row: int) -> float:
    return TOP + DOWN * (row + 0.25)


def _outline(x: float, y: float) -> str:
    return f"M{number(x - WIDE / 2)} {number(y - HIGH / 2)}h{WIDE}v{HIGH}h-{WIDE}z"


def _path(layer: str, look: str, drawn: str) -> SvgMark:
    return SvgMark(layer, "path", (("class", look), ("d", drawn)))


def _box(look: str, x: float, y: float) -> str:
    return element("path", {"class": look, "d": _outline(x, y)})


def _text(look: str, x: float, y: float, text: str) -> str:
    return element("text", {"class": look, "x": number(x), "y": number(y)}, escape(text))


def _station_title(station: dict[str, Any]) -> str:
    return f"{station['id']}: costs ${station['cost']}, earns ${station['income']}"
