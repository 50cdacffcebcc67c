"""A map of hexes drawn in characters. The map can be read without colours."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any, NamedTuple

from rails_cli.games.faces.canvas import GREEN, HEADING, MARKED, NAME, ORANGE, Canvas, Line, Size, plain
from rails_cli.games.railways.companies import View, companies_by_hex, letters, styles
from rails_cli.games.railways.places import cached_by_board, is_pointy

TERRAIN = {"forest": (":", GREEN), "mountain": ("^", ORANGE)}
PLAIN = (".", "dim")
OUTLINE = "dim"
LABEL = "bold reverse"
NEXT_LABEL = "bold underline"
"""Style of a label directly to the right of another label, so that their digits can be told apart."""
CUT = "."
SHORTEST_BEGINNING = 2
"""Minimum number of letters to show of a city name next to company letters. If fewer fit, `@` is shown instead."""
SHORTEST_CUT = 5
"""If names may have at least this number of characters, abbreviations end in the sign CUT."""


class Layout(NamedTuple):
    """Size of hexes: columns from one hex to the next (`pitch`), columns and lines for text, and `outline`.

    `outline` says whether hexes have an outline.
    """

    pitch: int
    room: int
    lines: int
    outline: bool


FLAT = {"large": Layout(6, 5, 2, True), "normal": Layout(4, 3, 2, True), "small": Layout(2, 3, 1, False)}
POINTY = {"large": Layout(4, 3, 2, True), "normal": Layout(4, 3, 1, True), "small": Layout(2, 2, 1, False)}
MARGIN = 3


class Place(NamedTuple):
    """A hex of the board with its place in the text.

    - `x` and `y`: column and line of the text in the hex.
    - `column` and `row`: where the labels for this hex stand at the edges of the map, as a column and a line.
    """

    hex: Mapping[str, Any]
    x: int
    y: int
    column: int
    row: int


class Ground(NamedTuple):
    """The part of the map that does not change during a game.

    - `places`: the hexes with their coordinates.
    - `named`: mapping from city names to short names.
    - `cells`: mapping from coordinates to characters of outlines and labels, each with a style.
    - `width`: number of columns of the hexes.
    - `reach`: number of columns that the map needs if names at the right edge are not shortened.
    """

    layout: Layout
    places: Sequence[Place]
    named: Mapping[str, str]
    cells: Mapping[tuple[int, int], tuple[str, str]]
    width: int
    reach: int


def draw(
    board: Mapping[str, Any], view: View, size: Size, marked: Collection[str], most_columns: int = 0
) -> list[Line]:
    """Return the map as styled lines.

    `marked` has the ids of hexes to highlight, or maps hex ids to texts. In a mapping, a hex with an empty text is
    highlighted. Any other text is shown in its hex instead.

    If `most_columns` is more than the hexes need, names at the right edge use these columns. The width of the map does
    not depend on the position.
    """
    layout, places, named, cells, least, reach = _ground(board, size)
    width = max(least, min(most_columns, reach))
    labels: Mapping[str, str] = marked if isinstance(marked, Mapping) else {}
    is_staggered = not is_pointy(board)
    is_dense = not is_staggered and not layout.outline  # hexes have no columns between them
    shown = {spot: fitting_label(text, layout.room) for spot, text in labels.items()}
    after = _after_another(places, shown, layout) if is_dense else set()
    canvas = Canvas()
    canvas.cells |= cells
    if width > least:
        canvas.put(width - 1, 0, " ")
    there = companies_by_hex(view)
    letter_of, style_of = letters(view), styles(board)
    drawn: list[tuple[Place, Cell]] = []
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
            lines=layout.lines,
            marked=spot in marked and not labels.get(spot),
            label=shown.get(spot, ""),
            label_style=NEXT_LABEL if spot in after else LABEL,
        )
        drawn.append((place, cell))
        for line, part in enumerate(cell.two_lines() if layout.lines == 2 else [cell.only()]):
            canvas.put_line(place.x + (layout.room - len(plain(part))) // 2, place.y + line, part)
    is_interlocked = is_staggered and layout.outline
    edge = width if width > least else least - is_interlocked
    _lengthen_names(board, canvas, drawn, edge, has_outline=layout.outline, is_interlocked=is_interlocked)
    for place, cell in drawn:
        _widen_label(canvas, place, cell, labels.get(place.hex["id"], ""))
    return canvas.lines()


def _after_another(places: Sequence[Place], labels: Mapping[str, str], layout: Layout) -> set[str]:
    """Return the ids of hexes whose label would touch a label in the same style in the hex to the left."""
    after: set[str] = set()
    at = {(place.x, place.y): place.hex["id"] for place in places}
    for x, y in sorted(at):
        left = at.get((x - layout.pitch, y))
        if left is not None and left not in after and len(labels.get(left, "")) == layout.room:
            after.add(at[x, y])
    return after


@cached_by_board
def _ground(board: Mapping[str, Any], size: Size) -> Ground:
    pointy = is_pointy(board)
    layout = (POINTY if pointy else FLAT)[size]
    places = list((_pointy_places if pointy else _flat_places)(board["hexes"], layout))
    canvas = Canvas()
    if layout.outline:
        for place in places:
            (_pointy_outline if pointy else _flat_outline)(canvas, place, layout)
    _label(canvas, places, layout, pointy)
    width = max(place.x for place in places) + layout.room + layout.outline
    letter = 2 if layout.lines == 1 else 0  # of a company before the name
    reach = max(place.x + letter + len(place.hex.get("name") or "") for place in places)
    return Ground(layout, places, _names(board, layout.room), canvas.cells, width, reach)


@cached_by_board
def _names(board: Mapping[str, Any], length: int) -> Mapping[str, str]:
    return short_names([spot["name"] for spot in board["hexes"] if spot.get("name")], length)


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


def touched(events: Iterable[Any]) -> set[str]:
    return {event.hex for event in events if hasattr(event, "hex")}


def legend(view: View, layouts: Mapping[str, Layout] = FLAT) -> str:
    """Return an explanation of the signs that can be on a map in this position.

    `layouts` maps sizes of the map to layouts: FLAT for flat-top hexes, POINTY for pointy-top hexes.
    """
    companies = ", ".join(f"{letter} {company}" for company, letter in letters(view).items())
    most = max(map(len, companies_by_hex(view).values()), default=0)
    room = min(layout.room for layout in layouts.values())
    signs = [": forest", "^ mountain"]
    signs += ["@ city"] if most > room - SHORTEST_BEGINNING else []
    signs += ["* developed"] if view.developed else []
    signs += ["+ more, +2 two more"] if most >= room else []
    return f"{companies}; {', '.join(signs)}, numbers: choices"


def name_key(board: Mapping[str, Any], size: Size) -> dict[str, str]:
    """Return a dictionary from the abbreviated names on the map of the given size to the whole names."""
    return {short: name for name, short in sorted(_ground(board, size).named.items()) if short != name}


class Cell(NamedTuple):
    """The content of one hex on the map.

    `terrain` is the symbol of the terrain and its style. `companies` has the letter and the style of each company in
    the hex. `room` is the width of the text in columns, and `lines` its number of lines. If `marked`, the hex is
    highlighted.
    """

    name: str
    terrain: tuple[str, str]
    companies: list[tuple[str, str]]
    developed: bool
    room: int
    lines: int
    marked: bool
    label: str = ""
    """Text that is shown in the hex, such as the number of a choice."""
    label_style: str = LABEL

    @property
    def may_be_covered(self) -> bool:
        """Whether the name of another hex may cover the first line of this hex."""
        is_used = self.name or self.companies or self.developed or self.marked or self.label
        return not is_used and (self.lines == 2 or self.terrain in (PLAIN, ("", "")))

    @property
    def gap(self) -> int:
        """Number of empty columns at the start of this hex that the name of another hex may use.

        0 if the hex has two lines.
        """
        if self.lines == 2 or self.name or self.marked:
            return 0
        line = plain(self.only())
        return (self.room - len(line)) // 2 + len(line) - len(line.lstrip())

    @property
    def _is_label_below(self) -> bool:
        is_small = len(self.label) + len(self.companies) <= self.room
        return self.lines == 2 and bool(self.label and self.name) and is_small

    def longer(self, name: str, board: Mapping[str, Any], room: int) -> Line:
        """Return the first line of the hex in at most `room` columns, with as much of the whole `name` as possible.

        The line is empty if no more letters fit than in the hex itself.
        """
        head: Line = [(self.label, self.label_style), (" ", "")] if self.label and not self._is_label_below else []
        if self.lines == 1 and self.companies:
            head += [*self.letters(self.room), (" ", "")]
        sign = "*" if self.developed else ""
        rest = room - len(plain(head)) - len(sign)
        text = (
            name if len(name) <= rest else _names(board, rest).get(name, "") if rest >= self.room + (not head) else ""
        )
        if len(text) <= (0 if head else len(self.name)):
            return []
        return [*head, (text + sign, f"{NAME} {MARKED}" if self.marked else NAME)]

    def two_lines(self) -> list[Line]:
        """Return the hex as two lines. A label precedes the companies, or replaces the name if there is no room."""
        if self._is_label_below:
            return [self.upper(), [(self.label, LABEL), *self.companies]]
        return [self._labelled() if self.label else self.upper(), self.letters(self.room)]

    def _labelled(self) -> Line:
        return [(self.label.center(self.room), self.label_style)]

    def upper(self) -> Line:
        """Return the first line of the hex: the name or the terrain symbol, with `*` if the hex is developed."""
        text, style = (self.name, NAME) if self.name else (self.terrain[0].center(self.room), self.terrain[1])
        if self.developed:
            text = f"{text:<{self.room}}"[:-1] + "*"
        return [(f"{text:<{self.room}}", f"{style} {MARKED}" if self.marked else style)]

    def only(self) -> Line:
        """Return the hex as a single line: companies and, if there is room, the beginning of the name.

        Without companies, the line is the name or the terrain symbol.
        """
        if self.label:
            return self._labelled()
        if not self.companies:
            return self.upper()
        rest = self.room - len(self.companies)
        name = self.name[:rest] if rest >= SHORTEST_BEGINNING else "@" if self.name else ""
        sign = "*" if self.developed else name
        part = [*self.letters(self.room - len(sign)), *([(sign, NAME)] if sign else [])]
        return [(text, f"{style} {MARKED}") for text, style in part] if self.marked else part

    def letters(self, room: int) -> Line:
        """Return the letters of the companies in the hex, in at most `room` columns.

        If some do not fit, their number follows. In a single column, `+` stands for all companies, because a number
        would look like the number of a choice.
        """
        if len(self.companies) <= room:
            return self.companies
        shown = self.companies[: max(room - 2, 0)]
        return [*shown, (f"+{len(self.companies) - len(shown)}"[:room], "bold")]


def _lengthen_names(
    board: Mapping[str, Any],
    canvas: Canvas,
    drawn: Sequence[tuple[Place, Cell]],
    edge: int,
    *,
    has_outline: bool,
    is_interlocked: bool,
) -> None:
    """Draw names that were shortened, or replaced by a label, over the space to the right of their hexes.

    `drawn` has all hexes of the map. Names end before the column `edge`. Names may cover empty hexes and columns
    without hexes. At the left edge of the map, they may also begin to the left of their hexes. The terrain symbol of a
    covered hex moves to the second line of the hex, if there is one.

    If `is_interlocked`, the first line of a hex is level with the second lines of its neighbours. A name may then cover
    only empty second lines.
    """
    lower = [(place.x, place.y + 1) for place, cell in drawn if is_interlocked and plain(cell.two_lines()[1]).strip()]
    rows: dict[int, list[tuple[Place, Cell]]] = {}
    for place, cell in sorted(drawn, key=lambda one: one[0].x):
        rows.setdefault(place.y, []).append((place, cell))
    for row in rows.values():
        for at, (place, cell) in enumerate(row):
            name = place.hex.get("name")
            if not name:
                continue
            covered = list(
                takewhile(lambda other: other[1].may_be_covered, row[at + 1 :] if not is_interlocked else ())
            )
            end = next(
                (other.x - 1 + (0 if has_outline else content.gap) for other, content in row[at + 1 + len(covered) :]),
                edge,
            )
            end = min([end, *(x - 1 for x, y in lower if y == place.y and x > place.x)])
            line = cell.longer(name, board, end - place.x)
            x = place.x
            if at == 0 and plain(line) != name and not (cell.label or cell.companies):
                end = max(end, x + cell.room)
                line = cell.longer(name, board, end - x + _free_columns(canvas, place))
                x = min(x, end - len(plain(line)))
            for other, content in covered if line else ():
                if other.x <= x + len(plain(line)):
                    canvas.put(other.x, other.y, " " * cell.room)
                    if cell.lines == 2:
                        canvas.put_line(other.x, other.y + 1, content.upper())
            canvas.put_line(x, place.y, line)


def _widen_label(canvas: Canvas, place: Place, cell: Cell, label: str) -> None:
    """Draw the whole `label` of a hex if it was cut, and if the columns beside the hex have space for it."""
    spare = len(label) - cell.room
    x = place.x - spare // 2
    beside = {*range(x - 1, x + len(label) + 1)} - {*range(place.x, place.x + cell.room)}
    if spare > 0 and all(canvas.cells.get((column, place.y), (" ", ""))[0] == " " for column in beside):
        canvas.put(x, place.y, label, cell.label_style)


def _free_columns(canvas: Canvas, place: Place) -> int:
    """Return how many columns to the left of a hex are empty. The column beside a label or an outline is kept empty."""
    x = place.x
    while x > 0 and canvas.cells.get((x - 1, place.y), (" ", ""))[0] == " ":
        x -= 1
    return max(0, place.x - x - (x > 0))


def fitting_label(label: str, room: int) -> str:
    """Return a label in at most `room` characters.

    `label` consists of numbers separated by slashes. `+` replaces the numbers that do not fit. If not even the first
    number fits, the result is empty.
    """
    if len(label) <= room:
        return label
    first = label.partition("/")[0]
    return f"{first}+" if len(first) < room else first if len(first) <= room else ""


def short_names(names: Sequence[str], length: int) -> dict[str, str]:
    """Return a mapping from names to abbreviations of at most `length` characters, unique if possible.

    An abbreviation consists of the initials of all words except the last, then the first letters of the last word. If
    another name already has this abbreviation, the final letters are replaced by later letters of the name. With a
    `length` of at least SHORTEST_CUT, abbreviations end in the sign CUT, and a name that fits is not abbreviated.
    """
    short: dict[str, str] = {}
    has_sign = length >= SHORTEST_CUT
    for name in names:
        words = ["".join(filter(str.isalnum, word)) for word in name.split()]
        packed = "".join(word[:1] for word in words[:-1]) + words[-1]
        if has_sign and len(name) <= length:
            short[name] = name
            continue
        if has_sign:
            kept = length - 1
            tries = [packed[:kept], *(packed[: kept - 1] + letter for letter in packed[kept:])]
            short[name] = next((f"{form}{CUT}" for form in tries if f"{form}{CUT}" not in short.values()), name[:kept])
            continue
        tries = [packed[:length]]
        tries += [packed[: length - 1] + letter for letter in packed[length:]]
        tries += [packed[: length - 2] + one + two for one in packed[length - 1 :] for two in packed[length:]]
        short[name] = next((form for form in tries if form not in short.values()), tries[0])
    return short


def _label(canvas: Canvas, places: Sequence[Place], layout: Layout, pointy: bool) -> None:
    """Draw labels at the edges of the map.

    The label of a row and the label of a column together are the id of a hex.
    """
    by_row = _shared(places, lambda place: place.row, letters_first=pointy)
    by_column = _shared(places, lambda place: place.column, letters_first=not pointy)
    for y, label in _firsts(by_row):
        canvas.put(0, y, label[:MARGIN], HEADING)
    west = min(by_column, default=0)
    columns = _firsts({x: label for x, label in by_column.items() if (x - west) % layout.pitch == 0})
    step = 1 + max((len(label) for _, label in columns), default=0) // layout.pitch
    for x, label in columns[::step]:
        canvas.put(x, 0, label, HEADING)


def _firsts(labels: dict[int, str]) -> list[tuple[int, str]]:
    """Return each label once, as a pair with the number of the first row or column that has the label."""
    first: dict[str, int] = {}
    for line, label in sorted(labels.items()):
        first.setdefault(label, line)
    return [(line, label) for label, line in first.items()]


def _shared(places: Sequence[Place], line: Callable[[Place], int], *, letters_first: bool) -> dict[int, str]:
    """Return the part of the hex ids that all hexes of a row or column share, for each row or column.

    `line` returns the row or column of a hex. If `letters_first`, this part is the letters of the id, otherwise the
    number.
    """
    parts: dict[int, set[str]] = {}
    for place in places:
        letter = place.hex["id"].rstrip("0123456789")
        part = letter if letters_first else place.hex["id"].removeprefix(letter)
        parts.setdefault(line(place), set()).add(part)
    return {number: next(iter(found)) for number, found in parts.items() if len(found) == 1}
