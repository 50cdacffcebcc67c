"""What a hex of Chicago Express costs, and what a locomotive there is worth."""

from collections.abc import Mapping, Sequence
from typing import Any

from rails_cli.games.chicago_express.board import building_cost
from rails_cli.games.decision import Decision, Spot
from rails_cli.games.face import NumberedMap
from rails_cli.games.railways import places


def cost(board: Mapping[str, Any], view: Any, place: Any) -> int | None:
    """What the next locomotive in a hex costs; None where none may be built."""
    return building_cost(place["terrain"], place["cost"], places.standing(view, place["id"]))


def worth(board: Mapping[str, Any], view: Any, place: Any) -> int:
    """What a locomotive in a hex is worth now."""
    scale = next((scale.value for scale in view.scales if scale.hex == place["id"]), None)
    if scale is not None:
        return int(scale)
    return int((place["income"] or 0) + ((place["develop"] or 0) if place["id"] in view.developed else 0))


def describe(decision: Decision, words: Sequence[str]) -> Spot | None:
    return places.described(decision, words, _about)


def _about(decision: Decision, place: Any) -> list[str]:
    told = [f"costs {place['cost'] or 0} for each locomotive there"]
    told.append(f"income {worth(decision.wire_board, decision.view, place)}")
    return [*told, f"develops by {place['develop']}"] if place["develop"] else told


def numbers(board: Mapping[str, Any], view: Any, what: str) -> NumberedMap | None:
    return places.numbered_map(board, view, what, costs=cost, income=worth)
