"""The names of companies, places and pieces as people type them."""

import re
from collections.abc import Sequence
from typing import Any

from rails_cli.asking.situation import Situation
from rails_cli.games.railways.companies import letters

_SPOT = re.compile(r"([a-z]+)0*(\d+)")
SHORTEST_PREFIX = 3
LONGEST_NAME = 3
MOST_DIGITS = 9
TOO_MANY = 10**MOST_DIGITS
"""What a number with more digits counts as; nothing in a game is as large."""


def plain(word: str) -> str:
    """Small letters and digits only; a hex without leading zeros."""
    packed = "".join(character for character in word.casefold() if character.isalnum())
    spot = _SPOT.fullmatch(packed)
    return f"{spot[1]}{spot[2]}" if spot else packed


def whole_number(word: str) -> int | None:
    """The number that a word such as `12` or `$12` is; None if it is none."""
    digits = word.lstrip("$")
    if not (digits.isascii() and digits.isdecimal()):
        return None
    digits = digits.lstrip("0") or "0"
    return int(digits) if len(digits) <= MOST_DIGITS else TOO_MANY


class Names:
    """What each typed word may stand for."""

    def __init__(self, situation: Situation) -> None:
        board = situation.wire_board
        self.companies: dict[str, str] = {}
        self.hexes: dict[str, str] = {}
        self.cities: dict[str, str] = {}
        self.pieces: dict[str, str] = {}
        self.properties: dict[str, str] = {}
        if situation.game == "last_spike":
            for city in board["cities"]:
                self.cities |= {plain(city["id"]): city["id"], plain(city["name"]): city["id"]}
                self.properties |= {plain(lot["id"]): lot["id"] for lot in city["properties"]}
            self.pieces = {plain(p["id"]): p["id"] for route in board["routes"] for p in route["pieces"]}
            return
        for company in board["companies"]:
            self.companies[plain(company["id"])] = company["id"]
            self.companies.setdefault(plain(company.get("name") or company["id"]), company["id"])
        for company, letter in letters(situation.view).items():
            self.companies.setdefault(plain(letter), company)
        if situation.game == "chicago_express":
            self.companies |= {"bando": "BO", "cando": "CO", "wabash": "WAB"} if "bo" in self.companies else {}
        for spot in board["hexes"]:
            self.hexes[plain(spot["id"])] = spot["id"]
            if spot["name"]:
                self.hexes[plain(spot["name"])] = spot["id"]


def looked_up(table: dict[str, str], word: str) -> str | None:
    """What a word stands for: the name itself, or the only one that begins so."""
    key = plain(word)
    if key in table or len(key) < SHORTEST_PREFIX:
        return table.get(key)
    found = {value for name, value in table.items() if name.startswith(key)}
    return found.pop() if len(found) == 1 else None


def company_in(names: Names, word: str) -> str | None:
    return looked_up(names.companies, word)


def piece_in(names: Names, word: str) -> str | None:
    return names.pieces.get(plain(word))


def hex_in(names: Names, words: Sequence[str]) -> str | None:
    """The hex that a few words name together, or the first that one of them names."""
    whole = looked_up(names.hexes, " ".join(words)) if words else None
    return whole or next((spot for word in words if (spot := looked_up(names.hexes, word))), None)


def taken_from(table: dict[str, str], words: Sequence[str]) -> tuple[str, int] | None:
    """What the first words name, as many of them as fit, and how many these are."""
    for count in range(min(LONGEST_NAME, len(words)), 0, -1):
        found: Any = looked_up(table, " ".join(words[:count]))
        if found is not None:
            return found, count
    return None
