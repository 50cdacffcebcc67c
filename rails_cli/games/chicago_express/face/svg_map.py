"""The board of Chicago Express as SVG."""

from typing import Any

from protocol.chicago_express import View
from rails_cli.games.chicago_express.face.places import worth
from rails_cli.games.game import WireBoard
from rails_cli.games.railways.svg_map import HexFacts, HexMap


def board_map(board: WireBoard) -> HexMap:
    earning = [spot for spot in board["hexes"] if _facts(spot).has_value]

    def values(view: View) -> dict[str, str]:
        return {spot["id"]: f"+{worth(board, view, spot)}" for spot in earning}

    return HexMap(board, _facts, values)


def _facts(spot: dict[str, Any]) -> HexFacts:
    notes = [f"earns ${spot['income']}"] if spot["income"] else []
    if spot["develop"]:
        notes.append(f"${spot['develop']} more once developed")
    return HexFacts(spot["cost"], notes, bool(spot["income"]) or spot["terrain"] == "industrial")
