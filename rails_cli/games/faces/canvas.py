"""Styled lines of text for terminals, and a canvas that places characters at any coordinates."""

from collections.abc import Sequence
from typing import Literal

Line = list[tuple[str, str]]
"""A line of text as pairs (text, style). A style is a text such as `bold red on blue`, or empty."""
Size = Literal["large", "normal", "small"]
SIZES: tuple[Size, ...] = ("large", "normal", "small")

HEADING = "dim"
NAME = "bold"
MARKED = "reverse"
TEAL, MAGENTA, ORANGE, GREEN, BLUE, RED = (f"color({number})" for number in (30, 133, 130, 64, 32, 167))
"""Colours with a contrast of at least 3.6 on black and on white. Themes of terminals do not change these colours."""
SEAT_STYLES = (TEAL, MAGENTA, ORANGE, GREEN, BLUE, RED)


def plain(line: Line) -> str:
    return "".join(text for text, _ in line)


def seat_style(seat: int) -> str:
    return SEAT_STYLES[seat % len(SEAT_STYLES)]


class Canvas:
    """A sparse grid of characters with styles. `clashes` becomes true when a text is put too close to another text."""

    def __init__(self) -> None:
        self.cells: dict[tuple[int, int], tuple[str, str]] = {}
        self.clashes = False

    def put(self, x: int, y: int, text: str, style: str = "") -> None:
        for column, character in enumerate(text, x):
            self.cells[column, y] = (character, style)

    def put_apart(self, x: int, y: int, text: str, style: str) -> None:
        """Put a text on the canvas. Set `clashes` if a cell of the text, or a cell next to it, is already used."""
        self.clashes |= any((column, y) in self.cells for column in range(x - 1, x + len(text) + 1))
        self.put(x, y, text, style)

    def put_line(self, x: int, y: int, line: Line) -> None:
        for text, style in line:
            self.put(x, y, text, style)
            x += len(text)

    def lines(self) -> list[Line]:
        rows: dict[int, list[tuple[int, str, str]]] = {}
        for (x, y), (character, style) in self.cells.items():
            rows.setdefault(y, []).append((x, character, style))
        left = min(x for x, _ in self.cells)
        return [_joined(sorted(rows.get(y, [])), left) for y in range(max(rows) + 1)]


def _joined(row: Sequence[tuple[int, str, str]], left: int) -> Line:
    """Return one row of a canvas as a line of text.

    `row` has its cells as tuples: column, character and style. Adjacent cells of the same style become one segment.
    `left` is the column in which the line starts.
    """
    runs: Line = []
    for x, character, style in row:
        gap = " " * (x - left)
        if not gap and runs and runs[-1][1] == style:
            runs[-1] = (runs[-1][0] + character, style)
        else:
            runs += [(gap, ""), (character, style)] if gap else [(character, style)]
        left = x + 1
    return runs
