"""Sheets (tables of all possessions) as text. For games without a map, sheets are also drawn as SVG."""

from collections.abc import Callable, Collection, Sequence
from itertools import accumulate
from typing import Any

from rails_cli.games.faces.canvas import HEADING, Line, seat_style
from rails_cli.games.faces.paints import Look
from rails_cli.games.faces.phrases import dollars
from rails_cli.games.faces.sheets import Cell, Column, Sheet
from rails_cli.games.faces.svg import Base, SvgMark, number, text_mark

LONGEST_NAME = 14
"""Maximum number of characters of the name of a row."""
LETTER, ROW, MARGIN, DOT = 9, 34, 30, 11
"""Measures of a drawn sheet in SVG units: width of a character, height of a row, width of the margin, and radius of a
dot.
"""
NAME = 2 * DOT + 8
"""Distance of the name of a row from the margin, in SVG units."""

TABLE_LOOK = Look(
    {},
    """\
.board .sheet-cell{font-size:16px;fill:var(--ink);text-anchor:end}
.board .sheet-head{font-size:13px;fill:var(--faint);text-anchor:end}
.board .sheet-row{font-size:16px;font-weight:700;fill:var(--ink);text-anchor:start}
.board .sheet-title{font-size:13px;font-weight:700;fill:var(--faint);text-anchor:start}
.board .sheet-letter{font-size:12px;font-weight:700}
.board .sheet-rule{fill:none;stroke:var(--faint);stroke-width:1;opacity:.4}
""",
)


def cell_text(value: Cell, column: Column) -> str:
    """Return the value of a cell as text. A hidden value is a question mark."""
    if value is None:
        return "?"
    return dollars(value) if column.kind == "money" and isinstance(value, int) else str(value)


def _texts(sheet: Sheet) -> list[list[str]]:
    """Return the headings of a sheet and the texts of its cells, row by row."""
    heads = [sheet.corner, *(column.name for column in sheet.columns)]
    rows = [
        [row.name[:LONGEST_NAME], *(map(cell_text, cells, sheet.columns))]
        for row, cells in zip(sheet.rows, sheet.cells, strict=True)
    ]
    return [heads, *rows]


def sheet_lines(sheet: Sheet) -> list[Line]:
    """Return a sheet as lines of text: the headings, and a line for each row."""
    texts = _texts(sheet)
    first, *others = (max(map(len, column)) for column in zip(*texts, strict=True))
    lines: list[Line] = []
    for row, (name, *cells) in enumerate(texts):
        style = HEADING if row == 0 else ""
        rest = "".join(f"{cell:>{width + 2}}" for cell, width in zip(cells, others, strict=True))
        lines.append([(f"{name:<{first}}", style if row == 0 else seat_style(row - 1)), (rest, style)])
    return lines


class SheetMap:
    """A drawing of sheets, for games without a map. Its size is that of `example`, the sheets of an example game."""

    def __init__(self, title: str, sheets: Callable[[Any], Sequence[Sheet]], example: Sequence[Sheet]) -> None:
        self.title = title
        self.sheets = sheets
        self.widths = [_widths(sheet) for sheet in example]
        self.width = max(map(sum, self.widths)) + 2 * MARGIN
        self.height = ROW * sum(len(sheet.rows) + 2 for sheet in example) + MARGIN

    def base(self) -> Base:
        return Base(self.width, self.height, self.title, "", "", "", "")

    def marks(self, view: Any, touched: Collection[str] = ()) -> list[SvgMark]:
        marks: list[SvgMark] = []
        y = MARGIN
        for sheet, widths in zip(self.sheets(view), self.widths, strict=True):
            heads, *rows = _texts(sheet)
            marks.append(text_mark("values", "sheet-title", MARGIN, y, sheet.title))
            marks += _cells("sheet-head", y, heads[1:], widths)
            for row, (name, *cells) in zip(sheet.rows, rows, strict=True):
                marks.append(_path("sheet-rule", f"M{MARGIN} {number(y + 0.35 * ROW)}H{self.width - MARGIN}"))
                y += ROW
                if row.paint:
                    marks.append(_path(f"paint-{row.paint}", _dot(MARGIN + DOT, y - 0.16 * ROW)))
                    look = f"sheet-letter on-{row.paint}"
                    marks.append(text_mark("values", look, MARGIN + DOT, y - 1.5, row.symbol))
                marks.append(text_mark("values", "sheet-row", MARGIN + NAME, y, name))
                marks += _cells("sheet-cell", y, cells, widths)
            y += 2 * ROW
        return marks


def _cells(look: str, y: float, cells: Sequence[str], widths: Sequence[int]) -> list[SvgMark]:
    """Return marks for the texts of one row, right-aligned in their columns. `look` is the CSS class of the texts."""
    edges = accumulate(widths)
    next(edges)
    return [text_mark("values", look, MARGIN + edge, y, cell) for cell, edge in zip(cells, edges, strict=True)]


def _path(look: str, drawn: str) -> SvgMark:
    return SvgMark("pieces", "path", (("class", look), ("d", drawn)))


def _dot(x: float, y: float) -> str:
    return f"M{number(x - DOT)} {number(y)}a{DOT} {DOT} 0 1 0 {2 * DOT} 0a{DOT} {DOT} 0 1 0 -{2 * DOT} 0z"


def _widths(sheet: Sheet) -> list[int]:
    """Return the width of each column in SVG units, with room for two more characters than the texts have."""
    first, *others = (max(map(len, texts)) for texts in zip(*_texts(sheet), strict=True))
    return [NAME + LETTER * max(first, LONGEST_NAME), *(LETTER * (width + 3) for width in others)]
