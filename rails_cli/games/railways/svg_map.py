"""An SVG map of hexes: terrain and names, and for each position the networks, houses and values."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from html import escape
from math import cos, radians, sin, sqrt
from typing import Any, NamedTuple

from rails_cli.games.faces.paints import Look
from rails_cli.games.faces.svg import REMEMBERED, Base, Mark, element, number, text_mark, use_mark
from rails_cli.games.game import WireBoard
from rails_cli.games.railways.companies import companies_by_hex, letters, paints
from rails_cli.games.railways.places import place_name
from rails_cli.games.shared.text import printable

SIZE = 32
MARGIN = 10
ASIDE = 13
"""Horizontal offset in SVG units from the centre of a hex, for a cost and a value on the same line."""
ROOM = 48
"""Width in SVG units available for a row of pieces in a hex. The more pieces a row has, the narrower they are drawn."""
FEW = 3
PIECES = (("", 15, 5.1), ("narrow-", 11.4, 4.2), ("slim-", 7.8, 3.1))
"""How pieces are drawn in rows of up to 3, of 4, and of more pieces.

Each item has the prefix of the CSS class, the width of a piece, and the baseline of its letter.
"""
GLYPH = 5
"""Distance in SVG units by which a terrain symbol is drawn above the centre of the pieces that may cover it."""
GLYPHS = {"forest": "trees", "mountain": "peaks"}


class Lines(NamedTuple):
    """Vertical offsets in SVG units of texts and pieces from the centre of a hex.

    `bottom` is the offset of costs and values. `letters` is not an offset but the font size of names.
    """

    name: float
    id: float
    pieces: float
    city_pieces: float
    """Vertical offset of the pieces in hexes with a name."""
    bottom: float
    letters: float


FLAT = Lines(name=4.8, id=-12, pieces=-2, city_pieces=-15.5, bottom=22, letters=13.5)
"""Offsets for flat-top hexes. Long names extend into the neighbouring hexes, between the text lines of these hexes."""
POINTY = Lines(name=-12.5, id=-12.5, pieces=-2, city_pieces=-2, bottom=17.5, letters=15.5)
"""Offsets for pointy-top hexes. Long names extend into the neighbouring hexes, above the content of these hexes."""
WIDEST = 0.37
"""Half of the average letter width in a wide bold name, as a fraction of the font size.

It is used to make the map wide enough for the names at its edges.
"""

SHAPES = (
    '<path id="trees" d="M-7.5 7V3.5a4.5 4.5 0 1 1 2 0V7zM4.5 8V4.5a4 4 0 1 1 2 0V8z"/>'
    '<path id="peaks" d="M-12 7L-5-6L-1 1L3-4L10 7z"/>'
    + "".join(
        f'<rect id="{kind}piece" x="{-wide / 2:g}" y="-7.5" width="{wide}" height="15" rx="2.5"/>'
        for kind, wide, _ in PIECES
    )
    + '<path id="house" d="M-7 0L0-6.5L7 0H5V6H-5V0z"/><path id="narrow-house" d="M-5.5 0L0-6.5L5.5 0H4V6H-4V0z"/>'
    '<path id="slim-house" d="M-3.8 0L0-6.5L3.8 0H3V6H-3V0z"/>'
)

LOOK = Look(
    {
        "plain": ("#f1ead6", "#3a3a33"),
        "forest": ("#cfe0bd", "#2c4030"),
        "mountain": ("#ddd0c0", "#4a423c"),
        "city": ("#fffaf0", "#4b4a55"),
        "industrial": ("#e4dcef", "#4a3f5c"),
        "start": ("#fde9cf", "#5c4a30"),
        "trees": ("#5d8a45", "#6fa257"),
        "peaks": ("#8a6a4f", "#b39a86"),
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
.board .glyph{opacity:.6}
.board .trees{fill:var(--trees)}
.board .peaks{fill:var(--peaks)}
.board .name{font-size:13.5px}
.board .large-name{font-size:15.5px}
.board .id{font-size:15.5px;fill:var(--faint)}
.board .cost{font-size:15.5px;font-weight:400;fill:var(--faint)}
.board .value{font-size:15.5px;font-weight:700;fill:var(--gain)}
.board .value{stroke:var(--halo);stroke-width:2.5px;paint-order:stroke}
.board .narrow-letter{font-size:11.5px}
.board .slim-letter{font-size:8.5px}
.board .house{fill:var(--house);stroke:var(--halo);stroke-width:1}
""",
)


class HexFacts(NamedTuple):
    """Properties of a hex that do not change during a game: building cost, descriptions, and whether it has a value.

    `cost` is None if building is impossible. If `is_starred`, a star is drawn at the name of the hex.
    """

    cost: int | None
    notes: Sequence[str]
    has_value: bool
    is_starred: bool = False


class HexMap:
    """A board of hexes that can be drawn as SVG.

    `facts` returns the `HexFacts` of a hex. `values` returns the texts for the current values in a view, by hex id.
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
        self.lines = POINTY if is_pointy else FLAT
        hexes = board["hexes"]
        centres = [self._centre(spot["q"], spot["r"]) for spot in hexes]
        wide, high = (SIZE * sqrt(3) / 2, SIZE) if self.is_pointy else (SIZE, SIZE * sqrt(3) / 2)
        reach = [max(wide, WIDEST * self.lines.letters * len(spot["name"] or "")) + MARGIN for spot in hexes]
        west = min(x - far for (x, _), far in zip(centres, reach, strict=True))
        north = min(y for _, y in centres) - high - MARGIN
        self.width = round(max(x + far for (x, _), far in zip(centres, reach, strict=True)) - west)
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
            "".join(
                [
                    *(self._cost(spot) for spot in self.board["hexes"]),
                    *(self._name(spot) for spot in self.board["hexes"] if spot["name"]),
                ]
            ),
        )

    def _outline(self) -> str:
        first = 30 if self.is_pointy else 0
        corners = [(SIZE * cos(radians(first + 60 * k)), SIZE * sin(radians(first + 60 * k))) for k in range(6)]
        return "M" + "L".join(f"{number(x)} {number(y)}" for x, y in corners) + "z"

    def _ground(self, spot: dict[str, Any]) -> str:
        x, y = self.places[spot["id"]]
        at = {"x": number(x), "y": number(y)}
        parts = element("title", {}, escape(printable(self._tooltip(spot))))
        look = f"hex {spot['terrain']}"
        parts += element("use", {"href": "#hexagon", "class": look, **at})
        glyph = GLYPHS.get(spot["terrain"])
        if glyph is not None:
            place = {"x": at["x"], "y": number(y + self.lines.pieces - GLYPH)}
            parts += element("use", {"href": f"#{glyph}", "class": f"glyph {glyph}", **place})
        if not spot["name"]:
            place = {"x": at["x"], "y": number(y + self.lines.id)}
            parts += element("text", {"class": "id on-demand", **place}, escape(printable(spot["id"])))
        return element("g", {"data-place": printable(spot["id"])}, parts)

    def _cost(self, spot: dict[str, Any]) -> str:
        facts = self.facts[spot["id"]]
        if facts.cost is None:
            return ""
        x, y = self.places[spot["id"]]
        place = {"x": number(x - (ASIDE if facts.has_value else 0)), "y": number(y + self.lines.bottom)}
        return element("text", {"class": "cost", **place}, f"${facts.cost}")

    def _name(self, spot: dict[str, Any]) -> str:
        x, y = self.places[spot["id"]]
        star = "★" if self.facts[spot["id"]].is_starred else ""
        place = {"x": number(x), "y": number(y + self.lines.name)}
        look = "name large-name" if self.is_pointy else "name"
        return element("text", {"class": look, **place}, escape(printable(f"{star}{spot['name']}")))

    def _tooltip(self, spot: dict[str, Any]) -> str:
        facts = self.facts[spot["id"]]
        called = place_name(self.board, spot["id"])
        name = f"{called} ({spot['id']})" if spot["name"] and spot["id"] not in called else called
        cost = [] if facts.cost is None else [f"costs ${facts.cost}"]
        return ", ".join([f"{name}: {spot['terrain']}", *cost, *facts.notes])

    def marks(self, view: Any, touched: Collection[str] = ()) -> list[Mark]:
        """Return the marks for the networks, houses and values of a position.

        The hexes in `touched` are highlighted.
        """
        there = companies_by_hex(view)
        developed = set(view.developed)
        taken = dict.fromkeys([*there, *view.developed])
        stands = {spot: self._row(spot, len(there.get(spot, ())) + (spot in developed)) for spot in taken}
        return [
            *self._rails(view, {spot: dict(zip(found, stands[spot], strict=False)) for spot, found in there.items()}),
            *self._pieces(view, there, stands),
            *(_house(stands[spot]) for spot in self.places if spot in developed),
            *self._values(view),
            *(use_mark("hot", "hot", *self.places[spot], "hexagon") for spot in self.places if spot in touched),
        ]

    def _row(self, spot: str, count: int) -> list[tuple[float, float]]:
        """Return the coordinates of `count` items side by side in the hex with the id `spot`."""
        x, y = self.places[spot]
        y += self.lines.city_pieces if self.spots[spot]["name"] else self.lines.pieces
        pitch = ROOM / max(count, FEW)
        return [(x + pitch * (place - (count - 1) / 2), y) for place in range(count)]

    def _rails(self, view: Any, stands: dict[str, dict[str, tuple[float, float]]]) -> Iterator[Mark]:
        for company in view.companies:
            for spot, beside in self._links(company.track):
                yield from _rail(stands[spot][company.id], stands[beside][company.id], self.paints[company.id])

    def _links(self, track: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Yield pairs of adjacent hexes that connect all hexes of a network without cycles."""
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

    def _pieces(
        self, view: Any, there: dict[str, list[str]], stands: dict[str, list[tuple[float, float]]]
    ) -> Iterator[Mark]:
        letter_of = letters(view)
        for spot, found in there.items():
            kind, _, line = _kind(len(stands[spot]))
            for company, (x, y) in zip(found, stands[spot], strict=False):
                paint = self.paints[company]
                yield use_mark("pieces", f"piece paint-{paint}", x, y, f"{kind}piece")
                yield text_mark("pieces", f"{kind}letter on-{paint}", x, y + line, letter_of[company])

    def _values(self, view: Any) -> Iterator[Mark]:
        value_of = self.values(view)
        for id, (x, y) in self.places.items():
            if id in value_of:
                side = ASIDE if self.facts[id].cost is not None else 0
                yield text_mark("values", "value", x + side, y + self.lines.bottom, value_of[id])


def _house(row: Sequence[tuple[float, float]]) -> Mark:
    """Return the mark of a house. The house is the last item in the row with the coordinates `row`."""
    return use_mark("values", "house", *row[-1], f"{_kind(len(row))[0]}house")


def _kind(count: int) -> tuple[str, float, float]:
    return PIECES[0 if count <= FEW else 1 if count == FEW + 1 else 2]


@lru_cache(REMEMBERED)
def _rail(one: tuple[float, float], other: tuple[float, float], paint: str) -> tuple[Mark, Mark]:
    way = f"M{number(one[0])} {number(one[1])}L{number(other[0])} {number(other[1])}"
    casing = Mark("casing", "path", (("class", "casing"), ("d", way)))
    return casing, Mark("rails", "path", (("class", f"rail rail-{paint}"), ("d", way)))
