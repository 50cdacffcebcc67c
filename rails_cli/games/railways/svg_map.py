"""A map of hexes: the ground and its names, and on it the networks of the companies, houses and values."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from html import escape
from math import cos, radians, sin, sqrt
from typing import Any, NamedTuple

from rails_cli.games.game import WireBoard
from rails_cli.games.paints import Look
from rails_cli.games.phrases import printable
from rails_cli.games.railways.companies import companies_by_hex, letters, paints
from rails_cli.games.svg import REMEMBERED, Base, Mark, element, number, rows_of, text_mark, use_mark

SIZE = 32
MARGIN = 10
BOTTOM = 20
ASIDE = 15
LONGEST_ROW = 3
FEW = 3
GLYPHS = {"forest": "trees", "mountain": "peaks"}

SHAPES = (
    '<path id="trees" d="M-7 6l5-10 5 10zM1 7l4-8 4 8z"/>'
    '<path id="peaks" d="M-10 7l6-12 4 7 3-5 6 10z"/>'
    '<rect id="piece" x="-7" y="-7" width="14" height="14" rx="3"/>'
    '<rect id="small-piece" x="-5.5" y="-5.5" width="11" height="11" rx="2.5"/>'
    '<path id="house" d="M-5.5 0L0-5L5.5 0H4V4.5H-4V0z"/>'
)

LOOK = Look(
    {
        "plain": ("#f1ead6", "#3a3a33"),
        "forest": ("#cfe0bd", "#2c4030"),
        "mountain": ("#ddd0c0", "#4a423c"),
        "city": ("#fffaf0", "#4b4a55"),
        "industrial": ("#e4dcef", "#4a3f5c"),
        "start": ("#fde9cf", "#5c4a30"),
        "glyph": ("#8d9a78", "#7d8f76"),
        "house": ("#7a3b12", "#f0b27a"),
    },
    """\
.board .hex{stroke:var(--edge);stroke-width:1}
.board .plain{fill:var(--plain)}
.board .forest{fill:var(--forest)}
.board .mountain{fill:var(--mountain)}
.board .city{fill:var(--city)}
.board .industrial{fill:var(--industrial)}
.board .start{fill:var(--start)}
.board .glyph{fill:var(--glyph);opacity:.55}
.board .name{font-size:9.5px}
.board .id{font-size:7.5px;fill:var(--faint)}
.board .cost{font-size:8px;fill:var(--faint)}
.board .value{font-size:8.5px;font-weight:700;fill:var(--gain)}
.board .house{fill:var(--house);stroke:var(--halo);stroke-width:1}
""",
)


class HexFacts(NamedTuple):
    """What never changes of a hex: what it costs, if it can be built in, and what else is told of it in words."""

    cost: int | None
    notes: Sequence[str]
    has_value: bool
    is_starred: bool = False


class HexMap:
    """A board of hexes and where each is drawn.

    The game says what is to be known of a hex, what the hexes with a value are worth in a position, and what its signs
    mean besides those that all share.
    """

    def __init__(
        self,
        board: WireBoard,
        facts: Callable[[dict[str, Any]], HexFacts],
        values: Callable[[Any], Mapping[str, str]],
        *,
        income: str = "income",
        more_legend: str = "",
        is_pointy: bool = False,
    ) -> None:
        self.board = board
        self.facts = {spot["id"]: facts(spot) for spot in board["hexes"]}
        self.values = values
        self.legend = f"$ cost; green: {income}; house: developed; trees: forest; peaks: mountain{more_legend}"
        self.is_pointy = is_pointy
        hexes = board["hexes"]
        centres = [self._centre(spot["q"], spot["r"]) for spot in hexes]
        wide, high = (SIZE * sqrt(3) / 2, SIZE) if self.is_pointy else (SIZE, SIZE * sqrt(3) / 2)
        west = min(x for x, _ in centres) - wide - MARGIN
        north = min(y for _, y in centres) - high - MARGIN
        self.width = round(max(x for x, _ in centres) + wide + MARGIN - west)
        self.height = round(max(y for _, y in centres) + high + MARGIN - north)
        self.places = {
            spot["id"]: (round(x - west, 1), round(y - north, 1)) for spot, (x, y) in zip(hexes, centres, strict=True)
        }
        self.spots = {spot["id"]: spot for spot in hexes}
        self.paints = paints(board)

    def _centre(self, q: int, r: int) -> tuple[float, float]:
        if self.is_pointy:
            return SIZE * sqrt(3) * (q + r / 2), SIZE * 1.5 * r
        return SIZE * 1.5 * q, SIZE * sqrt(3) * (r + q / 2)

    def base(self) -> Base:
        return Base(
            self.width,
            self.height,
            f"Board: {printable(self.board['title'])}",
            self.legend,
            f'<path id="hexagon" d="{self._outline()}"/>{SHAPES}',
            "".join(self._ground(spot) for spot in self.board["hexes"]),
            "".join(self._name(spot) for spot in self.board["hexes"] if spot["name"]),
        )

    def _outline(self) -> str:
        first = 30 if self.is_pointy else 0
        corners = [(SIZE * cos(radians(first + 60 * k)), SIZE * sin(radians(first + 60 * k))) for k in range(6)]
        return "M" + "L".join(f"{number(x)} {number(y)}" for x, y in corners) + "z"

    def _ground(self, spot: dict[str, Any]) -> str:
        x, y = self.places[spot["id"]]
        at = {"x": number(x), "y": number(y)}
        parts = element("title", {}, escape(printable(self._told(spot))))
        look = f"hex {spot['terrain']}"
        parts += element("use", {"href": "#hexagon", "class": look, **at})
        if spot["terrain"] in GLYPHS:
            parts += element("use", {"href": f"#{GLYPHS[spot['terrain']]}", "class": "glyph", **at})
        if not spot["name"]:
            parts += element("text", {"class": "id", "x": at["x"], "y": number(y - 14)}, escape(printable(spot["id"])))
        facts = self.facts[spot["id"]]
        if facts.cost is not None:
            side = ASIDE if facts.has_value else 0
            parts += element(
                "text", {"class": "cost", "x": number(x - side), "y": number(y + BOTTOM)}, f"${facts.cost}"
            )
        return element("g", {"data-place": printable(spot["id"])}, parts)

    def _name(self, spot: dict[str, Any]) -> str:
        x, y = self.places[spot["id"]]
        star = "★" if self.facts[spot["id"]].is_starred else ""
        return element(
            "text", {"class": "name", "x": number(x), "y": number(y - 12)}, escape(printable(f"{star}{spot['name']}"))
        )

    def _told(self, spot: dict[str, Any]) -> str:
        """A hex in words."""
        facts = self.facts[spot["id"]]
        name = f"{spot['name']} ({spot['id']})" if spot["name"] else spot["id"]
        cost = [] if facts.cost is None else [f"costs ${facts.cost}"]
        return ", ".join([f"{name}: {spot['terrain']}", *cost, *facts.notes])

    def marks(self, view: Any, touched: Collection[str] = ()) -> list[Mark]:
        """The networks, houses and values of a position."""
        there = companies_by_hex(view)
        stands = {
            (company, spot): place
            for spot, found in there.items()
            for company, place in zip(found, self._stands(spot, len(found)), strict=True)
        }
        return [
            *self._rails(view, stands),
            *self._pieces(view, there, stands),
            *self._values(view),
            *(use_mark("hot", "hot", *self.places[spot], "hexagon") for spot in self.places if spot in touched),
        ]

    def _stands(self, spot: str, count: int) -> list[tuple[float, float]]:
        """Where the pieces in a hex stand, in rows below its name."""
        x, y = self.places[spot]
        pitch = 16 if count <= FEW else 12
        rows = rows_of(count, LONGEST_ROW if count <= 2 * LONGEST_ROW else 4)
        return [
            (x + pitch * (column - (length - 1) / 2), y + 2 + pitch * (row - (len(rows) - 1) / 2))
            for row, length in enumerate(rows)
            for column in range(length)
        ]

    def _rails(self, view: Any, stands: dict[tuple[str, str], tuple[float, float]]) -> Iterator[Mark]:
        for company in view.companies:
            track = set(company.track)
            for spot in company.track:
                for beside in self.spots[spot]["neighbours"]:
                    if beside > spot and beside in track:
                        one, other = stands[company.id, spot], stands[company.id, beside]
                        yield from _rail(one, other, self.paints[company.id])

    def _pieces(
        self, view: Any, there: dict[str, list[str]], stands: dict[tuple[str, str], tuple[float, float]]
    ) -> Iterator[Mark]:
        letter_of = letters(view)
        for spot, found in there.items():
            small = "" if len(found) <= FEW else "small-"
            for company in found:
                x, y = stands[company, spot]
                paint = self.paints[company]
                yield use_mark("pieces", f"piece paint-{paint}", x, y, f"{small}piece")
                yield text_mark(
                    "pieces", f"{small}letter on-{paint}", x, y + (3.6 if not small else 3), letter_of[company]
                )

    def _values(self, view: Any) -> Iterator[Mark]:
        developed = set(view.developed)
        value_of = self.values(view)
        for id, (x, y) in self.places.items():
            if id in developed:
                yield use_mark("values", "house", x, y + BOTTOM - 3, "house")
            if id in value_of:
                side = ASIDE if self.facts[id].cost is not None else 0
                yield text_mark("values", "value", x + side, y + BOTTOM, value_of[id])


@lru_cache(REMEMBERED)
def _rail(one: tuple[float, float], other: tuple[float, float], paint: str) -> tuple[Mark, Mark]:
    way = f"M{number(one[0])} {number(one[1])}L{number(other[0])} {number(other[1])}"
    casing = Mark("casing", "path", (("class", "casing"), ("d", way)))
    return casing, Mark("rails", "path", (("class", f"rail rail-{paint}"), ("d", way)))
