"""Decoration of the map of The Last Spike: coast, rivers, mountains and grass. It has no meaning in the rules.

All decoration comes from a fixed seed, so that the same board always looks the same. The decoration continues beyond
the frame of the drawing. A page that is wider or higher than the drawing shows this part, too.
"""

from collections.abc import Callable

from rails_cli.games.faces.svg import element, number
from rails_cli.games.shared.luck import stream

SEED = 9
WIDTH, HEIGHT = 1000, 650
"""Usual size of the drawing in SVG units.

The coordinates of waters and of names of regions are given for this size, and are scaled for other sizes.
"""
BEYOND = 200
"""Distance in SVG units by which the decoration continues beyond each side of the frame."""
SHADES = (0, 0.17, 0.30, 0.52, 0.72, 1)
"""Positions of the colours of the ground, from west to east, as fractions of the width."""

WEST_COAST = (
    "M-420 -420H88C96 -300 78 -100 70 -10C61 42 36 70 42 125C48 178 15 201 6 250C-2 297 10 318 4 350"
    "C0 394 25 424 46 479C65 528 63 551 97 600C112 625 110 657 124 700C140 760 130 900 150 1070H-420z"
)
WAVES = (("near", 7), ("middle", 15), ("far", 24))
"""Lines in the water along the coast. Each has a name for the CSS class, and a distance from the coast in SVG units."""
RIVERS = (
    "M1420 240C1200 300 1050 230 1000 265C947 278 930 318 943 350C960 394 926 445 949 498C970 551 943 594 970 1070",
    "M949 352C905 318 886 265 832 250C792 240 781 201 754 182C720 159 726 106 674 74C632 49 560 -200 500 -420",
)
BROOKS = (
    "M560 1070C540 900 480 760 503 700C520 660 568 636 547 594",
    "M330 1070C350 900 330 740 316 700C263 636 282 594 232 551C217 538 223 509 211 498",
)
NAMES = (("Sierra Nevada", 187, 119, 72), ("Great Plains", 868, 92, 0), ("Pacific", 30, 500, -90))
"""Names of regions as tuples: the text, x and y of the middle of the text, and its rotation in degrees."""

STYLE = """\
.board .shade-0{stop-color:var(--shade-0)}
.board .shade-1{stop-color:var(--shade-1)}
.board .shade-2{stop-color:var(--shade-2)}
.board .shade-3{stop-color:var(--shade-3)}
.board .shade-4{stop-color:var(--shade-4)}
.board .shade-5{stop-color:var(--shade-5)}
.board .coast{fill:var(--ocean);stroke:var(--surf);stroke-width:2.2}
.board .wave{fill:none;stroke:var(--surf);stroke-width:1.3}
.board .wave-near{opacity:.55}
.board .wave-middle{opacity:.38}
.board .wave-far{opacity:.22}
.board .river{fill:none;stroke:var(--river);stroke-width:4.6;stroke-linecap:round;opacity:.8}
.board .brook{fill:none;stroke:var(--river);stroke-width:3;stroke-linecap:round;opacity:.6}
.board .ridge{fill:var(--ridge);opacity:.55}
.board .snowcap{fill:var(--snowcap)}
.board .grass{fill:none;stroke:var(--grass);stroke-width:1.3;stroke-linecap:round;opacity:.6}
.board .region{font-family:"Besley",Georgia,"DejaVu Serif","DejaVu Sans",serif;font-style:italic}
.board .region{font-size:15px;letter-spacing:.14em;fill:var(--region)}
"""

COLOURS = {
    "shade-0": ("#dfe3cf", "#232c2a"),
    "shade-1": ("#e6dfc3", "#282c26"),
    "shade-2": ("#ecdfba", "#2e2c24"),
    "shade-3": ("#e4d3b2", "#322d27"),
    "shade-4": ("#ece6c6", "#2b2e25"),
    "shade-5": ("#dbe3bd", "#263026"),
    "ocean": ("#c9dde0", "#16262d"),
    "surf": ("#8fb0b6", "#3d5c66"),
    "river": ("#9cc3cb", "#2f5561"),
    "ridge": ("#8f7355", "#97806a"),
    "snowcap": ("#fbf6ea", "#d9d0bf"),
    "grass": ("#7f9f5c", "#5f8458"),
    "region": ("#5f563f", "#a9ada4"),
}

IsFree = Callable[[float, float], bool]
"""Function that takes x and y and returns whether this point of the map has no city, piece or text."""


def gradient(width: int) -> str:
    """Return the definition of the colours of the ground, which change from west to east."""
    stops = "".join(
        element("stop", {"class": f"shade-{shade}", "offset": str(offset)}) for shade, offset in enumerate(SHADES)
    )
    extent = {"id": "west-east", "gradientUnits": "userSpaceOnUse", "x1": "0", "x2": str(width), "y1": "0", "y2": "0"}
    return element("linearGradient", extent, stops)


def scenery(width: int, height: int, *, is_standard: bool, is_free: IsFree) -> str:
    """Return the ground with its decoration as SVG.

    The coast, the rivers and the names of regions are drawn on the standard board only, because they fit only the
    places of its cities. `is_free` returns whether a place has room for decoration.
    """
    around = {
        "x": str(-BEYOND),
        "y": str(-BEYOND),
        "width": str(width + 2 * BEYOND),
        "height": str(height + 2 * BEYOND),
    }
    parts = [element("rect", {"fill": "url(#west-east)", **around})]
    wider, higher = width / WIDTH, height / HEIGHT
    if is_standard:
        waters = [element("path", {"class": "coast", "d": WEST_COAST})]
        waters += [
            element("path", {"class": f"wave wave-{look}", "d": WEST_COAST, "transform": f"translate({-distance} 0)"})
            for look, distance in WAVES
        ]
        waters += [element("path", {"class": "river", "d": river}) for river in RIVERS]
        waters += [element("path", {"class": "brook", "d": brook}) for brook in BROOKS]
        parts.append(element("g", {"transform": f"scale({wider:.3f} {higher:.3f})"}, "".join(waters)))
    parts += _plants_and_peaks(width, height, is_free=is_free)
    if is_standard:
        for name, usual_x, usual_y, turn in NAMES:
            x, y = number(usual_x * wider), number(usual_y * higher)
            at = {"class": "region", "x": x, "y": y}
            parts.append(element("text", at | ({"transform": f"rotate({turn} {x} {y})"} if turn else {}), name))
    return element("g", {"aria-hidden": "true"}, "".join(parts))


def is_near_region(x: float, y: float) -> bool:
    """Return whether the point (`x`, `y`) is so near the name of a region that decoration would cover the name.

    The coordinates are those of a drawing of the usual size.
    """
    for name, at_x, at_y, turn in NAMES:
        along, across = 5.6 * len(name) + 8, 14
        wide, high = (along, across) if not turn else (across, along) if abs(turn) == 90 else (34, along)
        if abs(x - at_x) < wide and abs(y - at_y) < high:
            return True
    return False


def _plants_and_peaks(width: int, height: int, *, is_free: IsFree) -> list[str]:
    """Return SVG elements: mountains in the west and in the middle, and grass in the east."""
    chance = stream(SEED)

    def between(least: float, most: float) -> float:
        return least + (most - least) * chance()

    peaks: list[tuple[float, float, float]] = []
    area = (height + 2 * BEYOND) / height
    for west, east, count, size, slant in ((0.118, 0.216, 120, 0.9, 0.12), (0.352, 0.616, 330, 1.25, 0.06)):
        for _ in range(round(count * area)):
            y = between(-BEYOND, height + BEYOND)
            x = between(west, east) * width + between(-10, 10) + (y - height / 2) * slant
            scale = size * between(0.75, 1.25)
            if is_free(x, y) and all(abs(x - other_x) > 16 or abs(y - other_y) > 12 for other_x, other_y, _ in peaks):
                peaks.append((x, y, scale))
    peaks.sort(key=lambda peak: peak[1])
    tufts: list[tuple[float, float]] = []
    west = 0.632 * width
    for _ in range(round(300 * area)):
        x, y = between(west, width + BEYOND / 2), between(-BEYOND, height + BEYOND)
        is_kept = chance() < 0.2 + (x - west) / 500
        if (
            is_kept
            and is_free(x, y)
            and all(abs(x - other_x) > 13 or abs(y - other_y) > 13 for other_x, other_y in tufts)
        ):
            tufts.append((x, y))
    slopes, shadows, snow = ("".join(_moved(shape, *peak) for peak in peaks) for shape in (_SLOPES, _SHADOW, _SNOW))
    return [
        element("path", {"class": "ridge", "d": slopes}),
        element("path", {"class": "ridge", "d": shadows}),
        element("path", {"class": "snowcap", "d": snow}),
        element("path", {"class": "grass", "d": "".join(_tuft(x, y) for x, y in tufts)}),
    ]


Shape = tuple[tuple[float, float], tuple[tuple[float, float], ...]]
"""A shape: its first point, and the steps from each point to the next."""
_SLOPES: Shape = ((-7, 5), ((7, -11), (7, 11)))
_SHADOW: Shape = ((0, -6), ((7, 11), (-5.8, 0), (-2.4, -5)))
_SNOW: Shape = ((0, -6), ((2.5, 3.9), (-2.1, -0.9), (-2.7, 0.7)))


def _moved(shape: Shape, x: float, y: float, scale: float) -> str:
    """Return a shape as part of an SVG path. Its first point is at (`x`, `y`), and `scale` is its size."""
    (from_x, from_y), steps = shape
    drawn = "".join(f"l{number(scale * step_x)} {number(scale * step_y)}" for step_x, step_y in steps)
    return f"M{number(x + scale * from_x)} {number(y + scale * from_y)}{drawn}z"


def _tuft(x: float, y: float) -> str:
    """Return three blades of grass as part of an SVG path."""
    return f"M{number(x - 4)} {number(y)}l-2 -5M{number(x)} {number(y)}v-6M{number(x + 4)} {number(y)}l2 -5"
