"""What hexes cost and bring, as a sentence or as numbers on the map."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from rails_cli.games.decision import Decision, Spot
from rails_cli.games.face import NumberedMap
from rails_cli.games.railways.vocabulary import hex_named, place_of, place_words

Number = Callable[[Mapping[str, Any], Any, Any], int | None]
"""A number of a hex, if it has any, by the board, the view and the entry of the hex."""


def described(decision: Decision, words: Sequence[str], about: Callable[[Decision, Any], list[str]]) -> Spot | None:
    """What the hex that some words name is like; `about` says what it costs and brings."""
    spot = hex_named(decision.face.vocabulary.names(decision.wire_board, decision.view), words)
    if spot is None:
        return None
    place = place_of(decision.wire_board, spot)
    there = [company.id for company in decision.view.companies if spot in company.track]
    told = [f"{place_words(place)}: {place['terrain']}", *about(decision, place)]
    told.append("developed" if spot in decision.view.developed else "not developed")
    told.append(f"there: {', '.join(there)}" if there else "nobody there")
    return Spot(spot, f"{', '.join(told)}.")


def standing(view: Any, spot: str) -> int:
    """How many companies stand in a hex."""
    return sum(spot in company.track for company in view.companies)


def numbered_map(
    board: Mapping[str, Any], view: Any, what: str, *, costs: Number, income: Number
) -> NumberedMap | None:
    """The map with what building costs, or what it brings, in place of names and companies."""
    if not what.startswith(("cost", "inc")):
        return None
    number = costs if what.startswith("cost") else income
    hexes = [{**place, "name": str(number(board, view, place) or "") or None} for place in board["hexes"]]
    empty = [msgspec.structs.replace(company, track=[]) for company in view.companies]
    word = "what building there costs now" if number is costs else "what one more company would earn there"
    return NumberedMap({**board, "hexes": hexes}, msgspec.structs.replace(view, companies=empty), f"Numbers: {word}.")
