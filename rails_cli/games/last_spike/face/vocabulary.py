"""What can be typed in The Last Spike."""

from collections.abc import Mapping, Sequence
from typing import Any

from rails_cli.games.decision import Decision, Spot
from rails_cli.games.last_spike.face.prompts import city_of
from rails_cli.games.vocabulary import Examples, Verb, Vocabulary, looked_up, plain


def _names(board: Mapping[str, Any], view: Any) -> dict[str, dict[str, str]]:
    cities: dict[str, str] = {}
    lots: dict[str, str] = {}
    for city in board["cities"]:
        cities |= {plain(city["id"]): city["id"], plain(city["name"]): city["id"]}
        lots |= {plain(lot["id"]): lot["id"] for lot in city["properties"]}
    pieces = {plain(piece["id"]): piece["id"] for route in board["routes"] for piece in route["pieces"]}
    return {"piece": pieces, "property": lots, "city": cities}


VOCABULARY = Vocabulary(
    verbs=(
        Verb("play", ("piece",), also=("lay",)),
        Verb("sell", ("property",)),
        Verb("buy", ("city",)),
    ),
    names=_names,
    examples=Examples(
        answers="""\
  play A3            buy Omaha          sell OMA2              pass""",
        things=("Omaha", "A3", "OMA2"),
        answer="buy Omaha",
        maps="map costs, map income: what pieces cost and cities pay",
        rules=("14", "property"),
    ),
)


def describe(decision: Decision, words: Sequence[str]) -> Spot | None:
    """What the city that some words name has to sell and pays."""
    city = looked_up(_names(decision.wire_board, decision.view)["city"], " ".join(words))
    if city is None:
        return None
    place = city_of(decision.wire_board, city)
    now = next(one for one in decision.view.cities if one.id == city)
    sale = "nothing is for sale" if now.for_sale is None else f"{now.for_sale} is for sale at {now.price:,}"
    to_come = f"{now.routes_left} route{'' if now.routes_left == 1 else 's'} to come"
    return Spot(city, f"{place['name']}: {sale}, {to_come}, {_payout(place)}.")


def _payout(place: Any) -> str:
    amounts = ", ".join(f"{amount:,}" for amount in place["payout"])
    return f"a route pays {amounts} for 1 to {len(place['payout'])} properties"


def numbers(board: Mapping[str, Any], view: Any, what: str) -> list[str] | None:
    """What pieces cost, or what cities pay their owners for a route."""
    if what.startswith("inc"):
        return [f"{place['id']} {place['name']}: {_payout(place)}" for place in board["cities"]]
    if not what.startswith("cost"):
        return None
    return [
        f"{route['id']} {route['from']}-{route['to']}: "
        + ", ".join(f"{piece['id']} {piece['cost']:,}" for piece in route["pieces"])
        for route in board["routes"]
    ]
