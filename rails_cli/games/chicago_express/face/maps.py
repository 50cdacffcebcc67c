"""The map of Chicago Express as text and as SVG, with the cost and the income of each hex."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from rails_cli.games.chicago_express.board import building_cost, hex_values
from rails_cli.games.decision import Decision
from rails_cli.games.game import WireBoard
from rails_cli.games.railways import places
from rails_cli.games.railways.gauges import Dial
from rails_cli.games.railways.scenery import Scenery, WaterName
from rails_cli.games.railways.svg_map import HexFacts, HexMap, Value
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
    facts = [f"costs ${place['cost'] or 0} for each locomotive there"]
    facts.append(f"income ${worth(decision.wire_board, decision.view, place)}")
    return [*facts, f"develops by ${place['develop']}"] if place["develop"] else facts


describe = partial(places.described, about=_about)
numbers = partial(places.numbered_map, costs=cost, income=worth)


_LANDMARKS = {
    "Chicago": (0, 2),
    "Detroit": (4, -2),
    "Buffalo": (11, -5),
    "Philadelphia": (17, -3),
    "Washington": (16, 1),
}
_FAR = range(19, 60)
_NORTH = range(-30, 0)

SCENERY = Scenery(
    _LANDMARKS,
    [
        (range(-1, 2), range(-30, 1)),  # Lake Michigan
        (range(2), range(1, 2)),
        (range(5, 6), range(1)),  # Lake Erie
        (range(6, 9), range(2)),
        (range(9, 11), range(1)),
        (range(12, 16), _NORTH),  # Lake Ontario
        (range(17, 60), range(6, 60)),  # the Atlantic
        (_FAR, range(3, 60)),
    ],
    [
        WaterName("Lake Erie", 336, 55, -24),
        WaterName("Lake", 2, 25),
        WaterName("Michigan", 2, 47),
        WaterName("Atlantic", 881, 403, -66, is_ocean=True),
    ],
    (34, 13, 22, 13),
)


def board_map(board: WireBoard) -> HexMap:
    scale_values = {scale["hex"]: scale["values"] for scale in board["scales"]}
    earning = [spot for spot in board["hexes"] if spot["name"] and (spot["income"] or spot["id"] in scale_values)]
    land_income = {spot["terrain"]: spot["income"] for spot in board["hexes"] if spot["income"] and not spot["name"]}

    def facts(spot: dict[str, Any]) -> HexFacts:
        notes = [f"earns ${spot['income']}"] if spot["income"] else []
        if spot["develop"]:
            notes.append(f"${spot['develop']} more once developed")
        return HexFacts(spot["cost"], notes, is_chief=spot["id"] == board["chicago"])

    def values(view: View) -> dict[str, Value]:
        built_up = [spot for spot in board["hexes"] if spot["id"] in view.developed]
        return {spot["id"]: Value(f"+{worth(board, view, spot)}") for spot in [*earning, *built_up]}

    def steps(view: View) -> dict[str, int]:
        return {scale.hex: scale_values[scale.hex].index(scale.value) + 1 for scale in view.scales}

    return HexMap(
        board,
        facts,
        values,
        more_legend="".join(f"; every {terrain}: +{income}" for terrain, income in land_income.items()),
        scenery=SCENERY,
        scales={id: len(found) for id, found in scale_values.items()},
        steps=steps,
        dials=board["dials"],
        turned=lambda view: {dial.action: Dial(dial.moved, dial.red_at) for dial in view.dials},
    )
