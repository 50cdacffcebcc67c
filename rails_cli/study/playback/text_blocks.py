"""Blocks of styled text lines for a terminal: wrapped, placed side by side, and scaled to fit."""

from collections.abc import Collection, Iterable, Sequence

from rich.console import Console
from rich.text import Span, Text

from rails_cli.games.faces.canvas import SIZES, Line, Size, plain
from rails_cli.games.faces.interface import Face
from rails_cli.games.game import View, WireBoard
from rails_cli.games.shared.text import wrap

COMFORTABLE = 48
"""Minimum number of columns beside a map for texts. Names on the map are lengthened only if these columns stay free."""


def styled(lines: Iterable[Line], *, no_wrap: bool | None = None) -> list[Text]:
    """Return `lines` as texts. A map has hundreds of pieces, and `Text.assemble` needs twice as long for it."""
    texts = []
    for line in lines:
        spans, end = [], 0
        for piece, style in line:
            start, end = end, end + len(piece)
            if style:
                spans.append(Span(start, end, style))
        texts.append(Text(plain(line), spans=spans, no_wrap=no_wrap))
    return texts


def drawn(
    face: Face, board: WireBoard, view: View, size: Size, marked: Collection[str] = (), width: int = 0
) -> list[Text]:
    """Draw the board as text with the places in `marked` highlighted. Long lines are truncated, not wrapped.

    If the board needs less than `width` columns, names may use the other columns.
    """
    if width and face.draw_within is not None:
        lines = face.draw_within(board, view, size, marked, width)
    else:
        lines = face.draw(board, view, size, marked)
    return styled(lines, no_wrap=True)


def largest(
    face: Face, board: WireBoard, view: View, width: int, height: int, marked: Collection[str] = ()
) -> list[Text]:
    """Draw the board in the largest size that fits into `width` and `height`, or else in the smallest size.

    The places in `marked` are highlighted.
    """
    return drawn(face, board, view, largest_size(face, board, view, width, height), marked, width)


def largest_size(face: Face, board: WireBoard, view: View, width: int, height: int) -> Size:
    """Return the largest size in which the board fits into `width` and `height`, or else the smallest size."""
    for size in SIZES:
        lines = drawn(face, board, view, size)
        if len(lines) <= height and width_of(lines) <= width:
            break
    return size


def width_of(lines: Sequence[Text]) -> int:
    return max((line.cell_len for line in lines), default=0)


def wrapped(lines: Iterable[str], width: int, style: str = "") -> list[Text]:
    """Wrap long lines to `width`. Continuation lines are indented by two more spaces than the first line."""
    broken: list[Text] = []
    for line in lines:
        indent = " " * (len(line) - len(line.lstrip(" ")))
        parts = wrap(line.strip(), max(width, 10), initial_indent=indent, subsequent_indent=f"{indent}  ")
        broken += [Text(part, style) for part in parts or [""]]
    return broken


def fit_all(lines: Sequence[Text], width: int) -> list[Text]:
    """Wrap long lines to `width`. Continuation lines are indented by two spaces."""
    if width_of(lines) <= width:
        return list(lines)
    most = max(width, 10)
    console = Console(width=most)
    fitted: list[Text] = []
    for line in lines:
        first, *more = line.wrap(console, most)
        fitted.append(first)
        if more:
            rest = line[len(first.plain.rstrip()) :]
            rest = rest[len(rest.plain) - len(rest.plain.lstrip()) :]
            for part in rest.wrap(console, most - 2):
                part.pad_left(2)
                fitted.append(part)
    return fitted


def place_side_by_side(left: Sequence[Text], right: Sequence[Text], column: int) -> list[Text]:
    """Place two blocks of lines side by side. The block `right` starts at `column`."""
    rows = []
    for number in range(max(len(left), len(right))):
        row = Text(no_wrap=True)
        if number < len(left):
            row.append_text(left[number])
        row.truncate(column, overflow="ellipsis")
        if number < len(right):
            row.append(" " * (column - row.cell_len)).append_text(right[number])
        rows.append(row)
    return rows


def blocks(parts: Sequence[list[Text]], room: int, spare: int) -> list[Text]:
    """Put blocks of lines below each other. Add an empty line after each block if there is enough space.

    `room` is the number of available lines. Empty lines are added only if `spare` lines then remain unused.
    """
    has_gaps = sum(len(part) + 1 for part in parts) + spare <= room
    return [line for part in parts if part for line in (*part, *([Text()] if has_gaps else []))]
