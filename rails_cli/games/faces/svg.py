"""Boards as SVG.

The static part of a board is drawn once. A position is drawn by marks on top of the static part. A mark is one SVG
element.

The marks of a position are inserted by this module, or by the script `board.js` in the browser.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from html import escape
from typing import Any, Literal, NamedTuple, Protocol, runtime_checkable

LAYERS = ("halo", "casing", "rails", "dashes", "hot", "pieces", "values")
"""Layers of marks, lowest first. The names of places are drawn between the layers `hot` and `pieces`."""
REMEMBERED = 10_000
"""Maximum number of marks in each cache, enough for a long game. Most marks also occur in the next position."""


class SvgMark(NamedTuple):
    """An SVG element in one of the layers. Possible attributes are `class`, `d`, `href`, `x` and `y`."""

    layer: str
    tag: Literal["path", "text", "use"]
    attributes: tuple[tuple[str, str], ...]
    text: str = ""

    def svg(self) -> str:
        return element(self.tag, dict(self.attributes), escape(self.text))


class Base(NamedTuple):
    """The static part of a board: size, title, legend, shape definitions, background below pieces, names of places."""

    width: int
    height: int
    title: str
    legend: str
    definitions: str
    ground: str
    names: str


class Map(Protocol):
    """A board that can be drawn as SVG.

    Each place is an SVG group with the id of the place as `data-place`. The first shape in the group is the outline of
    the place. CSS classes are defined in `board.css` and in the game's `Look`.
    """

    def base(self) -> Base: ...

    def marks(self, view: Any, touched: Collection[str] = ()) -> list[SvgMark]:
        """Return the marks for the pieces of a position. The places in `touched` are highlighted."""


@runtime_checkable
class FlexibleMap(Map, Protocol):
    """A board that can be drawn in frames of different shapes, such as wide or high ones.

    The drawing fills the frame.
    """

    def fitted(self, ratio: float) -> Map:
        """Return a drawing for a frame whose width divided by its height is `ratio`."""


def element(tag: str, attributes: Mapping[str, str], content: str = "") -> str:
    """Return an SVG element. Values of `attributes` are escaped, but `content` must already be escaped."""
    written = "".join(f' {name}="{escape(value)}"' for name, value in attributes.items())
    return f"<{tag}{written}>{content}</{tag}>" if content else f"<{tag}{written}/>"


@lru_cache(REMEMBERED)
def text_mark(layer: str, look: str, x: float, y: float, text: str) -> SvgMark:
    return SvgMark(layer, "text", (("class", look), ("x", number(x)), ("y", number(y))), text)


@lru_cache(REMEMBERED)
def use_mark(layer: str, look: str, x: float, y: float, shape: str) -> SvgMark:
    return SvgMark(layer, "use", (("href", f"#{shape}"), ("class", look), ("x", number(x)), ("y", number(y))))


def number(value: float) -> str:
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def board_svg(base: Base, marks: Iterable[SvgMark] = (), style: str = "") -> str:
    """Return the whole board with `marks` as SVG. The CSS in `style` is embedded, for pictures outside a page."""
    by_layer: dict[str, list[str]] = {layer: [] for layer in LAYERS}
    for mark in marks:
        by_layer[mark.layer].append(mark.svg())
    size = f' width="{base.width}" height="{base.height}"' if style else ""
    groups = {layer: f'<g class="layer-{layer}">{"".join(found)}</g>' for layer, found in by_layer.items()}
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="board" viewBox="0 0 {base.width} {base.height}" role="img" '
        f'aria-label="{escape(base.title)}"{size}>'
        f"{f'<style>{style}</style>' if style else ''}<defs>{base.definitions}</defs>"
        f'<rect class="sea" width="{base.width}" height="{base.height}" rx="10"/>'
        f'<g class="ground">{base.ground}</g>{groups["halo"]}{groups["casing"]}{groups["rails"]}{groups["dashes"]}'
        f'{groups["hot"]}<g class="names">{base.names}</g>{groups["pieces"]}{groups["values"]}</svg>'
    )


def rows_of(count: int, longest: int) -> Sequence[int]:
    """Return how many items each row has, if `count` items are arranged in rows of at most `longest` items."""
    rows = -(-count // longest)
    return [count // rows + (row < count % rows) for row in range(rows)]
