"""A position of a game as an SVG file, and the style sheet of boards."""

from collections.abc import Collection, Sequence
from importlib import resources
from typing import Any

from rails_cli.games.faces.interface import Face
from rails_cli.games.faces.paints import Look, Theme, resolved, rules
from rails_cli.games.faces.svg import board_svg
from rails_cli.games.game import WireBoard


def picture(face: Face, board: WireBoard, view: Any, touched: Collection[str] = (), theme: Theme = "light") -> str:
    drawn = face.board_map(board)
    return board_svg(drawn.base(), drawn.marks(view, touched), resolved(board_style([face.look]), theme, face.look))


def board_style(looks: Sequence[Look]) -> str:
    return read("board.css") + rules(looks)


def read(name: str) -> str:
    """Return the text of a file in the folder of this package."""
    return resources.files("rails_cli.web").joinpath(name).read_text(encoding="utf-8")
