"""The board of Chicago Express as SVG."""

from typing import Any

from protocol.chicago_express import View
from rails_cli.games.game import WireBoard
from rails_cli.games.railways.svg_map import HexFacts, HexMap


def board_map(board: WireBoard) -> HexMap:
    income = {spot["id"]: spot["income"] for spot in board["hexes"] if _facts(spot).has_value}
    developed = {spot["id"]: spot["income"] + (spot["develop"] or 0) for spot in board["hexes"]}

    def values(view: View) -> dict[str, str]:
        now = {**income, **{id: developed[id] for id in view.developed if id in income}}
        now |= {scale.hex: scale.value for scale in view.scales}
        return {id: f"+{value}" for id, value in now.items()}

    return HexMap(board, _facts, values)


def _facts(spot: dict[str, Any]) -> HexFacts:
    notes = [f"earns ${spot['income']}"] if spot["income"] else []
    if spot["develop"]:
        notes.append(f"${spot['develop']} more once developed")
    return HexFacts(spot["cost"], notes, bool(spot["income"]) or spot["terrain"] == "industrial")
