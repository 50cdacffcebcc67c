"""The map of Branch Lines, in characters and as SVG: a row for each line, from the junction to its last station."""

from collections.abc import Collection, Iterable
from typing import Any
from xml.sax.saxutils import escape

from branch_lines.protocol import Build, Built, Event, View
from rails_cli.games.canvas import HEADING, MARKED, NAME, Line, Size
from rails_cli.games.game import WireBoard
from rails_cli.games.paints import distinct_paints
from rails_cli.games.svg import Base, Mark, clean, element, number, text_mark

LONGEST = {"large": 11, "normal": 11, "small": 4}
"""How many letters of a station are shown."""

LEFT, TOP, ACROSS, DOWN, WIDE, HIGH = 190, 60, 170, 90, 120, 44


def touched(events: Iterable[Event]) -> set[str]:
    """The stations that were built."""
    return {event.station for event in events if isinstance(event, Built)}


def places(board: WireBoard, action: Any) -> list[str]:
    """Where on the map an action takes place: along its line."""
    return [action.line] if isinstance(action, Build) else []


# In characters


def draw(board: WireBoard, view: View, size: Size, marked: Collection[str]) -> list[Line]:
    """Built stations by name, those to come in brackets; `marked` ones stand out."""
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
    """A board of lines, and where each station is drawn."""

    def __init__(self, board: WireBoard) -> None:
        self.board = board
        self.paints = distinct_paints(line["colour"] for line in board["lines"])
        self.longest = max(len(line["stations"]) for line in board["lines"])

    def base(self) -> Base:
        return Base(
            LEFT + ACROSS * self.longest,
            TOP + DOWN * len(self.board["lines"]),
            f"Board: {clean(self.board['title'])}",
            "coloured: built; $ cost; green: income",
            "",
            "".join(self._line(row, line) for row, line in enumerate(self.board["lines"])),
            element("text", {"class": "town-name", "x": "90", "y": "26"}, escape(clean(self.board["junction"]))),
        )

    def _line(self, row: int, line: dict[str, Any]) -> str:
        """The line's own place, then its stations."""
        stations = "".join(
            element(
                "g",
                {"data-place": clean(station["id"])},
                element(
                    "title", {}, escape(clean(f"{station['id']}: costs ${station['cost']}, earns ${station['income']}"))
                )
                + _box("slot", LEFT + ACROSS * place, _y(row))
                + _text("town-name", LEFT + ACROSS * place, _y(row) - 4, clean(station["id"]))
                + _text("cost", LEFT + ACROSS * place - 20, _y(row) + 13, f"${station['cost']}")
                + _text("value", LEFT + ACROSS * place + 20, _y(row) + 13, f"+{station['income']}"),
            )
            for place, station in enumerate(line["stations"])
        )
        head = element("title", {}, escape(clean(line["id"]))) + _box("town", 80, _y(row))
        head += _text("town-name", 80, _y(row) - 4, clean(line["id"]))
        return element("g", {"data-place": clean(line["id"])}, head) + stations

    def marks(self, view: View, touched: Collection[str] = ()) -> list[Mark]:
        """The track and stations built, and what each line has and earns."""
        marks = []
        for row, (line, now) in enumerate(zip(self.board["lines"], view.lines, strict=True)):
            y = number(_y(row))
            marks.append(text_mark("values", "price", 80, _y(row) + 14, f"${now.treasury}, earns ${now.income}"))
            for place, station in enumerate(line["stations"][: now.built]):
                x = LEFT + ACROSS * place
                ends = (("x1", number(x - ACROSS / 2 - 25)), ("y1", y), ("x2", number(x - WIDE / 2)), ("y2", y))
                marks.append(Mark("casing", "line", (("class", "casing"), *ends)))
                marks.append(Mark("rails", "line", (("class", f"rail rail-{self.paints[row]}"), *ends)))
                frame = tuple(_frame(x, _y(row)).items())
                look = "hot" if station["id"] in touched else f"reach line-{self.paints[row]}"
                marks.append(Mark("hot" if look == "hot" else "pieces", "rect", (("class", look), *frame)))
        return marks


def _y(row: int) -> float:
    return TOP + DOWN * (row + 0.25)


def _frame(x: float, y: float) -> dict[str, str]:
    return {"x": number(x - WIDE / 2), "y": number(y - HIGH / 2), "width": str(WIDE), "height": str(HIGH), "rx": "9"}


def _box(look: str, x: float, y: float) -> str:
    return element("rect", {"class": look, **_frame(x, y)})


def _text(look: str, x: float, y: float, text: str) -> str:
    return element("text", {"class": look, "x": number(x), "y": number(y)}, escape(text))
