"""From a board, as clients are told of it, to its drawing."""

from collections.abc import Collection
from typing import Any

from rails_cli.web.drawing import Board, Map, board_style, board_svg
from rails_cli.web.hexmap import HexMap
from rails_cli.web.paints import Theme, resolved
from rails_cli.web.routemap import RouteMap


def board_map(board: Board) -> Map:
    return RouteMap(board) if "routes" in board else HexMap(board)


def picture(board: Board, view: Any, touched: Collection[str] = (), theme: Theme = "light") -> str:
    """A position as an SVG file."""
    drawn = board_map(board)
    return board_svg(drawn.base(), drawn.marks(view, touched), resolved(board_style(), theme))
