"""Sheets as text, and as a drawing for games without a map of their own."""

from collections.abc import Callable, Collection, Sequence
from typing import Any

from rails_cli.games.faces.canvas import HEADING, Line, seat_style
from rails_cli.games.faces.paints import Look
from rails_cli.games.faces.phrases import dollars
from rails_cli.games.faces.sheets import Cell, Column, Sheet
from rails_cli.games.faces.svg import Base, Mark, text_mark

LONGEST_NAME = 14
"""Maximum number of characters of the name of a row."""
LETTER, ROW, MARGIN = 11, 34, 24
"""Width of a character, height of a row and width of the margin of a drawn sheet, in SVG units."""

TABLE_LOOK = Look(
    {},
    """\
.board .sheet-cell{font-size:18px;fill:var(--ink);text-anchor:end}
.board .sheet-head{font-size:14px;fill:var(--faint);text-anchor:end}
.board .sheet-row{font-size:18px;font-weight:700;fill:var(--ink)}
.board .sheet-title{font-size:14px;font-weight:700;fill:var(--faint)}
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
    for number, (name, *cells) in enumerate(texts):
        style = HEADING if number == 0 else ""
        rest = "".join(f"{cell:>{width + 2}}" for cell, width in zip(cells, others, strict=True))
        lines.append([(f"{name:<{first}}", style if number == 0 else seat_style(number - 1)), (rest, style)])
    return lines


class SheetMap:
    """A drawing of the sheets of a game, for games without a map.

    `sheets` returns the sheets of a view. `example` has the sheets of one position, which set the size of the drawing.
    """

    def __init__(self, title: str, sheets: Callable[[Any], Sequence[Sheet]], example: Sequence[Sheet]) -> None:
        self.title = title
        self.sheets = sheets
        self.widths = [_widths(sheet) for sheet in example]
        self.rows = [len(sheet.rows) for sheet in example]

    def base(self) -> Base:
        width = max(map(sum, self.widths)) + 2 * MARGIN
        height = ROW * (sum(self.rows) + 2 * len(self.rows)) + MARGIN
        return Base(width, height, self.title, "", "", "", "")

    def marks(self, view: Any, touched: Collection[str] = ()) -> list[Mark]:
        marks: list[Mark] = []
        y = MARGIN
        for sheet, widths in zip(self.sheets(view), self.widths, strict=True):
            marks.append(text_mark("values", "sheet-title", MARGIN, y, sheet.title))
            for number, (name, *cells) in enumerate(_texts(sheet)):
                y += ROW
                x = MARGIN + widths[0]
                kind = "sheet-cell" if number else "sheet-head"
                if number:
                    marks.append(text_mark("values", "sheet-row", MARGIN, y, name))
                for cell, width in zip(cells, widths[1:], strict=True):
                    x += width
                    marks.append(text_mark("values", kind, x, y, cell))
            y += ROW
        return marks


def _widths(sheet: Sheet) -> list[int]:
    """Return the width of each column in SVG units, with room for two more characters than the texts have."""
    columns = zip(*_texts(sheet), strict=True)
    return [
        LETTER * (max(LONGEST_NAME if not number else 0, *map(len, texts)) + 2) for number, texts in enumerate(columns)
    ]
