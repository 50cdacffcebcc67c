"""The land and the water around a board of hexes, and outlines of groups of hexes as SVG paths.

A board lists only its own hexes. A `Scenery` describes the land and the water around boards with certain cities. Any
other board is surrounded by water.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from math import sqrt
from typing import Any, NamedTuple

from rails_cli.games.faces.svg import number

SIZE = 32
"""Radius of a hex in SVG units, from its centre to a corner."""
MARGIN = 40
"""Distance in SVG units between a board without `Scenery` and the frame of the drawing."""
BEYOND = 14
"""Number of hexes by which the land continues beyond the hexes of the board.

So the land also fills wide and high frames.
"""
_CORNERS = ((2, 0), (1, 1), (-1, 1), (-2, 0), (-1, -1), (1, -1))
_SHORT: float = SIZE / 2
_LONG = SIZE * sqrt(3) / 2

Cell = tuple[int, int]
"""Axial coordinates (q, r) of a hex, which need not be on the board."""


class Grid:
    """Positions of hexes in SVG units. The hex (0, 0) is at the origin.

    Centres and corners have whole-number coordinates in a lattice, whose units for x and y are different. Neighbouring
    hexes therefore have exactly the same coordinates for a common corner.
    """

    def __init__(self, is_pointy: bool) -> None:
        self.is_pointy = is_pointy
        self.half_width = _LONG if is_pointy else SIZE
        self.half_height = SIZE if is_pointy else _LONG

    def _lattice(self, cell: Cell) -> tuple[int, int]:
        q, r = cell
        return (2 * q + r, 3 * r) if self.is_pointy else (3 * q, 2 * r + q)

    def _scaled(self, x: float, y: float) -> tuple[float, float]:
        return (x * _LONG, y * _SHORT) if self.is_pointy else (x * _SHORT, y * _LONG)

    def centre(self, cell: Cell) -> tuple[float, float]:
        return self._scaled(*self._lattice(cell))

    def corners(self, cell: Cell) -> list[tuple[int, int]]:
        """Return the corners of a hex in the lattice, in the order in which an outline connects them."""
        x, y = self._lattice(cell)
        return [(x + dy, y + dx) if self.is_pointy else (x + dx, y + dy) for dx, dy in _CORNERS]

    def hexagon(self, radius: float) -> str:
        """Return the SVG path of a hex with the given radius, centred on the origin."""
        share = radius / SIZE
        points = [self._scaled(x * share, y * share) for x, y in self.corners((0, 0))]
        return "M" + "L".join(f"{number(x)} {number(y)}" for x, y in points) + "z"

    def cells(self, columns: range, rows: range) -> list[Cell]:
        """Return the hexes in these columns and rows. Every second row or column is shifted by half a hex."""
        if self.is_pointy:
            return [(column - (row - row % 2) // 2, row) for row in rows for column in columns]
        return [(column, row - (column - column % 2) // 2) for column in columns for row in rows]

    def column_and_row(self, cell: Cell) -> tuple[int, int]:
        q, r = cell
        return (q + (r - r % 2) // 2, r) if self.is_pointy else (q, r + (q - q % 2) // 2)

    def outline(self, cells: Iterable[Cell], west: float, north: float) -> str:
        """Return an SVG path around groups of adjacent hexes.

        Its coordinates are relative to the point (`west`, `north`).
        """
        edges: set[tuple[tuple[int, int], tuple[int, int]]] = set()
        for cell in cells:
            corners = self.corners(cell)
            for start, end in zip(corners, corners[1:] + corners[:1], strict=True):
                if (end, start) in edges:
                    edges.remove((end, start))
                else:
                    edges.add((start, end))
        following = dict(sorted(edges))
        path = ""
        while following:
            first = corner = min(following)
            x, y = self._place(corner, west, north)
            path += f"M{number(x)} {number(y)}"
            while True:
                corner = following.pop(corner)
                if corner == first:
                    break
                last_x, last_y = x, y
                x, y = self._place(corner, west, north)
                path += _line(x - last_x, y - last_y)
            path += "z"
        return path

    def _place(self, corner: tuple[int, int], west: float, north: float) -> tuple[float, float]:
        x, y = self._scaled(*corner)
        return round(x - west, 1), round(y - north, 1)


def _line(dx: float, dy: float) -> str:
    if abs(dy) < 0.05:
        return f"h{number(dx)}"
    return f"v{number(dy)}" if abs(dx) < 0.05 else f"l{number(dx)} {number(dy)}"


class WaterName(NamedTuple):
    """The name of a lake or sea, with its position and its angle in degrees.

    The position is in SVG units from the hex in column and row 0. The name of an ocean has another style.
    """

    text: str
    x: float
    y: float
    turned: int = 0
    is_ocean: bool = False


class Scenery(NamedTuple):
    """The land and the water around boards with certain cities. `names` has the names of waters."""

    cities: Mapping[str, Cell]
    """Mapping from names of some cities to coordinates.

    A board gets the surroundings if it has all these cities at these coordinates.
    """
    water: Sequence[tuple[range, range]]
    """Areas of water.

    Each area is a range of columns and a range of rows. Hexes of the board in these areas are land.
    """
    names: Sequence[WaterName]
    margins: tuple[int, int, int, int]
    """Distances in SVG units between the hexes and the frame: west, north, east, south."""

    def fits(self, board: Mapping[str, Any]) -> bool:
        found = {spot["name"]: (spot["q"], spot["r"]) for spot in board["hexes"]}
        return all(found.get(name) == cell for name, cell in self.cities.items())

    def land(self, grid: Grid, cells: Collection[Cell]) -> set[Cell]:
        """Return the hexes with land beyond the board. `cells` are the hexes of the board."""
        columns, rows = zip(*map(grid.column_and_row, cells), strict=True)
        around = grid.cells(
            range(min(columns) - BEYOND, max(columns) + BEYOND + 1), range(min(rows) - BEYOND, max(rows) + BEYOND + 1)
        )
        wet = {cell for columns, rows in self.water for cell in grid.cells(columns, rows)}
        return {*around} - wet - {*cells}
