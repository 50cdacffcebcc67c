"""The names of companies and hexes as people type them, and what hexes cost and bring."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from rails_cli.games.decision import Decision, Spot
from rails_cli.games.face import NumberedMap
from rails_cli.games.phrases import listed
from rails_cli.games.railways.companies import letters
from rails_cli.games.vocabulary import Names, Verb, looked_up, named_in, plain

BUILD = Verb(
    "build",
    ("company", "hex"),
    optional="company",
    which="Which company builds in {}",
    where="Build {0} where? Say: build {0} and a place.",
)
OFFER = Verb("offer", ("company",), also=("nominate",), is_ranked=False)


def names_of(board: Mapping[str, Any], view: Any) -> dict[str, dict[str, str]]:
    """Companies by id, name and letter, hexes by id and name."""
    companies: dict[str, str] = {}
    for company in board["companies"]:
        companies[plain(company["id"])] = company["id"]
        companies.setdefault(plain(company.get("name") or company["id"]), company["id"])
    for company, letter in letters(view).items():
        companies.setdefault(plain(letter), company)
    hexes = {plain(spot["id"]): spot["id"] for spot in board["hexes"]}
    hexes |= {plain(spot["name"]): spot["id"] for spot in board["hexes"] if spot["name"]}
    return {"company": companies, "hex": hexes}


def hex_named(names: Mapping[str, Names], words: Sequence[str]) -> str | None:
    """The hex that some words name, beside a company."""
    others = [word for word in words if looked_up(names["company"], word) is None]
    return named_in(names["hex"], others if len(words) > 1 and others else words)


def place_of(board: Mapping[str, Any], spot: str) -> Any:
    """The entry of a hex on the board."""
    return next(place for place in board["hexes"] if place["id"] == spot)


def place_words(place: Mapping[str, Any]) -> str:
    return f"{place['id']} {place['name']}" if place["name"] else str(place["id"])


def place_called(board: Mapping[str, Any], spot: str) -> str:
    """What people call a place."""
    return str(place_of(board, spot)["name"] or spot)


def building(board: Mapping[str, Any], builds: Sequence[Any], article: str = "") -> str:
    """What somebody does who builds in some places: "building the PRR to Pittsburgh and K6"."""
    places: dict[str, list[str]] = {}
    for build in builds:
        places.setdefault(build.company, []).append(place_called(board, build.hex))
    return "building " + listed([f"{article}{company} to {listed(spots)}" for company, spots in places.items()])


def places_of(board: Mapping[str, Any], action: Any) -> list[str]:
    """Where an action takes place."""
    return [action.hex] if hasattr(action, "hex") else []


def network(board: Mapping[str, Any], view: Any, word: str) -> tuple[frozenset[str], str] | None:
    """The hexes of the company that a word names, and a line about them."""
    named = looked_up(names_of(board, view)["company"], word)
    if named is None:
        return None
    track = next(company.track for company in view.companies if company.id == named)
    return frozenset(track), f"Highlighted: the network of {named}: {', '.join(track) or 'nothing yet'}."


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
