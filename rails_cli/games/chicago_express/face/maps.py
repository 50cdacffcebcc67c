"""The map of Chicago Express: costs and income of hexes as text, as numbers and as SVG."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from rails_cli.games.chicago_express.board import building_cost, hex_values
from rails_cli.games.decision import Decision
from rails_cli.games.game import WireBoard
from rails_cli.games.railways import places
from rails_cli.games.railways.svg_map import HexFacts, HexMap
from rails_cli.protocol.chicago_express import View


def cost(board: Mapping[str, Any], view: Any, place: Any) -> int | None:
    """Return the cost of the next locomotive in the hex `place`, or None if no more may be placed."""
    return building_cost(place["terrain"], place["cost"], places.standing(view, place["id"]))


def worth(board: Mapping[str, Any], view: Any, place: Any) -> int:
    """Return the current income of a locomotive in the hex `place`."""
    scale = next((scale.value for scale in view.scales if scale.hex == place["id"]), None)
    if scale is not None:
        return int(scale)
    return hex_values(place["income"], place["develop"])[place["id"] in view.developed]


def _about(decision: Decision, place: Any) -> list[str]:
    told = [f"costs ${place['cost'] or 0} for each locomotive there"]
    told.append(f"income ${worth(decision.wire_board, decision.view, place)}")
    return [*told, f"develops by ${place['develop']}"] if place["develop"] else told


describe = partial(places.described, about=_about)
numbers = partial(places.numbered_map, costs=cost, income=worth)


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
