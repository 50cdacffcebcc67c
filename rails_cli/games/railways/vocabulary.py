"""The names of companies and hexes as people type them, and what they stand for on the map."""

from collections.abc import Mapping, Sequence
from typing import Any

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
