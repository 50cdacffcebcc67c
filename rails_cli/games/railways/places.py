"""Names of companies and hexes as users type and see them. Maps and descriptions of hexes with costs and income."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar, TypeVarTuple

import msgspec

from rails_cli.games.decision import Decision, Spot
from rails_cli.games.faces.interface import Badge, NumberedMap
from rails_cli.games.faces.phrases import listed
from rails_cli.games.faces.vocabulary import WHOLE, Names, Verb, looked_up, named_in, plain, taken_from
from rails_cli.games.railways.companies import letters, paints
from rails_cli.games.shared.hexgrid import STEPS

BUILD = Verb(
    "build",
    ("company", "hex"),
    optional="company",
    which="Which company builds in {}",
    where="Build {0} where? Say: build {0} and a place.",
)
OFFER = Verb("offer", ("company",), also=("nominate",), is_ranked=False)
BOARDS_KNOWN = 16

Found = TypeVar("Found")
Rest = TypeVarTuple("Rest")


def cached_by_board(find: Callable[[Mapping[str, Any], *Rest], Found]) -> Callable[[Mapping[str, Any], *Rest], Found]:
    """Return a cached version of `find`, a function of a board. The result of `find` must depend only on the hexes of
    the board.

    Lists of hexes are compared by identity, because comparing all hexes takes longer than most calls of `find`. The
    cache keeps a reference to each list, so that no other list gets the same id.
    """
    known: dict[tuple[object, ...], tuple[object, Found]] = {}

    def remember(board: Mapping[str, Any], *rest: *Rest) -> Found:
        key = (id(board["hexes"]), is_pointy(board), *rest)
        found = known.get(key)
        if found is None:
            if len(known) >= BOARDS_KNOWN:
                known.clear()
            found = known[key] = board["hexes"], find(board, *rest)
        return found[1]

    return remember


def names_of(board: Mapping[str, Any], view: Any) -> dict[str, dict[str, str]]:
    """Return the words that users may type, as dictionaries from words to ids, under the keys `company` and `hex`."""
    companies: dict[str, str] = {}
    for company in board["companies"]:
        companies[plain(company["id"])] = company["id"]
        companies.setdefault(plain(company.get("name") or company["id"]), company["id"])
    for company, letter in letters(view).items():
        companies.setdefault(plain(letter), company)
    hexes = {plain(spot["id"]): spot["id"] for spot in board["hexes"]}
    hexes |= {plain(spot["name"]): spot["id"] for spot in board["hexes"] if spot["name"]}
    return {"company": companies, "hex": dict(_descriptions(board)) | hexes}


def hex_named(names: Mapping[str, Names], words: Sequence[str]) -> str | None:
    """Return the id of the hex that `words` name, or None.

    Words that name a company are ignored if other words remain.
    """
    if "of" in map(plain, words):
        matches = (taken_from(names["hex"], words[at:]) for at in range(len(words) - 1))
        return next((found[0] for found in matches if found is not None and found[1] > 1), None)
    others = [word for word in words if looked_up(names["company"], word) is None]
    return named_in(names["hex"], others if len(words) > 1 and others else words)


def place_of(board: Mapping[str, Any], spot: str) -> Any:
    return next(place for place in board["hexes"] if place["id"] == spot)


def place_words(board: Mapping[str, Any], place: Mapping[str, Any]) -> str:
    """Return the id of the hex `place`, then in brackets its name, or its location if it has no name."""
    spot = str(place["id"])
    return f"{spot} ({place['name']})" if place["name"] else place_name(board, spot)


def place_name(board: Mapping[str, Any], spot: str) -> str:
    """Return the displayed name of the hex with the id `spot`.

    For a hex without a name, this is its id and its location, as in "K3 (forest, north-west of Pittsburgh)". If two
    hexes have the same name, the id is appended.
    """
    return _display_names(board).get(spot, spot)


@cached_by_board
def _display_names(board: Mapping[str, Any]) -> Mapping[str, str]:
    named = [place for place in board["hexes"] if place["name"]]
    often = Counter(place["name"] for place in named)
    called = {place["id"]: str(place["name"]) for place in named}
    called |= {spot: f"{name} ({spot})" for spot, name in called.items() if often[name] > 1}
    for spot, location in _locations(board).items():
        called[spot] = f"{spot} ({', '.join(location)})"
    return called


@cached_by_board
def _locations(board: Mapping[str, Any]) -> Mapping[str, list[str]]:
    """Return a mapping from ids of unnamed hexes to their terrain and a phrase such as "north of Pittsburgh".

    The terrain is left out if it is not in TERRAIN. The phrase describes the way from the nearest hex with a name.
    """
    named = [(place["q"], place["r"], place["name"]) for place in board["hexes"] if place["name"]]
    found = {}
    for place in board["hexes"] if named else ():
        if not place["name"]:
            ways = [(place["q"] - q, place["r"] - r) for q, r, _ in named]
            nearest = min(range(len(named)), key=lambda at: _length(*ways[at]))
            kind = [place["terrain"]] if place["terrain"] in TERRAIN else []
            way = _way_words(_way(*ways[nearest]), is_pointy(board))
            found[place["id"]] = [*kind, f"{way} of {named[nearest][2]}"]
    return found


@cached_by_board
def _descriptions(board: Mapping[str, Any]) -> Mapping[str, str]:
    """Return a mapping from descriptions of unnamed hexes to hex ids. Omit descriptions that fit several hexes."""
    found: dict[str, set[str]] = {}
    for spot, (*kind, way) in _locations(board).items():
        forms = [way, " ".join([*kind, way]), " ".join(["the", *(kind or ["hex"]), way])]
        called = place_name(board, spot)
        for words in (called, shorter(called), *forms, *map(shorter, forms)):
            found.setdefault(WHOLE + plain(words), set()).add(spot)
    return {words: next(iter(spots)) for words, spots in found.items() if len(spots) == 1}


TERRAIN = frozenset({"plain", "forest", "mountain"})
FLAT_COMPASS = ("south-east", "north-east", "north", "north-west", "south-west", "south")
POINTY_COMPASS = ("east", "north-east", "north-west", "west", "south-west", "south-east")
FLAT_BETWEEN = ("east", "north-north-east", "north-north-west", "west", "south-south-west", "south-south-east")
POINTY_BETWEEN = ("east-north-east", "north", "west-north-west", "west-south-west", "south", "east-south-east")
"""Compass directions for pointy-top hexes. Direction `n` is halfway between `STEPS[n]` and the following step."""
SHORTER_PLACES = {
    **{f"({terrain}, ": "(" for terrain in sorted(TERRAIN)},
    **{f"the {terrain} ": "" for terrain in sorted(TERRAIN)},
    "two hexes ": "2 ",
    **{
        f"{way} of ": f"{''.join(part[0].upper() for part in way.split('-'))} of "
        for way in sorted({*FLAT_COMPASS, *POINTY_COMPASS, *FLAT_BETWEEN, *POINTY_BETWEEN}, key=lambda way: -len(way))
    },
}
"""Dictionary from words in place names to abbreviations, as in "NW of Pittsburgh"."""


def is_pointy(board: Mapping[str, Any]) -> bool:
    return bool(board.get("grid", {}).get("orientation") == "pointy-top")


def _way(q: int, r: int) -> list[tuple[int, int]]:
    """Return the way from (0, 0) to (q, r), as pairs: a number of hexes, and the index of a direction in `STEPS`."""
    for at, (dq, dr) in enumerate(STEPS):
        eq, er = STEPS[(at + 1) % len(STEPS)]
        across = dq * er - dr * eq
        far, aside = (q * er - r * eq) // across, (dq * r - dr * q) // across
        if far > 0 and aside >= 0:
            return [(far, at), (aside, (at + 1) % len(STEPS))] if aside else [(far, at)]
    return []


def _length(q: int, r: int) -> tuple[int, bool]:
    """Return the number of hexes of the way from (0, 0) to (q, r), and whether it has a bend."""
    return max(abs(q), abs(r), abs(q + r)), 0 not in (q, r, q + r)


def _way_words(way: Sequence[tuple[int, int]], pointy: bool) -> str:
    compass = POINTY_COMPASS if pointy else FLAT_COMPASS
    match way:
        case [(1, at)]:
            return compass[at]
        case [(1, at), (1, _)]:
            return f"two hexes {(POINTY_BETWEEN if pointy else FLAT_BETWEEN)[at]}"
        case [(2, at)]:
            return f"two hexes {compass[at]}"
    return listed([f"{far} {compass[at]}" for far, at in way])


def short_place_name(board: Mapping[str, Any], spot: str) -> str:
    """Return the name of the hex with the id `spot`, or `spot` if the hex has no name."""
    return str(place_of(board, spot)["name"] or spot)


def shorter(called: str) -> str:
    """Return `called`, the displayed name of a hex, with abbreviated words."""
    for long, short in SHORTER_PLACES.items():
        called = called.replace(long, short)
    return called


def built(board: Mapping[str, Any], builds: Sequence[Any], article: str = "") -> str:
    """Return `builds` as an instruction, such as "build the PRR to Altoona".

    `article`, here "the ", precedes each company.
    """
    places: dict[str, list[str]] = {}
    for build in builds:
        places.setdefault(build.company, []).append(place_name(board, build.hex))
    return "build " + listed([f"{article}{company} to {listed(spots)}" for company, spots in places.items()])


def places_of(board: Mapping[str, Any], action: Any) -> list[str]:
    return [action.hex] if hasattr(action, "hex") else []


def badge(board: Mapping[str, Any], action: Any) -> Badge:
    """Return the badge of a build: the colour of the company and the cost. Other actions have an empty badge."""
    cost = getattr(action, "cost", None)
    return Badge() if cost is None else Badge(paints(board)[action.company], cost)


def network(board: Mapping[str, Any], view: Any, word: str) -> tuple[frozenset[str], str] | None:
    """Return the ids of the hexes of the company that `word` names, and a line that lists the hexes.

    Return None if `word` does not name a company.
    """
    named = looked_up(names_of(board, view)["company"], word)
    if named is None:
        return None
    track = next(company.track for company in view.companies if company.id == named)
    cities = [str(place["name"]) for place in board["hexes"] if place["name"] and place["id"] in track]
    others = len(track) - len(cities)
    parts = [*cities, *([f"{others} more hex{'es' if others > 1 else ''}"] if others else [])]
    return frozenset(track), f"Highlighted: the network of {named}: {listed(parts) or 'nothing yet'}."


Number = Callable[[Mapping[str, Any], Any, Any], int | None]
"""Function that takes a board, a view and the data of a hex, and returns a number such as its cost, or None."""


def described(decision: Decision, words: Sequence[str], about: Callable[[Decision, Any], list[str]]) -> Spot | None:
    """Return the hex that `words` name, with a description. Return None if the words do not name a hex.

    `about` returns phrases about the cost and income of a hex.
    """
    spot = hex_named(decision.face.vocabulary.names(decision.wire_board, decision.view), words)
    if spot is None:
        return None
    place = place_of(decision.wire_board, spot)
    there = [company.id for company in decision.view.companies if spot in company.track]
    facts = [f"{place_words(decision.wire_board, place)}: {place['terrain']}", *about(decision, place)]
    facts.append("developed" if spot in decision.view.developed else "not developed")
    facts.append(f"there: {', '.join(there)}" if there else "nobody there")
    return Spot(spot, f"{', '.join(facts)}.")


def standing(view: Any, spot: str) -> int:
    return sum(spot in company.track for company in view.companies)


def numbered_map(
    board: Mapping[str, Any], view: Any, what: str, *, costs: Number, income: Number
) -> NumberedMap | None:
    """Return a map with costs if `what` starts with "cost", or with income if `what` starts with "inc".

    Return None for any other word. `costs` and `income` return the number for a hex.
    """
    if not what.startswith(("cost", "inc")):
        return None
    number = costs if what.startswith("cost") else income
    hexes = [{**place, "name": str(number(board, view, place) or "") or None} for place in board["hexes"]]
    empty = [msgspec.structs.replace(company, track=[]) for company in view.companies]
    word = "what building there costs now" if number is costs else "what one more company would earn there"
    return NumberedMap({**board, "hexes": hexes}, msgspec.structs.replace(view, companies=empty), f"Numbers: {word}.")
